/**
 * The inputs and outputs of entry points: system values, and varyings in vertex and fragment stages. In IR they are flat: one
 * parameter for each scalar or vector that the pipeline knows, with `out` for outputs. Structs and arrays of the source are put
 * together at the start, and taken apart at returns. Vertex outputs are matched with fragment inputs by semantic, so locations are
 * assigned for all entry points of a program at once.
 */
import type { Fn } from './context.ts'
import {
  doubleLocation,
  doubleSemantic,
  mixedParameter,
  notVarying,
  systemType,
  varyingType,
} from '../base/errors/lower.ts'
import { attributeArguments, maxBinding, bindingsExpected } from '../base/errors/names.ts'
import type { FuncDecl, ParamDecl } from '../check/model/decl.ts'
import * as s from '../check/model/type.ts'
import type * as ast from '../syntax/ast.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value, Varying } from '../ir/value.ts'
import type { Span } from '../base/source.ts'
import type { Lowering } from './context.ts'
import { closed, opened } from './columns.ts'
import { convert } from './convert.ts'
import { fragmentTypes, systemTypes, vertexTypes } from './system.ts'

export type GraphicsStage = 'vertex' | 'fragment'

/** A scalar or vector of an interface. */
interface Leaf {
  readonly name: string
  /** The type in the source, and the type on targets. */
  readonly type: Type
  readonly semantic: string
  /** Whether the source gives the semantic. Otherwise it is the name. */
  readonly given: boolean
  /** It is one of several parts of an array or a matrix. */
  readonly isPart: boolean
  readonly modifiers: readonly string[]
  readonly explicit: number | undefined
  readonly span: Span | undefined
}

/** One parameter or result of an entry point. */
export interface Interface {
  readonly leaves: readonly Leaf[]
  readonly type: Type
}

/** An entry point of a graphics stage with what it takes and gives. */
export interface GraphicsEntry {
  readonly stage: GraphicsStage
  /** By parameter; undefined for uniforms and for what goes the other way. */
  readonly inputs: ReadonlyMap<ParamDecl, Interface>
  readonly outputs: ReadonlyMap<ParamDecl | 'result', Interface>
}

const vec4 = t.vec(t.f32, 4)

/** The types of the system values of each stage on targets. */
const systemValues: Readonly<
  Record<GraphicsStage, { readonly in: Readonly<Record<string, Type>>; readonly out: Readonly<Record<string, Type>> }>
> = {
  vertex: { in: vertexTypes, out: { SV_POSITION: vec4 } },
  fragment: {
    in: fragmentTypes,
    out: { SV_DEPTH: t.f32, SV_DEPTHGREATEREQUAL: t.f32, SV_DEPTHLESSEQUAL: t.f32, SV_COVERAGE: t.u32 },
  },
}

/** True for parameters that the pipeline does not pass: `uniform` parameters, and resources. */
export function isUniform(cx: Lowering, p: ParamDecl): boolean {
  return p.modifiers.includes('uniform') || (p.semantic === '' && t.holdsPointer(cx.types.of(p.type)))
}

/** The system value that a compute entry point takes as a parameter; undefined for uniforms. */
export function systemInterface(cx: Lowering, p: ParamDecl): Interface | undefined {
  const type = cx.types.of(p.type)
  const span = p.span ?? undefined
  if (p.semantic !== '') {
    const { name, index } = split(p.semantic)
    const leaf: Leaf = {
      name: p.name,
      type,
      semantic: semanticName(name, index),
      given: true,
      isPart: false,
      modifiers: p.modifiers,
      explicit: undefined,
      span,
    }
    if (!takesSystemValue(leaf, false))
      cx.sink.add(systemType, span, { name: p.name, semantic: p.semantic, lanes: lanesOf(systemTypes[leaf.semantic]!) })
    return { leaves: [leaf], type }
  }
  if (p.modifiers.includes('uniform')) return undefined
  const flattener = new Flattener(cx)
  flattener.add(p.type.kind === 'struct' ? '' : p.name, p.type, '', p.modifiers, undefined, span)
  const { leaves } = flattener
  if (!leaves.some(l => l.given && isSystem(split(l.semantic).name))) return undefined
  const plain = leaves.find(l => !l.given)
  if (plain !== undefined) cx.sink.add(mixedParameter, plain.span ?? span, { name: plain.name, parameter: p.name })
  for (const leaf of leaves)
    if (!takesSystemValue(leaf, true))
      cx.sink.add(systemType, leaf.span, {
        name: leaf.name,
        semantic: leaf.semantic,
        lanes: lanesOf(systemTypes[leaf.semantic]!),
      })
  return { leaves, type }
}

