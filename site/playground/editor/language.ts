/**
 * Languages as an editor knows them without a server: comments, brackets, and colours by word. Over those of Slang, the server's colours lie once it
 * has answered.
 */
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

/** A set of words from a text with blanks between them. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const keywords = words(
  'struct class enum interface extension associatedtype typealias typedef namespace module import implementing __include using func let var const static uniform groupshared in out inout ref public private internal export extern property get set return if else for while do switch case default break continue discard this This where is as expand each none no_diff fwd_diff bwd_diff throws try catch defer nointerpolation noperspective centroid row_major column_major precise cbuffer tbuffer',
)
const atoms = words('true false null nullptr')
const type =
  /^(?:void|String|bool[1-4]?(?:x[1-4])?|(?:u?int|half|float|double)(?:8|16|32|64)?(?:_t)?[1-4]?(?:x[1-4])?|(?:RW|W|Append|Consume)?(?:StructuredBuffer|ByteAddressBuffer|Buffer|Texture\w+)|SamplerState|SamplerComparisonState|ConstantBuffer|ParameterBlock|vector|matrix|Atomic|Optional|Tuple|Array|I[A-Z]\w*|Diff\w+|DifferentialPair|TensorView)$/

interface State {
  inComment: boolean
}

/** The words of a language whose comments are those of C. */
export interface Words {
  readonly name: string
  readonly keywords: ReadonlySet<string>
  readonly atoms: ReadonlySet<string>
  readonly type: RegExp
  /** What else stands out, from the place where it begins; default: directives such as `#define`. */
  readonly meta?: RegExp
}

const languageOf = ({ name, keywords, atoms, type, meta }: Words): StreamLanguage<State> =>
  StreamLanguage.define<State>({
    name,
    startState: () => ({ inComment: false }),
    token(stream, state) {
      if (state.inComment) return commented(stream, state)
      if (stream.eatSpace()) return null
      if (stream.match('//')) {
        stream.skipToEnd()
        return 'comment'
      }
      if (stream.match('/*')) {
        state.inComment = true
        return commented(stream, state)
      }
      if (meta === undefined ? stream.sol() && stream.match(/^#\s*\w+/) : stream.match(meta)) return 'meta'
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string'
      if (stream.match(/^(?:0[xX][\da-fA-F]+|\d*\.?\d+(?:[eE][+-]?\d+)?\.?)[uUlLfFhH]*/)) return 'number'
      const word = stream.match(/^[A-Za-z_]\w*/)
      if (word !== null && typeof word === 'object') {
        const [text] = word
        if (keywords.has(text)) return 'keyword'
        if (atoms.has(text)) return 'atom'
        if (type.test(text)) return 'typeName'
        return /^\s*\(/.test(stream.string.slice(stream.pos)) ? 'variableName.function' : 'variableName'
      }
      stream.next()
      return null
    },
    languageData: {
      commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
      closeBrackets: { brackets: ['(', '[', '{', '"'] },
      indentOnInput: /^\s*[}\])]$/,
    },
  })

function commented(stream: StringStream, state: State): string {
  if (stream.skipTo('*/')) {
    stream.match('*/')
    state.inComment = false
  } else stream.skipToEnd()
  return 'comment'
}

/** Colours are those of `style.css`, light and dark. */
const style = HighlightStyle.define([
  { tag: tags.comment, class: 'tok-comment' },
  { tag: tags.meta, class: 'tok-macro' },
  { tag: tags.string, class: 'tok-string' },
  { tag: [tags.number, tags.atom], class: 'tok-number' },
  { tag: tags.keyword, class: 'tok-keyword' },
  { tag: tags.typeName, class: 'tok-type' },
  { tag: tags.function(tags.variableName), class: 'tok-function' },
])

/** Colours for a language, by its words. */
export function coloured(words: Words): Extension {
  return [languageOf(words), syntaxHighlighting(style)]
}

/** Slang for the editor. */
export const slang: Extension = coloured({ name: 'slang', keywords, atoms, type })
