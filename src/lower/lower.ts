/** Lowers the typed tree to IR: the requested functions, and what they need. */
import { sameConstants } from './constexpr.ts'
import { Globals } from './global.ts'
import type { Ref } from './ref.ts'
import { leaveFunction } from './stmt.ts'
import { Fn } from './context.ts'
import { Variants, type Conformance } from './variants.ts'
import type { Sink } from '../base/diag.ts'
import { nobodyConforms } from '../base/errors/lower.ts'
import { cyclic, groupSize as badGroup, groupTooLarge, maxGroup } from '../base/errors/names.ts'
import type { FuncDecl, ParamDecl } from '../check/model/decl.ts'
import type { Body, CheckedProgram } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import type * as s from '../check/model/type.ts'
import { noSubst } from '../check/model/type.ts'
import { writtenParams } from '../check/model/walk.ts'
import { reverseByHalves } from './apply.ts'
import { backwardOf } from './derivative.ts'
import { Lowering, type TextureEmulation } from './context.ts'
import { lowerBody } from './func.ts'
import { read } from './place.ts'
import { lowerStmts } from './stmt.ts'
import { systemTypes } from './system.ts'
import { typeName } from './type.ts'
import { anyTarget, type TargetTraits } from './target.ts'
import { zeroDifferential } from './zero.ts'
import {
  Links,
  graphicsEntry,
  isUniform,
  join,
  part,
  systemInterface,
  varyings,
  type GraphicsEntry,
  type Interface,
} from './varying.ts'
import { needsItself } from '../ir/calls.ts'
import * as t from '../ir/type.ts'
import { Func, type Module, type ParamSig, type Value } from '../ir/value.ts'
import { closed } from './flow.ts'

/** What to lower: entry points, and functions to be exported with or without derivatives. */
export interface Roots {
  readonly entries: readonly EntryRoot[]
  readonly exports: readonly ExportRoot[]
  readonly conformances: readonly Conformance[]
}

export interface EntryRoot {
  readonly func: FuncDecl
  readonly stage: 'compute' | 'vertex' | 'fragment'
  /** The reverse derivative of a compute entry point, as one of its own named `NAME_bwd`. */
  readonly reverse?: boolean | undefined
  /** Its generic arguments. */
  readonly subst?: s.Subst | undefined
  /** Threads of a group where the source does not say. */
  readonly blockSize?: readonly [number, number, number] | undefined
}

export interface ExportRoot {
  readonly func: FuncDecl
  readonly name: string
  readonly mode: 'primal' | 'forward' | 'backward'
  /** Which instance of it, where it is generic. */
  readonly ref?: FuncRef | undefined
}

/** A lowered program, which grows when derivatives ask for more. */
export interface Lowered {
  readonly module: Module
  /** Fills in `info.forward`, `info.backward` and `info.substitute` of a function, lowering them when first asked. */
  readonly derivatives: (func: Func) => void
  /** What each function is the instance of. */
  readonly refs: ReadonlyMap<Func, FuncRef>
}

/** Lowers what the roots need. Mistakes that only concrete types show become diagnostics. */
export function lower(
  program: CheckedProgram,
  roots: Roots,
  sink: Sink,
  target: TargetTraits = anyTarget,
  textureEmulation?: TextureEmulation,
): Lowered {
  const variants = new Variants(roots.conformances)
  for (;;) {
    variants.grew = false
    variants.unmet.clear()
    const lowered = attempt(program, roots, sink, variants, target, textureEmulation)
    if (variants.used)
      for (let i = 0; i < lowered.module.funcs.length; i++) lowered.derivatives(lowered.module.funcs[i]!)
    if (variants.grew && sink.errors === 0) continue
    for (const global of lowered.module.globals)
      if (needsItself(global)) sink.add(cyclic, global.span ?? undefined, { name: global.name })
    for (const { name, span, owner } of variants.unmet)
      sink.add(nobodyConforms, span ?? undefined, { name, interface: owner?.name ?? '' })
    return lowered
  }
}

