/**
 * The threads of a loaded program: the caller's and workers. A dispatch is cut into pieces of consecutive workgroups, and each thread
 * takes the next piece when it is done with one. Workers wait for messages in between, and keep no process alive.
 */
import {
  boardBytes,
  failures,
  takePieces,
  textAt,
  word,
  type CompiledModule,
  type Job,
  type LinearMemory,
  type Range,
  type Tape,
} from './job.ts'

type Worker = InstanceType<NonNullable<ReturnType<typeof workerThreads>>['Worker']>

/** How many threads run the dispatches of a loaded program. */
export interface Threads {
  /** At most so many, with that of the caller. */
  readonly count: number
  /** Why there are fewer than `load` was asked for; undefined where there are as many. */
  readonly reason: string | undefined
}

/** Pieces for each thread: more share the work better, fewer cost less. */
const piecesEach = 16

/** The threads that a loaded program has beside the caller's. `load` starts them, and dispatches use them. */
export class Team {
  readonly #workers: readonly Worker[]
  readonly #bytes: SharedArrayBuffer
  readonly #board: Int32Array
  #machines = 0

  private constructor(workers: readonly Worker[], bytes: SharedArrayBuffer) {
    this.#workers = workers
    this.#bytes = bytes
    this.#board = new Int32Array(bytes, 0, textAt / 4)
  }

  /** Starts workers for so many threads, and waits until they are ready. Throws where they cannot be started. */
  static async start(threads: number, memory: LinearMemory): Promise<Team> {
    const { Worker } = workerThreads()
    const bytes = new SharedArrayBuffer(boardBytes)
    // Not inside `new Worker(…)`: there bundlers for pages expect the options of a page's worker.
    const url = new URL('./cpu-worker.js', import.meta.url)
    const workers = Array.from({ length: threads - 1 }, (_, i) => new Worker(url, { workerData: i, execArgv: [] }))
    try {
      await Promise.all(
        workers.map(
          worker =>
            new Promise<void>((resolve, reject) => {
              worker.once('message', () => resolve())
              worker.once('error', reject)
              worker.postMessage({ memory, board: bytes })
            }),
        ),
      )
    } catch (cause) {
      for (const worker of workers) void worker.terminate()
      throw cause
    }
    for (const worker of workers) worker.unref()
    return new Team(workers, bytes)
  }

  /** Threads, with that of the caller. */
  get size(): number {
    return this.#workers.length + 1
  }

  /** The number of a new machine. */
  join(): number {
    return this.#machines++
  }

  /**
   * Runs workgroups on all threads, and waits. `workers` says where their regions and tapes lie; `module` comes where they do not have
   * it yet. `own` runs a piece on this thread. Where a worker stops, `trap` says what a failed check means.
   */
  run(
    job: Omit<Job, 'first' | 'range' | 'tape'> & { readonly from: number; readonly to: number },
    workers: readonly { readonly base: number; readonly tape: Tape | undefined }[],
    module: CompiledModule | undefined,
    own: (from: number, to: number) => void,
    trap: (id: number, worker: number) => Error,
  ): void {
    const { from, to, ...rest } = job
    const range: Range = { from, to, step: Math.max(1, Math.ceil((to - from) / (this.size * piecesEach))) }
    this.#board.fill(0)
    this.#workers.forEach((worker, i) => {
      const { base, tape } = workers[i]!
      const first = module === undefined ? undefined : { module, base }
      worker.postMessage({ ...rest, range, first, tape } satisfies Job)
    })
    try {
      takePieces(this.#board, range, own)
    } catch (cause) {
      // Nobody writes memory any more when the caller gets it back.
      Atomics.store(this.#board, word.failed, 1)
      this.#wait()
      throw cause
    }
    this.#wait()
    if (Atomics.load(this.#board, word.failed) !== 0) throw this.#failure(trap)
  }

  #wait(): void {
    for (;;) {
      const done = Atomics.load(this.#board, word.done)
      if (done === this.#workers.length) return
      Atomics.wait(this.#board, word.done, done)
    }
  }

  /** What stopped a worker, as it would have stopped this thread. */
  #failure(trap: (id: number, worker: number) => Error): Error {
    const [kind, detail, worker] = [word.kind, word.detail, word.worker].map(k => this.#board[k]!)
    if (failures[kind!] === 'trap') return trap(detail!, worker!)
    const text = new TextDecoder().decode(new Uint8Array(this.#bytes, textAt, detail).slice())
    switch (failures[kind!]) {
      case 'engine':
        return new WebAssembly.RuntimeError(text)
      case 'stack':
        return new RangeError(text)
      default:
        return new Error(text)
    }
  }

  /** Ends the workers. */
  close(): void {
    for (const worker of this.#workers) void worker.terminate()
  }
}

/** Why a dispatch cannot wait for other threads here; undefined where it can. */
export function obstacle(): string | undefined {
  return workerThreads() === undefined ? 'only Node, Bun and Deno let a thread wait for others' : undefined
}

/** Threads of Node, Bun and Deno. Asked for like this, a bundler for pages does not look for them. */
function workerThreads() {
  return globalThis.process?.getBuiltinModule?.('node:worker_threads')
}
