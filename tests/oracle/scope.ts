/** What code is made of when a program runs: frames of values, places in them, and the names and ways out at a statement. */
import type { Value } from './value.ts'

export type Frame = Value[]
export type Run = (frame: Frame) => Value
/** How a statement ends: undefined where the next follows, else the jump. */
export type Jump = object | undefined
export type Step = (frame: Frame) => Jump

export interface Ref {
  readonly get: () => Value
  readonly set: (v: Value) => void
}

export class Scope {
  readonly names: Map<string, number>
  readonly func: { slots: number }
  readonly exits: readonly Exit[]

  constructor(names: Map<string, number>, func: { slots: number }, exits: readonly Exit[]) {
    this.names = names
    this.func = func
    this.exits = exits
  }

  inner(exit?: Exit): Scope {
    return new Scope(new Map(this.names), this.func, exit === undefined ? this.exits : [exit, ...this.exits])
  }

  declare(name: string): number {
    const slot = this.func.slots++
    this.names.set(name, slot)
    return slot
  }
}

/** A loop or switch around a statement, and the jumps out of and on with it. */
export interface Exit {
  readonly label: string | undefined
  readonly out: object
  readonly on: object | undefined
}
