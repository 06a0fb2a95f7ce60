import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { framed, readCases } from './cases.ts'
import { exercise } from './exercise.ts'
import { closeGpu, compileWgsl, refuse } from './gpu.ts'
import { Mutator } from './mutate.ts'

/** How many programs to break or change; `FUZZ=10000 npx vitest run tests/fuzz.test.ts` for a long run, `FUZZ_SEED` for another one. */
const runs = Number(process.env['FUZZ'] ?? 200)
/** The first of them to be tried; a long run can so be shared among processes. */
const first = Number(process.env['FUZZ_FROM'] ?? 0)
const seed = Number(process.env['FUZZ_SEED'] ?? 1)
const verified = 4
/** `FUZZ_OF=examples` takes the programs of that folder and leaves all others alone; any folder will do. */
const only = process.env['FUZZ_OF']
/** After how many failures to stop. */
const most = Number(process.env['FAILURES'] ?? 1)
/** A long run says this often how far it is, so that one that is stopped has still said something. */
const stride = 5000

const programsIn = (folder: string): string[] => {
  const path = resolve(import.meta.dirname, folder)
  if (!existsSync(path)) return []
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.slang')).sort()
  return files.map(f => readFileSync(join(path, f), 'utf8'))
}
const examples = programsIn('../examples')
const others = [
  ...['lang', 'diag', 'target', 'grad', 'graphics', 'textures', 'waves', 'reflection', '../bench/programs'].flatMap(programsIn),
  ...['census', 'reference'].flatMap(readCases).map(c => c.numbers === undefined ? c.source : framed(c)),
]
const chosen = only === undefined ? undefined : programsIn(resolve(only))
const mutator = new Mutator(seed, chosen ?? [...examples, ...others])

/** What a WebGPU implementation says of a module; where it lacks half floats there is nothing to ask. */
async function accept(wgsl: string): Promise<void> {
  const messages = await compileWgsl(wgsl)
  if (!messages.some(m => m.text.includes('not allowed in the current environment'))) refuse(wgsl, messages)
}

afterAll(closeGpu)

it('compiles broken and changed programs, or says what is wrong with them, and soon', async () => {
  let [changed, sound] = [0, 0]
  const failures: Error[] = []
  for (let i = 0; i < runs && failures.length < most; i++) {
    if (i > first && i % stride === 0) console.error(`${i} of ${runs} programs of seed ${seed}: ${failures.length} failed`)
    // One in three programs is broken as text, the others only changed; one in four is an example.
    const from = chosen ?? (i % 4 === 0 ? examples : others)
    const original = from[mutator.pick(from.length)]!
    const gentle = i % 3 !== 0
    const source = gentle ? mutator.altered(original) : mutator.broken(original)
    if (i < first) continue
    try {
      if (i % verified === 0) await exercise(source, true)
      const { compiled, wgsl, slowest } = await exercise(source, false)
      expect(slowest, 'milliseconds').toBeLessThan(2000)
      for (const code of wgsl) await accept(code)
      if (gentle) changed++
      if (gentle && compiled) sound++
    } catch (cause) {
      failures.push(new Error(`program ${i} of seed ${seed}:\n${source}`, { cause }))
      if (most > 1) console.error(`program ${i} of seed ${seed}: ${String(cause).split('\n').slice(0, 3).join(' ')}`)
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0]! : new AggregateError(failures)
  expect(sound / changed, 'how many of the changed programs are sound').toBeGreaterThan(0.25)
}, 60_000 + 500 * runs)
