/** The worker's side of the protocol: handlers by the name of their request, events, and signs of life. */
import {
  beatEvery,
  Failed,
  type AskMessage,
  type Event,
  type Failure,
  type Phase,
  type Request,
  type WorkerMessage,
} from './protocol.ts'

const handlers = new Map<string, (ask: never) => unknown>()
let phase: Phase = 'idle'
/** When each piece of work on the device that has not ended began. */
const waiting = new Set<{ readonly since: number }>()

/** Answers a request. A handler that throws fails it, with the error's message. */
export function serve<Ask, Answer>(to: Request<Ask, Answer>, handler: (ask: Ask) => Answer | Promise<Answer>): void {
  if (handlers.has(to.name)) throw new Error(`two modules answer the request ${to.name}`)
  handlers.set(to.name, handler)
}

/** Tells the page something. */
export function tell<Told>(of: Event<Told>, value: Told): void {
  post({ kind: 'event', name: of.name, value })
}

/** Does work that keeps this thread from giving signs of life, and says so before. */
export function during<T>(what: Phase, work: () => T): T {
  const before = phase
  phase = what
  beat()
  try {
    return work()
  } finally {
    phase = before
    beat()
  }
}

/** Waits for work on the device. If it takes too long, the page ends this worker. */
export async function awaited<T>(work: Promise<T>): Promise<T> {
  const entry = { since: performance.now() }
  waiting.add(entry)
  try {
    return await work
  } finally {
    waiting.delete(entry)
  }
}

/** Begins to listen; all handlers are there by now. */
export function listen(): void {
  globalThis.addEventListener('message', ({ data }: MessageEvent<AskMessage>) => void answer(data))
  setInterval(beat, beatEvery)
  beat()
}

async function answer({ id, name, ask }: AskMessage): Promise<void> {
  try {
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`nothing answers the request ${name}`)
    const given = await handler(ask as never)
    post({ kind: 'answer', id, answer: given })
  } catch (cause) {
    post({ kind: 'failed', id, failure: failureOf(cause) })
  }
}

function failureOf(cause: unknown): Failure {
  if (cause instanceof Failed) return { message: cause.message, problems: cause.problems }
  return { message: cause instanceof Error ? cause.message : String(cause) }
}

function beat(): void {
  const now = performance.now()
  const oldest = Math.min(now, ...[...waiting].map(w => w.since))
  post({ kind: 'beat', phase, waits: now - oldest })
}

function post(message: WorkerMessage): void {
  ;(globalThis as unknown as { postMessage(message: WorkerMessage): void }).postMessage(message)
}
