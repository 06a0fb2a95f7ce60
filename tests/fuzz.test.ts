import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compile, CompileError } from '../src/index.ts'

/** How many programs to break; `FUZZ=10000 npx vitest run tests/fuzz.test.ts` for a long run, `FUZZ_SEED` for another one. */
const runs = Number(process.env['FUZZ'] ?? 400)
const seed = Number(process.env['FUZZ_SEED'] ?? 1)
const folders = ['lang/syntax', 'diag', 'target', 'grad', '../examples', '../bench/programs']

const sources = folders.map(f => join(import.meta.dirname, f)).filter(existsSync).flatMap(folder => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.slang')).sort()
  return files.map(f => readFileSync(join(folder, f), 'utf8'))
})

let state = seed
function pick(n: number): number {
  state = (state * 1664525 + 1013904223) >>> 0
  return Math.floor(state / 2 ** 32 * n)
}

/** Cuts the text off, takes some of it out, puts a word of it elsewhere, or one word for another. */
function broken(text: string): string {
  let source = pick(4) === 0 ? text.slice(0, pick(text.length)) : text
  for (let k = pick(4); k >= 0; k--) {
    const at = pick(source.length)
    const words = [...source.matchAll(/\w+|[^\w\s]/g)]
    const [a, b] = [words[pick(words.length)], words[pick(words.length)]]
    if (a === undefined || b === undefined) return source
    const kind = pick(3)
    if (kind === 0) source = source.slice(0, at) + source.slice(at + 1 + pick(20))
    else if (kind === 1) source = `${source.slice(0, at)} ${a[0]} ${source.slice(at)}`
    else source = source.slice(0, a.index) + b[0] + source.slice(a.index + a[0].length)
  }
  return source
}

it('compiles broken programs, or says what is wrong with them, and soon', () => {
  for (let i = 0; i < runs; i++) {
    const source = broken(sources[i % sources.length]!)
    // Time of the processor, not of the wall: tests share their machine.
    const before = process.cpuUsage()
    try {
      const program = compile(source)
      for (const target of ['wgsl', 'js', 'wasm'] as const) if (program.ok) program[target]()
    } catch (e) {
      if (!(e instanceof CompileError)) throw new Error(`run ${i} of seed ${seed}:\n${source}`, { cause: e })
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000, source).toBeLessThan(2000)
  }
}, 600_000)
