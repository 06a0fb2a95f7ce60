/** One output module: its names, its globals, and the functions it needs. */
import type { Sink } from '../../base/diag.ts'
import { notInScript, storageInScript } from '../../base/errors/js.ts'
import type { Mode } from '../../ir/scalar.ts'
import type { Func, Global } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { Layouts } from '../layout.ts'
import type { RunLimits } from '../limits.ts'
import { helpers } from './helper.ts'
import { leavesOf } from './leaf.ts'
import { Names } from './names.ts'
import { wholePlace, type Place } from './place.ts'
import { Scalars } from './scalar.ts'
import { Local, text } from './tree.ts'

/** What a call of a function does besides giving its results. */
export interface Effects {
  /** Neither writes, nor reads what can be written. */
  readonly pure: boolean
  /** Meets the workgroup at a barrier, so that it is a generator. */
  readonly waits: boolean
}

/** A resource that the output keeps as leaves in module-level variables. */
export interface GlobalLeaves {
  readonly global: Global
  readonly locals: readonly Local[]
}

/** A buffer that the output keeps as views of the host's memory. */
export interface GlobalWords {
  readonly global: Global
  readonly name: string
  readonly stride: number
}

export class Unit {
  readonly sink: Sink
  readonly limits: RunLimits
  readonly helpers: Set<string> = new Set()
  readonly scalars: Scalars
  readonly layouts: Layouts = new Layouts('storage')
  readonly names: Names = Names.module(Object.keys(helpers))
  readonly leaves: GlobalLeaves[] = []
  readonly words: GlobalWords[] = []
  /** Functions called so far, in order; emission of one may add others. */
  readonly queue: Func[] = []
  readonly #queued = new Set<Func>()
  readonly #funcNames = new Map<Func, string>()
  readonly #places = new Map<Global, Place>()
  readonly #effects = new Map<Func, Effects>()

  constructor(mode: Mode, sink: Sink, limits: RunLimits) {
    this.sink = sink
    this.limits = limits
    this.scalars = new Scalars(mode, this.helpers)
  }

  /** The name of the function in the output. */
  funcName(func: Func): string {
    let known = this.#funcNames.get(func)
    if (known === undefined) {
      known = this.names.fresh(func.name)
      this.#funcNames.set(func, known)
    }
    return known
  }

  /** Sees to it that a function is emitted; false, with a diagnostic, where it cannot be. */
  want(func: Func): boolean {
    if (func.body === undefined) {
      this.sink.add(notInScript, func.span ?? undefined, { name: func.name })
      return false
    }
    if (!this.#queued.has(func)) this.queue.push(func)
    this.#queued.add(func)
    return true
  }

  /** How JavaScript spells a call of a function that it has. */
  spelling(func: Func): string | undefined {
    return func.results.length === 1 ? func.info.spell?.['js'] : undefined
  }

  globalPlace(g: Global): Place {
    let place = this.#places.get(g)
    if (place === undefined) {
      place = this.#makePlace(g)
      this.#places.set(g, place)
    }
    return place
  }

  #makePlace(g: Global): Place {
    const base = this.names.fresh(g.name)
    if (g.space === 'storage' || g.space === 'storage_rw') {
      const stride = g.type.kind === 'array' ? this.layouts.of(g.type).stride : this.layouts.of(g.type).size
      const narrow = leavesOf(g.type).find(leaf => /^[fiu](8|16)$/.test(leaf.scalar))
      if (narrow !== undefined) this.sink.add(storageInScript, g.span ?? undefined, { type: narrow.scalar })
      this.words.push({ global: g, name: base, stride })
      return { kind: 'words', buffer: base, type: g.type, at: text('0'), write: undefined }
    }
    const locals = leavesOf(g.type).map(leaf => {
      const name = leaf.suffix === '' ? base : this.names.fresh(`${base}${leaf.suffix}`)
      return new Local(name, false, name)
    })
    this.leaves.push({ global: g, locals })
    return wholePlace(locals, g.type)
  }

  effects(func: Func): Effects {
    const known = this.#effects.get(func)
    if (known !== undefined) return known
    let [pure, waits] = [true, false]
    // A call back into it, while this looks, adds nothing that is not seen anyway.
    this.#effects.set(func, { pure: false, waits: false })
    if (func.body !== undefined) {
      walk(func.body, inst => {
        if (inst.op === 'call') {
          const callee = inst.attr
          if (this.spelling(callee) !== undefined) return
          const inner = this.effects(callee)
          pure &&= inner.pure
          waits ||= inner.waits
        }
        if (inst.op === 'barrier') waits = true
        if (inst.op === 'global' || inst.op === 'barrier' || inst.op === 'printf' || inst.op === 'trap') pure = false
      })
    }
    const effects: Effects = { pure: pure && !waits, waits }
    this.#effects.set(func, effects)
    return effects
  }
}
