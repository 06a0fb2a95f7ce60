/** A worker: it runs workgroups of loaded programs in instances of its own, over the memory that all threads of a program share. */
import { isStackOverflow } from './errors.ts'
import { failures, setTape, takePieces, textAt, word, type Greeting, type Job, type Message } from './job.ts'

/** Thrown by a check that failed. */
class Trap extends Error {
  readonly id: number
  constructor(id: number) {
    super('trap')
    this.id = id
  }
}

type First = NonNullable<Job['first']>

/** What the worker has of a program, by the numbers of machines: modules, and instances once they have run. */
interface Team extends Greeting {
  readonly modules: Map<number, First>
  readonly instances: Map<number, WebAssembly.Exports>
}

type Kernel = (x: number, y: number, z: number, from: number, to: number) => void

function instanceOf({ memory, modules, instances }: Team, machine: number): WebAssembly.Exports {
  const known = instances.get(machine)
  if (known !== undefined) return known
  const { module, base } = modules.get(machine)!
  const { exports } = new WebAssembly.Instance(module, {
    host: {
      memory,
      base,
      // Kernels that print stay with the thread of the caller.
      print: () => undefined,
      trap: (id: number) => {
        throw new Trap(id)
      },
    },
  })
  instances.set(machine, exports)
  return exports
}

function run(team: Team, job: Job): void {
  const board = new Int32Array(team.board, 0, textAt / 4)
  // Also of a dispatch that is over: later ones count on it.
  if (job.first !== undefined) team.modules.set(job.machine, job.first)
  // First in, then look: a caller closes the dispatch first, and then looks who is in.
  Atomics.add(board, word.inside, 1)
  if (Atomics.load(board, word.open) === job.dispatch) {
    try {
      const exports = instanceOf(team, job.machine)
      if (job.tape !== undefined) setTape(team.memory.buffer, job.tape)
      for (const [name, value] of job.globals) (exports[name] as WebAssembly.Global).value = value
      const [x, y, z] = job.groups
      const kernel = exports[job.kernel] as Kernel
      takePieces(board, job.range, (from, to) => kernel(x, y, z, from, to))
    } catch (cause) {
      fail(team, board, cause)
    }
  }
  Atomics.sub(board, word.inside, 1)
  Atomics.notify(board, word.inside)
}

/** Says what went wrong, unless another thread has before. */
function fail(team: Team, board: Int32Array, cause: unknown): void {
  if (Atomics.compareExchange(board, word.failed, 0, 1) !== 0) return
  const kind =
    cause instanceof Trap
      ? 'trap'
      : cause instanceof WebAssembly.RuntimeError
        ? 'engine'
        : isStackOverflow(cause)
          ? 'stack'
          : 'other'
  const text = new TextEncoder().encode(cause instanceof Error ? cause.message : String(cause))
  const place = new Uint8Array(team.board, textAt)
  const shown = text.subarray(0, place.length)
  place.set(shown)
  board[word.kind] = failures.indexOf(kind)
  board[word.detail] = cause instanceof Trap ? cause.id : shown.length
  board[word.worker] = team.worker
}

function serve(say: (answer: 'ready' | 'done') => void): (message: Message) => void {
  const teams = new Map<number, Team>()
  return message => {
    if (message.kind === 'hello') teams.set(message.team, { ...message, modules: new Map(), instances: new Map() })
    else if (message.kind === 'bye') teams.delete(message.team)
    else {
      run(teams.get(message.team)!, message)
      if (message.answer) say('done')
    }
  }
}

/** What a worker of a page has, as far as it counts here. */
interface PageWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  postMessage(message: unknown): void
}

const port = globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort
if (port) {
  const hear = serve(answer => port.postMessage(answer))
  port.on('message', (data: unknown) => hear(data as Message))
  port.postMessage('ready')
} else {
  const page = globalThis as unknown as PageWorker
  const hear = serve(answer => page.postMessage(answer))
  page.onmessage = ({ data }) => hear(data as Message)
  // Not before this script has run: Chromium delivers messages to a worker only once the thread that started it has heard that it runs. A thread that
  // got `ready` earlier could begin a dispatch, which blocks it, and its messages would wait until the dispatch is over.
  setTimeout(() => page.postMessage('ready'))
}
