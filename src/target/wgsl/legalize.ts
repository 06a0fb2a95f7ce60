/**
 * Legalises a module for WGSL: the functions that the entry points reach, callees first; the globals that they use, with bindings
 * and layouts; and built-in values for parameters of entry points. The source module does not change.
 */
import { InternalError, type Sink } from '../../base/diag.ts'
import {
  noPosition,
  recursionInTarget,
  semanticNotInTarget,
  tooManyParams,
  typeNotInTarget,
} from '../../base/errors/target.ts'
import { Builder } from '../../ir/build.ts'
import { calleesFirst } from '../../ir/calls.ts'
import type { OpName } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import {
  Func,
  Global,
  Region,
  inputs,
  type Binding,
  type Module,
  type ParamSig,
  type Value,
  type Varying,
} from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { bindingsOf } from '../bindings.ts'
import { branchTails } from '../code/tails.ts'
import { reflectVarying, type HandleInfo, type VaryingInfo } from '../reflect.ts'
import { Copier, resultType, type ModuleCopy } from './copy.ts'
import { flatten } from './nesting.ts'
import { Layouts, filled, noAtomicParts, type AtomicParts, type Stored } from './layout.ts'
import { capabilities } from './legal.ts'
import { Printer } from './printf.ts'
import { reachOf, type Reach } from './reach.ts'
import { checkStage, mayDiverge, usesSubgroups } from './stage.ts'
import { handleOf, textureUses } from './texture.ts'
import { TypeMap, reportLength } from './types.ts'
import { checkBarriers } from './uniform.ts'

/** Parameters that a WGSL function may have. */
const maxParams = 255

/** A global of the legal module. */
export interface LegalGlobal {
  readonly global: Global
  readonly stored: Stored
  /** The global of the source module. */
  readonly of: Global
  /** Undefined for globals that are not resources. */
  readonly binding: Binding | undefined
  /** For a variable that nothing writes: a function whose only instructions are constants, and the value it returns. */
  readonly constant: Value | undefined
  /** What it is where it is a texture or sampler. */
  readonly handle: HandleInfo | null
}

/** An entry point of the legal module. */
export interface LegalEntry {
  readonly func: Func
  readonly of: Func
  /** Where each parameter comes from, and where each component of the result goes to. */
  readonly inputs: readonly VaryingInfo[]
  readonly outputs: readonly VaryingInfo[]
  /** What `of` reaches. */
  readonly reach: Reach
}

export interface LegalModule {
  /** Callees before callers. */
  readonly funcs: readonly Func[]
  readonly entries: readonly LegalEntry[]
  readonly globals: readonly LegalGlobal[]
  readonly layouts: Layouts
  /** True if neighbouring pixels may have diverged when they compare values. */
  readonly divergentDerivatives: boolean
  /** True if it uses operations on subgroups. */
  readonly subgroups: boolean
  /** Where something is printed. */
  readonly printer: Printer | undefined
}

const computeValues: Readonly<Record<string, { readonly name: string; readonly type: Type }>> = {
  SV_DISPATCHTHREADID: { name: 'global_invocation_id', type: t.vec(t.u32, 3) },
  SV_GROUPID: { name: 'workgroup_id', type: t.vec(t.u32, 3) },
  SV_GROUPTHREADID: { name: 'local_invocation_id', type: t.vec(t.u32, 3) },
  SV_GROUPINDEX: { name: 'local_invocation_index', type: t.u32 },
  SV_WAVELANEINDEX: { name: 'subgroup_invocation_id', type: t.u32 },
  SV_WAVELANECOUNT: { name: 'subgroup_size', type: t.u32 },
}

/** WGSL's names for the system values of graphics stages. */
const graphicsValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'vertex in': { SV_VERTEXID: 'vertex_index', SV_INSTANCEID: 'instance_index' },
  'vertex out': { SV_POSITION: 'position' },
  'fragment in': {
    SV_POSITION: 'position',
    SV_ISFRONTFACE: 'front_facing',
    SV_SAMPLEINDEX: 'sample_index',
    SV_COVERAGE: 'sample_mask',
    SV_WAVELANEINDEX: 'subgroup_invocation_id',
    SV_WAVELANECOUNT: 'subgroup_size',
  },
  'fragment out': {
    SV_DEPTH: 'frag_depth',
    SV_DEPTHGREATEREQUAL: 'frag_depth',
    SV_DEPTHLESSEQUAL: 'frag_depth',
    SV_COVERAGE: 'sample_mask',
  },
}

