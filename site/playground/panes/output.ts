/** The pane Output: the picture, what the visitor can set, printed text, and buffers as tables and plots. */
import { buffers as askBuffers, frame } from '../machine/run-protocol.ts'
import { bufferViews } from './buffers.ts'
import { controls } from './controls.ts'
import { element } from './element.ts'
import type { Pane } from './pane.ts'
import { pointer } from './pointer.ts'

/** How often buffers are read while frames go on, in milliseconds. */
const readEvery = 500

export const pane: Pane = (into, { machine, running, say }) => {
  const picture = element('div', { class: 'picture', 'data-testid': 'picture' })
  const set = element('div', { class: 'controls' })
  const text = element('pre', {
    class: 'printed',
    'data-testid': 'printed',
    tabindex: '0',
    'aria-label': 'Printed text',
  })
  const views = element('div', { class: 'buffers' })
  const empty = element('p', { class: 'empty' })
  into.append(picture, set, text, views, empty)
  const buffers = bufferViews(views)
  const endPointer = pointer(picture, input => running.input(input))
  const ends = [endPointer]

  const showCanvas = (): void =>
    picture.replaceChildren(...(running.canvas.value ? [labelled(running.canvas.value)] : []))
  const showText = (): void => {
    text.textContent = running.printed.value
    text.hidden = running.printed.value === ''
  }
  let read = 0
  let isReading = false
  const readBuffers = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    read = performance.now()
    try {
      buffers.show(await machine.ask(askBuffers, {}))
    } catch (cause) {
      say(cause instanceof Error ? cause.message : String(cause))
    } finally {
      isReading = false
    }
  }
  const showState = (): void => {
    const { value } = running.state
    if (value.is !== 'done') return
    controls(set, value.answer.controls, values => running.input({ controls: values }))
    void readBuffers()
    const { picture: hasPicture } = value.answer
    empty.textContent = hasPicture ? '' : 'This program has no picture.'
    empty.hidden = hasPicture
  }
  ends.push(
    running.canvas.subscribe(showCanvas),
    running.printed.subscribe(showText),
    running.state.subscribe(showState),
    machine.on(frame, () => {
      if (running.state.value.is === 'done' && performance.now() - read > readEvery) void readBuffers()
    }),
  )
  showCanvas()
  showText()
  showState()
  return () => {
    for (const end of ends) end()
  }
}

function labelled(canvas: HTMLCanvasElement): HTMLCanvasElement {
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', 'The picture that the program draws')
  canvas.dataset['testid'] = 'canvas'
  return canvas
}
