/**
 * How the page and the worker talk. A request or an event is a constant of a name and its types; both sides import it:
 *
 *     export const train = request<{ steps: number }, { loss: number }>('train')
 *     serve(train, async ({ steps }) => …)        // in a module that worker.ts lists
 *     const { loss } = await machine.ask(train, { steps: 10 })
 *
 * Requests of running programs are in `run-protocol.ts`. Any other module may add its own.
 */

declare const ask: unique symbol
declare const answer: unique symbol
declare const told: unique symbol

/** A question of the page, by name, with the types of what is asked and answered. */
export interface Request<Ask, Answer> {
  readonly name: string
  readonly [ask]?: (given: Ask) => void
  readonly [answer]?: Answer
}

/** What the worker tells without being asked. */
export interface Event<Told> {
  readonly name: string
  readonly [told]?: (value: Told) => void
}

export function request<Ask, Answer>(name: string): Request<Ask, Answer> {
  return { name }
}

export function event<Told>(name: string): Event<Told> {
  return { name }
}

/** A diagnostic of the compiler, as plain data. Lines and columns count from 1. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Why a request could not be answered: a message for people, and what the compiler says. */
export interface Failure {
  readonly message: string
  readonly problems?: readonly Problem[]
}

/** The error that a page gets for a request that failed. */
export class Failed extends Error {
  override readonly name = 'Failed'
  readonly problems: readonly Problem[]

  constructor({ message, problems = [] }: Failure) {
    super(message)
    this.problems = problems
  }
}

/**
 * What a worker does: a compile, which answers no heartbeat and has limits of its own; a dispatch on the CPU; or nothing that keeps
 * it from answering.
 */
export type Phase = 'compiling' | 'running' | 'idle'

/** How long a phase may pass without a sign of life, in milliseconds. Then the page ends the worker. */
export const patience: Readonly<Record<Phase, number>> = { compiling: 30_000, running: 3000, idle: 3000 }

/** How often a worker gives a sign of life, in milliseconds. */
export const beatEvery = 250

/** From the page to the worker. */
export interface AskMessage {
  readonly kind: 'ask'
  readonly id: number
  readonly name: string
  readonly ask: unknown
}

/** From the worker to the page. */
export type WorkerMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'event'; readonly name: string; readonly value: unknown }
  /** `waits` is for how long the oldest work on the device has not ended, in milliseconds. */
  | { readonly kind: 'beat'; readonly phase: Phase; readonly waits: number }

/** Whether a sign of life says that the worker hangs, or the silence since the last one does. */
export function hangs(beat: { readonly phase: Phase; readonly waits: number }, silence: number): boolean {
  return silence > patience[beat.phase] || (beat.waits > 0 && beat.waits + silence > patience.running)
}
