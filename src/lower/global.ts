/**
 * Module-level variables. Resources become globals of their own, also those inside structs; uniforms that stand in no
 * block are gathered in one struct named `globalParams`; `static const` is lowered where it is used unless it is an array.
 */
import type { Binding, FuncDecl, GlobalDecl, ParamDecl } from '../check/decl.ts'
import * as s from '../check/type.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import * as ops from '../ir/ops.ts'
import { Func, Global } from '../ir/value.ts'
import { impossible, type Lowering } from './context.ts'
import { lowerExpr } from './expr.ts'
import { Fn } from './func.ts'
import type { Ref } from './place.ts'
import { hasArray, hasPointer } from './type.ts'

/** How a shader parameter is found. */
type Home =
  /** The pointer to the global is the value. */
  | { readonly kind: 'resource', readonly global: Global }
  /** The value lies behind the global. */
  | { readonly kind: 'memory', readonly global: Global }
  /** A field of `globalParams`. */
  | { readonly kind: 'uniform', readonly index: number }
  | { readonly kind: 'bundle', readonly type: Type, readonly parts: readonly Home[] }

export class Globals {
  readonly #cx: Lowering
  readonly #homes = new Map<number, Home>()
  readonly #statics = new Map<string, Global>()
  readonly #uniforms: t.Field[] = []
  readonly #open = new Set<string>()
  #params: Global | undefined

  constructor(cx: Lowering) {
    this.#cx = cx
  }

