/**
 * The page's side of the worker: requests, events, and a watchdog. A worker that gives no sign of life is ended with all that it was asked, and another
 * one starts at once.
 */
import { Failed, hangs, type AskMessage, type Event, type Phase, type Request, type WorkerMessage } from './protocol.ts'

interface Waiting {
  readonly answer: (answer: unknown) => void
  readonly fail: (cause: Failed) => void
}

/** As much of a worker as a machine needs. */
export interface WorkerLike {
  postMessage(message: AskMessage, transfer: Transferable[]): void
  terminate(): void
  onmessage: ((event: MessageEvent<WorkerMessage>) => unknown) | null
  onerror: ((event: ErrorEvent) => unknown) | null
}

/** How long the worker may take to load, in milliseconds. */
const loading = 60_000
const watchEvery = 250

export const hanging =
  'The program did not come to an end, so it was stopped. Does a loop never end? Change it, and it runs again.'

export const absent = 'The compiler did not load. Is the page still there? “Run” tries again.'
/** A worker that did not load is not started again for so many milliseconds. */
const retryAfter = 1000

export class Machine {
  readonly #start: () => WorkerLike
  #worker: WorkerLike
  #last = 0
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  #beat: { readonly phase: Phase; readonly waits: number } | undefined
  #heard = performance.now()
  /** When a worker did not load; undefined while there is one. */
  #absent: number | undefined
  /** Counts workers: what belonged to one that ended, such as its canvas, is gone. */
  #generation = 0
  readonly #restarts = new Set<(why: string) => void>()

  constructor(start: () => WorkerLike) {
    this.#start = start
    this.#worker = this.#started()
    setInterval(() => this.#watch(), watchEvery)
  }

  get generation(): number {
    return this.#generation
  }

  /** Asks the worker. Fails with a `Failed`, also when the worker is ended before it answers. */
  ask<Ask, Answer>(of: Request<Ask, Answer>, ask: Ask, transfer: Transferable[] = []): Promise<Answer> {
    if (this.#absent !== undefined) {
      if (performance.now() - this.#absent < retryAfter) return Promise.reject(new Failed({ message: absent }))
      this.#worker = this.#started()
    }
    const id = ++this.#last
    return new Promise<Answer>((answer, fail) => {
      this.#waiting.set(id, { answer: answer as (answer: unknown) => void, fail })
      this.#worker.postMessage({ kind: 'ask', id, name: of.name, ask }, transfer)
    })
  }

  /** Hears of an event until the function that it gives is called. */
  on<Told>(of: Event<Told>, listener: (value: Told) => void): () => void {
    const all = this.#listeners.get(of.name) ?? new Set()
    this.#listeners.set(of.name, all)
    all.add(listener)
    return () => all.delete(listener)
  }

  /** Hears why a worker was ended, after the next one has started. */
  onRestart(listener: (why: string) => void): void {
    this.#restarts.add(listener)
  }

  /** Ends the worker and starts another. Whatever was asked fails with the message. */
  restart(why: string): void {
    const failed = this.#ended()
    this.#worker = this.#started()
    this.#say(why, failed)
  }

  /** A worker that did not load, such as that of a page without a network. Another one would do no better now: the next question starts it. */
  #miss(): void {
    const failed = this.#ended()
    this.#absent = performance.now()
    this.#say(absent, failed)
  }

  /** Ends the worker, and gives who waits for it. */
  #ended(): Waiting[] {
    this.#worker.terminate()
    this.#generation++
    this.#beat = undefined
    const failed = [...this.#waiting.values()]
    this.#waiting.clear()
    return failed
  }

  #say(why: string, failed: readonly Waiting[]): void {
    for (const { fail } of failed) fail(new Failed({ message: why }))
    for (const listener of this.#restarts) listener(why)
  }

  #started(): WorkerLike {
    const worker = this.#start()
    this.#absent = undefined
    this.#heard = performance.now()
    worker.onmessage = ({ data }) => {
      if (worker === this.#worker) this.#hear(data)
    }
    worker.onerror = event => {
      if (worker !== this.#worker) return
      if (this.#beat === undefined) this.#miss()
      else this.restart(`The worker failed: ${event.message}`)
    }
    return worker
  }

  #hear(message: WorkerMessage): void {
    this.#heard = performance.now()
    switch (message.kind) {
      case 'beat':
        this.#beat = message
        break
      case 'answer':
        this.#taken(message.id)?.answer(message.answer)
        break
      case 'failed':
        this.#taken(message.id)?.fail(new Failed(message.failure))
        break
      case 'event':
        for (const listener of this.#listeners.get(message.name) ?? []) listener(message.value as never)
        break
    }
  }

  #taken(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #watch(): void {
    if (this.#absent !== undefined) return
    const silence = performance.now() - this.#heard
    // A page in the background gets its timers late, and what the worker said meanwhile is still to be heard.
    if (document.hidden) {
      this.#heard = performance.now()
      return
    }
    if (this.#beat === undefined) {
      if (silence > loading) this.#miss()
    } else if (hangs(this.#beat, silence)) this.restart(hanging)
  }
}
