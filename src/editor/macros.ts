/** Macros of a program: what they stand for. */
import { Sink } from '../base/diag.ts'
import { SourceFile } from '../base/source.ts'
import { lex } from '../syntax/lex.ts'
import { macroTable, textOf, type Macro, type MacroTable } from '../syntax/macro.ts'
import { preprocess } from '../syntax/preprocess.ts'
import { eofKind, punctuatorKind, spaceFlag } from '../syntax/token.ts'
import type { Analysis } from './analysis.ts'

const known = new WeakMap<SourceFile, MacroTable>()

/** The macros at the end of a file: those that options define, its own, and those of the files that it includes. */
export function macrosOf(analysis: Analysis, file: SourceFile): MacroTable {
  const old = known.get(file)
  if (old !== undefined) return old
  const { defines = {} } = analysis.options
  const macros = macroTable(
    Object.fromEntries(
      Object.entries(defines).map(([name, value]) => [name, String(value === true ? 1 : value === false ? 0 : value)]),
    ),
  )
  const include = (path: string, from: SourceFile): SourceFile | undefined => {
    const found = analysis.included(path, from)
    return found === undefined ? undefined : new SourceFile(found, analysis.inputs.get(found)!)
  }
  preprocess(file, { macros, include }, new Sink())
  known.set(file, macros)
  return macros
}

/** The definition of a macro. */
export function definitionText({ name, params, variadic, body }: Macro): string {
  const shown = params?.map((p, i) =>
    variadic && i === params.length - 1 ? (p === '__VA_ARGS__' ? '...' : `${p}...`) : p,
  )
  const text = textOf(body)
  return `#define ${name}${shown === undefined ? '' : `(${shown.join(', ')})`}${text === '' ? '' : ` ${text}`}`
}

const open = punctuatorKind('(')
const close = punctuatorKind(')')

/** What the use of a macro that begins at an offset stands for; undefined where that says no more than its definition. */
export function expansionAt(macros: MacroTable, macro: Macro, file: SourceFile, start: number): string | undefined {
  let end = start + macro.name.length
  if (macro.params !== undefined) {
    const raw = lex(file, end)
    if (raw.kinds[0] !== open) return undefined
    let depth = 0
    for (let i = 0; i < raw.count && raw.kinds[i] !== eofKind; i++) {
      if (raw.kinds[i] === open) depth++
      else if (raw.kinds[i] === close && --depth === 0) {
        end = raw.ends[i]!
        break
      }
    }
    if (depth !== 0) return undefined
  }
  const tokens = preprocess(
    new SourceFile(file.name, file.text.slice(start, end)),
    { macros: new Map(macros).set(macro.name, macro) },
    new Sink(),
  )
  let text = ''
  for (let i = 0; i < tokens.count && tokens.kinds[i] !== eofKind; i++) {
    if (i > 0 && (tokens.flags[i]! & spaceFlag) !== 0) text += ' '
    text += tokens.text(i)
  }
  return text === textOf(macro.body) || text === '' ? undefined : text
}
