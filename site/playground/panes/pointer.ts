/** The pointer over the picture and keys, as programs see them. */
import type { Input } from '../machine/run-protocol.ts'

/** Tells of the pointer over the canvas in an element, and of keys; gives what ends that. */
export function pointer(over: HTMLElement, tell: (input: Input) => void): () => void {
  let at: readonly [number, number] = [0, 0]
  let pressed: readonly [number, number] = [0, 0]
  let down = false
  const keys = new Set<string>()
  const say = (): void => tell({ mouse: { at, pressed, down, clicked: pressed[0] !== 0 || pressed[1] !== 0 } })
  const place = (event: PointerEvent): readonly [number, number] | undefined => {
    const canvas = over.querySelector('canvas')
    if (canvas === null) return undefined
    const { left, top, width, height } = canvas.getBoundingClientRect()
    return [((event.clientX - left) / width) * canvas.width, ((event.clientY - top) / height) * canvas.height]
  }
  const on = {
    pointerdown(event: PointerEvent): void {
      const found = place(event)
      if (found === undefined) return
      ;[at, pressed, down] = [found, found, true]
      over.setPointerCapture(event.pointerId)
      say()
    },
    pointermove(event: PointerEvent): void {
      const found = down ? place(event) : undefined
      if (found === undefined) return
      at = found
      say()
    },
    pointerup(): void {
      down = false
      say()
    },
  }
  const isTyping = ({ target }: KeyboardEvent): boolean =>
    target instanceof HTMLElement && target.closest('input, textarea, [contenteditable="true"]') !== null
  const keydown = (event: KeyboardEvent): void => {
    if (isTyping(event)) return
    keys.add(event.key).add(event.code)
    tell({ keys: [...keys] })
  }
  const keyup = (event: KeyboardEvent): void => {
    if (!keys.delete(event.key) && !keys.has(event.code)) return
    keys.delete(event.code)
    tell({ keys: [...keys] })
  }
  for (const [name, listener] of Object.entries(on)) over.addEventListener(name, listener as (event: Event) => void)
  addEventListener('keydown', keydown)
  addEventListener('keyup', keyup)
  return () => {
    for (const [name, listener] of Object.entries(on))
      over.removeEventListener(name, listener as (event: Event) => void)
    removeEventListener('keydown', keydown)
    removeEventListener('keyup', keyup)
  }
}
