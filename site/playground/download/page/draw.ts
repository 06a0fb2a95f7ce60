/** The page: runs the program in a worker, and shows its picture, what can be set, printed text, and buffers. */
import live from './main.slang?runtime'
import { backend, size } from './plan.ts'
import { buffers as askBuffers, frame } from '../../machine/run-protocol.ts'
import { startMachine } from '../../machine/start.ts'
import { bufferViews } from '../../panes/buffers.ts'
import { controls } from '../../panes/controls.ts'
import { pointer } from '../../panes/pointer.ts'
import type { Project } from '../../project/project.ts'
import { Store } from '../../project/store.ts'
import { Running } from '../../running.ts'

/** How often buffers are read while frames go on, in milliseconds. */
const readEvery = 500

const at = (choice: string): HTMLElement => document.querySelector<HTMLElement>(choice)!
const say = (message: string): void => void (at('#message').textContent = message)

const { fileName, source, files } = live
const others = Object.entries(files).filter(([name]) => name !== fileName)
const project = new Store<Project>({
  files: [{ name: fileName, text: source }, ...others.map(([name, text]) => ({ name, text }))],
  open: fileName,
  backend,
  size,
  picks: {},
})
const machine = startMachine()
const running = new Running(machine, project)
const views = bufferViews(at('#buffers'))
pointer(at('#picture'), input => running.input(input))

let read = 0
async function readBuffers(): Promise<void> {
  read = performance.now()
  try {
    views.show(await machine.ask(askBuffers, {}))
  } catch (cause) {
    say(cause instanceof Error ? cause.message : String(cause))
  }
}

running.canvas.subscribe(canvas => {
  canvas?.setAttribute('role', 'img')
  canvas?.setAttribute('aria-label', 'The picture that the program draws')
  at('#picture').replaceChildren(...(canvas === undefined ? [] : [canvas]))
})
running.printed.subscribe(text => {
  at('#printed').textContent = text
  at('#printed').hidden = text === ''
})
running.state.subscribe(state => {
  if (state.is === 'failed') say(state.message)
  if (state.is !== 'done') return
  const { entries, controls: list } = state.answer
  say(
    entries === 0
      ? 'This program has functions only, and no entry point to run. npm run check compares their derivatives with finite differences.'
      : `Runs on ${state.backend === 'webgpu' ? 'WebGPU' : 'the CPU'}.`,
  )
  controls(at('#controls'), list, values => running.input({ controls: values }))
  void readBuffers()
})
machine.on(frame, () => {
  if (performance.now() - read > readEvery) void readBuffers()
})
void running.run()