const lanesOf = (type: Type): number => (type.kind === 'vec' ? type.count : 1)

/** Whether a leaf can hold the system value that it asks for; fields are converted. */
function takesSystemValue({ type, semantic, isPart }: Leaf, isField: boolean): boolean {
  const given = systemTypes[semantic]
  if (given === undefined) return true
  const isWhole = !isPart && (type.kind === 'scalar' || (type.kind === 'vec' && type.count <= lanesOf(given)))
  return isWhole && (isField ? type.scalar !== 'bool' : type.scalar === 'i32' || type.scalar === 'u32')
}

/** Names of Vulkan for what WGSL has once: its numbers of vertices and instances count from the first of the draw. */
const alike: Readonly<Record<string, string>> = {
  SV_VULKANVERTEXID: 'SV_VERTEXID',
  SV_VULKANINSTANCEID: 'SV_INSTANCEID',
}

/** The name of a semantic in upper case, and its number. */
function split(semantic: string): { readonly name: string; readonly index: number } {
  const [, name = '', index] = /^(.*?)(\d*)$/.exec(semantic.toUpperCase())!
  return { name: alike[name] ?? name, index: Number(index) }
}

/** The name of a system value by its semantic; for another semantic, null. */
export function systemName(semantic: string): string | null {
  const { name } = split(semantic)
  return isSystem(name) ? name : null
}

const isSystem = (name: string): boolean => name.startsWith('SV_') && name !== 'SV_TARGET'

function semanticName(name: string, index: number): string {
  return isSystem(name) ? name : `${name}${index}`
}

/** The semantic of the leaves that come next. */
interface At {
  readonly name: string
  readonly given: boolean
  next: number
  isPart: boolean
}

/** Flattens a value into the leaves that a pipeline knows, in order. */
class Flattener {
  readonly #cx: Lowering
  readonly leaves: Leaf[] = []

  constructor(cx: Lowering) {
    this.#cx = cx
  }

  add(
    path: string,
    type: s.Type,
    semantic: string,
    modifiers: readonly string[],
    explicit: number | undefined,
    span: Span | undefined,
    isPart = false,
  ): void {
    const { name, index } = split(semantic === '' ? path : semantic)
    this.#add(
      path,
      type,
      this.#cx.types.of(type),
      { name, given: semantic !== '', next: index, isPart },
      modifiers,
      explicit,
      span,
    )
  }

  #add(
    path: string,
    source: s.Type,
    type: Type,
    at: At,
    modifiers: readonly string[],
    explicit: number | undefined,
    span: Span | undefined,
  ): void {
    if (source.kind === 'struct' && type.kind === 'struct') {
      for (const f of this.#cx.program.fields(source)) {
        const syntax = f.decl.syntax
        const own = [...modifiers, ...(syntax?.modifiers ?? []).map(m => m.name)]
        const name = path === '' ? f.name : `${path}_${f.name}`
        const inner = this.#cx.types.of(f.type)
        const location = syntax === null ? undefined : explicitLocation(syntax.attributes)
        const where = f.decl.span ?? span
        if (f.semantic === '' && at.given) this.#add(name, f.type, inner, at, own, location, where)
        else this.add(name, f.type, f.semantic, own, location, where, at.isPart)
      }
      return
    }
    // An array without elements passes nothing.
    if (source.kind === 'array' && type.kind === 'struct') return
    if (type.kind === 'array' && source.kind === 'array') {
      at.isPart = true
      for (let i = 0; i < type.count; i++)
        this.#add(
          `${path}_${i}`,
          source.elem,
          this.#cx.types.of(source.elem),
          at,
          modifiers,
          explicit === undefined ? undefined : explicit + i,
          span,
        )
      return
    }
    if (type.kind === 'mat') {
      at.isPart = true
      for (let i = 0; i < type.count; i++)
        this.#leaf(`${path}_${i}`, type.elem!, at, modifiers, explicit === undefined ? undefined : explicit + i, span)
      return
    }
    this.#leaf(path, type, at, modifiers, explicit, span)
  }

  #leaf(
    name: string,
    type: Type,
    at: At,
    modifiers: readonly string[],
    explicit: number | undefined,
    span: Span | undefined,
  ): void {
    this.leaves.push({
      name,
      type,
      semantic: semanticName(at.name, at.next++),
      given: at.given,
      isPart: at.isPart,
      modifiers,
      explicit,
      span,
    })
  }
}

