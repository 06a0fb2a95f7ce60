/** Entry points in JavaScript: loops over groups and threads, in lockstep from barrier to barrier where there are any. */
import type { Func, Global } from '../../ir/value.ts'
import { inputs } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { leavesOf } from '../leaves/leaf.ts'
import { arrayClass } from './array.ts'
import { readLeaves } from './host.ts'
import type { GlobalLeaves, GlobalWords, Unit } from './unit.ts'

/** Statements that declare the globals of the module. */
export function declareGlobals(unit: Unit): string {
  const lines: string[] = []
  for (const { parts, global } of unit.leaves) {
    leavesOf(global.type).forEach((leaf, k) => {
      const name = parts[k]!.name
      if (leaf.count > 0) lines.push(`let ${name} = new ${arrayClass(leaf.scalar, unit.scalars.mode)}(${leaf.count})`)
      else lines.push(`let ${name} = ${zeroText(leaf.scalar)}`)
    })
  }
  for (const { views, length } of unit.words) lines.push(`let ${views.map(v => v.name).join(', ')}, ${length} = 0`)
  return lines.join('\n')
}

function zeroText(scalar: string): string {
  return scalar === 'bool' ? 'false' : scalar === 'i64' || scalar === 'u64' ? '0n' : '0'
}

/** The typed array that a buffer may be given as, words for booleans; '' where bytes say it better. */
function viewOf({ global: { type, resource }, views }: GlobalWords): string {
  const scalars = new Set(leavesOf(type).map(leaf => leaf.scalar))
  const [first] = scalars
  const only = first === 'bool' ? 'u32' : first
  if (resource === 'bytes') return 'any'
  return scalars.size === 1 && views.some(v => v.scalar === only) ? arrayClass(only!, 'f32') : ''
}

/** The function `bind(resources)`, which gives the module its buffers and uniforms by name. */
export function bindFunction(unit: Unit, bindName: string, globals: readonly Global[]): string {
  const names = globals.filter(g => g.resource !== 'none').map(g => JSON.stringify(g.name))
  const body = [`  known(resources, [${names.join(', ')}], 'the module')`]
  unit.helpers.add('known')
  for (const words of unit.words) {
    const { global, views, length, offset, stride } = words
    const from = `resources[${JSON.stringify(global.name)}]`
    body.push(`  if (${from} !== undefined) {`)
    body.push(
      `    const { buffer, byteOffset, byteLength, bytes } = words(${from}, ${stride}, ${JSON.stringify(global.name)}, '${viewOf(words)}'${offset === 0 ? '' : `, ${offset}`})`,
    )
    for (const { scalar, name } of views) {
      const size = scalar.endsWith('64') ? 8 : 4
      body.push(
        `    ${name} = byteOffset % ${size} === 0 ? new ${arrayClass(scalar, 'f32')}(buffer, byteOffset, bytes >> ${Math.log2(size)}) : undefined`,
      )
    }
    body.push(`    ${length} = Math.floor(${offset === 0 ? 'byteLength' : `(byteLength - ${offset})`} / ${stride})`)
    body.push('  }')
    unit.helpers.add('words')
  }
  for (const { global, parts } of unit.leaves) {
    if (global.space !== 'uniform') continue
    const from = `resources[${JSON.stringify(global.name)}]`
    const reads = readLeaves(global.type, 'value', unit)
    if (global.type.kind === 'struct') unit.helpers.add('whole')
    body.push(
      `  if (${from} !== undefined) {`,
      `    const value = ${from}`,
      ...(global.type.kind === 'struct'
        ? [
            `    whole(value, [${global.type.fields.map(f => JSON.stringify(f.name)).join(', ')}], ${JSON.stringify(global.name)})`,
          ]
        : []),
      ...reads.map((e, k) => `    ${parts[k]!.name} = ${e}`),
      '  }',
    )
  }
  return `function ${bindName}(resources) {\n${body.join('\n')}\n}`
}

/** A statement that sets the globals of a space to their initial values, those that others are made of first; '' where there are none. */
export function resetGlobals(unit: Unit, space: Global['space'], declared: readonly Global[]): string {
  const leaves = new Map(unit.leaves.filter(g => g.global.space === space).map(g => [g.global, g]))
  const order = new Set<GlobalLeaves>()
  const open = new Set<Global>()
  const visit = (global: Global): void => {
    const own = leaves.get(global)
    if (own === undefined || open.has(global)) return
    open.add(global)
    if (global.init !== undefined) for (const used of globalsOf(global.init)) visit(used)
    order.add(own)
  }
  for (const global of declared) visit(global)
  return [...order].map(g => reset(g, unit)).join('; ')
}

/** The globals that a function and what it calls use, in order of their first use. */
function globalsOf(func: Func): ReadonlySet<Global> {
  const found = new Set<Global>()
  const seen = new Set([func])
  for (const f of seen) {
    if (f.body !== undefined) {
      walk(f.body, inst => {
        if (inst.op === 'global') found.add(inst.attr)
        else if (inst.op === 'call') seen.add(inst.attr)
      })
    }
  }
  return found
}

