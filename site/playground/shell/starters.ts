/** The row of programs to begin with. */
import { element } from '../panes/element.ts'
import type { Starter } from '../project/starters.ts'

/** Draws a button for each program, and tells which is chosen. */
export function starterRow(into: HTMLElement, starters: readonly Starter[], choose: (starter: Starter) => void): void {
  const buttons = starters.map(starter => {
    const button = element('button', { type: 'button', 'data-testid': `starter-${starter.name}` }, starter.title)
    if (starter.about !== undefined) button.title = starter.about
    button.addEventListener('click', () => choose(starter))
    return button
  })
  into.replaceChildren(...buttons)
  // Where some are out of sight, the row fades out.
  const follow = (): void => {
    into.classList.toggle('more', into.scrollLeft + into.clientWidth < into.scrollWidth - 8)
  }
  into.addEventListener('scroll', follow, { passive: true })
  new ResizeObserver(follow).observe(into)
  follow()
}