/** What `[[vk::location(n)]]` says. */
export function explicitLocation(attributes: readonly ast.Attribute[]): number | undefined {
  const value = attributes.find(a => a.name === 'vk::location' || a.name === 'vk_location')?.args[0]?.value
  return value?.kind === 'int' ? Number(value.value) : undefined
}

/** Gathers the inputs and outputs of an entry point. */
export function graphicsEntry(cx: Lowering, func: FuncDecl, stage: GraphicsStage): GraphicsEntry {
  const inputs = new Map<ParamDecl, Interface>()
  const outputs = new Map<ParamDecl | 'result', Interface>()
  const syntax = func.syntax.kind === 'func' ? func.syntax : undefined
  const flat = (
    name: string,
    type: s.Type,
    semantic: string,
    modifiers: readonly string[],
    explicit: number | undefined,
    span: Span | null,
  ): Interface => {
    const flattener = new Flattener(cx)
    const irType = cx.types.of(type)
    // The fields of a struct are known by their own names.
    flattener.add(
      type.kind === 'struct' && semantic === '' ? '' : name,
      type,
      semantic,
      modifiers,
      explicit,
      span ?? undefined,
    )
    return { leaves: flattener.leaves, type: irType }
  }
  for (const p of cx.program.params(func)) {
    if (isUniform(cx, p)) continue
    const explicit = explicitLocation(syntax?.params[p.index]?.attributes ?? [])
    const own = flat(p.name, p.type, p.semantic, p.modifiers, explicit, p.span)
    if (p.dir !== 'out') inputs.set(p, own)
    if (p.dir !== 'in') outputs.set(p, own)
  }
  const { result } = cx.program.signature({ kind: 'direct', decl: func, subst: s.noSubst })
  if (result.kind !== 'void') {
    const semantic = syntax?.semantics[0]?.name ?? ''
    outputs.set('result', flat('result', result, semantic, [], explicitLocation(syntax?.attributes ?? []), func.span))
  }
  return { stage, inputs, outputs }
}

/** Locations and interpolation of what passes from vertices to fragments, by semantic. */
export class Links {
  readonly #locations = new Map<string, number>()
  readonly #interpolation = new Map<string, string>()

