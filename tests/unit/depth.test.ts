import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { shapes } from '../depth/shapes.ts'
import { evaluate } from '../support/js-run.ts'

/** Half of what Node.js gives by default, in KB. */
const stack = 984 / 2

const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.depth-', import.meta.url)))
const script = `${folder}/child.mjs`

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../depth/child.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function outcomes(depth: number, targets: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`--stack-size=${stack}`, script, String(depth), ...targets],
    { maxBuffer: 1 << 24 },
  )
  return JSON.parse(stdout) as Record<string, string>
}

const all = ['wgsl', 'wasm', 'js']

it.each([
  [20, all],
  [240, all],
  [500, ['js']],
  [1200, ['wgsl']],
] as const)(
  'half a stack holds the compiler, whatever nests %i deep',
  async (depth, targets) => {
    const found = await outcomes(depth, targets)
    expect(Object.keys(found).length).toBe(Object.keys(shapes).length * targets.length)
    expect(Object.entries(found).filter(([, outcome]) => outcome.startsWith('threw'))).toEqual([])
    // What nests as programs do is no mistake, but for circles and what the language has only so much of.
    if (depth === 20) expect(Object.values(found).filter(outcome => outcome === 'code').length).toBeGreaterThan(200)
  },
  300_000,
)

it('takes the branch of a long chain of else-ifs that is meant, also in derivatives', () => {
  for (const count of [3, 63, 64, 65, 200]) {
    const arms = Array.from({ length: count }, (_, i) => `if (x < ${i}) y = x * ${i}; else `).join('')
    const program =
      compile(`[Differentiable] public float f(float x) { float y = 0; ${arms} if (x > 1000) return -1; else y = x * x; return y; }
public float g(float x) { var p = diffPair(x); bwd_diff(f)(p, 1.0); return p.d; }`)
    expect(program.diagnostics).toEqual([])
    const { f, g } = evaluate(program.js().code)
    for (const x of [0.5, 1.5, 2.5, count - 1.5, count - 0.5, 999, 1001]) {
      const arm = Math.ceil(x)
      expect([count, x, f!(x), g!(x)]).toEqual([
        count,
        x,
        ...(x > 1000 ? [-1, 0] : arm < count ? [x * arm, arm] : [x * x, 2 * x]),
      ])
    }
  }
})