/** Legalises what entry points and other functions reach. After diagnostics the result must not be used. */
export function legalize(
  module: Module,
  entries: readonly Func[],
  functions: readonly Func[],
  sink: Sink,
): LegalModule {
  const legalizer = new Legalizer(module, sink)
  return legalizer.run(entries, functions)
}

class Legalizer implements ModuleCopy {
  readonly sink: Sink
  readonly types: TypeMap = new TypeMap()
  readonly layouts: Layouts = new Layouts()
  readonly helpers: Map<string, Func> = new Map()
  readonly #module: Module
  readonly #funcs = new Map<Func, Func>()
  readonly #queue: Func[] = []
  readonly #globals = new Map<Global, LegalGlobal>()
  readonly #atomics = new Map<Global, AtomicParts>()
  readonly #bindings: ReadonlyMap<Global, Binding>
  /** Module-level variables that something may write. */
  readonly #written = new Set<Global>()
  #printer: Printer | undefined
  #textures: ReturnType<typeof textureUses> = new Map()

  constructor(module: Module, sink: Sink) {
    this.#module = module
    this.sink = sink
    this.#bindings = bindingsOf(module)
  }

  run(entries: readonly Func[], functions: readonly Func[]): LegalModule {
    const all = reachOf([...entries, ...functions])
    this.#findWrites(all.funcs)
    this.#textures = textureUses(all)
    const legal = entries.map(e => this.#entry(e)).filter(e => e !== undefined)
    const reach = reachOf(functions)
    const plain = [...functions.map(f => this.func(f)), ...this.#starter(reach)]
    for (let f = this.#queue.pop(); f !== undefined; f = this.#queue.pop()) this.#body(f)
    const globals = [...this.#globals.values()]
    // What was a variable of a function comes last: its name is the one that changes.
    const place = ({ of }: LegalGlobal): number => this.#module.globals.indexOf(of) >>> 0
    globals.sort((x, y) => place(x) - place(y))
    const funcs = this.#ordered([...legal.map(e => e.func), ...plain])
    for (const f of funcs) branchTails(f, capabilities)
    const shallow = funcs.flatMap(f => [...flatten(f, this.sink), f])
    for (const f of funcs) {
      const count = f.sig.params.length
      if (count > maxParams)
        this.sink.add(tooManyParams, f.span ?? undefined, { func: f.name, count, limit: maxParams })
    }
    if (this.sink.errors === 0) {
      for (const f of [...legal.map(e => e.of), ...functions])
        checkBarriers(f, g => this.#globals.get(g)?.constant !== undefined, this.sink)
    }
    for (const e of legal) checkStage(e.of, e.reach, this.sink)
    const subgroups =
      usesSubgroups(reach) ||
      legal.some(e => e.inputs.some(i => i.builtin?.startsWith('subgroup_') === true) || usesSubgroups(e.reach))
    const divergentDerivatives = functions.some(f => mayDiverge(f, reach)) || legal.some(e => mayDiverge(e.of, e.reach))
    return {
      funcs: shallow,
      entries: legal,
      globals,
      layouts: this.layouts,
      divergentDerivatives,
      subgroups,
      printer: this.#printer,
    }
  }

  func(of: Func): Func {
    let copy = this.#funcs.get(of)
    if (copy === undefined) {
      const params = inputs(of.sig).map(p => ({
        name: p.name,
        type: this.types.value(p.type),
        dir: 'in' as const,
        noDiff: true,
      }))
      copy = new Func(of.name, { params, result: resultType(this.types, of), resultNoDiff: true }, of.span)
      copy.info.pure = of.info.pure
      this.#funcs.set(of, copy)
      this.#queue.push(of)
    }
    return copy
  }

  print(b: Builder, format: string, values: readonly Value[]): void {
    this.#printer ??= new Printer(this.#module, this.#bindings.values())
    this.#printer.print(b, format, values)
  }

  global(of: Global): LegalGlobal {
    let legal = this.#globals.get(of)
    if (legal === undefined) {
      const handle = of.space === 'handle' ? handleOf(of, this.#textures, this.sink) : undefined
      const type = handle === undefined ? this.types.value(of.type) : t.opaque(handle.type)
      const atomics = this.#atomics.get(of)
      const isBuffer = of.space === 'storage' || of.space === 'storage_rw'
      const stored =
        isBuffer || of.space === 'uniform' || of.space === 'workgroup'
          ? this.layouts.stored(type, isBuffer ? of.type.rule : of.space, atomics)
          : this.layouts.local(type)
      const part = of.type.rule === 'natural' && filled(type)
      if (part)
        this.sink.add(typeNotInTarget, of.span ?? undefined, {
          type: `${part.name} with a member in its padding`,
          func: of.name,
          instead: 'members in another order',
        })
      reportLength(this.sink, type, of.span, isBuffer ? Infinity : undefined)
      const constant =
        of.space === 'private' && of.init !== undefined && !this.#written.has(of) ? this.#constant(of.init) : undefined
      // Nothing changes a constant, as nothing changes a uniform: loads of it need no order.
      const space = constant === undefined ? of.space : 'uniform'
      const global = new Global(of.name, stored.type, space, of.resource, of.binding, constant && of.init, of.span)
      legal = { global, stored, of, binding: this.#bindings.get(of), constant, handle: handle?.info ?? null }
      this.#globals.set(of, legal)
    }
    return legal
  }

  variable(type: Type, name: string): Global {
    const global = new Global(name, type, 'private', 'none', undefined, undefined, null)
    const stored = this.layouts.local(type)
    this.#globals.set(global, { global, stored, of: global, binding: undefined, constant: undefined, handle: null })
    return global
  }

  /** The value that the function returns, where that is made of constants only. */
  #constant(init: Func): Value | undefined {
    const copy = new Func(
      init.name,
      { params: [], result: resultType(this.types, init), resultNoDiff: true },
      init.span,
    )
    copy.body = new Region()
    new Copier(this, init, new Builder(copy, copy.body)).region(init.body!, copy.body)
    const plain: readonly OpName[] = ['const', 'zero', 'construct', 'splat', 'ret']
    return copy.body.insts.every(i => plain.includes(i.op)) ? copy.body.end.args[0] : undefined
  }

  #body(of: Func): void {
    const copy = this.#funcs.get(of)!
    copy.body = new Region()
    if (of.body === undefined) throw new InternalError('wgsl', `${of.name} has neither a body nor an intrinsic`)
    const b = new Builder(copy, copy.body)
    const copier = new Copier(this, of, b)
    for (let i = 0; i < of.body.params.length; i++) copier.type(of.body.params[i]!.type, of.span)
    copier.region(of.body, copy.body)
  }

  #entry(of: Func): LegalEntry | undefined {
    const info = of.info.entry!
    if (info.varyings !== undefined) return this.#graphics(of, info.varyings)
    const semantics = info.semantics.filter((_, i) => of.sig.params[i]!.dir !== 'out')
    const sources = inputs(of.sig)
    const ports: VaryingInfo[] = []
    const params: ParamSig[] = []
    for (let i = 0; i < sources.length; i++) {
      const value = computeValues[semantics[i] ?? '']
      if (value === undefined) {
        this.sink.add(semanticNotInTarget, of.span ?? undefined, {
          semantic: semantics[i] || sources[i]!.name,
          stage: info.stage,
        })
        return undefined
      }
      ports.push(reflectVarying(sources[i]!.name, semantics[i]!, value.type, value.name, null, ''))
      params.push({ name: sources[i]!.name, type: value.type, dir: 'in', noDiff: true })
    }
    const reach = reachOf([of])
    return { func: this.#entryBody(of, params, t.voidType, reach), of, inputs: ports, outputs: [], reach }
  }

  #entryBody(of: Func, params: readonly ParamSig[], result: Type, reach: Reach): Func {
    const func = new Func(of.name, { params, result, resultNoDiff: true }, of.span)
    func.info.entry = of.info.entry
    func.body = new Region()
    const b = new Builder(func, func.body)
    const copier = new Copier(this, of, b)
    const values = params.map(p => b.param(p.type, p.name))
    this.#initialise(b, reach)
    const body = of.body!
    for (let i = 0; i < body.params.length; i++)
      copier.set(body.params[i]!, reshape(b, values[i]!, copier.type(body.params[i]!.type)))
    const rest = new Region()
    rest.insts = body.insts
    copier.region(rest, func.body)
    return func
  }

  /** A vertex or fragment entry point. */
  #graphics(of: Func, varyings: readonly Varying[]): LegalEntry | undefined {
    const { stage, semantics } = of.info.entry!
    const ports = { in: [] as VaryingInfo[], out: [] as VaryingInfo[] }
    const params: ParamSig[] = []
    for (let i = 0; i < of.sig.params.length; i++) {
      const p = of.sig.params[i]!
      const side = p.dir === 'in' ? 'in' : 'out'
      const { location = null, interpolation = '' } = varyings[i] ?? {}
      const builtin = location === null ? graphicsValues[`${stage} ${side}`]![semantics[i]!] : null
      if (builtin === undefined) {
        this.sink.add(semanticNotInTarget, of.span ?? undefined, { semantic: semantics[i] || p.name, stage })
        return undefined
      }
      ports[side].push(reflectVarying(p.name, semantics[i]!, p.type, builtin, location, interpolation))
      if (side === 'in') params.push({ ...p, type: this.types.value(p.type) })
    }
    if (stage === 'vertex' && !semantics.includes('SV_POSITION')) {
      this.sink.add(noPosition, of.span ?? undefined, { name: of.name })
      return undefined
    }
    const reach = reachOf([of])
    return {
      func: this.#entryBody(of, params, resultType(this.types, of), reach),
      of,
      inputs: ports.in,
      outputs: ports.out,
      reach,
    }
  }

  /** Module-level variables get their initial values where an invocation begins. */
  #initialise(b: Builder, reach: Reach): void {
    for (const { init, global } of this.#initialised(reach)) {
      const [value] = b.call(this.func(init), [])
      b.store(b.emit1('global', [], global), value!)
    }
  }

  /** The module-level variables that functions give an initial value. */
  #initialised({ globals }: Reach): readonly { readonly init: Func; readonly global: Global }[] {
    return [...globals].flatMap(g => {
      if (g.space !== 'private' || g.init === undefined) return []
      const { global, constant } = this.global(g)
      return constant === undefined ? [{ init: g.init, global }] : []
    })
  }

  /**
   * Functions without an entry point have no place where an invocation begins: what gives module-level variables their initial values is a
   * function of its own, for an entry point to call.
   */
  #starter(reach: Reach): readonly Func[] {
    if (this.#initialised(reach).length === 0) return []
    const func = new Func('initialise', { params: [], result: t.voidType, resultNoDiff: true }, null)
    func.body = new Region()
    const b = new Builder(func, func.body)
    this.#initialise(b, reach)
    b.emit('ret', [])
    return [func]
  }

  /** AtomicParts the memory that atomics access and the variables that are written, in all reachable functions. */
  #findWrites(funcs: ReadonlySet<Func>): void {
    for (const func of funcs) {
      walk(func.body!, inst => {
        if (inst.op === 'store') {
          const global = rootOf(inst.args[0]!)
          if (global !== undefined) this.#written.add(global)
        }
        if (inst.op !== 'atomic') return
        const steps: number[] = []
        let def = inst.args[0]!.def
        while (def.op !== 'param' && def.op !== 'global') {
          if (def.op !== 'field' && def.op !== 'elem') return
          const base = def.args[0]!
          // Of a vector of one lane or a matrix of one row, the component stands for the whole.
          if (def.op === 'field') steps.push(def.attr)
          else if (!isSingle(base.type.elem!)) steps.push(0)
          def = base.def
        }
        if (def.op === 'param') return
        const global = def.attr
        this.#written.add(global)
        const root = this.#atomics.get(global) ?? noAtomicParts()
        this.#atomics.set(global, root)
        markPath(root, steps.reverse())
      })
    }
  }

