/** What the threads of a loaded program tell each other: messages, and a few words that all of them see. */

/** A `WebAssembly.Module`, where the types of WebAssembly are known. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : never

/** A `WebAssembly.Memory` likewise. */
export type LinearMemory = typeof globalThis extends { WebAssembly: { Memory: { prototype: infer M } } } ? M : never

/** A message to a worker. It says `ready` when it has started, and answers those jobs whose caller does not wait for words in memory. */
export type Message = Greeting | Job | Farewell

/** The first message about a program. */
export interface Greeting {
  readonly kind: 'hello'
  /** The program, by its number. */
  readonly team: number
  /** The worker, by its number. */
  readonly worker: number
  readonly memory: LinearMemory
  readonly board: SharedArrayBuffer
}

/** The last message about a program: the worker forgets it. */
export interface Farewell {
  readonly kind: 'bye'
  readonly team: number
}

/** A part of a dispatch. */
export interface Job {
  readonly kind: 'job'
  readonly team: number
  /** The dispatch, by its number: the worker takes part while the board names it. */
  readonly dispatch: number
  /** The machine, by its number. */
  readonly machine: number
  /** Its module, and the worker's region of memory, in the first job for it. */
  readonly first: { readonly module: CompiledModule; readonly base: number } | undefined
  /** Where the worker's tape lies in this dispatch; undefined for a module without one. An instance that is made has placed its own. */
  readonly tape: Tape | undefined
  readonly kernel: string
  readonly groups: readonly [number, number, number]
  readonly range: Range
  /** Values of exported globals: where the buffers lie. */
  readonly globals: readonly (readonly [name: string, value: number])[]
  /** Whether the worker says by a message that it is done. */
  readonly answer: boolean
}

/** Where a tape lies. */
export interface Tape {
  /** The address of the two words that say so. */
  readonly at: number
  readonly start: number
  readonly end: number
}

/** Says where the tape lies, in memory. */
export function setTape(memory: ArrayBufferLike, { at, start, end }: Tape): void {
  const view = new DataView(memory, at, 8)
  view.setUint32(0, start, true)
  view.setUint32(4, end, true)
}

/** How many workgroups to run at a time for so many pieces; a multiple of `least`. */
export function pieceOf(groups: number, pieces: number, least: number): number {
  return Math.max(1, Math.ceil(groups / pieces / least)) * least
}

/** Workgroups `from` up to `to`, of which a thread takes `step` at a time. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
}

/** The words of the board. */
export const word = {
  /** How many pieces of the range have been taken. */
  taken: 0,
  /** The dispatch that workers may join; 0 between two of them. */
  open: 1,
  /** How many workers take part, or look whether they may. */
  inside: 2,
  /** Not 0 once a thread has stopped with an error: then nobody takes more. */
  failed: 3,
  /** What stopped a worker: its place in `failures`. */
  kind: 4,
  /** The number of the failed check, or of the worker's text the bytes. */
  detail: 5,
  /** The worker, by its number. */
  worker: 6,
} as const

export const boardBytes = 1024
/** Where the text of an error begins. */
export const textAt = 64

/** Kinds of errors by their numbers. */
export const failures = ['trap', 'engine', 'stack', 'other'] as const

/** Whether pieces of a range are left that somebody may take. */
export function isOpen(board: Int32Array, { from, to, step }: Range): boolean {
  return Atomics.load(board, word.failed) === 0 && from + Atomics.load(board, word.taken) * step < to
}

/** Runs pieces of a range until none is left or a thread has failed. */
export function takePieces(
  board: Int32Array,
  { from, to, step }: Range,
  run: (from: number, to: number) => void,
): void {
  while (Atomics.load(board, word.failed) === 0) {
    const at = from + Atomics.add(board, word.taken, 1) * step
    if (at >= to) return
    run(at, Math.min(at + step, to))
  }
}
