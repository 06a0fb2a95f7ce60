/** Requests at random places of programs with random edits: each gives an answer of the right form. PLACES says how many places there are in all. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { complete } from '../../src/editor/complete.ts'
import { hints } from '../../src/editor/hints.ts'
import { hover } from '../../src/editor/hover.ts'
import { marked } from '../../src/editor/marked.ts'
import { offsetOf, positionOf } from '../../src/editor/range.ts'
import { signatureHelp } from '../../src/editor/signature.ts'
import { uriOf } from '../../src/editor/uri.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import { Random } from '../fuzz/random.ts'
import { randomEdit } from '../support/edits.ts'
import { setting } from '../support/setting.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const examples = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true })
  .filter(e => e.isFile() && e.name.endsWith('.slang') && !e.parentPath.includes('node_modules'))
  .map(e => join(e.parentPath, e.name).replaceAll('\\', '/'))
const places = Math.ceil(setting('PLACES', 1000) / examples.length)

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

test.each(examples.map((path, i) => [relative(root, path), path, i] as const))('requests in %s', (_, path, index) => {
  const random = new Random(181, index)
  const original = readFileSync(path, 'utf8')
  const uri = uriOf(path)
  const workspace = new Workspace({ read })
  workspace.open(uri, 0, original)
  for (let version = 1; version <= places; version++) {
    const { text } = workspace.document(uri)!
    const change = random.pick(5) === 0 ? { text: original } : randomEdit(random, text, original)
    workspace.change(uri, version, [change])
    const { file } = workspace.document(uri)!
    const place = workspace.at(uri, positionOf(file, random.pick(file.text.length + 1)))!
    const offset = offsetOf(place.file, positionOf(place.file, place.offset))
    const shown = hover(place)
    if (shown !== undefined) {
      expect(offsetOf(place.file, shown.range.start)).toBeLessThanOrEqual(offset)
      expect(offsetOf(place.file, shown.range.end)).toBeGreaterThanOrEqual(offset)
      expect(shown.contents.value).not.toBe('')
    }
    const { list, resolve } = complete(place, { list: () => [] })
    for (const item of list.items) {
      const { range } = item.textEdit
      expect(range.start.line).toBe(range.end.line)
      expect(offsetOf(place.file, range.start)).toBeLessThanOrEqual(offset)
      expect(offsetOf(place.file, range.end)).toBe(offset)
    }
    if (list.items.length > 0)
      expect(resolve(random.one(list.items))).toMatchObject({ label: expect.any(String) as string })
    const help = signatureHelp(place)
    if (help !== undefined) {
      const { label, parameters } = help.signatures[help.activeSignature]!
      expect(help.activeParameter).toBeLessThanOrEqual(parameters.length)
      for (const p of parameters) expect(label.slice(...p.label)).not.toMatch(/^\s|\s$/)
    }
    const { line } = positionOf(place.file, place.offset)
    const range = { start: { line: Math.max(0, line - 20), character: 0 }, end: { line: line + 20, character: 0 } }
    for (const { label, position } of hints(place.analysis, path, range)) {
      expect(label).toMatch(/^: .|.:$/)
      expect(position.line).toBeGreaterThanOrEqual(range.start.line)
    }
    expect(place.analysis.faults).toEqual([])
    expect(marked(place.analysis, place.file, place.offset, place.offset)?.analysis.faults ?? []).toEqual([])
  }
})

describe('every name of the examples is offered where it stands', () => {
  const each = Math.ceil(places / 5)

  test.each(examples.map((path, i) => [relative(root, path), path, i] as const))('%s', (_, path, index) => {
    const random = new Random(182, index)
    const text = readFileSync(path, 'utf8')
    const uri = uriOf(path)
    const workspace = new Workspace({ read })
    workspace.open(uri, 0, text)
    const analysis = workspace.analysis(uri)!
    const uses = analysis.named(path).filter(({ start, target }) => analysis.place(target)?.start !== start)
    for (let version = 1; version <= each; version++) {
      const { start, end, target } = random.one(uses)
      // What follows is there, or is not written yet.
      const line = text.slice(end).search(/$/m)
      const rest = text.slice(random.pick(2) === 0 ? end : end + line)
      workspace.change(uri, version, [{ text: text.slice(0, start) + rest }])
      const place = workspace.at(uri, positionOf(workspace.document(uri)!.file, start))!
      const labels = complete(place).list.items.map(i => i.label)
      const { name } = target
      const before = text.slice(text.lastIndexOf('\n', start) + 1, start)
      if (name.startsWith('__')) continue
      expect(
        labels.some(label => label === name || label.endsWith(`.${name}`)),
        `${before}‸ lacks ${name}`,
      ).toBe(true)
    }
  })
})
