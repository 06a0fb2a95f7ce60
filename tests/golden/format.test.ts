import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { format } from '../../src/format/format.ts'
import { blocksOf } from '../support/doc-blocks.ts'

/** `name.slang` formatted is `name.formatted.slang`. */
const folder = join(import.meta.dirname, '../format')
const names = readdirSync(folder)
  .filter(f => f.endsWith('.slang') && !f.endsWith('.formatted.slang'))
  .sort()
  .map(f => f.slice(0, -'.slang'.length))

const page = readFileSync(join(import.meta.dirname, '../../docs/formatting.md'), 'utf8')
const blocks = blocksOf(page).filter(block => block.kind === 'hlsl')

function formatted(text: string): string {
  const result = format(text)
  if ('refused' in result) throw result.refused
  return result.text
}

describe('the formatter', () => {
  test.each(names)('formats %s.slang', async name => {
    const text = formatted(readFileSync(join(folder, `${name}.slang`), 'utf8'))
    await expect(text).toMatchFileSnapshot(join(folder, `${name}.formatted.slang`))
  })

  test.each(blocks.map(({ lines }) => [lines[0]!, `${lines.join('\n')}\n`]))(
    'leaves docs/formatting.md: %s',
    (_, text) => {
      expect(formatted(text)).toBe(text)
    },
  )
})
