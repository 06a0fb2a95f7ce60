/** The bar between source and panes: it moves by the pointer, and by keys. */

/** How wide the source may be, in hundredths of the page. */
const least = 20
const most = 80
/** Half of the bar, in pixels. */
const half = 4
/** How far a key moves it. */
const step = 2

/** Makes a splitter of an element, which sets `--split` of the element around it. */
export function splitter(bar: HTMLElement): void {
  const around = bar.parentElement!
  /** Where it stands: panes have widths of their own until somebody moves it. */
  const at = (): number => ((bar.offsetLeft + half) / around.clientWidth) * 100
  const set = (to: number): void => {
    const within = Math.min(most, Math.max(least, to))
    around.style.setProperty('--split', `calc(${within}% - ${half}px)`)
    bar.setAttribute('aria-valuenow', `${Math.round(within)}`)
  }
  for (const [name, value] of Object.entries({
    role: 'separator',
    tabindex: '0',
    'aria-orientation': 'vertical',
    'aria-label': 'Width of the source, in hundredths of the page',
    'aria-controls': 'source',
    'aria-valuemin': `${least}`,
    'aria-valuemax': `${most}`,
    'aria-valuenow': '50',
    title: 'Drag, or press the arrow keys',
  }))
    bar.setAttribute(name, value)
  bar.addEventListener('pointerdown', event => {
    bar.setPointerCapture(event.pointerId)
    event.preventDefault()
    bar.focus()
  })
  bar.addEventListener('pointermove', event => {
    if (!bar.hasPointerCapture(event.pointerId)) return
    const { left, width } = around.getBoundingClientRect()
    set(((event.clientX - left) / width) * 100)
  })
  bar.addEventListener('dblclick', () => around.style.removeProperty('--split'))
  bar.addEventListener('focus', () => bar.setAttribute('aria-valuenow', `${Math.round(at())}`))
  bar.addEventListener('keydown', event => {
    const to = { ArrowLeft: at() - step, ArrowRight: at() + step, Home: least, End: most }[event.key]
    if (to === undefined) return
    event.preventDefault()
    set(to)
  })
}
