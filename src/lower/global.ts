/**
 * Module-level variables. A resource becomes a global of its own, also inside a struct. Uniforms outside of blocks are gathered in
 * one struct named `globalParams`. A `static const` is lowered where it is used unless it is an array.
 */
import { textureFormat } from './handle.ts'
import type { Ref } from './ref.ts'
import { Fn, type GlobalPlaces } from './context.ts'
import { note } from '../base/diag.ts'
import { bindingTaken, opaqueVariable } from '../base/errors/lower.ts'
import { cyclic } from '../base/errors/names.ts'
import type { Span } from '../base/source.ts'
import type { Binding, FuncDecl, GlobalDecl, ParamDecl } from '../check/model/decl.ts'
import type { Expr } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import { Func, Global, type ParameterBlock, type Region, type Value } from '../ir/value.ts'
import { impossible, type Lowering } from './context.ts'
import { convert } from './convert.ts'
import { lowerExpr } from './expr.ts'
import { systemName } from './varying.ts'
import { at } from './place.ts'
import { holdsArray } from './type.ts'

/** How a shader parameter is found. */
type Home =
  /** The pointer to the global is the value. */
  | { readonly kind: 'resource'; readonly global: Global }
  /** The value lies behind the global. */
  | { readonly kind: 'memory'; readonly global: Global }
  /** A field of `globalParams`, or of the uniform buffer of a block that also has resources. */
  | { readonly kind: 'uniform'; readonly block: Plain; readonly index: number }
  | { readonly kind: 'bundle'; readonly type: Type; readonly parts: readonly Home[] }
  /** Of a pointer that the host hands over: it points to the first element. */
  | { readonly kind: 'first' }

/** Values that share one uniform buffer, which is made once all are known. */
interface Plain {
  readonly fields: t.Field[]
  global: Global | undefined
}

/** Where a parameter is declared, and for a texture its format. */
interface Origin {
  readonly format: string | undefined
  readonly span: Span | null
  /** Names of variable and fields, and indices, that lead to it. */
  readonly path: readonly (string | number)[]
}

/** `Texture2D all[];`: as many as the host binds. */
const isUnsized = (type: s.Type): boolean => type.kind === 'array' && type.count === null

/** `in` or `out` of a module-level variable that the pipeline passes: `in uint3 id : SV_GroupID;`. */
function passed({ storage, syntax }: GlobalDecl): string | undefined {
  if (storage !== 'parameter' || syntax.kind !== 'var') return undefined
  return syntax.modifiers.find(m => m.name === 'in' || m.name === 'out' || m.name === 'inout')?.name
}

