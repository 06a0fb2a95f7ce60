/** A worker of a loaded program: it runs workgroups in instances of its own, over the memory that all threads share. */
import { isStackOverflow } from './errors.ts'
import { failures, setTape, takePieces, textAt, word, type Greeting, type Job } from './job.ts'

const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
const parent = threads?.parentPort

/** Thrown by a check that failed. */
class Trap extends Error {
  readonly id: number
  constructor(id: number) {
    super('trap')
    this.id = id
  }
}

type Port = NonNullable<typeof parent>
type Kernel = (x: number, y: number, z: number, from: number, to: number) => void

function serve(port: Port, number: number): void {
  const instances = new Map<number, WebAssembly.Exports>()
  let greeting: Greeting | undefined
  const instantiate = ({ module, base }: NonNullable<Job['first']>): WebAssembly.Exports =>
    new WebAssembly.Instance(module, {
      host: {
        memory: greeting!.memory,
        base,
        // Kernels that print stay with the thread of the caller.
        print: () => undefined,
        trap: (id: number) => {
          throw new Trap(id)
        },
      },
    }).exports
  const run = (job: Job, board: Int32Array): void => {
    if (job.first !== undefined) instances.set(job.machine, instantiate(job.first))
    if (job.tape !== undefined) setTape(greeting!.memory.buffer, job.tape)
    const exports = instances.get(job.machine)!
    for (const [name, value] of job.globals) (exports[name] as WebAssembly.Global).value = value
    const [x, y, z] = job.groups
    const kernel = exports[job.kernel] as Kernel
    takePieces(board, job.range, (from, to) => kernel(x, y, z, from, to))
  }
  port.on('message', (data: unknown) => {
    if (greeting === undefined) {
      greeting = data as Greeting
      port.postMessage('ready')
      return
    }
    const board = new Int32Array(greeting.board, 0, textAt / 4)
    try {
      run(data as Job, board)
    } catch (cause) {
      fail(greeting.board, board, number, cause)
    }
    Atomics.add(board, word.done, 1)
    Atomics.notify(board, word.done)
  })
}

/** Says what went wrong, unless another thread has before. */
function fail(bytes: SharedArrayBuffer, board: Int32Array, number: number, cause: unknown): void {
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
  const place = new Uint8Array(bytes, textAt)
  const shown = text.subarray(0, place.length)
  place.set(shown)
  board[word.kind] = failures.indexOf(kind)
  board[word.detail] = cause instanceof Trap ? cause.id : shown.length
  board[word.worker] = number
}

if (threads !== undefined && parent) serve(parent, threads.workerData as number)
