/** Random edits of programs, as people and their editors make them: most break something, and the next may mend it. */
import type { TextChange } from '../../src/editor/document.ts'
import { positionOf } from '../../src/editor/range.ts'
import { SourceFile } from '../../src/base/source.ts'
import type { Random } from '../fuzz/random.ts'

/** What people type, and what breaks much. */
const typed = [
  ' ',
  'x',
  'f',
  '1',
  '.',
  ',',
  ';',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '\n',
  '"',
  '//',
  '/*',
  '*/',
  'no_diff ',
  'return 0;',
  'float y = x;',
  '#if A\n',
  '#define f g\n',
  '[ForceInline] ',
  '[Differentiable] ',
  'struct T { float a; };\n',
  'float h(float x) { return x; }\n',
  'T first<each T>(expand each T x) { return x; }\n',
]

const tokens = /\w+|\s+|[^\w\s]/g

/** An edit of a text; `other` is where pieces are copied from too. */
export function randomEdit(random: Random, text: string, other: string): TextChange {
  const { start, end, put } = edit(random, text, other)
  const file = new SourceFile('', text)
  return { range: { start: positionOf(file, start), end: positionOf(file, end) }, text: put }
}

function edit(random: Random, text: string, other: string): { start: number; end: number; put: string } {
  const start = random.pick(text.length + 1)
  switch (random.pick(7)) {
    case 0:
    case 1:
      return { start, end: start, put: random.one(typed) }
    case 2:
      return { start, end: Math.min(text.length, start + 1 + random.pick(3)), put: '' }
    case 3: {
      // One token for another, or for nothing.
      const near = [...text.slice(start, start + 200).matchAll(tokens)]
      if (near.length === 0) return { start, end: start, put: '' }
      const one = random.one(near)
      const from = start + one.index
      const put = random.pick(2) === 0 ? '' : random.one([...other.slice(0, 2000).matchAll(tokens)])[0]
      return { start: from, end: from + one[0].length, put }
    }
    case 4: {
      // A line twice, or not at all.
      const from = text.lastIndexOf('\n', start) + 1
      const behind = text.indexOf('\n', from)
      const end = behind < 0 ? text.length : behind + 1
      return { start: from, end, put: random.pick(2) === 0 ? '' : text.slice(from, end).repeat(2) }
    }
    case 5:
      return { start, end: start, put: piece(random, text, 80) }
    default:
      return { start, end: start, put: piece(random, other, 200) }
  }
}

function piece(random: Random, text: string, longest: number): string {
  const from = random.pick(text.length)
  return text.slice(from, from + random.pick(longest))
}