function attempt(
  program: CheckedProgram,
  roots: Roots,
  sink: Sink,
  variants: Variants,
  target: TargetTraits,
  textureEmulation: TextureEmulation | undefined,
): Lowered {
  const cx = new Lowering(program, sink, variants, target, textureEmulation, of => new Globals(of))
  for (const root of roots.entries) if (root.subst === undefined) cx.names.unique(root.func.name)
  cx.reach.guard(() => lowerRoots(cx, roots))
  const asked = new Set<Func>()
  const derivatives = (func: Func): void => {
    if (asked.has(func)) return
    asked.add(func)
    cx.reach.guard(() => rulesOf(func))
  }
  const rulesOf = (func: Func): void => {
    const held = cx.held.get(func)
    if (held !== undefined) {
      // A substitute stands for what is called under `no_diff`, and for nothing behind it.
      derivatives(held)
      if (held.info.substitute !== undefined) func.info.substitute = cx.heldOf(held.info.substitute)
      return
    }
    const ref = cx.refs.get(func)
    if (ref === undefined || ref.kind !== 'direct') return
    const info = program.derivatives(ref)
    if (info.forward !== null) func.info.forward = cx.instance(sameConstants(cx, ref, info.forward))
    if (info.backward !== null) func.info.backward = backwardOf(cx, func, sameConstants(cx, ref, info.backward))
    else if (info.apply !== null) func.info.backward = reverseByHalves(cx, func, ref, info.apply)
    if (info.substitute !== null) func.info.substitute = cx.instance(sameConstants(cx, ref, info.substitute))
    for (const own of [func.info.forward, func.info.backward]) if (own !== undefined) own.info.derives ??= own.name
    drain(cx)
  }
  return { module: cx.module, refs: cx.refs, derivatives }
}

function lowerRoots(cx: Lowering, roots: Roots): void {
  const { reach } = cx
  // The types of a root are part of it.
  const root = (of: { readonly func: FuncDecl }, work: () => void): void =>
    reach.guard(() =>
      reach.within(of.func, of.func.syntax.span, () => {
        for (const { span } of of.func.syntax.attributes) reach.refuse(cx.program.lacking(span) ?? null)
        work()
      }),
    )
  const entries: (EntryRoot & {
    readonly system: ReadonlyMap<ParamDecl, Interface>
    readonly uniforms: readonly ParamDecl[]
  })[] = []
  for (const entry of roots.entries)
    root(entry, () => {
      const system = systemOf(cx, entry)
      const uniforms = uniformsOf(cx, entry, system)
      for (const p of uniforms) cx.types.part(p.type)
      entries.push({ ...entry, system, uniforms })
    })
  cx.globals.declare(entries)
  const graphics = new Map<EntryRoot, GraphicsEntry>()
  for (const entry of entries) {
    const { func, stage } = entry
    if (stage !== 'compute') root(entry, () => graphics.set(entry, graphicsEntry(cx, func, stage)))
  }
  const links = new Links([...graphics.values()])
  // What an entry point then uses wrongly is no reason to leave out the next.
  const areSound = cx.sink.errors === 0
  for (const entry of entries) {
    const own = graphics.get(entry)
    if (entry.stage === 'compute' && areSound) reach.guard(() => lowerEntry(cx, entry, entry.system, entry.uniforms))
    else if (own !== undefined) reach.guard(() => lowerGraphics(cx, entry.func, own, links))
  }
  for (const { func, ref, mode, name } of roots.exports)
    reach.guard(() => {
      const direct: FuncRef = ref ?? { kind: 'direct', decl: func, subst: noSubst }
      cx.instance(mode === 'primal' ? direct : { kind: 'derivative', mode, of: direct }).info.exported = name
    })
  drain(cx)
}

function drain(cx: Lowering): void {
  for (let next = cx.pending.pop(); next !== undefined; next = cx.pending.pop()) {
    cx.depth = next.depth
    const { func } = next
    cx.reach.guard(() => lowerBody(cx, next), func)
  }
  cx.depth = 0
  cx.system.settle()
}

/** The threads in a workgroup of a `[CUDAKernel]`, unless the caller says. In CUDA the launch does. */
const kernelThreads = [64, 1, 1] as const