function reset({ global, parts }: GlobalLeaves, unit: Unit): string {
  if (global.init !== undefined && unit.want(global.init) !== undefined) {
    const names = parts.map(part => part.name)
    const call = `${unit.funcName(global.init)}()`
    const leaves = leavesOf(global.type)
    // Arrays are copied: the initial value may be shared, the global is written.
    const copies = leaves.flatMap((leaf, k) => (leaf.count > 0 ? [`; ${names[k]} = ${names[k]}.slice()`] : []))
    return `${names.length === 1 ? names[0] : `[${names.join(', ')}]`} = ${call}${copies.join('')}`
  }
  return leavesOf(global.type)
    .map((leaf, k) => {
      const name = parts[k]!.name
      return leaf.count > 0
        ? `${name}.fill(${zeroText(leaf.scalar) === '0n' ? '0n' : '0'})`
        : `${name} = ${zeroText(leaf.scalar)}`
    })
    .join('; ')
}

/** Statements that set globals of a thread, and of a workgroup, to their initial values. */
export interface Resets {
  readonly priv: string
  readonly shared: string
}

/** The function that a host calls to run an entry point: `name(groups, resources, uniforms)`. */
export function kernel(
  func: Func,
  hostName: string,
  bindName: string,
  unit: Unit,
  begin: string,
  { priv, shared }: Resets,
): string {
  const { numthreads, semantics } = func.info.entry!
  const [nx, ny, nz] = numthreads
  const args = inputs(func.sig).flatMap(p => {
    const parts = systemValue(semantics[func.sig.params.indexOf(p)] ?? '', numthreads)
    if (parts === undefined) return readLeaves(p.type, `uniforms[${JSON.stringify(p.name)}]`, unit)
    return parts.slice(0, p.type.kind === 'vec' ? p.type.count : 1)
  })
  const call = `${unit.funcName(func)}(${args.join(', ')})`
  const lockstep = unit.effects(func).waits
  // Threads that take turns each have private globals of their own, which lie in the module's variables while it is their turn.
  const own = unit.leaves
    .filter(g => g.global.space === 'private')
    .flatMap(g => g.parts.map((part, k) => ({ name: part.name, isArray: leavesOf(g.global.type)[k]!.count > 0 })))
  const mine = own.length === 0 ? '' : `, own: [${own.map(o => (o.isArray ? `${o.name}.slice()` : o.name)).join(', ')}]`
  const inner = lockstep ? `threads.push({ steps: ${call}${mine} })` : call
  const loops: readonly (readonly [string, number])[] = [
    ['gz', 2],
    ['gy', 1],
    ['gx', 0],
  ]
  unit.helpers.add('counted')
  const lines = [
    `function ${hostName}(groups, resources = {}, uniforms = {}) {`,
    `  const counts = counted(${JSON.stringify(func.name)}, groups)`,
  ]
  if (begin !== '') lines.push(`  ${begin}`)
  if (bindName !== '') lines.push(`  ${bindName}(resources)`)
  let indent = '  '
  for (const [v, n] of loops) {
    lines.push(`${indent}for (let ${v} = 0; ${v} < counts[${n}]; ${v}++) {`)
    indent += '  '
  }
  if (shared !== '') lines.push(indent + shared)
  if (lockstep) lines.push(`${indent}let threads = []`)
  const locals: readonly (readonly [string, number])[] = [
    ['lz', nz],
    ['ly', ny],
    ['lx', nx],
  ]
  const opened = indent
  for (const [v, n] of locals) {
    lines.push(`${indent}for (let ${v} = 0; ${v} < ${n}; ${v}++) {`)
    indent += '  '
  }
  if (priv !== '') lines.push(indent + priv)
  lines.push(indent + inner)
  for (let k = 0; k < locals.length; k++) {
    indent = indent.slice(2)
    lines.push(`${indent}}`)
  }
  if (lockstep) {
    const swap = `[${own.map(o => o.name).join(', ')}]`
    lines.push(`${opened}while (threads.length > 0) {`, `${opened}  threads = threads.filter(thread => {`)
    if (own.length > 0) lines.push(`${opened}    ;${swap} = thread.own`)
    lines.push(`${opened}    const { done } = thread.steps.next()`)
    if (own.length > 0) lines.push(`${opened}    thread.own = ${swap}`)
    lines.push(`${opened}    return !done`, `${opened}  })`, `${opened}}`)
  }
  for (let k = 0; k < loops.length; k++) {
    indent = indent.slice(2)
    lines.push(`${indent}}`)
  }
  lines.push('}')
  return lines.join('\n')
}

/** Whether JavaScript can give a kernel this parameter: a uniform, which has no semantic, or a known system value. */
export const isKnown = (semantic: string): boolean => semantic === '' || systemValue(semantic, [1, 1, 1]) !== undefined

function systemValue(semantic: string, [nx, ny, nz]: readonly [number, number, number]): string[] | undefined {
  switch (semantic) {
    case 'SV_DISPATCHTHREADID':
      return [`gx * ${nx} + lx`, `gy * ${ny} + ly`, `gz * ${nz} + lz`]
    case 'SV_GROUPTHREADID':
      return ['lx', 'ly', 'lz']
    case 'SV_GROUPID':
      return ['gx', 'gy', 'gz']
    case 'SV_GROUPINDEX':
      return [`lx + ${nx} * (ly + ${ny} * lz)`]
    default:
      return undefined
  }
}
