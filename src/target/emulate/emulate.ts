/**
 * Replaces numbers that a target lacks, from IR to IR. Integers of 8 and 16 bits become integers of 32 that wrap, those of 64 bits pairs
 * of words.
 *
 *   i64 add %a, %b   →   call @longAdd %a, %b      of u32x2
 */
import type { Sink } from '../../base/diag.ts'
import { typeNotInTarget } from '../../base/errors/target.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import { Func, Global, type Module, type ParamSig, type Region } from '../../ir/value.ts'
import { calleesFirst } from '../../ir/calls.ts'
import { helperNames } from './arithmetic.ts'
import { Body, type Shared } from './body.ts'
import { source } from './library.generated.ts'
import { wordsOf } from './memory.ts'
import { TypeMap } from './types.ts'

/** What replaces numbers that a target lacks. It is large, and few programs need it. */
export interface Emulation {
  /** The functions that it calls, in Slang. */
  readonly source: string
  /** The names of these functions. */
  readonly names: readonly string[]
  /**
   * Whether a module has such numbers; with `halves`, those are some of them.
   *
   * @internal
   */
  readonly needed: (module: Module, halves: boolean) => boolean
  /**
   * Replaces them in place; gives the functions that changed.
   *
   * @internal
   */
  readonly apply: (module: Module, halves: boolean, library: ReadonlyMap<string, Func>, sink: Sink) => ReadonlySet<Func>
}

/** Whether the module has numbers to emulate. */
function isNeeded(module: Module, halves: boolean): boolean {
  const types = new TypeMap(halves)
  const inRegion = ({ params, insts }: Region): boolean =>
    params.some(p => types.holds(p.type)) ||
    insts.some(i => i.results.some(r => types.holds(r.type)) || i.regions.some(inRegion))
  return (
    module.globals.some(g => types.holds(g.type)) ||
    module.funcs.some(f => f.results.some(r => types.holds(r)) || (f.body !== undefined && inRegion(f.body)))
  )
}

class Emulating implements Shared {
  readonly types: TypeMap
  readonly sink: Sink
  readonly #library: ReadonlyMap<string, Func>
  readonly #funcs = new Map<Func, Func>()
  readonly #globals = new Map<Global, Global>()
  /** The functions of the library that were asked for. */
  readonly helpers: Set<Func> = new Set()

  constructor(library: ReadonlyMap<string, Func>, halves: boolean, sink: Sink) {
    this.#library = library
    this.types = new TypeMap(halves)
    this.sink = sink
  }

  helper(name: string): Func {
    const func = this.#library.get(name)!
    this.helpers.add(func)
    return func
  }

  func(of: Func): Func {
    let made = this.#funcs.get(of)
    if (made === undefined) {
      const { sig } = of
      made = of
      const wide = of.info.entry?.varyings?.find(({ type }) => this.types.kind(type) === 'long')
      if (wide !== undefined)
        this.sink.add(typeNotInTarget, of.span ?? undefined, {
          type: t.sourceName(wide.type.scalar!),
          func: of.name,
          instead: 'a 32-bit type between the stages',
        })
      if (sig.params.some(p => this.types.holds(p.type)) || this.types.holds(sig.result)) {
        const params = sig.params.map((p): ParamSig => ({ ...p, type: this.types.value(p.type) }))
        made = new Func(of.name, { ...sig, params, result: this.types.value(sig.result) }, of.span)
        Object.assign(made.info, of.info)
        made.info.lanewise = undefined
        made.info.computes = undefined
      }
      this.#funcs.set(of, made)
    }
    return made
  }

  packed({ space, declared }: Global): boolean {
    if (space !== 'storage' && space !== 'storage_rw' && space !== 'uniform') return false
    // What stands for an integer of 64 bits has another alignment in `natural` memory than the integer.
    return declared.rule === 'natural' ? this.types.holds(declared) : this.types.packed(declared)
  }

  global(of: Global): Global {
    if (!this.types.holds(of.type)) return of
    let made = this.#globals.get(of)
    if (made === undefined) {
      const type: Type = this.packed(of) ? wordsOf(of.type, of.space === 'uniform') : this.types.value(of.type)
      const init = of.init === undefined ? undefined : this.func(of.init)
      made = new Global(of.name, type, of.space, of.resource, of.binding, init, of.span)
      made.declared = of.declared
      made.format = of.format
      made.path = of.path
      made.block = of.block
      this.#globals.set(of, made)
    }
    return made
  }
}

/** Emulates in place. */
function apply(module: Module, halves: boolean, library: ReadonlyMap<string, Func>, sink: Sink): ReadonlySet<Func> {
  const cx = new Emulating(library, halves, sink)
  const funcs = module.funcs.map(of => {
    const func = cx.func(of)
    if (of.body !== undefined) new Body(cx, of, func).run()
    return func
  })
  const used = calleesFirst([...cx.helpers])
  module.funcs.splice(0, module.funcs.length, ...used, ...funcs)
  module.globals.splice(0, module.globals.length, ...module.globals.map(g => cx.global(g)))
  module.structs.push(...cx.types.structs)
  return new Set(module.funcs.filter(f => f.body !== undefined))
}

/** Replaces integers of 8, 16 and 64 bits, and halves where that is asked for. */
export const emulation: Emulation = { source, names: helperNames, needed: isNeeded, apply }
