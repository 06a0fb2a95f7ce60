/** IR to a JavaScript module. */
import * as costs from '../../ir/costs.ts'
import type { Sink } from '../../base/diag.ts'
import { semanticMissing } from '../../base/errors/wasm.ts'
import type { Mode } from '../../ir/scalar.ts'
import { layouts } from '../../ir/layout.ts'
import type { Func, Module } from '../../ir/value.ts'
import { reportChoices } from '../choice.ts'
import type { RunLimits } from '../limits.ts'
import type { Lines, Origin } from '../code/lines.ts'
import { structure } from '../code/structure.ts'
import { dataSignature, dataType, type DataSignature, type DataType } from '../data.ts'
import { countedWithin, helperNeeds, helpers, roomWithin } from './helper.ts'
import { wrapper } from './host.ts'
import { bindFunction, declareGlobals, isKnown, kernel, resetGlobals } from './kernel.ts'
import { capabilities, legalize } from './legal.ts'
import { printFunc } from './print.ts'
import { Unit } from './unit.ts'

export interface JsOptions {
  /** `f32` rounds as GPUs and WebAssembly do; `f64` computes floats as doubles, for finite differences. Default `f32`. */
  readonly mode?: Mode
  /** Limits of one call or dispatch. A call that exceeds one throws an error named `TrapError`. Default: no limits. */
  readonly limits?: RunLimits | undefined
  /** Takes every place in the source that each line was made of. */
  readonly origins?: Origin[] | undefined
}

/** A JavaScript module and what a host must know of it. */
export interface JsOutput {
  /** An ES module. */
  readonly code: string
  /** The names of the functions that it exports: exported functions and entry points. */
  readonly exports: readonly string[]
  /**
   * Exports with another name than their own, since `import()` takes a module with a function `then` for a promise, and `bind` and
   * `host` are the module's own.
   */
  readonly renamed: Readonly<Record<string, string>>
  /** The signatures of the exported functions, without those that take or return resources. */
  readonly functions: readonly DataSignature[]
  /** The names that `bind` takes: buffers with bytes from one element to the next (0 where the buffer is not an array), and uniforms. */
  readonly buffers: readonly { readonly name: string; readonly elem: DataType; readonly stride: number }[]
  readonly uniforms: readonly { readonly name: string; readonly type: DataType }[]
}