/** Parameters of an entry point that the host gives. */
function uniformsOf(cx: Lowering, root: EntryRoot, system: ReadonlyMap<ParamDecl, Interface>): readonly ParamDecl[] {
  return cx.program
    .params(root.func)
    .filter(p => (root.stage === 'compute' ? !system.has(p) : isUniform(cx, p)))
    .map(p => concrete(cx, root, p))
}

/** A parameter with the generic arguments put in: another one in each instance. */
function concrete(cx: Lowering, { subst }: EntryRoot, p: ParamDecl): ParamDecl {
  return subst === undefined ? p : { ...p, id: --cx.copies, type: cx.program.substitute(p.type, subst) }
}

/** The system values that a compute entry point takes, by parameter. */
function systemOf(cx: Lowering, root: EntryRoot): ReadonlyMap<ParamDecl, Interface> {
  const found = new Map<ParamDecl, Interface>()
  if (root.stage === 'compute') {
    for (const p of cx.program.params(root.func)) {
      const own = systemInterface(cx, concrete(cx, root, p))
      if (own !== undefined) found.set(p, own)
    }
  }
  return found
}

/**
 * Lowers an entry point. It takes each system value once, in the type that targets have for it. The body converts system values to
 * the types of the source, and puts structs together. Other parameters are uniforms, which are globals.
 */
function lowerEntry(
  cx: Lowering,
  root: EntryRoot,
  system: ReadonlyMap<ParamDecl, Interface>,
  uniforms: readonly ParamDecl[],
): void {
  const { program } = cx
  const attributes = program.attributes(root.func)
  const sig: ParamSig[] = []
  const semantics: string[] = []
  for (const { leaves } of system.values()) {
    for (const { name, semantic, type } of leaves) {
      if (semantics.includes(semantic)) continue
      sig.push({
        name: sig.some(p => p.name === name) ? `${name}_${sig.length}` : name,
        type: systemTypes[semantic] ?? type,
        dir: 'in',
        noDiff: true,
      })
      semantics.push(semantic)
    }
  }
  const subst = root.subst ?? noSubst
  const result = cx.types.of(program.signature({ kind: 'direct', decl: root.func, subst }).result)
  const name = root.reverse === true ? cx.names.unique(`${root.func.name}_bwd`) : entryName(cx, root)
  const func = new Func(name, { params: sig, result, resultNoDiff: true }, root.func.span)
  func.info.entry = {
    stage: root.stage,
    numthreads: groupOf(cx, root) ?? (attributes.kernel ? (root.blockSize ?? kernelThreads) : [1, 1, 1]),
    semantics,
  }
  cx.module.funcs.push(func)
  cx.system.add({ func, params: sig, semantics })
  const body = program.body(root.func)
  if (body === null) return
  const fn = new Fn(cx, func, subst)
  const values: Value[] = sig.map(p => fn.b.param(p.type, p.name))
  for (const p of body.params) {
    const taken = system.get(p)
    if (taken === undefined) {
      const own = uniforms.find(u => u.index === p.index)
      fn.params.set(p.id, uniformHome(fn, p, body, own))
      continue
    }
    let at = 0
    const given = join(fn, taken.type, () => values[semantics.indexOf(taken.leaves[at++]!.semantic)]!)
    given.name = p.name
    fn.params.set(p.id, fn.incoming(given, !p.constant || p.dir !== 'in'))
  }
  if (root.reverse === true) callReverse(fn, root.func, body.params)
  else lowerStmts(fn, body.stmts)
  if (!closed(fn.b.at)) leaveFunction(fn, undefined)
}

/** The name of an entry point for hosts: `main_64` of `main<64>`. */
function entryName(cx: Lowering, { func, subst }: EntryRoot): string {
  if (subst === undefined) return func.name
  return cx.names.unique(
    [func.name, ...[...subst.args.values()].map(a => typeName(a).replace(/^_/, ''))].join('_').replace(/\W/g, '_'),
  )
}

