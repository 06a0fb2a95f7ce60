/** WGSL from a module: legalise, then print the structs, resources and functions that its roots reach. */
import type { Sink } from '../../base/diag.ts'
import type { Work } from '../../base/limits.ts'
import { missingEntry } from '../../base/errors/target.ts'
import type * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import type { Binding, Func, Global, Inst, Module, Value } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { Lines, remarkOf, type Mapping, type Origin } from '../code/lines.ts'
import { Names } from '../code/names.ts'
import { structure } from '../code/structure.ts'
import { applied, type Expr, type ValueOp } from '../code/tree.ts'
import { reflectBinding, reflectParameters, type Reflection, type VaryingInfo } from '../reflect.ts'
import { legalize, type LegalEntry, type LegalGlobal, type LegalModule } from './legalize.ts'
import { capabilities } from './legal.ts'
import { fieldNames, isReserved } from './names.ts'
import { Printer, type ModuleScope } from './print.ts'
import { typeText } from './types.ts'

export interface WgslOptions {
  /** Names of the entry points; all of the module where it is absent. */
  readonly entries?: readonly string[] | undefined
  /** Functions of the module to print besides, which no entry point needs to call. */
  readonly functions?: readonly Func[] | undefined
  /** Takes every place in the source that each line was made of. */
  readonly origins?: Origin[] | undefined
}

/** A line of WGSL and the place in the source that it comes from. */
export type SourceMapping = Mapping

/** A compiled module. */
export interface Wgsl {
  readonly code: string
  readonly reflection: Reflection
  readonly sourceMap: readonly SourceMapping[]
}

/** Compiles entry points and other functions to WGSL. Mistakes go to the sink; the code is then empty. */
export function emitWgsl(module: Module, options: WgslOptions, sink: Sink): Wgsl {
  const all = module.funcs.filter(f => f.info.entry !== undefined)
  // Those of several stages may share a name.
  const entries = options.entries?.flatMap(name => all.filter(f => f.name === name)) ?? all
  for (const name of options.entries ?? [])
    if (!all.some(f => f.name === name)) sink.add(missingEntry, undefined, { name })
  const before = sink.errors
  const { functions = [], origins } = options
  const legal = legalize(module, entries, functions, sink)
  if (sink.errors > before || entries.length + functions.length === 0) {
    return {
      code: '',
      reflection: { bindings: [], entries: [], parameters: [], globalParams: null, features: [], prints: null },
      sourceMap: [],
    }
  }
  const made = new ModulePrinter(legal, module, sink.work, origins !== undefined).print()
  for (const origin of made.origins) origins?.push(origin)
  return made.wgsl
}

class ModulePrinter implements ModuleScope {
  readonly #legal: LegalModule
  readonly #source: Module
  readonly #names = new Names(isReserved)
  readonly #symbols = new Map<Func | Global | Type, string>()
  readonly #fields = new Map<Type, readonly string[]>()
  readonly #structs: Lines
  readonly #lines: () => Lines
  readonly #structNames = new Map<Type, string>()
  /** For structs that entry points return: the attributes of each member. */
  readonly #attributes = new Map<Type, readonly string[]>()
  #usesHalf = false

  constructor(legal: LegalModule, source: Module, work: Work, origins: boolean) {
    this.#lines = () => new Lines(work, origins)
    this.#structs = this.#lines()
    this.#legal = legal
    this.#source = source
  }

  print(): { readonly wgsl: Wgsl; readonly origins: readonly Origin[] } {
    const { entries, globals, funcs } = this.#legal
    for (const e of entries) this.#symbols.set(e.func, this.#names.make(e.func.name, 'entry'))
    for (const g of globals) this.#symbols.set(g.global, this.#names.make(g.global.name, 'global'))
    const { printer } = this.#legal
    if (printer !== undefined) this.#symbols.set(printer.global, this.#names.make(printer.global.name, 'global'))
    for (const f of funcs) if (!this.#symbols.has(f)) this.#symbols.set(f, this.#names.make(f.name, 'func'))
    // Structs have their names before locals do, which could hide them otherwise.
    for (const f of funcs) this.#nameStructs(f)
    const bodies = this.#lines()
    for (const f of funcs)
      this.#func(
        f,
        entries.find(e => e.func === f),
        bodies,
      )
    const resources = this.#lines()
    for (const g of globals) this.#global(g, resources)
    if (printer !== undefined) resources.add(`${this.#declared(printer.global, printer.binding)};`)
    const all = new Lines()
    if (this.#usesHalf) all.add('enable f16;')
    // Slang lets lanes that have not diverged do things together, wherever that is.
    if (this.#legal.subgroups)
      for (const line of ['enable subgroups;', 'diagnostic(off, subgroup_uniformity);']) all.add(line)
    // Slang lets neighbouring pixels diverge before they compare, as hardware does; what they find then is unspecified.
    if (this.#legal.divergentDerivatives) all.add('diagnostic(off, derivative_uniformity);')
    if (all.count > 0) all.add('')
    all.append(this.#structs)
    all.append(resources)
    if (resources.count > 0) all.add('')
    all.append(bodies)
    const wgsl = { code: `${all.text}\n`, reflection: this.#reflect(), sourceMap: all.mappings }
    return { wgsl, origins: all.origins }
  }

  // ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────

  typeText(type: Type): string {
    return typeText(type, s => {
      const known = this.#symbols.get(s)
      return known ?? this.#struct(s)
    })
  }

  fieldText(type: Type, i: number): string {
    let names = this.#fields.get(type)
    if (names === undefined) this.#fields.set(type, (names = fieldNames(type.fields.map(f => f.name))))
    return names[i]!
  }

  funcText(func: Func): string {
    return this.#symbols.get(func)!
  }

  globalText(global: Global): string {
    return this.#symbols.get(global)!
  }

  // ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────

  #nameStructs(func: Func): void {
    const name = (type: Type): void => {
      // Calls and constants have types that are nowhere written.
      if (type.scalar === 'f16') this.#usesHalf = true
      if (type.kind === 'struct' && !this.#structNames.has(type)) {
        this.#structNames.set(type, this.#names.make(type.name, 'Struct'))
        for (const f of type.fields) name(f.type)
      } else if (type.kind === 'array' || type.kind === 'ptr') name(type.elem!)
    }
    name(func.sig.result)
    for (let i = 0; i < func.body!.params.length; i++) name(func.body!.params[i]!.type)
    walk(func.body!, inst => {
      for (let i = 0; i < inst.results.length; i++) name(inst.results[i]!.type)
    })
  }

  /** Declares a struct after those it is made of. */
  #struct(type: Type): string {
    const fields = type.fields.map(f => this.typeText(f.type))
    const name = this.#structNames.get(type) ?? this.#names.make(type.name, 'Struct')
    this.#symbols.set(type, name)
    const aligns = this.#legal.layouts.memberAlign.get(type)
    const attributes = this.#attributes.get(type)
    this.#structs.braces(`struct ${name}`, null, () => {
      for (let i = 0; i < fields.length; i++) {
        const align = aligns?.[i] ?? 0
        const attribute = attributes === undefined ? '' : `${attributes[i]!} `
        this.#structs.add(`${align > 0 ? `@align(${align}) ` : attribute}${this.fieldText(type, i)}: ${fields[i]!},`)
      }
    })
    this.#structs.add('')
    return name
  }

  #global(g: LegalGlobal, lines: Lines): void {
    const { global, binding, constant } = g
    if (constant !== undefined) {
      lines.add(`const ${this.globalText(global)} = ${this.#constantText(constant)};`, global.span)
      return
    }
    lines.add(`${this.#declared(global, binding)};`, global.span)
  }