  constructor(entries: readonly GraphicsEntry[]) {
    const passed = (stage: GraphicsStage): Leaf[] =>
      entries
        .filter(e => e.stage === stage)
        .flatMap(e =>
          [...(stage === 'vertex' ? e.outputs : e.inputs).values()]
            .flatMap(i => i.leaves)
            .filter(l => !isSystem(split(l.semantic).name)),
        )
    const all = [...passed('vertex'), ...passed('fragment')]
    const taken = new Set<number>()
    for (const leaf of all) {
      if (leaf.explicit === undefined || this.#locations.has(leaf.semantic)) continue
      this.#locations.set(leaf.semantic, leaf.explicit)
      taken.add(leaf.explicit)
    }
    let next = 0
    for (const leaf of all) {
      // What the fragments say of interpolation is what holds.
      this.#interpolation.set(leaf.semantic, interpolation(leaf))
      if (this.#locations.has(leaf.semantic)) continue
      while (taken.has(next)) next++
      taken.add(next)
      this.#locations.set(leaf.semantic, next)
    }
  }

  location(leaf: { readonly semantic: string }): number {
    return this.#locations.get(leaf.semantic)!
  }

  /** The interpolation of a leaf. Values that cannot be interpolated are flat, whatever the other stage says. */
  interpolation(leaf: { readonly semantic: string; readonly type: Type }): string {
    return t.isFloat(leaf.type) ? this.#interpolation.get(leaf.semantic)! : 'flat'
  }
}

function interpolation({ type, modifiers }: Leaf): string {
  if (modifiers.includes('nointerpolation') || !t.isFloat(type)) return 'flat'
  const sampling = modifiers.includes('sample') ? 'sample' : modifiers.includes('centroid') ? 'centroid' : ''
  const kind = modifiers.includes('noperspective') ? 'linear' : sampling === '' ? '' : 'perspective'
  return sampling === '' ? kind : `${kind}, ${sampling}`
}

/** The varyings of one side of an entry point. Adds diagnostics for mistakes. */
export function varyings(cx: Lowering, entry: GraphicsEntry, side: 'in' | 'out', links: Links): Varying[] {
  const { stage } = entry
  const known = systemValues[stage][side]
  const between = (stage === 'vertex') === (side === 'out')
  const leaves = [...(side === 'in' ? entry.inputs : entry.outputs).values()].flatMap(i => i.leaves)
  const seen = new Set<string | number>()
  const asked = (leaf: Leaf): number | undefined => {
    const { name, index } = split(leaf.semantic)
    return leaf.explicit ?? (side === 'out' && name === 'SV_TARGET' ? index : undefined)
  }
  const taken = new Set(between ? [] : leaves.map(asked))
  let next = 0
  const free = (): number => {
    while (taken.has(next)) next++
    return next++
  }
  return leaves.map(leaf => {
    const { name } = split(leaf.semantic)
    if (leaf.type.kind !== 'scalar' && leaf.type.kind !== 'vec') cx.sink.add(notVarying, leaf.span, { name: leaf.name })
    const twice = seen.has(leaf.semantic)
    if (twice && !(side === 'in' && isSystem(name))) cx.sink.add(doubleSemantic, leaf.span, { semantic: leaf.semantic })
    seen.add(leaf.semantic)
    if (isSystem(name)) {
      const type = known[name]
      if (type !== undefined && !fits(leaf.type, type, side)) {
        cx.sink.add(varyingType, leaf.span, { name: leaf.name, semantic: name, expected: said(type) })
      }
      return { name: leaf.name, semantic: name, type: type ?? leaf.type, location: null, interpolation: '' }
    }
    // Booleans do not pass between stages.
    const type = leaf.type.scalar === 'bool' ? t.withScalar(leaf.type, t.u32) : leaf.type
    const own = { name: leaf.name, semantic: leaf.semantic, type }
    const location = between ? links.location(leaf) : (asked(leaf) ?? free())
    if (location > maxBinding)
      cx.sink.add(attributeArguments, leaf.span, { name: 'vk::location', expected: bindingsExpected })
    if (seen.has(location) && !twice) cx.sink.add(doubleLocation, leaf.span, { name: leaf.name, location })
    seen.add(location)
    return { ...own, location, interpolation: between ? links.interpolation({ ...leaf, type }) : '' }
  })
}

function fits(type: Type, given: Type, side: 'in' | 'out'): boolean {
  const lanes = given.kind === 'vec' ? given.count : 1
  const count = type.kind === 'scalar' ? 1 : type.kind === 'vec' ? type.count : 0
  const shape = side === 'in' ? count >= 1 && count <= lanes : count === lanes
  return shape && t.isFloat(given) === t.isFloat(type)
}

function said(type: Type): string {
  return type.kind === 'vec'
    ? `float${type.count}`
    : type.scalar === 'f32'
      ? 'float'
      : type.scalar === 'bool'
        ? 'bool'
        : 'int or uint'
}

/** Puts a value together of its leaves. */
export function join(fn: Fn, type: Type, next: () => Value): Value {
  const { b } = fn
  if (type.columnsOf !== null) return closed(b, join(fn, type.columnsOf, next), type)
  switch (type.kind) {
    case 'struct':
      return b.construct(
        type,
        type.fields.map(f => join(fn, f.type, next)),
      )
    case 'array':
    case 'mat':
      return b.construct(
        type,
        Array.from({ length: type.count }, () => join(fn, type.elem!, next)),
      )
    default:
      return convert(fn, next(), type)
  }
}

/** Takes a value apart into its leaves, in the types of the pipeline. */
export function part(fn: Fn, value: Value, types: readonly Type[], into: Value[]): void {
  const { type } = value
  if (type.kind === 'struct' || type.kind === 'array' || type.kind === 'mat') {
    for (let i = 0; i < type.count; i++) part(fn, opened(fn.b, fn.b.extract(value, i)), types, into)
  } else into.push(convert(fn, value, types[into.length]!))
}
