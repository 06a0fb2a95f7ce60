/** What a pane is, and what the page gives it. */
import type { Editor } from '../editor/editor.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../project/project.ts'
import type { Store } from '../project/store.ts'
import type { Running } from '../running.ts'
import type { Training } from '../training.ts'

/** What panes may use of the page. */
export interface Site {
  readonly project: Store<Project>
  readonly editor: Editor
  readonly machine: Machine
  readonly running: Running
  readonly training: Training
  /** Says something to the visitor, also to those who do not see the page. */
  readonly say: (message: string) => void
}

/** A pane draws into an element of its own while it is open. What it gives closes it. */
export type Pane = (into: HTMLElement, site: Site) => () => void

/** A line of the list of panes. */
export interface PaneEntry {
  /** Also its `data-testid`. */
  readonly id: string
  readonly title: string
  readonly load: () => Promise<{ readonly pane: Pane }>
}
