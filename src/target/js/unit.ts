/** One output module: its names, its globals, and the functions it needs. */
import type { Sink } from '../../base/diag.ts'
import { notInScript, storageInScript } from '../../base/errors/js.ts'
import type { Mode } from '../../ir/scalar.ts'
import type { Builder } from '../../ir/build.ts'
import { array, ptr, scalars as types, sourceName, u32, type ScalarName, type Space, type Type } from '../../ir/type.ts'
import { Global, type Func } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { Names } from '../code/names.ts'
import { elementsIn, layoutsOf, type Layouts } from '../../ir/layout.ts'
import { legalFunc, type LeafModule } from '../leaves/legalize.ts'
import { leafType, leavesOf } from '../leaves/leaf.ts'
import { variablePath, type AccessPath, type Views } from '../leaves/access-path.ts'
import type { RunLimits } from '../limits.ts'
import { helpers } from './helper.ts'
import { isReserved } from './names.ts'
import { Scalars } from './scalar.ts'

/** The effects of a call. */
export interface Effects {
  /** Neither writes, nor reads what can be written. */
  readonly pure: boolean
  /** Meets the workgroup at a barrier, so that it is a generator. */
  readonly waits: boolean
}

/** A resource that the output keeps as leaves in module-level variables. */
export interface GlobalLeaves {
  readonly global: Global
  /** The variables of its leaves, whose names are those of the output. */
  readonly parts: readonly Global[]
}

/** A buffer that the output keeps as views of the host's memory. */
export interface GlobalWords {
  readonly global: Global
  /** The variable that holds how many elements there are. */
  readonly length: string
  readonly views: readonly { readonly scalar: ScalarName; readonly name: string }[]
  readonly own: Layouts
  /** Where its elements begin, and how far apart they lie, in bytes. */
  readonly offset: number
  readonly stride: number
}

/** Scalars that views of a buffer hold. */
const viewScalars: readonly ScalarName[] = ['f32', 'i32', 'u32', 'f64', 'i64', 'u64']

export class Unit implements LeafModule {
  readonly sink: Sink
  readonly limits: RunLimits
  /** Whether somebody asked what each line was made of. */
  readonly origins: boolean
  readonly helpers: Set<string> = new Set()
  readonly scalars: Scalars
  readonly names: Names = new Names(word => isReserved(word) || word in helpers)
  readonly leaves: GlobalLeaves[] = []
  readonly words: GlobalWords[] = []
  /** The functions called so far, in order, each with its legal form. Emitting one may add others. */
  readonly queue: { readonly from: Func; readonly into: Func }[] = []
  readonly #legal = new Map<Func, Func>()
  readonly #views = new Map<Global, Views>()
  readonly #parts = new Map<Global, readonly Global[]>()
  readonly #effects = new Map<Func, Effects>()
  /** Functions of the output that are generators. */
  readonly generators: Set<Func> = new Set()

  constructor(mode: Mode, sink: Sink, limits: RunLimits, origins: boolean) {
    this.origins = origins
    this.sink = sink
    this.limits = limits
    this.scalars = new Scalars(mode, this.helpers)
  }

  /** The legal form of a function, which will be emitted; undefined, with a diagnostic, if it has none. */
  want(func: Func): Func | undefined {
    let legal = this.#legal.get(func)
    if (legal !== undefined) return legal
    if (func.body === undefined) {
      this.sink.add(notInScript, func.span ?? undefined, { name: func.name })
      return undefined
    }
    legal = legalFunc(func)
    legal.name = this.names.make(func.name, 'f')
    const { pure, waits } = this.effects(func)
    legal.info.pure = pure
    if (waits) this.generators.add(legal)
    this.#legal.set(func, legal)
    this.queue.push({ from: func, into: legal })
    return legal
  }

  /** The name of a function in the output. */
  funcName(func: Func): string {
    return this.want(func)!.name
  }

  /** What JavaScript calls a function that it has itself. */
  intrinsic(func: Func): string | undefined {
    return func.results.length === 1 ? func.info.intrinsics?.['js'] : undefined
  }

  /** The access path of a global, for instructions of a builder. */
  globalPath(b: Builder, g: Global): AccessPath {
    if (g.space === 'storage' || g.space === 'storage_rw')
      return { kind: 'words', views: this.#viewsOf(g), type: g.type, at: b.const(types.f64, 0), write: undefined }
    return variablePath(
      this.#partsOf(g).map(part => b.emit1('global', [], part, ptr(part.space, part.type))),
      g.type,
    )
  }

  #viewsOf(g: Global): Views {
    let views = this.#views.get(g)
    if (views === undefined) {
      const own = layoutsOf(g)
      const { offset, stride } = elementsIn(g.type, own) ?? { offset: 0, stride: own.of(g.type).size }
      const narrow = leavesOf(g.type).find(({ scalar }) => isNarrow(scalar))
      if (narrow !== undefined) this.sink.add(storageInScript, g.span ?? undefined, { type: sourceName(narrow.scalar) })
      const make = (suffix: string, type: Type, space: Space): Global =>
        new Global(this.names.make(`${g.name}_${suffix}`, 'g'), type, space, 'none', undefined, undefined, g.span)
      const length = make('length', u32, 'uniform')
      const made = new Map(viewScalars.map(scalar => [scalar, make(scalar, array(types[scalar], 0), 'storage_rw')]))
      views = { layouts: own, length, of: scalar => made.get(isNarrow(scalar) ? 'u32' : scalar)! }
      this.words.push({
        global: g,
        length: length.name,
        views: viewScalars.map(scalar => ({ scalar, name: made.get(scalar)!.name })),
        own,
        offset,
        stride,
      })
      this.#views.set(g, views)
    }
    return views
  }

  #partsOf(g: Global): readonly Global[] {
    let parts = this.#parts.get(g)
    if (parts === undefined) {
      const base = this.names.make(g.name, 'g')
      parts = leavesOf(g.type).map(leaf => {
        const name = leaf.suffix === '' ? base : this.names.make(base + leaf.suffix, 'g')
        return new Global(name, leafType(leaf), g.space, 'none', undefined, undefined, g.span)
      })
      this.leaves.push({ global: g, parts })
      this.#parts.set(g, parts)
    }
    return parts
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
          if (this.intrinsic(callee) !== undefined) return
          const inner = this.effects(callee)
          pure &&= inner.pure
          waits ||= inner.waits
        }
        if (inst.op === 'barrier') waits = true
        // Of variables, only those of the function are at hand without a `global`.
        const own = inst.op === 'var' || inst.op === 'store' || inst.op === 'call'
        if (inst.op === 'global' || (inst.row.effect === 'write' && !own)) pure = false
      })
    }
    const effects: Effects = { pure: pure && !waits, waits }
    this.#effects.set(func, effects)
    return effects
  }
}

/** Scalars that no view of a buffer holds. */
function isNarrow(scalar: ScalarName): boolean {
  return scalar === 'f16' || scalar === 'i8' || scalar === 'u8' || scalar === 'i16' || scalar === 'u16'
}