  #declared(global: Global, binding: Binding | undefined): string {
    const at = binding === undefined ? '' : `@group(${binding.group}) @binding(${binding.binding}) `
    const spaces: Partial<Record<t.Space, string>> = {
      uniform: '<uniform>',
      storage: '<storage, read>',
      storage_rw: '<storage, read_write>',
      workgroup: '<workgroup>',
      private: '<private>',
    }
    return `${at}var${spaces[global.space] ?? ''} ${this.globalText(global)}: ${this.typeText(global.type)}`
  }

  #constantText(v: Value): string {
    const build = ({ def, type }: Value): Expr => {
      const inst = def as Inst<ValueOp>
      return applied(inst, type, inst.args.map(build), [])
    }
    return new Printer(this, new Lines()).expr(build(v))
  }

  #func(func: Func, entry: LegalEntry | undefined, lines: Lines): void {
    const code = structure(func, capabilities, this.#names.inside())
    const params = code.params.map(({ name }, i) => {
      const type = this.typeText(func.sig.params[i]!.type)
      return `${entry === undefined ? '' : `${portText(entry.inputs[i]!)} `}${name}: ${type}`
    })
    const outputs = entry?.outputs.map(portText) ?? []
    if (outputs.length > 1) this.#attributes.set(func.sig.result, outputs)
    const attribute = outputs.length === 1 ? `${outputs[0]!} ` : ''
    const result = func.sig.result.kind === 'void' ? '' : ` -> ${attribute}${this.typeText(func.sig.result)}`
    // Entry points are found by their names.
    const remark = func.span === null || entry !== undefined ? '' : remarkOf(func.span)
    if (lines.count > 0) lines.add('')
    if (remark !== '') lines.add(remark)
    if (entry !== undefined) {
      const { stage, numthreads } = entry.of.info.entry!
      lines.add(stage === 'compute' ? `@compute @workgroup_size(${numthreads.join(', ')})` : `@${stage}`)
    }
    lines.braces(`fn ${this.funcText(func)}(${params.join(', ')})${result}`, func.span, () =>
      new Printer(this, lines).body(code, func.sig.result),
    )
  }

  #reflect(): Reflection {
    const { printer } = this.#legal
    const bound = this.#legal.globals.filter(g => g.binding !== undefined)
    const bindings = bound.map(g => reflectBinding(g.of, this.globalText(g.global), g.binding!, g.handle))
    if (printer !== undefined)
      bindings.push(reflectBinding(printer.shown, this.globalText(printer.global), printer.binding))
    const features = this.#usesHalf ? ['shader-f16'] : []
    if (this.#legal.subgroups) features.push('subgroups')
    if (bindings.some(b => b.handle?.kind === 'storage-texture' && b.handle.storageTexture.format === 'bgra8unorm'))
      features.push('bgra8unorm-storage')
    const prints = printer === undefined ? null : { binding: printer.global.name, formats: printer.formats }
    const entries = this.#legal.entries.map(({ func, of, inputs, outputs, reach }) => {
      const names = bound.filter(g => reach.globals.has(g.of)).map(g => g.of.name)
      if (prints !== null && reach.prints) names.push(prints.binding)
      const { stage, numthreads } = of.info.entry!
      return {
        name: of.name,
        target: this.funcText(func),
        stage,
        workgroupSize: numthreads,
        bindings: names,
        inputs,
        outputs,
      }
    })
    return {
      bindings,
      entries,
      parameters: reflectParameters(this.#source),
      globalParams: bindings.find(b => b.name === 'globalParams')?.type ?? null,
      features,
      prints,
    }
  }
}

function portText({ builtin, location, interpolation }: VaryingInfo): string {
  if (location === null) return `@builtin(${builtin})`
  return `@location(${location})${interpolation === '' ? '' : ` @interpolate(${interpolation})`}`
}
