/** The trees of a program as text without places, so that two programs can be compared that differ in white space. */
import { Sink } from '../../src/base/diag.ts'
import { LimitReached } from '../../src/base/limits.ts'
import { SourceFile } from '../../src/base/source.ts'
import { check } from '../../src/check/check.ts'
import { core } from '../../src/check/core.generated.ts'
import type { Decl, FuncDecl, ModuleDecl } from '../../src/check/model/decl.ts'
import { parse } from '../../src/syntax/parse.ts'
import { printModule } from '../../src/syntax/print.ts'

/** Where a node stands in the source, and what refers back to the syntax: all that white space may change. */
const places = new Set(['span', 'nameSpan', 'syntax', 'scope', 'inner', 'module', 'parent', 'file', 'key', 'id'])

/** A struct without a name gets one of its offset. */
const madeName = /\b(_(?:struct|enum|cbuffer|tbuffer))\d+/g

/** The parsed tree, as the compiler prints it, and what the parser says to the program. */
export function syntaxTree(source: string): string {
  const sink = new Sink()
  const text = printModule(parse(new SourceFile('main.slang', source), {}, sink))
  return [...sink.list.map(d => d.code).sort(), text.replace(madeName, '$1')].join('\n')
}

/** Whether something has a name that others refer to. */
function isDecl(value: unknown): value is Exclude<Decl, ModuleDecl> {
  return typeof value === 'object' && value !== null && 'kind' in value && 'id' in value && 'name' in value
}

/**
 * What the checker says to a program (codes, without places), and all that lowering may ask of it: attributes, signatures and bodies of its functions, also
 * of generic ones and of those that they call, and its globals. Declarations are numbered as they are met.
 */
export function typedTree(source: string, files: Readonly<Record<string, string>> = {}): string {
  const sink = new Sink()
  let program
  try {
    const options = { source, fileName: 'main.slang', files, resolve: undefined, searchPaths: [], defines: {} }
    program = check({ ...options, columnMajor: false }, core, sink)
  } catch (error) {
    if (error instanceof LimitReached) return error.message
    throw error
  }
  const numbers = new Map<object, number>()
  const due: FuncDecl[] = []
  const lines: string[] = []
  const nameOf = (decl: Exclude<Decl, ModuleDecl>): string => {
    const name = decl.name.replace(madeName, '$1')
    if ('module' in decl && decl.module.isCore) return `core ${name}`
    let number = numbers.get(decl)
    if (number === undefined) {
      numbers.set(decl, (number = numbers.size))
      if (decl.kind === 'func') due.push(decl)
      if (decl.kind === 'local' || decl.kind === 'parameter')
        return `${decl.kind} ${name} ${number}: ${text(Object.entries(decl).filter(([field]) => !places.has(field)))}`
    }
    return `${decl.kind} ${name} ${number}`
  }
  const text = (value: unknown): string =>
    JSON.stringify(value, (field, part: unknown) => {
      if (places.has(field)) return undefined
      if (typeof part === 'bigint') return `${part}n`
      if (typeof part === 'number' && !Number.isFinite(part)) return String(part)
      if (Object.is(part, -0)) return '-0'
      if (part instanceof Map) return [...part]
      return isDecl(part) ? nameOf(part) : part
    })
  for (const { code } of sink.list) lines.push(code)
  if (sink.errors > 0) return lines.sort().join('\n')
  for (const decl of program.globals) {
    const { type, init, binding, semantic } = program.global(decl)
    lines.push(text([decl, decl.storage, type, init(), binding, semantic]))
  }
  due.push(...program.functions)
  const seen = new Set<FuncDecl>()
  for (let func = due.shift(); func !== undefined; func = due.shift()) {
    if (seen.has(func)) continue
    seen.add(func)
    lines.push(text([func, func.role, program.attributes(func), program.params(func)]))
    lines.push(text(program.body(func)))
  }
  return lines.join('\n')
}
