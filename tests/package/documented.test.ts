/** What a user of the package can name has a doc comment: in the declarations that npm publishes, where editors find it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const entries = { index: 'src/index.ts', wgsl: 'src/wgsl.ts', cpu: 'src/cpu/index.ts', gpu: 'src/gpu/index.ts' }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'documented-'))
  const script = `import { writeDeclarations } from './tools/declarations.mjs'
await writeDeclarations(${JSON.stringify(entries)}, ${JSON.stringify(folder)})`
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, stdio: 'inherit' })
}, 60_000)
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** The names in a list between braces: those that it takes, or those that it gives. */
function listed(text: string, list: RegExp, side: 'taken' | 'given'): string[] {
  const items = (list.exec(text)?.[1] ?? '').split(', ').map(item => item.replace(/^type /, '').split(' as '))
  return items.map(names => (side === 'taken' ? names[0]! : names.at(-1)!))
}

/** Whether a doc comment ends right above a line, or above the overload before it. */
function isDocumented(lines: readonly string[], at: number, name: string): boolean {
  const above = lines[at - 1]?.trim() ?? ''
  return above.endsWith('*/') || (above.includes(`function ${name}`) && isDocumented(lines, at - 1, name))
}

it.each(Object.keys(entries))('every export of %s', entry => {
  const text = readFileSync(join(folder, `${entry}.d.ts`), 'utf8')
  const names = listed(text, /^export \{ (.*) \};$/m, 'taken')
  // Their own entry declares them.
  const shared = new Set(listed(text, /^import \{ (.*) \} from "\.\/index\.js";$/m, 'given'))
  expect(names.length).toBeGreaterThan(10)
  const lines = text.split('\n')
  const missing = names.filter(name => {
    const declared = new RegExp(`^(?:declare )?(?:abstract )?(?:class|const|function|interface|type) ${name}(?![\\w$])`)
    const at = lines.findIndex(line => declared.test(line))
    return !(at < 0 ? shared.has(name) : isDocumented(lines, at, name))
  })
  expect(missing).toEqual([])
})

it.each(Object.keys(entries))('every method of what %s exports', entry => {
  const text = readFileSync(join(folder, `${entry}.d.ts`), 'utf8')
  const names = new Set(listed(text, /^export \{ (.*) \};$/m, 'taken'))
  const isMethod = (line: string): boolean =>
    /^ {2}(?:(?:readonly |static )?\w+\??: \(.*=>|(?!constructor\b)\w+[(<].*\): )/.test(line)
  let inside = ''
  const missing: string[] = []
  text.split('\n').forEach((line, at, lines) => {
    inside = /^(?:declare )?(?:abstract )?(?:class|interface) (\w+)/.exec(line)?.[1] ?? inside
    // WebGPU says what its own methods do.
    if (!names.has(inside) || inside.startsWith('WebGpu') || !isMethod(line)) return
    if (!(lines[at - 1] ?? '').trim().endsWith('*/')) missing.push(`${inside}: ${line.trim()}`)
  })
  expect(missing).toEqual([])
})