/** Threads of a group, with generic arguments put in; undefined where the source does not say. */
function groupOf(cx: Lowering, { func, subst }: EntryRoot): readonly [number, number, number] | undefined {
  const { numthreads, groupSize } = cx.program.attributes(func)
  if (subst === undefined || groupSize === null) return numthreads ?? undefined
  const [x, y, z] = groupSize.map(n => cx.types.number(cx.program.substituteInt(n, subst)))
  const size = [x!, y!, z!] as const
  const least = Math.min(...size)
  const span = func.span ?? undefined
  if (least < 1) cx.sink.add(badGroup, span, { got: least })
  else if (x! * y! * z! > maxGroup) cx.sink.add(groupTooLarge, span, { limit: maxGroup, got: x! * y! * z! })
  return size
}

/** Calls the reverse derivative of an entry point with the entry point's own parameters. Derivatives of plain values are dropped. */
function callReverse(fn: Fn, func: FuncDecl, params: readonly ParamDecl[]): void {
  const reverse = fn.cx.instance({
    kind: 'derivative',
    mode: 'backward',
    of: { kind: 'direct', decl: func, subst: fn.subst },
  })
  const given = params.map(p => read(fn, fn.params.get(p.id)!))
  fn.b.call(
    reverse,
    given.map((value, i) => {
      const { type } = reverse.sig.params[i]!
      return type === value.type ? value : fn.b.construct(type, [value, zeroDifferential(fn, value.type)])
    }),
  )
}

/**
 * The reference of a uniform parameter in an entry point, or of what it is in an instance of that. The body may write its copy of a parameter; few write parameters with
 * resources.
 */
function uniformHome(fn: Fn, p: ParamDecl, body: Body, own: ParamDecl = p): Ref {
  const home = fn.cx.globals.uniform(fn, own)
  const copied = home.kind === 'pointer' ? !p.constant : home.kind === 'bundle' && writtenParams(body.stmts).has(p)
  return copied ? fn.incoming(read(fn, home), true) : home
}

/** A vertex or fragment entry point: see `varying.ts`. */
function lowerGraphics(cx: Lowering, decl: FuncDecl, entry: GraphicsEntry, links: Links): void {
  const errors = cx.sink.errors
  const [ins, outs] = [varyings(cx, entry, 'in', links), varyings(cx, entry, 'out', links)]
  if (cx.sink.errors > errors) return
  // A system value that is asked for twice comes once.
  const firstOf = ins.map(v => ins.findIndex(o => o === v || (v.location === null && o.semantic === v.semantic)))
  const given = ins.filter((_, i) => firstOf[i] === i)
  const all = [...given, ...outs]
  const sig = all.map((v, i): ParamSig => ({
    name: v.name,
    type: v.type,
    dir: i < given.length ? 'in' : 'out',
    noDiff: true,
  }))
  const semantics = all.map(v => v.semantic)
  const func = new Func(decl.name, { params: sig, result: t.voidType, resultNoDiff: true }, decl.span)
  func.info.entry = { stage: entry.stage, numthreads: [1, 1, 1], semantics, varyings: all }
  cx.module.funcs.push(func)
  cx.system.add({ func, params: sig, semantics })
  const body = cx.program.body(decl)
  if (body === null) return
  const fn = new Fn(cx, func, noSubst)
  const params = given.map(v => fn.b.param(v.type, v.name))
  const values = firstOf.map(i => params[given.indexOf(ins[i]!)]!)
  let at = 0
  for (const p of body.params) {
    const taken = entry.inputs.get(p)
    const value = taken === undefined ? undefined : join(fn, taken.type, () => values[at++]!)
    if (value !== undefined) {
      value.name = p.name
      fn.params.set(p.id, fn.incoming(value, !p.constant || p.dir !== 'in'))
    } else fn.params.set(p.id, entry.outputs.has(p) ? fn.variable(fn.type(p.type), p.name) : uniformHome(fn, p, body))
  }
  const types = outs.map(v => v.type)
  fn.gives = value => {
    const given: Value[] = []
    for (const of of entry.outputs.keys()) {
      if (of !== 'result') part(fn, read(fn, fn.params.get(of.id)!), types, given)
      else part(fn, value ?? fn.b.emit1('undef', [], null, entry.outputs.get(of)!.type), types, given)
    }
    return given
  }
  lowerStmts(fn, body.stmts)
  if (!closed(fn.b.at)) leaveFunction(fn, undefined)
}
