/**
 * System values in functions that are no entry points (`cudaThreadIdx()`), and module-level ones (`in uint3 id : SV_GroupID;`). Each is
 * a private variable, which every entry point that reaches it sets at its start from a parameter of its own.
 */
import { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import { Global, Region, type Func, type Module, type ParamSig, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import type { Names } from './names.ts'

/** The types that targets have for system values of compute entry points. */
export const systemTypes: Readonly<Record<string, t.Type>> = {
  SV_DISPATCHTHREADID: t.vec(t.u32, 3),
  SV_GROUPID: t.vec(t.u32, 3),
  SV_GROUPTHREADID: t.vec(t.u32, 3),
  SV_GROUPINDEX: t.u32,
}

/** Those of what vertex entry points take. */
export const vertexTypes: Readonly<Record<string, t.Type>> = { SV_VERTEXID: t.u32, SV_INSTANCEID: t.u32 }

/** Those of what fragment entry points take. */
export const fragmentTypes: Readonly<Record<string, t.Type>> = {
  SV_POSITION: t.vec(t.f32, 4),
  SV_ISFRONTFACE: t.bool,
  SV_SAMPLEINDEX: t.u32,
  SV_COVERAGE: t.u32,
}

/** An entry point whose parameters may still grow. */
export interface OpenEntry {
  readonly func: Func
  readonly params: ParamSig[]
  readonly semantics: string[]
}

/** The size of a workgroup, which is no parameter. */
const size = 'SIZE'

export class SystemValues {
  readonly #names: Names
  readonly #module: Module
  readonly #globals = new Map<string, Global>()
  readonly #entries: OpenEntry[] = []
  readonly #set = new Map<OpenEntry, Set<string>>()

  constructor(names: Names, module: Module) {
    this.#names = names
    this.#module = module
  }

  /** Adds an entry point, whose body will set the values. */
  add(entry: OpenEntry): void {
    this.#entries.push(entry)
    this.#set.set(entry, new Set())
  }

  /** The value here. */
  read(b: Builder, name: string): Value {
    let global = this.#globals.get(name)
    if (global === undefined) {
      const own = this.#names.unique(name === size ? 'workgroupSize' : name.toLowerCase())
      global = new Global(own, this.#typeOf(name), 'private', 'none', undefined, undefined, null)
      this.#globals.set(name, global)
      this.#module.globals.push(global)
    }
    return b.load(b.emit1('global', [], global))
  }

  #typeOf(name: string): t.Type {
    const stage = vertexTypes[name] ?? fragmentTypes[name]
    return systemTypes[name] ?? stage ?? (name.startsWith('SV_WAVE') ? t.u32 : t.vec(t.u32, 3))
  }

  /** Lets the entry points set the values that were used since. */
  settle(): void {
    if (this.#globals.size === 0) return
    for (const entry of this.#entries) {
      const done = this.#set.get(entry)!
      if (done.size === this.#globals.size) continue
      const used = globalsOf(entry.func)
      for (const [name, global] of this.#globals) {
        if (done.has(name) || entry.func.body === undefined || !used.has(global)) continue
        done.add(name)
        const start = new Region()
        const b = new Builder(entry.func, start)
        b.store(b.emit1('global', [], global), this.#given(b, entry, name))
        entry.func.body.insts.unshift(...start.insts)
      }
    }
  }

  #given(b: Builder, entry: OpenEntry, name: string): Value {
    const body = entry.func.body!
    const { stage } = entry.func.info.entry!
    if (name === size && stage === 'compute')
      return b.construct(
        this.#typeOf(name),
        entry.func.info.entry!.numthreads.map(n => b.const(t.u32, n)),
      )
    const at = entry.semantics.findIndex((s, i) => s === name && entry.params[i]!.dir !== 'out')
    if (at >= 0) return body.params[at]!
    const param: ParamSig = { name: name.toLowerCase(), type: this.#typeOf(name), dir: 'in', noDiff: true }
    entry.params.push(param)
    // Other stages have no groups, which the target says of the name.
    entry.semantics.push(name === size ? 'WorkgroupSize' : name)
    return b.param(param.type, param.name, body)
  }
}

/** The globals that a function names, and those that it reaches: by calls, and by derivatives that are still to be made. */
function globalsOf(entry: Func): ReadonlySet<Global> {
  const found = new Set<Global>()
  const funcs = new Set([entry])
  const reach = (func: Func | undefined): void => {
    if (func !== undefined) funcs.add(func)
  }
  // What is added on the way is visited too.
  for (const func of funcs) {
    reach(func.request?.of)
    reach(func.info.forward)
    reach(func.info.backward)
    reach(func.info.substitute)
    reach(func.info.lanewise)
    if (func.body === undefined) continue
    walk(func.body, inst => {
      if (inst.op === 'global') found.add(inst.attr)
      else if (inst.op === 'call') reach(inst.attr)
    })
  }
  for (const { init } of found) reach(init)
  return found
}
