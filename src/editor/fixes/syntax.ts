/** Fixes of mistakes in a text before names are looked up. */
import * as errors from '../../base/errors/syntax.ts'
import { nearest } from '../../base/near.ts'
import { row, type Mistake, type Row } from './fix.ts'
import { before, behind, remove, removeLine, replace } from './text.ts'

/** What keyboards and word processors write for characters of the language. */
const typographic: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '−': '-',
    '–': '-',
    '—': '-',
    '×': '*',
    '·': '*',
    '÷': '/',
    '≤': '<=',
    '≥': '>=',
    '≠': '!=',
    '“': '"',
    '”': '"',
    '‘': "'",
    '’': "'",
    '\u037e': ';',
    '，': ',',
    '；': ';',
    '（': '(',
    '）': ')',
  }),
)

const directives = [
  'if',
  'ifdef',
  'ifndef',
  'elif',
  'else',
  'endif',
  'define',
  'undef',
  'include',
  'error',
  'warning',
  'line',
  'pragma',
]

const closers: Readonly<Record<string, string>> = { "'{'": '}', "'('": ')', "'['": ']' }

/** The line that the mistake begins in, from an offset. */
function restOfLine(at: Mistake, from: number): { readonly end: number; readonly text: string } {
  const text = /^[^\r\n]*/.exec(at.file.text.slice(from))![0]
  return { end: from + text.length, text }
}

export const syntaxFixes: readonly Row[] = [
  row(
    errors.badCharacter,
    {
      title: 'write {right}',
      isPreferred: true,
      find: at => {
        const right = typographic.get(at.text)
        return right === undefined ? undefined : { right }
      },
      edit: (at, { right }) => [replace(at.span, right!)],
    },
    { title: 'remove {char}', find: at => (typographic.has(at.text) ? undefined : {}), edit: at => [remove(at.span)] },
  ),
  row(errors.bidirectionalControl, {
    does: 'remove it',
    with: '{char}',
    isPreferred: true,
    edit: at => [replace(at.span, '')],
  }),
  row(errors.unterminatedComment, {
    does: 'end it with */',
    edit: at => {
      const { end } = restOfLine(at, at.span.start)
      return [before(at.part(end), ' */')]
    },
  }),
  row(errors.newlineInLiteral, {
    does: 'close the quote before the line ends',
    edit: at => {
      const quote = at.text[0]!
      const tail = /[)\]};,\s]*$/.exec(at.text)![0]
      return [before(at.part(at.span.end - tail.length), quote)]
    },
  }),
  row(errors.unclosedConditional, {
    does: 'add #endif',
    isPreferred: true,
    edit: at => {
      const { text } = at.file
      return [before(at.part(text.length), text.endsWith('\n') ? '#endif\n' : '\n#endif\n')]
    },
  }),
  row(errors.strayDirective, {
    title: 'remove this #{directive}',
    isPreferred: true,
    edit: at => [removeLine(at.file, at.span.start)],
  }),
  row(errors.directiveAfterElse, {
    title: 'remove this #{directive}',
    edit: at => (at.given.directive === 'else' ? [removeLine(at.file, at.span.start)] : undefined),
  }),
  row(errors.unknownDirective, {
    title: 'write #{best}',
    isPreferred: true,
    find: at => {
      const best = nearest(String(at.given.name), directives)
      return best === null ? undefined : { best }
    },
    edit: (at, { best }) => (at.text.startsWith('#') ? [replace(at.span, `#${best!}`)] : undefined),
  }),
  row(errors.extraInDirective, {
    title: 'remove what stands behind #{directive}',
    isPreferred: true,
    edit: at => {
      const { end } = restOfLine(at, at.span.start)
      const gap = /[ \t]*$/.exec(at.file.text.slice(0, at.span.start))![0].length
      return [replace(at.part(at.span.start - gap, end), '')]
    },
  }),
  row(errors.undefinedInCondition, {
    does: 'write defined({name})',
    edit: at => {
      // Nothing but the name may be what the question applies to.
      const ahead = /[^\r\n]*$/.exec(at.file.text.slice(0, at.span.start))![0]
      if (at.text !== at.given.name || !/^\s*#\s*(el)?if\s*$/.test(ahead)) return undefined
      return [before(at.span, `defined(${at.given.name}) && `)]
    },
  }),
  row(errors.includeTooDeep, {
    does: 'put #pragma once at the top of files that are included',
    isPreferred: true,
    edit: at => [before(at.part(0), '#pragma once\n')],
  }),
  row(errors.macroRedefined, {
    does: '#undef {name} first',
    edit: at => {
      const start = at.file.lineStarts[at.file.position(at.span.start).line - 1]!
      return [before(at.part(start), `#undef ${at.given.name}\n`)]
    },
  }),
  row(errors.undefUnknown, { title: 'remove this #undef', edit: at => [removeLine(at.file, at.span.start)] }),
  row(errors.pasteAtEdge, { title: 'remove ##', edit: at => [replace(at.span, '')] }),
  row(errors.unclosedMacroCall, {
    does: 'add the closing )',
    edit: at => {
      const end = at.behind(/[ \t]*(;|[\r\n]|$)/, at.span.end)
      return end && [before(end, ')')]
    },
  }),
  row(errors.expectedToken, {
    title: 'add {expected}',
    isPreferred: true,
    edit: at => {
      const token = /^'([^']+)'$/.exec(at.given.expected as string)?.[1]
      if (token === undefined) return undefined
      // It belongs to what stands before, not before what comes next.
      const gap = /[ \t\r\n]*$/.exec(at.file.text.slice(0, at.span.start))![0].length
      return [before(at.part(at.span.start - gap), token)]
    },
  }),
  row(errors.unexpectedToken, {
    title: 'remove {found}',
    edit: at => (at.text === '' ? undefined : [remove(at.span)]),
  }),
  row(
    errors.unintendedEmpty,
    { does: 'remove the semicolon', isPreferred: true, edit: at => [replace(at.span, '')] },
    { does: 'write {} for an empty body', edit: at => [replace(at.span, ' {}')] },
  ),
  row(errors.bodyAfterSemicolon, {
    does: 'remove the semicolon',
    isPreferred: true,
    edit: at => [replace(at.span, '')],
  }),
  row(errors.unclosedBracket, {
    title: 'close it with {closer}',
    find: at => {
      const closer = closers[at.given.bracket as string]
      return closer === undefined ? undefined : { closer }
    },
    edit: (at, { closer }) => {
      if (closer === '}') {
        const { text } = at.file
        return [behind(at.part(text.trimEnd().length), text.includes('\n') ? '\n}' : ' }')]
      }
      const end = at.behind(/[ \t]*(;|[\r\n]|$)/, at.span.end)
      return end && [before(end, closer!)]
    },
  }),
]
