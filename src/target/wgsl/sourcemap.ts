/** Source positions of WGSL lines, for people and for tools. */
import type { SourceFile } from '../../base/source.ts'
import type { SourceMapping, Wgsl } from './emit.ts'
import { remarkOf } from '../code/lines.ts'

function ownMappings(wgsl: Wgsl): readonly SourceMapping[] {
  return wgsl.sourceMap.filter(m => !m.span.file.isCore)
}

/** The WGSL with a comment after each line that comes from another line of the source than the one above it. */
export function withSourceLines(wgsl: Wgsl): string {
  const lines = wgsl.code.split('\n')
  let last = ''
  for (const { line, span } of ownMappings(wgsl)) {
    const text = remarkOf(span)
    if (text !== last) lines[line - 1] += ` ${text}`
    last = text
  }
  return lines.join('\n')
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** A number in base 64, five bits a digit, lowest first; its sign is the lowest bit of all. */
function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += digits[rest > 0 ? digit | 32 : digit]!
  } while (rest > 0)
  return text
}

/** How a source map names files. */
export interface SourceMapOptions {
  /** The file that holds the WGSL. */
  readonly file?: string | undefined
  /** What the map calls a source; default: its own name. */
  readonly source?: ((name: string) => string) | undefined
}

/** A source map of the WGSL: JSON text of version 3 (ECMA-426), with the texts of the sources in it. */
export function sourceMapJson(wgsl: Wgsl, { file, source: named = name => name }: SourceMapOptions = {}): string {
  const sources: SourceFile[] = []
  const lines: string[] = []
  const before = { source: 0, line: 0, column: 0 }
  for (const { line, column, span } of ownMappings(wgsl)) {
    while (lines.length < line) lines.push('')
    let source = sources.indexOf(span.file)
    if (source < 0) source = sources.push(span.file) - 1
    const at = span.file.position(span.start)
    lines[line - 1] =
      vlq(column) + vlq(source - before.source) + vlq(at.line - 1 - before.line) + vlq(at.column - 1 - before.column)
    Object.assign(before, { source, line: at.line - 1, column: at.column - 1 })
  }
  return JSON.stringify({
    version: 3,
    ...(file === undefined ? {} : { file }),
    sources: sources.map(s => named(s.name)),
    sourcesContent: sources.map(s => s.text),
    names: [],
    mappings: lines.join(';'),
  })
}
