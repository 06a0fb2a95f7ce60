/** What the threads of a loaded program tell each other: messages, and a few words that all of them see. */

/** A `WebAssembly.Module`, where the types of WebAssembly are known. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : never

/** A `WebAssembly.Memory` likewise. */
export type LinearMemory = typeof globalThis extends { WebAssembly: { Memory: { prototype: infer M } } } ? M : never

/** The first message to a worker. It answers when it is ready. */
export interface Greeting {
  readonly memory: LinearMemory
  readonly board: SharedArrayBuffer
}

/** A part of a dispatch. */
export interface Job {
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
  /** How many workers have done their part. */
  done: 1,
  /** Not 0 once a thread has stopped with an error: then nobody takes more. */
  failed: 2,
  /** What stopped a worker: see `Failure`. */
  kind: 3,
  /** The number of the failed check, or of the worker's text the bytes. */
  detail: 4,
  /** The worker, by its number. */
  worker: 5,
} as const

export const boardBytes = 1024
/** Where the text of an error begins. */
export const textAt = 64

/** Kinds of errors by their numbers. */
export const failures = ['trap', 'engine', 'stack', 'other'] as const

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