  /** Callees before callers; a cycle is a mistake. */
  #ordered(roots: readonly Func[]): readonly Func[] {
    return calleesFirst(roots, callee =>
      this.sink.add(recursionInTarget, callee.span ?? undefined, { func: callee.name }),
    )
  }
}

function isSingle(type: Type): boolean {
  return (type.kind === 'vec' || type.kind === 'mat') && type.count === 1
}

function rootOf(ptr: Value): Global | undefined {
  let def = ptr.def
  while (def.op !== 'param' && (def.op === 'field' || def.op === 'elem')) def = def.args[0]!.def
  return def.op !== 'param' && def.op === 'global' ? def.attr : undefined
}

function markPath(root: AtomicParts, steps: readonly number[]): void {
  let at = root
  for (const step of steps) {
    const part: AtomicParts = at.parts.get(step) ?? noAtomicParts()
    at.parts.set(step, part)
    at = part
  }
  at.self = true
}

/** A built-in value as the type that the source gives it. */
function reshape(b: Builder, v: Value, type: Type): Value {
  const lanes = type.kind === 'vec' ? type.count : 1
  if (v.type.kind === 'vec' && lanes < v.type.count) {
    const part = lanes === 1 ? b.extract(v, 0) : b.swizzle(v, [0, 1, 2].slice(0, lanes))
    return b.convert(part, type)
  }
  return b.convert(v, type)
}