/** Prints the exported functions and compute entry points of a program as an ES module. */
export function emitJs(module: Module, options: JsOptions, sink: Sink): JsOutput {
  const { limits = {}, origins } = options
  const unit = new Unit(options.mode ?? 'f32', sink, limits, origins !== undefined)
  // No host can call what takes or gives resources.
  const callable = (f: Func): boolean =>
    f.info.exported !== undefined && dataSignature(f, f.info.exported, layouts.storage) !== undefined
  const roots = module.funcs.filter(f => f.body !== undefined && (callable(f) || f.info.entry?.stage === 'compute'))
  for (const func of roots) {
    const unknown = func.info.entry?.semantics.find(s => !isKnown(s))
    if (unknown !== undefined) sink.add(semanticMissing, func.span ?? undefined, { semantic: unknown })
  }
  if (reportChoices(module, sink) || sink.errors > 0)
    return { code: '', exports: [], renamed: {}, functions: [], buffers: [], uniforms: [] }
  for (const func of roots) unit.want(func)

  const funcs: Lines[] = []
  const emitAll = (): void => {
    for (let i = funcs.length; i < unit.queue.length; i++) {
      const { from, into } = unit.queue[i]!
      legalize(from, into, unit)
      funcs.push(printFunc(from, into, structure(into, capabilities, unit.names.inside()), unit))
    }
  }
  emitAll()
  // Initial values are functions too, are known only once the globals are, and may use others.
  for (let known = 0; known < unit.leaves.length;) {
    for (; known < unit.leaves.length; known++) {
      const { init } = unit.leaves[known]!.global
      if (init !== undefined) unit.want(init)
    }
    emitAll()
  }
  const counters = [
    ...(limits.trips === undefined ? [] : [`tripsLeft = ${limits.trips}`]),
    ...(limits.depth === undefined ? [] : [`depthLeft = ${limits.depth}`]),
    ...(limits.bytes === undefined ? [] : ["loopNow = ''"]),
  ]
  if (counters.length > 0 || limits.groups !== undefined) unit.helpers.add('stopped')
  const begin = counters.join('; ')

  const written = (text: string): string => {
    sink.work.spend('output', text.length)
    return text
  }
  const shorts: string[] = []
  /** Makes a function of a long statement that several functions begin with. */
  const short = (reset: string, name: string): string => {
    if (reset.length < costs.sharedReset || roots.length < 2) return reset
    const own = unit.names.make(name, 'begin')
    shorts.push(written(`function ${own}() {\n  ${reset}\n}`))
    return `${own}()`
  }
  const resets = {
    priv: short(resetGlobals(unit, 'private', module.globals), 'beginThread'),
    shared: short(resetGlobals(unit, 'workgroup', module.globals), 'beginGroup'),
  }
  const first = [resets.priv, begin].filter(s => s !== '').join('; ')

  const bindName =
    unit.leaves.some(g => g.global.space === 'uniform') || unit.words.length > 0 ? unit.names.make('bind', 'bind') : ''
  const exported = new Map<string, string>()
  const hosts: string[] = []
  const bind = bindName === '' ? '' : bindFunction(unit, bindName, module.globals)
  if (bind !== '') hosts.push(written(bind))
  for (const func of roots) {
    const isEntry = func.info.entry !== undefined
    const name = isEntry ? func.name : func.info.exported!
    const hostName = unit.names.make(`${name}_host`, 'host')
    hosts.push(
      written(isEntry ? kernel(func, hostName, bindName, unit, begin, resets) : wrapper(func, hostName, unit, first)),
    )
    exported.set(name, hostName)
  }
  if (unit.helpers.has('host')) {
    unit.helpers.add('turn')
    for (const [name, host] of exported) {
      const turned = unit.names.make(`${name}_turn`, 'turn')
      hosts.push(`const ${turned} = turn(${JSON.stringify(name)}, ${host})`)
      exported.set(name, turned)
    }
  }
  const renamed: Record<string, string> = {}
  for (const name of ['then', ...(bindName === '' ? [] : ['bind']), ...(unit.helpers.has('host') ? ['host'] : [])]) {
    const host = exported.get(name)
    if (host === undefined) continue
    let other = `${name}_`
    while (exported.has(other)) other += '_'
    exported.delete(name)
    exported.set(other, host)
    renamed[name] = other
  }
  const list = [...exported].map(
    ([name, host]) => `${host} as ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}`,
  )
  if (bindName !== '') list.push(`${bindName}${bindName === 'bind' ? '' : ' as bind'}`)
  const head = [
    helperText(unit.helpers, limits),
    declareGlobals(unit),
    begin === '' ? '' : `let ${counters.join(', ')}`,
  ].filter(s => s !== '')
  const parts = [...head, ...funcs.map(f => f.text), ...shorts, ...hosts, `export { ${list.join(', ')} }`]
  // Parts have an empty line between them.
  let before = head.reduce((lines, part) => lines + part.split('\n').length + 1, 0)
  for (const { origins: own, count } of funcs) {
    for (const { line, span } of own) origins?.push({ line: before + line, span })
    before += count + 1
  }
  const functions = roots.flatMap(f =>
    f.info.exported === undefined ? [] : (dataSignature(f, f.info.exported, layouts.storage) ?? []),
  )
  const buffers = unit.words.flatMap(({ global: { name, type }, own, stride }) => {
    const elem = dataType(type.kind === 'array' ? type.elem! : type, own)
    return elem === undefined ? [] : [{ name, elem, stride: type.kind === 'array' ? stride : 0 }]
  })
  const uniforms = unit.leaves.flatMap(({ global: { name, type, space } }) => {
    const data = space === 'uniform' ? dataType(type, layouts.storage) : undefined
    return data === undefined ? [] : [{ name, type: data }]
  })
  return { code: `${parts.join('\n\n')}\n`, exports: [...exported.keys()], renamed, functions, buffers, uniforms }
}

function helperText(used: ReadonlySet<string>, { bytes, groups }: RunLimits): string {
  const all = new Set<string>()
  const add = (helper: string): void => {
    for (const needed of helperNeeds[helper] ?? []) add(needed)
    all.add(helper)
  }
  for (const helper of used) add(helper)
  return [...all]
    .map(helper => {
      if (helper === 'room' && bytes !== undefined) return roomWithin(bytes)
      if (helper === 'counted' && groups !== undefined) return countedWithin(groups)
      return helpers[helper]!
    })
    .join('\n\n')
}
