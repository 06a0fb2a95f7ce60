/** The panes, in the order of their tabs. Each loads when it is opened first; a new one needs a line. */
import type { PaneEntry } from './pane.ts'

export const panes: readonly PaneEntry[] = [
  { id: 'output', title: 'Output', load: () => import('./output.ts') },
  { id: 'train', title: 'Train', load: () => import('./train.ts') },
  { id: 'check', title: 'Check', load: () => import('./check.ts') },
]
