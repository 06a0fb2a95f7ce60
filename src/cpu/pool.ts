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

/** What is the same of a worker of Node and one of a page. */
interface Channel {
  postMessage(message: Message): void
  terminate(): unknown
  /** Only Node has them: whether the worker keeps the process alive. */
  ref?(): void
  unref?(): void
}

/** A worker. */
export class Member {
  readonly #channel: Channel
  /** Resolves when it has started; rejects where it cannot start. */
  readonly ready: Promise<void>
  /** Those who wait for an answer, in the order of their messages. */
  readonly #waiting: { readonly resolve: () => void; readonly reject: (cause: Error) => void }[] = []
  #failure: Error | undefined

  constructor(failed: (cause: Error) => void) {
    this.ready = this.#answer()
    // Who does not wait for it hears of a failure otherwise.
    this.ready.catch(() => undefined)
    this.#channel = open(
      () => {
        this.#waiting.shift()?.resolve()
        if (this.#waiting.length === 0) this.#channel.unref?.()
      },
      cause => {
        this.#failure = cause
        for (const { reject } of this.#waiting.splice(0)) reject(cause)
        failed(cause)
      },
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

  /** Resolves when it has started, and keeps the process alive until then. */
  async started(): Promise<void> {
    if (this.#waiting.length > 0) this.#channel.ref?.()
    await this.ready
  }

  end(): void {
    void this.#channel.terminate()
  }

  #answer(): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiting.push({ resolve, reject }))
  }
}

/** Starts a worker. */
function open(answered: () => void, failed: (cause: Error) => void): Channel {
  const threads = workerThreads()
  const Worker = (threads?.Worker ?? globalThis.Worker) as new (url: URL, options: object) => Channel
  // In one expression, and with options that are constant, bundlers find the file. Node would give the worker its own options, which may
  // be none for a file.
  const worker = new Worker(new URL('./cpu-worker.js', import.meta.url), { type: 'module', execArgv: [] })
  const unable = (cause: unknown): void => {
    const why = cause instanceof Error ? `: ${cause.message}` : ''
    failed(
      new Error(`cpu-worker.js of cotangent, which has to lie beside cotangent/cpu, does not run${why}`, { cause }),
    )
  }
  if (threads === undefined) {
    Object.assign(worker, { onmessage: answered, onerror: unable, onmessageerror: unable })
  } else {
    const node = worker as unknown as InstanceType<typeof threads.Worker>
    node.on('message', answered)
    node.on('error', unable)
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
    for (const other of members.splice(0)) other.end()
  }))
}

/** What keeps workers from running, if something does. */
export function failure(): Error | undefined {
  return broken
}