export class Globals implements GlobalPlaces {
  readonly #cx: Lowering
  readonly #homes = new Map<number, Home>()
  readonly #statics = new Map<string, Global>()
  readonly #uniforms: Plain = { fields: [], global: undefined }
  readonly #open = new Set<string>()
  /** What the constants that an open one needs were made into: each once, though many may need it. */
  readonly #made = new Map<string, { readonly kind: 'value'; readonly value: Value; readonly region: Region }>()
  /** What is found so far of the parameters; buffers of plain values are made after their fields are known. */
  readonly #leaves: {
    readonly path: Origin['path']
    readonly entry: string | null
    readonly home: Home & { readonly kind: 'resource' | 'uniform' }
  }[] = []
  /** The declarations that ask for a place, as `group:binding`. */
  readonly #claims = new Map<string, { readonly decl: GlobalDecl; readonly register: string | undefined }[]>()
  #entry: string | null = null
  /** The block whose resources are being made. */
  #parameters: ParameterBlock | undefined

  constructor(cx: Lowering) {
    this.#cx = cx
  }

  /** Makes the globals of all shader parameters, in order of declaration, and of what entry points take as uniforms. */
  declare(entries: readonly { readonly func: FuncDecl; readonly uniforms: readonly ParamDecl[] }[]): void {
    const { program } = this.#cx
    for (const decl of program.globals) {
      if (decl.storage !== 'parameter' && decl.storage !== 'block') continue
      const info = program.global(decl)
      // Who uses it hears of that.
      if (program.isMissing(info.type) || isUnsized(info.type) || passed(decl) !== undefined) continue
      const before = this.#cx.module.globals.length
      const home = this.#cx.reach.within(null, decl.span, () =>
        decl.storage === 'block'
          ? this.#block(decl, info.type, info.binding)
          : this.#home(decl.name, this.#cx.types.part(info.type), info.type, info.binding, {
              format: textureFormat(decl.syntax.attributes),
              span: decl.span,
              path: [decl.name],
            }),
      )
      this.#homes.set(decl.id, home)
      const { binding } = info
      // A binding means nothing to a plain value, and to a parameter block only its group.
      if (binding !== null && this.#cx.module.globals.slice(before).some(g => g.binding === binding))
        this.#claim(decl, binding)
    }
    for (const entry of entries) {
      this.#entry = entry.func.name
      for (const p of entry.uniforms)
        this.#homes.set(
          p.id,
          this.#home(p.name, this.#cx.types.part(p.type), p.type, null, {
            format: undefined,
            span: p.span,
            path: [p.name],
          }),
        )
    }
    this.#settle(this.#uniforms, 'globalParams', 'GlobalParams', null, 0)
    for (const { path, entry, home } of this.#leaves) {
      const [global, field] = home.kind === 'resource' ? [home.global, null] : [home.block.global!, home.index]
      this.#cx.module.parameters.push({ path, entry, global, field })
    }
  }

  /** Warns of a declaration that asks for a place that another asks for: `register(t0)` and `register(u0)` are two places in HLSL. */
  #claim(decl: GlobalDecl, { group, binding, register }: Binding): void {
    const key = `${group}:${binding}`
    const claims = this.#claims.get(key) ?? []
    const other = claims.find(c => c.register === register || c.register === undefined || register === undefined)
    if (other !== undefined)
      this.#cx.sink.add(
        bindingTaken,
        decl.span ?? undefined,
        { name: decl.name, other: other.decl.name, binding, group },
        note(other.decl.span ?? undefined, `${other.decl.name} asks for it here`),
      )
    if (!claims.some(c => c.register === register)) claims.push({ decl, register })
    this.#claims.set(key, claims)
  }

  /** Makes the buffer of plain values, at a place among the globals; none where there are none. */
  #settle(plain: Plain, name: string, structName: string, binding: Binding | null, at: number): void {
    if (plain.fields.length === 0) return
    const type = t.struct(this.#cx.names.unique(structName), plain.fields)
    this.#cx.module.structs.push(type)
    const own = name === 'globalParams' ? this.#cx.names.unique(name) : name
    plain.global = new Global(own, type, 'uniform', 'uniform', binding ?? undefined, undefined, null)
    plain.global.block = this.#parameters
    this.#cx.module.globals.splice(at, 0, plain.global)
  }

  /** A block that holds resources too: they become globals, and the rest of it a uniform buffer that has its name. */
  #mixed(name: string, type: Type, source: s.Type, binding: Binding | null, path: Origin['path'] = [name]): Home {
    const plain: Plain = { fields: [], global: undefined }
    const at = this.#cx.module.globals.length
    const parts = this.#parts(name, '', type, source, plain, { format: undefined, span: null, path })
    this.#settle(plain, name, `${name}_values`, binding, at)
    return { kind: 'bundle', type, parts }
  }

  #block(decl: GlobalDecl, source: s.Type, binding: Binding | null): Home {
    // The block is what a host knows by name; its struct takes another.
    const name = this.#cx.names.unique(decl.name)
    const type = this.#cx.reach.within(null, decl.syntax.span, () => this.#cx.types.of(source))
    if (t.holdsPointer(type)) return this.#mixed(name, type, source, binding)
    const form = this.#cx.boxes.form(type)
    const global = new Global(name, form, 'uniform', 'uniform', binding ?? undefined, undefined, decl.span)
    this.#cx.module.globals.push(global)
    this.#leaves.push({ path: [decl.name], entry: null, home: { kind: 'resource', global } })
    return { kind: 'memory', global }
  }

  #home(name: string, type: Type, source: s.Type, binding: Binding | null, from: Origin): Home {
    return this.#part(name, name, type, source, binding, this.#uniforms, from)
  }

  /** A constant block, or a parameter block: a group of bindings, as is each parameter block inside it. */
  #grouped(name: string, type: Type, source: s.Type, binding: Binding | null, from: Origin): Home {
    const outer = this.#parameters
    const isGroup = isBlock(source, 'ParameterBlock')
    if (isGroup) this.#parameters = { group: binding?.group }
    const own = isGroup ? null : binding
    const home =
      type.kind === 'ptr'
        ? this.#resource(name, type, source, own, from)
        : this.#mixed(this.#cx.names.unique(name), type, source, own, from.path)
    this.#parameters = outer
    return home
  }

  #resource(name: string, type: Type, source: s.Type, binding: Binding | null, from: Origin): Home {
    const global = this.#global(name, type.elem!, type.space!, resourceKind(type, source), binding, from.span)
    global.format = from.format
    if (from.path.length > 1) global.path = from.path
    return this.#found(from, { kind: 'resource', global })
  }

  /** `name` is that of a resource, `field` that of a plain value in its buffer. */
  #part(
    name: string,
    field: string,
    type: Type,
    source: s.Type,
    binding: Binding | null,
    plain: Plain,
    from: Origin,
  ): Home {
    if (isBlock(source) && (type.kind === 'ptr' || t.holdsPointer(type)))
      return this.#grouped(name, type, source, binding, from)
    if (type.kind === 'ptr') return this.#resource(name, type, source, binding, from)
    if (source.kind === 'struct' && source.decl.intrinsic === 'Ptr') {
      const base = this.#resource(name, type.fields[0]!.type, source, binding, from)
      return { kind: 'bundle', type, parts: [base, { kind: 'first' }] }
    }
    if (t.holdsPointer(type))
      return { kind: 'bundle', type, parts: this.#parts(name, field, type, source, plain, from, binding) }
    let own = field
    for (let k = 1; plain.fields.some(f => f.name === own); k++) own = `${field}_${k}`
    plain.fields.push({ name: own, type: this.#cx.boxes.form(type) })
    return this.#found(from, { kind: 'uniform', block: plain, index: plain.fields.length - 1 })
  }

  #found(from: Origin, home: Home & { readonly kind: 'resource' | 'uniform' }): Home {
    this.#leaves.push({ path: from.path, entry: this.#entry, home })
    return home
  }

  /** The parts of what holds resources. Of a resource that is several, such as a texture with a sampler, the first has the binding. */
  #parts(
    name: string,
    field: string,
    type: Type,
    source: s.Type,
    plain: Plain,
    from: Origin,
    binding: Binding | null = null,
  ): Home[] {
    const prefix = field === '' ? '' : `${field}_`
    if (type.kind === 'array') {
      const elem = (source as s.ArrayType).elem
      return Array.from({ length: type.count }, (_, i) =>
        this.#part(`${name}_${i}`, `${prefix}${i}`, type.elem!, elem, null, plain, {
          ...from,
          path: [...from.path, i],
        }),
      )
    }
    const struct = isBlock(source) ? ((source as s.StructType).args[0] as s.StructType) : (source as s.StructType)
    const fields = this.#cx.program.fields(this.#cx.emulated(struct) ?? struct)
    return type.fields.map((f, i) => {
      const { decl } = fields[i]!
      const own = {
        format: textureFormat(decl.syntax?.attributes ?? []),
        span: decl.span ?? from.span,
        path: [...from.path, f.name],
      }
      const bound = i === 0 && struct.decl.module.isCore ? binding : null
      return this.#part(`${name}_${f.name}`, `${prefix}${f.name}`, f.type, fields[i]!.type, bound, plain, own)
    })
  }

  #global(
    name: string,
    type: Type,
    space: t.Space,
    resource: Global['resource'],
    binding: Binding | null,
    span: Span | null,
  ): Global {
    const made = new Global(this.#cx.names.unique(name), type, space, resource, binding ?? undefined, undefined, span)
    made.block = this.#parameters
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
      case 'resource':
        return { kind: 'value', value: b.emit1('global', [], home.global) }
      case 'memory':
        return { kind: 'pointer', pointer: b.emit1('global', [], home.global) }
      case 'uniform':
        return at(fn, b.field(b.emit1('global', [], home.block.global!), home.index))
      case 'bundle':
        return { kind: 'bundle', type: home.type, parts: home.parts.map(p => this.#ref(fn, p)) }
      case 'first':
        return { kind: 'value', value: b.const(t.i32, 1) }
    }
  }

  /** The place of a module-level variable or constant. */
  place(fn: Fn, decl: GlobalDecl, outer: s.Subst): Ref {
    const home = this.#homes.get(decl.id)
    if (home !== undefined) return this.#ref(fn, home)
    // One inside a generic function depends on the function's parameters too.
    const inherited = decl.parent?.kind === 'func' ? [...fn.subst.args] : []
    const given = [...outer.args].map(([id, arg]): [number, s.GenericArg] => [id, this.#arg(fn, arg)])
    const subst: s.Subst = {
      args: new Map([...inherited, ...given]),
      self: outer.self === null ? null : fn.source(outer.self),
    }
    const met =
      decl.parent?.kind === 'interface' && subst.self !== null
        ? this.#cx.program.requiredGlobal(decl, subst.self)
        : null
    if (met !== null) return this.place(fn, met.decl, met.subst)
    const info = this.#cx.program.global(decl)
    const source = this.#cx.program.substitute(info.type, subst)
    const way = passed(decl)
    if (way !== undefined && fn.b.span !== null) {
      const name = way === 'in' ? systemName(info.semantic) : null
      if (name === null)
        this.#cx.reach.refuse({
          span: fn.b.span,
          feature: `${decl.name}, a module-level '${way}' that is no system value,`,
        })
      return { kind: 'value', value: convert(fn, this.#cx.system.read(fn.b, name!), this.#cx.types.of(source)) }
    }
    if (decl.storage === 'parameter' && isUnsized(source) && fn.b.span !== null)
      this.#cx.reach.refuse({ span: fn.b.span, feature: `${decl.name}, an array without a length` })
    if (decl.storage === 'parameter' || decl.storage === 'block') {
      if (this.#cx.program.isMissing(source) && source.kind !== 'error' && fn.b.span !== null)
        this.#cx.reach.refuse({ span: fn.b.span, feature: `${decl.name}, with pointers in a buffer,` })
    }
    const type = this.#cx.types.of(source)
    if ((decl.storage === 'static' || decl.storage === 'groupshared') && t.holdsPointer(type)) {
      this.#cx.sink.add(opaqueVariable, decl.span ?? undefined, { name: decl.name, type: s.show(source) })
      return { kind: 'pointer', pointer: fn.b.variable(type, decl.name) }
    }
    if (this.#cx.program.isUnresolved(decl) && fn.b.span !== null)
      this.#cx.reach.refuse({ span: fn.b.span, feature: decl.name, isExternal: true })
    const init = info.init()
    const key = `${decl.id}[${s.substKey(subst)}]`
    if (init !== null && (t.holdsPointer(type) || (decl.storage === 'constant' && !holdsArray(type)))) {
      if (this.#open.has(key)) return impossible(`the constant ${decl.name} needs itself`)
      const before = this.#made.get(key)
      if (before !== undefined && before.region === fn.b.at) return before
      const value = this.#opened(key, decl, () => fn.elsewhere(subst, () => lowerExpr(fn, init)))
      const made = { kind: 'value' as const, value, region: fn.b.at }
      if (this.#open.size > 0) this.#made.set(key, made)
      else this.#made.clear()
      return made
    }
    let global = this.#statics.get(key)
    if (global === undefined) {
      const space = decl.storage === 'groupshared' ? 'workgroup' : 'private'
      const initial = init === null || space === 'workgroup' ? undefined : this.#init(decl, init, subst, type, key)
      global = new Global(this.#cx.names.unique(decl.name), type, space, 'none', undefined, initial, decl.span)
      this.#statics.set(key, global)
      this.#cx.module.globals.push(global)
    }
    return { kind: 'pointer', pointer: fn.b.emit1('global', [], global) }
  }

  #arg(fn: Fn, arg: s.GenericArg): s.GenericArg {
    return s.isInt(arg) ? fn.cx.program.substituteInt(arg, fn.subst) : fn.source(arg)
  }

  #init(decl: GlobalDecl, init: Expr, subst: s.Subst, type: Type, key: string): Func | undefined {
    if (this.#open.has(key)) {
      this.#cx.sink.add(cyclic, decl.span ?? undefined, { name: decl.name })
      return undefined
    }
    const func = new Func(
      this.#cx.names.unique(`${decl.name}_init`),
      { params: [], result: type, resultNoDiff: true },
      decl.span,
    )
    this.#cx.module.funcs.push(func)
    const { current } = this.#cx
    const fn = new Fn(this.#cx, func, subst)
    this.#cx.reach.asked(func, current)
    const value = this.#opened(key, decl, () => this.#cx.sink.work.within(2, decl.span, () => lowerExpr(fn, init)))
    this.#cx.current = current
    fn.b.emit('ret', [value])
    return func
  }

  /** Lowers the value of a constant or variable, which is open meanwhile. */
  #opened(key: string, decl: GlobalDecl, work: () => Value): Value {
    this.#open.add(key)
    try {
      return this.#cx.reach.within(null, decl.syntax.span, work)
    } finally {
      this.#open.delete(key)
    }
  }
}

function isBlock(source: s.Type, ...kinds: readonly string[]): boolean {
  return (
    source.kind === 'struct' &&
    (kinds.length > 0 ? kinds : ['ParameterBlock', 'ConstantBuffer']).includes(source.decl.intrinsic ?? '')
  )
}

function resourceKind(type: Type, source: s.Type): Global['resource'] {
  const name = source.kind === 'struct' ? (source.decl.intrinsic ?? '') : ''
  if (type.space === 'handle') return type.elem!.handle!.is
  if (type.space === 'uniform') return 'uniform'
  return name.includes('ByteAddress') ? 'bytes' : 'structured'
}
