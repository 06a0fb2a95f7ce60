/**
 * The workers of this process or page. All loaded programs use the same ones: starting a worker takes tens of milliseconds, and more of them than
 * cores help nobody. They are started when somebody needs them, keep no process alive while nothing runs, and end with the last program.
 */
import type { Message } from './job.ts'

/** Workers of Node, Bun and Deno. Asked for like this, a bundler for pages does not look for them. */
function workerThreads() {
  return globalThis.process?.getBuiltinModule?.('node:worker_threads')
}

/** Whether this is Node, Bun or Deno, and no page. */
export function isOutsidePages(): boolean {
  return workerThreads() !== undefined
}

/** An event of a worker of a page that failed. One whose file did not load has no message. */
interface Failing {
  readonly message?: string
  preventDefault(): void
}

/** What is the same of a worker of Node and one of a page. */
interface Channel {
  postMessage(message: Message): void
  terminate(): unknown
  /** Only Node has them: whether the worker keeps the process alive. */
  ref?(): void
  unref?(): void
}

/** The turns of a timer that a worker has to start, and the milliseconds of one: ten seconds. */
const [patience, turn] = [100, 100]

/** A worker. */
export class Member {
  readonly #channel: Channel
  readonly #failed: (cause: Error) => void
  /** Resolves when it has started; rejects where it cannot start. */
  readonly ready: Promise<void>
  /** Those who wait for an answer, in the order of their messages. */
  readonly #waiting: { readonly resolve: () => void; readonly reject: (cause: Error) => void }[] = []
  #failure: Error | undefined
  #isReady = false
  #isWatched = false
  /** Whether it ends when nobody waits for it any more. */
  #isRetired = false
  /** Whether it was ended here, so that its end is no failure. */
  #isEnded = false

  constructor(failed: (cause: Error) => void) {
    this.#failed = failed
    this.ready = this.#answer()
    // Who does not wait for it hears of a failure otherwise.
    this.ready.catch(() => undefined)
    this.#channel = open(
      () => {
        this.#isReady = true
        this.#waiting.shift()?.resolve()
        if (this.#waiting.length > 0) return
        if (this.#isRetired) this.end()
        else this.#channel.unref?.()
      },
      (why, cause) => this.#fail(why, cause),
    )
    this.#channel.unref?.()
  }

  post(message: Message): void {
    this.#channel.postMessage(message)
  }

  /** Posts a message, and resolves when it is answered; the process lives as long. */
  ask(message: Message): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const answer = this.#answer()
    this.#channel.ref?.()
    this.#channel.postMessage(message)
    return answer
  }

  /** Resolves when it has started, and keeps the process alive until then. Rejects where it does not start, also where no event says so. */
  async started(): Promise<void> {
    if (this.#waiting.length > 0) this.#channel.ref?.()
    if (!this.#isReady && !this.#isWatched) this.#watch()
    await this.ready
  }

  /** Ends it when those who wait for its work have their answers: memory is not left half written. Where it has not started, it ends at once. */
  retire(cause: Error): void {
    if (this.#isReady && this.#waiting.length > 0) this.#isRetired = true
    else this.#drop(cause)
  }

  end(): void {
    this.#isEnded = true
    // Whoever still waits for its start would wait for ever, and the timer of that would keep the process alive.
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the worker was ended'))
    void this.#channel.terminate()
  }

  /** Counts turns of a timer, not time: a thread that was busy for long has not heard yet what the worker said meanwhile. */
  #watch(): void {
    this.#isWatched = true
    let turns = 0
    const timer = setInterval(() => {
      if (++turns === patience) this.#fail(`it did not start within ${(patience * turn) / 1000} seconds`)
    }, turn)
    const stop = (): void => clearInterval(timer)
    this.ready.then(stop, stop)
  }

  #fail(why: string | undefined, cause?: unknown): void {
    if (this.#isEnded) return
    const more = why === undefined ? '' : `: ${why}`
    const error = new Error(`cpu-worker.js of cotangent, which has to lie beside cotangent/cpu, does not run${more}`, {
      cause,
    })
    this.#drop(error)
    this.#failed(error)
  }

  #drop(cause: Error): void {
    this.#failure = cause
    for (const { reject } of this.#waiting.splice(0)) reject(cause)
    this.end()
  }

  #answer(): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }))
  }
}

/** Starts a worker. `failed` hears why it does not run, where anything says so. */
function open(answered: () => void, failed: (why: string | undefined, cause: unknown) => void): Channel {
  const threads = workerThreads()
  const Worker = (threads?.Worker ?? globalThis.Worker) as new (url: URL, options: object) => Channel
  // In one expression, and with options that are constant, bundlers find the file. Node would give the worker its own options, which may
  // be none for a file.
  const worker = new Worker(new URL('./cpu-worker.js', import.meta.url), { type: 'module', execArgv: [] })
  if (threads === undefined) {
    const unable = (event: Failing): void => {
      // It becomes an error of who waits. Otherwise it would also be one of the page, or of the worker that started this one, which may end by it.
      event.preventDefault()
      failed(event.message, event)
    }
    Object.assign(worker, { onmessage: answered, onerror: unable, onmessageerror: unable })
  } else {
    const node = worker as unknown as InstanceType<typeof threads.Worker>
    node.on('message', answered)
    node.on('error', (cause: unknown) => failed(cause instanceof Error ? cause.message : undefined, cause))
    // Whoever ended it did not say why; those who wait for it would wait for ever.
    node.on('exit', () => failed('it was ended', undefined))
  }
  return worker
}

/** Workers in the order in which they were started. */
const members: Member[] = []
/** The programs that may use them. */
const teams = new Set<number>()
let lastTeam = 0
/** What kept a worker from running; then no other is started. */
let broken: Error | undefined

/** Lets go of programs that nobody has closed. */
const forgotten = new FinalizationRegistry<number>(leave)

/** Gives a program a number. The program is over when `owner` is collected, or by `leave`. */
export function join(owner: object): number {
  teams.add(++lastTeam)
  forgotten.register(owner, lastTeam)
  return lastTeam
}

/** Says that a program is over. With the last one the workers end. */
export function leave(team: number): void {
  if (!teams.delete(team)) return
  for (const member of members) member.post({ kind: 'bye', team })
  if (teams.size === 0) for (const member of members.splice(0)) member.end()
}

/** Workers that have been started: `most` of them at most. */
export function started(most: number): readonly Member[] {
  return members.slice(0, most)
}

/** The worker of that number, which is started if it is the next one. Throws where workers fail. */
export function member(number: number): Member {
  if (broken !== undefined) throw broken
  return (members[number] ??= new Member(cause => {
    broken = cause
    for (const other of members.splice(0)) other.retire(cause)
  }))
}

/** What keeps workers from running, if something does. */
export function failure(): Error | undefined {
  return broken
}
