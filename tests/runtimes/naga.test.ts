/** What Deno's WebGPU says to our WGSL. It is of another house (wgpu, whose compiler is naga), so where it differs from Dawn there is a reason. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { framed, readCases } from '../support/cases.ts'
import { root } from '../support/install.ts'
import { deno, run } from './runtimes.ts'

const folders = ['tests/target', 'tests/graphics', 'tests/textures', 'tests/waves', 'examples', 'bench/programs']

/** Programs that naga refuses although Dawn and the specification do not: what it says, and why that is no fault of ours. */
const differences: readonly { readonly programs: RegExp; readonly says: RegExp; readonly why: string }[] = [
  {
    programs: /^tests\/(waves\/lanes|target\/waves-of-one)\.slang/,
    says: /the `subgroups` enable-extension is not yet supported/,
    why: 'WGSL asks for `enable subgroups;` before subgroup functions (section 4.1.1); naga has them without, and does not know the directive',
  },
]

/** The WGSL of each program, with and without optimisation, and of the small ones about the reference as optimised. */
function everything(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const folder of ['reference', 'census']) {
    for (const c of readCases(folder)) {
      if (c.numbers !== undefined && c.only !== 'cpu')
        found[`tests/${folder}/${c.file}: ${c.name}`] = compile(framed(c), {
          fileName: 'case.slang',
          files: c.files,
        }).wgsl().code
    }
  }
  for (const folder of folders) {
    for (const file of (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter(f => f.endsWith('.slang'))
      .sort()) {
      for (const optimize of [0, 2] as const) {
        const source = readFileSync(join(root, folder, file), 'utf8')
        const program = compile(source, {
          fileName: file,
          optimize,
          emulateHalf: /^\/\/!.* emulate half\n/.test(source),
          resolve: name =>
            existsSync(join(root, folder, name)) ? readFileSync(join(root, folder, name), 'utf8') : undefined,
        })
        expect(
          program.diagnostics.filter(d => d.severity === 'error'),
          file,
        ).toEqual([])
        found[`${folder}/${file} -O${optimize}`] = program.wgsl().code
      }
    }
  }
  return found
}

/** What naga says to each; where it panics, that is what it says, and the next process goes on behind that program. */
function ask(programs: Readonly<Record<string, string>>): Record<string, string> {
  const said: Record<string, string> = {}
  for (;;) {
    const left = Object.entries(programs).filter(([name]) => !(name in said))
    if (left.length === 0) return said
    const { status, stdout, stderr } = run(deno, join(import.meta.dirname, 'scripts/naga.mjs'), [], {
      cwd: root,
      input: JSON.stringify(Object.fromEntries(left)),
    })
    for (const line of stdout
      .trim()
      .split('\n')
      .filter(l => l !== '')) {
      const [name, text] = JSON.parse(line) as [string, string]
      said[name] = text
    }
    const next = left.find(([name]) => !(name in said))?.[0]
    if (next === undefined) continue
    if (status === 0 || !/panicked at/.test(stderr)) throw new Error(`naga was not asked of ${next}: ${stderr}`)
    said[next] = /panicked at[^]*?(?=\nstack backtrace|$)/.exec(stderr)![0]
  }
}

it('naga takes the WGSL of every program, but for differences with a reason', () => {
  const programs = everything()
  expect(Object.keys(programs).length).toBeGreaterThan(500)
  const said = ask(programs)
  expect(Object.keys(said)).toEqual(Object.keys(programs))
  const unexplained = Object.entries(said).filter(
    ([name, text]) => text !== '' && !differences.some(d => d.programs.test(name) && d.says.test(text)),
  )
  expect(unexplained.map(([name, text]) => `${name}: ${text}`)).toEqual([])
  const stale = differences.filter(
    d => !Object.entries(said).some(([name, text]) => d.programs.test(name) && d.says.test(text)),
  )
  expect(stale.map(d => d.why)).toEqual([])
})

it('and refuses what is no WGSL', () => {
  const said = ask({
    syntax: 'fn f( {}',
    type: 'fn f() -> f32 { return 1u; }',
    pipeline: '@compute @workgroup_size(1, 1, 1024000) fn f() {}',
  })
  for (const [name, text] of Object.entries(said)) expect(text, name).not.toBe('')
})
