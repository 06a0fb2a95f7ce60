/**
 * The threads of a loaded program: the caller's and workers. A dispatch is cut into pieces of consecutive workgroups, and each thread
 * takes the next piece when it is done with one. A caller that may wait begins alone, and invites workers once that pays.
 */
import {
  boardBytes,
  failures,
  isOpen,
  textAt,
  pieceOf,
  takePieces,
  word,
  type Job,
  type LinearMemory,
  type Range,
} from './job.ts'
import { failure, join, leave, member, started, isOutsidePages, type Member } from './pool.ts'

/** How many threads run the dispatches of a loaded program. */
export interface Threads {
  /** At most so many: of `dispatch` with that of the caller, of `dispatchAsync` without. */
  readonly count: number
  /** Why there are fewer than `load` was asked for or, if it was not, would take; undefined where there are as many. */
  readonly reason: string | undefined
}

/** Pieces of a dispatch: more share the work better, fewer cost less. Also, engines replace slow code by fast code between calls only. */
const [leastPieces, piecesEach] = [256, 32]
/** Milliseconds of work for which a worker is invited. To wake one takes 0.02 to 0.05. */
const worthwhile = 0.25
/** Milliseconds of work after which a worker is started that would have shared it. To start one takes 30 to 50, and 3 of the caller's. */
const worthStarting = 25

/** What a job says beside what the team knows. */
export type Part = Pick<Job, 'machine' | 'first' | 'tape' | 'kernel' | 'groups' | 'globals'>

/** A dispatch that threads share. */
export interface Shared {
  readonly from: number
  readonly to: number
  /** How many workgroups run at once. */
  readonly least: number
  /** What the worker of that number is to do. */
  readonly part: (worker: number) => Part
  /** What a failed check of that worker says. */
  readonly trap: (id: number, worker: number) => Error
}

/** The threads that a loaded program may have. */
export class Team {
  /** Threads, at most. */
  readonly size: number
  readonly #number: number
  readonly #memory: LinearMemory
  readonly #bytes = new SharedArrayBuffer(boardBytes)
  readonly #board = new Int32Array(this.#bytes, 0, textAt / 4)
  readonly #greeted = new Set<Member>()
  #machines = 0
  #dispatches = 0
  /** Milliseconds of work that workers would have shared which had not been started. */
  #missed = 0

  constructor(size: number, memory: LinearMemory) {
    this.size = size
    this.#memory = memory
    this.#number = join(this)
  }

  /** Waits until workers are ready that `dispatch` can use; those that it cannot use, until one of `dispatchAsync` is. Throws where they cannot run. */
  async start(): Promise<void> {
    const workers = Array.from({ length: mayWait() ? this.size - 1 : this.size }, (_, k) => member(k))
    await Promise.all(workers.map(worker => worker.started()))
  }

  /** Whether a worker runs, for which it waits. */
  async ready(): Promise<boolean> {
    return (await startedMember(0)) !== undefined
  }

  /** How many threads there are as far as is known now. `reason` says why no more were to be. */
  threads(reason: string | undefined): Threads {
    const failed = failure()
    return failed === undefined ? { count: this.size, reason } : { count: 1, reason: failed.message }
  }

  /** The number of a new machine. */
  join(): number {
    return this.#machines++
  }

