/** Runs the project: asks the machine, gives it a canvas, and keeps what came of it for all parts of the page. */
import { Failed, type Problem } from './machine/protocol.ts'
import {
  compile,
  lost,
  prepare,
  printed,
  run,
  stopped,
  type Backend,
  type Input,
  type RunAnswer,
} from './machine/run-protocol.ts'
import * as protocol from './machine/run-protocol.ts'
import type { Machine } from './machine/machine.ts'
import type { Project } from './project/project.ts'
import { Store } from './project/store.ts'

/** What the machine is doing, or what came of it. */
export type State =
  | { readonly is: 'starting' }
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly answer: RunAnswer; readonly backend: Backend }
  | { readonly is: 'failed'; readonly message: string; readonly problems: readonly Problem[] }

/** A program runs again by itself if no device was lost for so many milliseconds. */
const lossesApart = 20_000

export class Running {
  readonly state: Store<State> = new Store<State>({ is: 'starting' })
  /** Where programs run; undefined until it is known whether there is WebGPU. */
  readonly backend: Store<Backend | undefined> = new Store<Backend | undefined>(undefined)
  /** Why there is no WebGPU; empty where there is. */
  readonly why: Store<string> = new Store('')
  readonly printed: Store<string> = new Store('')
  /** The canvas that shows the picture. It is another one after the worker or the backend has changed. */
  readonly canvas: Store<HTMLCanvasElement | undefined> = new Store<HTMLCanvasElement | undefined>(undefined)
  readonly #machine: Machine
  readonly #project: Store<Project>
  #webgpu: Promise<boolean>
  readonly #canvases = new Map<Backend, { readonly generation: number; readonly element: HTMLCanvasElement }>()
  #last = 0
  /** When a device was lost last. */
  #lost = -Infinity
  #isPreparing = false
  #input: Input = {}

  constructor(machine: Machine, project: Store<Project>) {
    this.#machine = machine
    this.#project = project
    this.#webgpu = this.#prepared()
    machine.on(printed, ({ text }) => this.printed.set(text))
    machine.on(stopped, ({ message }) => this.state.set({ is: 'failed', message, problems: [] }))
    machine.on(lost, ({ message }) => {
      this.state.set({
        is: 'failed',
        message: `The device was lost (${message}). Run asks for another one.`,
        problems: [],
      })
      // Its canvas belongs to the device that is gone.
      this.#canvases.delete('webgpu')
      this.#webgpu = this.#prepared()
      const now = performance.now()
      // A program that loses every device is not run over and over.
      if (now - this.#lost > lossesApart) void this.run()
      this.#lost = now
    })
    machine.onRestart(why => {
      const isDevice = this.#isPreparing || this.backend.value === 'webgpu'
      // A device that hangs may keep the next one from coming, and the thread that asks for it from answering.
      this.#webgpu = isDevice ? Promise.resolve(false) : this.#prepared()
      if (isDevice) this.why.set('WebGPU did not answer. “Use CPU” again asks for it once more')
      // Who waits for the device goes on without it.
      if (this.#isPreparing) return
      this.#last++
      this.state.set({ is: 'failed', message: why, problems: [] })
    })
  }

  /** Compiles and runs the project as it is now, in place of what runs. */
  async run(): Promise<void> {
    const own = ++this.#last
    this.state.set({ is: 'running' })
    // While the device is asked for. A failure is that of `run`, too.
    this.#machine.ask(compile, { files: this.#project.value.files }).catch(() => {})
    const backend = await this.where()
    if (own !== this.#last) return
    const { files, size } = this.#project.value
    this.backend.set(backend)
    const { element, canvas } = this.#canvasFor(backend)
    try {
      const answer = await this.#machine.ask(
        run,
        { files, backend, size, ...(canvas && { canvas }) },
        canvas ? [canvas] : [],
      )
      if (own !== this.#last) return
      this.canvas.set(answer.picture ? element : undefined)
      this.state.set({ is: 'done', answer, backend })
    } catch (cause) {
      if (own !== this.#last) return
      const problems = cause instanceof Failed ? cause.problems : []
      this.state.set({ is: 'failed', message: cause instanceof Error ? cause.message : String(cause), problems })
    }
  }

  /** Tells the program what the visitor does. */
  input(change: Input): void {
    this.#input = { ...this.#input, ...change, controls: { ...this.#input.controls, ...change.controls } }
    this.#machine.ask(protocol.input, change).catch(() => {})
  }

  /** Where programs of the project run, once that is known. */
  async where(): Promise<Backend> {
    const hasWebGpu = await this.#webgpu
    return hasWebGpu && this.#project.value.backend === 'auto' ? 'webgpu' : 'cpu'
  }

  /** Changes the backend, and runs there. A device that did not come is asked for again. */
  choose(backend: Project['backend']): void {
    if (backend === 'auto' && this.why.value !== '') this.#webgpu = this.#prepared()
    this.#project.change(p => ({ ...p, backend }))
    void this.run()
  }

  async #prepared(): Promise<boolean> {
    this.#isPreparing = true
    try {
      const { webgpu, why } = await this.#machine.ask(prepare, {})
      this.why.set(why)
      return webgpu
    } catch {
      // The worker was ended meanwhile: the one that follows it is asked again.
      return false
    } finally {
      this.#isPreparing = false
    }
  }

  /** The canvas of a backend; a new one is handed to the worker with the next run. */
  #canvasFor(backend: Backend): { readonly element: HTMLCanvasElement; readonly canvas?: OffscreenCanvas } {
    const { generation } = this.#machine
    const known = this.#canvases.get(backend)
    if (known?.generation === generation) return { element: known.element }
    const element = document.createElement('canvas')
    this.#canvases.set(backend, { generation, element })
    return { element, canvas: element.transferControlToOffscreen() }
  }
}
