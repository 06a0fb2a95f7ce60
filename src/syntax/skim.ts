/** What a text declares at its top, and where: for an index of the core library that is built ahead. */
import type { SourceFile } from '../base/source.ts'
import { lex } from './lex.ts'
import { Sink } from '../base/diag.ts'
import type { Decl } from './ast.ts'
import { parseRange } from './parse.ts'
import { eofKind, lineFlag, nameKind, punctuatorKind, TokenStream } from './token.ts'

/** One top-level declaration: the names that it declares, and where it stands. */
export interface Skimmed {
  readonly kind: Decl['kind']
  /** Several for `int a, b;`; for an extension the name of the type that it extends. */
  readonly names: readonly string[]
  readonly start: number
  readonly end: number
}

const openBrace = punctuatorKind('{')
const openParen = punctuatorKind('(')
const openBracket = punctuatorKind('[')
const semicolon = punctuatorKind(';')
const assign = punctuatorKind('=')
const afterDeclared: ReadonlySet<number> = new Set([semicolon, assign, openBracket, punctuatorKind(',')])

/**
 * The declarations of a text without directives, in order. Each stretch that is found here can be given to `parseRange`, and
 * gives the same declarations as parsing the whole text does.
 */
export function skim(file: SourceFile): Skimmed[] {
  const raw = lex(file)
  const tokens = new TokenStream(raw.kinds, raw.starts, raw.ends, raw.flags, raw.count, [file])
  const found: Skimmed[] = []
  for (let first = 0; raw.kinds[first] !== eofKind;) {
    const next = endOfDecl(tokens, first)
    const start = raw.starts[first]!
    const end = raw.ends[next - 1]!
    const [decl, ...more] = parseRange(file, start, end, new Sink())
    if (decl !== undefined) found.push({ kind: decl.kind, names: [decl, ...more].map(nameOf).filter(n => n !== ''), start, end })
    first = next
  }
  return found
}

/** The index of the token after the declaration that begins at `first`. */
function endOfDecl(tokens: TokenStream, first: number): number {
  let sawAssign = false
  for (let i = first; ; i++) {
    const kind = tokens.kinds[i]!
    if (kind === eofKind) return Math.max(i, first + 1)
    if (kind === semicolon) return i + 1
    if (kind === assign) sawAssign = true
    if (kind !== openBrace && kind !== openParen && kind !== openBracket) continue
    const close = tokens.matches[i]!
    if (close < 0) continue
    i = close
    if (kind !== openBrace || sawAssign) continue
    if (tokens.kinds[close + 1] === semicolon) return close + 2
    // `struct S { … } x;` goes on to its semicolon.
    const declares = tokens.kinds[close + 1] === nameKind && (tokens.flags[close + 1]! & lineFlag) === 0
    if (!declares || !afterDeclared.has(tokens.kinds[close + 2]!)) return close + 1
  }
}

function nameOf(decl: Decl): string {
  switch (decl.kind) {
    case 'extension': {
      let target = decl.target
      while (target.kind === 'generic' || target.kind === 'index') target = target.base
      return target.kind === 'name' ? target.name : ''
    }
    case 'using': case 'assert': case 'unsupported':
      return ''
    default:
      return decl.name.text
  }
}