  /**
   * Runs workgroups on this thread and those that it invites, and waits. `own` runs some on this one; `pace` is how many milliseconds it
   * needed for each, if known. Gives that of this time. `begin` is called before the first worker is invited.
   */
  run(shared: Shared, pace: number | undefined, own: (from: number, to: number) => void, begin: () => void): number {
    const all = shared.to - shared.from
    const first = performance.now()
    // What was short the last time runs without words that others see, as long as it is short.
    const from = pace !== undefined && pace * all < worthwhile ? runAlone(shared, first, own) : shared.from
    if (from === shared.to) return all === 0 ? 0 : (performance.now() - first) / all
    const board = this.#board
    const range = this.#open({ ...shared, from })
    let invited = 0
    const invite = (rest: number, passed: number): void => {
      const helpers = this.#helpers(rest, passed)
      if (invited === 0 && helpers > 0) begin()
      for (const worker of started(helpers).slice(invited))
        worker.post(this.#job(worker, invited++, shared, range, false))
    }
    const start = performance.now()
    let [pieces, done, last] = [0, 0, start]
    if (pace !== undefined) invite(pace * (range.to - range.from), 0)
    try {
      takePieces(board, range, (from, to) => {
        own(from, to)
        done += to - from
        // The clock costs as much as a small piece.
        if (++pieces > 2 && pieces % 4 !== 0) return
        const now = performance.now()
        const left = range.to - range.from - Atomics.load(board, word.taken) * range.step
        if (left > 0) invite(((now - start) / done) * left, now - last)
        last = now
      })
    } catch (cause) {
      Atomics.store(board, word.failed, 1)
      this.#close()
      throw cause
    }
    const spent = performance.now() - start
    this.#close()
    this.#check(shared)
    return done === 0 ? (pace ?? 0) : spent / done
  }

  /** Runs workgroups on workers alone, which it starts where needed. One runs: see `ready`. */
  async runAsync(shared: Shared): Promise<void> {
    const range = this.#open(shared)
    const answers: Promise<void>[] = []
    const done = async (): Promise<undefined> => void (await Promise.allSettled(answers))
    try {
      for (let k = 0; k < this.size && isOpen(this.#board, range); k++) {
        // Those that run do the work if another one cannot start, or has not yet when all is done.
        const worker = await (k === 0 ? startedMember(k) : Promise.race([startedMember(k), done()]))
        if (worker === undefined) break
        const answer = worker.ask(this.#job(worker, k, shared, range, true))
        answer.catch(() => Atomics.store(this.#board, word.failed, 1))
        answers.push(answer)
      }
      // Also where one fails: the others may not be at work when the next dispatch begins.
      await done()
      // One that was ended at work has not said that it is out.
      Atomics.store(this.#board, word.inside, 0)
      await Promise.all(answers)
    } finally {
      Atomics.store(this.#board, word.open, 0)
    }
    this.#check(shared)
  }

  /** How many workers are to help with so many milliseconds of work, when so many have passed without more of them. */
  #helpers(rest: number, passed: number): number {
    const wanted = Math.min(this.size - 1, Math.floor(rest / worthwhile))
    let ready = started(wanted).length
    if (ready < wanted && failure() === undefined) {
      this.#missed += passed
      for (; ready < wanted && this.#missed >= worthStarting; this.#missed -= worthStarting) member(ready++)
    }
    return ready
  }

  #open({ from, to, least }: Shared): Range {
    const board = this.#board
    for (const cell of [word.taken, word.failed]) Atomics.store(board, cell, 0)
    Atomics.store(board, word.open, ++this.#dispatches)
    const pieces = Math.max(leastPieces, this.size * piecesEach)
    return { from, to, step: pieceOf(to - from, pieces, least) }
  }

  /** Lets no more workers in, and waits until none is in: nobody writes memory any more when the caller gets it back. */
  #close(): void {
    Atomics.store(this.#board, word.open, 0)
    for (;;) {
      const inside = Atomics.load(this.#board, word.inside)
      if (inside === 0) return
      Atomics.wait(this.#board, word.inside, inside)
    }
  }

  #job(worker: Member, number: number, { part }: Shared, range: Range, answer: boolean): Job {
    const team = this.#number
    if (!this.#greeted.has(worker)) {
      worker.post({ kind: 'hello', team, worker: number, memory: this.#memory, board: this.#bytes })
      this.#greeted.add(worker)
    }
    return { kind: 'job', team, dispatch: this.#dispatches, range, answer, ...part(number) }
  }

  /** Throws what stopped a worker, as it would have stopped this thread. */
  #check({ trap }: Shared): void {
    if (Atomics.load(this.#board, word.failed) === 0) return
    const [kind, detail, worker] = [word.kind, word.detail, word.worker].map(k => this.#board[k]!)
    if (failures[kind!] === 'trap') throw trap(detail!, worker!)
    const text = new TextDecoder().decode(new Uint8Array(this.#bytes, textAt, detail).slice())
    switch (failures[kind!]) {
      case 'engine':
        throw new WebAssembly.RuntimeError(text)
      case 'stack':
        throw new RangeError(text)
      default:
        throw new Error(text)
    }
  }

  /** Lets go of the workers. */
  close(): void {
    leave(this.#number)
  }
}

/** The worker of that number once it has started; undefined where it does not. */
async function startedMember(number: number): Promise<Member | undefined> {
  try {
    const worker = member(number)
    await worker.started()
    return worker
  } catch {
    return undefined
  }
}

/** Runs workgroups on this thread, unless they take too long. Gives the first that it has not run. */
function runAlone({ from, to, least }: Shared, begin: number, own: (from: number, to: number) => void): number {
  const step = pieceOf(to - from, leastPieces, least)
  for (let [at, pieces] = [from, 1]; at < to; pieces++) {
    const end = Math.min(at + step, to)
    own(at, end)
    at = end
    if ((pieces === 1 || pieces % 32 === 0) && performance.now() - begin > worthwhile) return at
  }
  return to
}

/** Why there are no workers here; undefined where there can be. */
export function obstacle(): string | undefined {
  if (isOutsidePages()) return undefined
  if (typeof globalThis.Worker !== 'function') return 'there are no workers here'
  return globalThis.crossOriginIsolated
    ? undefined
    : 'the page is not cross-origin isolated: threads share memory only where the server sends the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp'
}

/** How many threads a program has that asks for none: all cores of Node, Bun and Deno. */
export function usualThreads(): number {
  if (!isOutsidePages()) return 1
  return globalThis.process.getBuiltinModule('node:os').availableParallelism()
}

/** Whether this thread may wait for others: the main thread of a page may not. */
export function mayWait(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1)
    return true
  } catch {
    return false
  }
}
