/**
 * The core library as people read it. The checker reads a text without comments and white space, in which the same tokens stand in the same
 * order.
 */
import { SourceFile, Span } from '../base/source.ts'
import { core } from '../compile.ts'
import { lex } from '../syntax/lex.ts'
import type { RawTokens } from '../syntax/token.ts'
import { coreText } from './core-text.generated.ts'
import { tokenBefore } from './lexed.ts'
import { coreScheme } from './uri.ts'

/** A file of the library, in both forms. */
interface Both {
  readonly file: SourceFile
  readonly packed: RawTokens
  readonly written: RawTokens
}

// Bounded by the library itself.
const known = new Map<string, Both>()

/** The path of a file of the library: `cotangent-core:/math.slang` for `core/math.slang`. */
const pathOf = (name: string): string => `${coreScheme}:/${name.replace(/^core\//, '')}`

function both(name: string): Both | undefined {
  let found = known.get(name)
  if (found !== undefined) return found
  const packed = core.files.find(f => f.name === name)
  const written = coreText.find(f => f.name === name)
  if (packed === undefined || written === undefined) return undefined
  const file = new SourceFile(pathOf(name), written.text, true)
  found = { file, packed: lex(new SourceFile(name, packed.text)), written: lex(file) }
  known.set(name, found)
  return found
}

/** The text of a file of the library by its path. */
export function coreFile(path: string): SourceFile | undefined {
  const name = core.files.find(f => pathOf(f.name) === path)?.name
  return name === undefined ? undefined : both(name)?.file
}

/** A span of the library in the text that people read; other spans as they are. */
export function readable(span: Span): Span {
  const texts = span.file.isCore ? both(span.file.name) : undefined
  if (texts === undefined) return span
  const { file, packed, written } = texts
  const first = Math.max(0, tokenBefore(packed, span.start + 1))
  const last = Math.max(first, tokenBefore(packed, span.end))
  return new Span(file, written.starts[first]!, written.ends[last]!)
}