  /** Makes the globals of all shader parameters, in order of declaration, and of what entry points take as uniforms. */
  declare(entries: readonly { readonly func: FuncDecl, readonly uniforms: readonly ParamDecl[] }[]): void {
    const { program, module } = this.#cx
    for (const decl of program.globals) {
      if (decl.storage !== 'parameter' && decl.storage !== 'block') continue
      const info = program.global(decl)
      const home = decl.storage === 'block' ? this.#block(decl, info.type, info.binding) : this.#home(decl.name, this.#cx.types.of(info.type), info.type, info.binding)
      this.#homes.set(decl.id, home)
    }
    for (const entry of entries) {
      for (const p of entry.uniforms) this.#homes.set(p.id, this.#home(p.name, this.#cx.types.of(p.type), p.type, null))
    }
    if (this.#uniforms.length === 0) return
    const type = t.struct(this.#cx.names.unique('GlobalParams'), this.#uniforms)
    module.structs.push(type)
    this.#params = new Global(this.#cx.names.unique('globalParams'), type, 'uniform', 'uniform', undefined, undefined, null)
    module.globals.unshift(this.#params)
  }

  #block(decl: GlobalDecl, source: s.Type, binding: Binding | null): Home {
    // The block is what a host knows by name; its struct takes another.
    const name = this.#cx.names.unique(decl.name)
    const type = this.#cx.types.of(source)
    if (hasPointer(type)) return this.#home(name, type, source, binding)
    const global = new Global(name, type, 'uniform', 'uniform', binding ?? undefined, undefined, decl.span)
    this.#cx.module.globals.push(global)
    return { kind: 'memory', global }
  }

  #home(name: string, type: Type, source: s.Type, binding: Binding | null): Home {
    if (type.kind === 'ptr') {
      return { kind: 'resource', global: this.#global(name, type.elem!, type.space!, resourceKind(type, source), binding) }
    }
    if (!hasPointer(type)) {
      let field = name
      for (let k = 1; this.#uniforms.some(f => f.name === field); k++) field = `${name}_${k}`
      this.#uniforms.push({ name: field, type })
      return { kind: 'uniform', index: this.#uniforms.length - 1 }
    }
    const parts: Home[] = []
    if (type.kind === 'array') {
      const elem = (source as s.ArrayType).elem
      for (let i = 0; i < type.count; i++) parts.push(this.#home(`${name}_${i}`, type.elem!, elem, null))
    } else {
      let struct = source as s.StructType
      if (struct.decl.intrinsic === 'ParameterBlock' || struct.decl.intrinsic === 'ConstantBuffer') struct = struct.args[0] as s.StructType
      const fields = this.#cx.program.fields(struct)
      for (let i = 0; i < type.fields.length; i++) parts.push(this.#home(`${name}_${type.fields[i]!.name}`, type.fields[i]!.type, fields[i]!.type, null))
    }
    return { kind: 'bundle', type, parts }
  }

  #global(name: string, type: Type, space: t.Space, resource: Global['resource'], binding: Binding | null): Global {
    const made = new Global(this.#cx.names.unique(name), type, space, resource, binding ?? undefined, undefined, null)
    this.#cx.module.globals.push(made)
    return made
  }

  /** The place of a uniform parameter of an entry point. */
  uniform(fn: Fn, param: ParamDecl): Ref {
    return this.#ref(fn, this.#homes.get(param.id) ?? impossible(`no uniform ${param.name}`))
  }

  #ref(fn: Fn, home: Home): Ref {
    const { b } = fn
    switch (home.kind) {
      case 'resource': return { kind: 'value', value: b.emit1(ops.global, [], home.global) }
      case 'memory': return { kind: 'pointer', pointer: b.emit1(ops.global, [], home.global) }
      case 'uniform': return { kind: 'pointer', pointer: b.field(b.emit1(ops.global, [], this.#params!), home.index) }
      case 'bundle': return { kind: 'bundle', type: home.type, parts: home.parts.map(p => this.#ref(fn, p)) }
    }
  }

  /** The place of a module-level variable or constant. */
  place(fn: Fn, decl: GlobalDecl, outer: s.Subst): Ref {
    const home = this.#homes.get(decl.id)
    if (home !== undefined) return this.#ref(fn, home)
    const subst: s.Subst = { args: new Map([...outer.args].map(([id, arg]) => [id, this.#arg(fn, arg)])), self: outer.self === null ? null : fn.source(outer.self) }
    const met = decl.parent?.kind === 'interface' && subst.self !== null ? this.#cx.program.requiredGlobal(decl, subst.self) : null
    if (met !== null) return this.place(fn, met.decl, met.subst)
    const info = this.#cx.program.global(decl)
    const source = this.#cx.program.substitute(info.type, subst)
    const type = this.#cx.types.of(source)
    const init = info.init
    const key = `${decl.id}[${s.substKey(subst)}]`
    if (decl.storage === 'constant' && init !== null && !hasArray(type)) {
      if (this.#open.has(key)) return impossible(`the constant ${decl.name} needs itself`)
      this.#open.add(key)
      const value = fn.elsewhere(subst, () => lowerExpr(fn, init))
      this.#open.delete(key)
      return { kind: 'value', value }
    }
    let global = this.#statics.get(key)
    if (global === undefined) {
      const space = decl.storage === 'groupshared' ? 'workgroup' : 'private'
      const initial = init === null || space === 'workgroup' ? undefined : this.#init(decl, subst, type, key)
      global = new Global(this.#cx.names.unique(decl.name), type, space, 'none', undefined, initial, decl.span)
      this.#statics.set(key, global)
      this.#cx.module.globals.push(global)
    }
    return { kind: 'pointer', pointer: fn.b.emit1(ops.global, [], global) }
  }

  #arg(fn: Fn, arg: s.GenericArg): s.GenericArg {
    return s.isInt(arg) ? fn.cx.program.substituteInt(arg, fn.subst) : fn.source(arg)
  }

  #init(decl: GlobalDecl, subst: s.Subst, type: Type, key: string): Func {
    const init = this.#cx.program.global(decl).init
    if (init === null || this.#open.has(key)) return impossible(`the initial value of ${decl.name} needs itself`)
    this.#open.add(key)
    const func = new Func(this.#cx.names.unique(`${decl.name}_init`), { params: [], result: type, resultNoDiff: true }, decl.span)
    this.#cx.module.funcs.push(func)
    const fn = new Fn(this.#cx, func, subst)
    fn.b.emit(ops.ret, [lowerExpr(fn, init)])
    this.#open.delete(key)
    return func
  }
}

function resourceKind(type: Type, source: s.Type): Global['resource'] {
  const name = source.kind === 'struct' ? source.decl.intrinsic ?? '' : ''
  if (type.space === 'handle') return name.startsWith('Sampler') ? 'sampler' : 'texture'
  if (type.space === 'uniform') return 'uniform'
  return name.includes('ByteAddress') ? 'bytes' : 'structured'
}
