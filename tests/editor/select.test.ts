/** What is selected by asking for more and more; `‸` stands where the cursor is. */
import { expect, test } from 'vitest'
import { offsetOf } from '../../src/editor/range.ts'
import { selectionRange, type SelectionRange } from '../../src/editor/select.ts'
import { placeAt } from '../support/editor-place.ts'

/** The texts of the ranges, the smallest first. */
function selected(source: string): readonly string[] {
  const place = placeAt(source)
  const found: string[] = []
  for (let at: SelectionRange | undefined = selectionRange(place); at !== undefined; at = at.parent)
    found.push(place.file.text.slice(offsetOf(place.file, at.range.start), offsetOf(place.file, at.range.end)))
  return found
}

test('from the word to the expressions, the statement, the function and the file around it', () => {
  const body = '{ return a + sin(bb * 2.0); }'
  const whole = `/* 𝛿 */ float f(float a, float bb) ${body}\nfloat g;\n`
  const found = selected(whole.replace('bb *', 'b‸b *'))
  expect(found.slice(0, 4)).toEqual(['bb', 'bb * 2.0', 'sin(bb * 2.0)', 'a + sin(bb * 2.0)'])
  expect(found.slice(4)).toEqual(['return a + sin(bb * 2.0);', body, `float f(float a, float bb) ${body}`, whole])
})

test.each(['‸', 'float f() { return x.‸', '// a comment ‸ alone\n', 'float f(‸) { return 1.0; }'])(
  'each range lies in the next larger one, also where the program is broken or empty: %s',
  source => {
    const found = selected(source)
    expect(found.at(-1)).toBe(source.replace('‸', ''))
    for (const [i, text] of found.slice(1).entries()) {
      expect(text).toContain(found[i])
      expect(text.length).toBeGreaterThan(found[i]!.length)
    }
  },
)
