/** What an import of a shader becomes, in each bundler. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, marker } from '../../src/index.ts'
import { build, bundlers, mainOf, project, read, run } from './projects.ts'

const programs = join(import.meta.dirname, 'programs')
const wgsl = compile(read(programs, 'fit.slang'), {
  fileName: 'fit.slang',
  searchPaths: ['lib'],
  defines: { THREADS: '64', SCALE: '1' },
  resolve: path => (existsSync(join(programs, path)) ? read(programs, path) : undefined),
}).wgsl()

// The loss is (a · sin(f · x + p) - y)² with a = 1, f = 1.25, p = 0.5, x = 0.5, y = 2.
const angle = 1.25 * 0.5 + 0.5
const miss = Math.sin(angle) - 2

describe.each(bundlers)('$name', by => {
  let folder = ''
  beforeAll(() => {
    folder = project(by.driver)
  })

  it.skipIf(by.skip !== undefined)('makes shaders modules, also those of packages', () => {
    const { errors, warnings } = build(folder, by, { entry: 'report.js' })
    expect(errors).toEqual([])
    expect(warnings.filter(w => w.text.includes('slang'))).toEqual([])
    const told = JSON.parse(run(folder)) as Record<string, unknown>
    expect(told).toEqual({
      code: wgsl.code,
      reflection: wgsl.reflection,
      entryPoints: [{ name: 'train', target: 'train', stage: 'compute', workgroupSize: [64, 1, 1] }],
      same: true,
      value: expect.closeTo(miss * miss, 5),
      gradient: {
        value: expect.closeTo(miss * miss, 5),
        grad: [
          {
            amplitude: expect.closeTo(2 * miss * Math.sin(angle), 5),
            frequency: expect.closeTo(2 * miss * Math.cos(angle) * 0.5, 5),
            phase: expect.closeTo(2 * miss * Math.cos(angle), 5),
          },
          null,
        ],
      },
      twice: 42,
      packaged: ['scale', true],
      fileName: 'fit.slang',
      files: ['fit.slang', 'lib/sums.slang', 'lib/wave.slang'],
      compiles: true,
      changes: [true, false],
    })
    // The types of one's own shaders lie beside them; those of a package are its own affair.
    expect(read(folder, 'fit.d.slang.ts').startsWith(marker)).toBe(true)
    expect(readdirSync(join(folder, 'node_modules/shady')).filter(file => file.endsWith('.ts'))).toEqual([])
  })

  it.skipIf(by.skip !== undefined)('brings no compiler, and maps that lead into the shader, also when minified', () => {
    for (const minify of [false, true]) {
      const out = `plain-${minify}`
      const { errors } = build(folder, by, { entry: 'plain.js', minify, out })
      expect(errors).toEqual([])
      const main = mainOf(folder, out)
      const text = read(main)
      expect(text.length).toBeLessThan(minify ? 14_000 : 40_000)
      // A keyword of the language that no WGSL has.
      expect(text).not.toContain('groupshared')
      expect(text).not.toContain('import.meta.hot')
      const at = text.search(/\bcode["']?:\s*["'`]struct/)
      expect(at).toBeGreaterThan(0)
      const before = text.slice(0, at).split('\n')
      const map = JSON.parse(read(`${main}.map`)) as ConstructorParameters<typeof TraceMap>[0]
      const trace = new TraceMap(map)
      // Farm leaves nothing in the map of what it minified.
      if (by.driver === 'farm' && minify) continue
      const found = originalPositionFor(trace, { line: before.length, column: before.at(-1)?.length ?? 0 })
      expect(found.source).toMatch(/(^|\/)fit\.slang$/)
      // Bun reads no map of a plugin.
      if (by.driver === 'bun') continue
      const source = read(folder, 'fit.slang')
      expect(found.line).toBe(source.slice(0, source.indexOf('void train')).split('\n').length)
      expect(trace.sourcesContent?.[trace.resolvedSources.indexOf(found.source ?? '')]).toBe(source)
    }
  })

  it.skipIf(by.skip !== undefined)('says what is wrong with a shader, and where', () => {
    const { errors, shown, printed } = build(folder, by, { entry: 'wrong.js' })
    const text = errors.map(e => e.text).join('\n')
    expect(errors.length, text).toBe(1)
    const frame = '  /* é */ public float g(float x) { return 2 * x; }\n                       ^'
    const help = 'help: give one of the two another name or other parameters'
    switch (by.messages) {
      case 'rollup':
        expect(errors[0]).toMatchObject({
          file: join(folder, 'lib/twice.slang'),
          line: 3,
          // Vite's columns count from 1, those of Rollup and Rolldown from 0.
          column: by.driver === 'vite' ? 22 : 21,
          frame,
        })
        expect(text).toContain(
          `E30201: function g already has a body\nnote: declared here first (lib/twice.slang:2:14)\n${help}`,
        )
        break
      case 'esbuild':
        // Columns in bytes.
        expect(errors[0]).toMatchObject({
          text: 'E30201: function g already has a body',
          file: 'lib/twice.slang',
          line: 3,
          column: 22,
        })
        expect(errors[0]?.notes?.slice(0, 2)).toEqual([
          {
            text: 'declared here first',
            location: expect.objectContaining({ file: 'lib/twice.slang', line: 2, column: 13 }),
          },
          { text: help, location: null },
        ])
        expect(errors[0]?.shown).toContain('✘ [ERROR] E30201: function g already has a body')
        break
      case 'text': {
        // Rspack draws a line in front.
        const lines = text.replaceAll(/^ +│ /gm, '').replaceAll(String.raw`\n`, '\n')
        expect(lines).toContain(
          `lib/twice.slang:3:22: error E30201: function g already has a body\n${frame}\nlib/twice.slang:2:14: note: declared here first\n  public float g(float x) { return x; }\n               ^\n  ${help}`,
        )
      }
    }
    // Each once, and nothing of how the plugin came to know.
    for (const whole of [text, shown ?? '', printed]) {
      expect(whole.split('already has a body').length - 1, whole).toBeLessThan(2)
      expect(whole).not.toMatch(/^\s+at .*\.m?js:\d+/m)
    }
  })

  it.skipIf(by.skip !== undefined)('says what a misspelt query may have been', () => {
    writeFileSync(join(folder, 'misspelt.js'), "import cpu from './fit.slang?cpuu'\nconsole.log(cpu)\n")
    const { errors, printed } = build(folder, by, { entry: 'misspelt.js', out: 'misspelt' })
    const text = errors.map(e => e.text).join('\n')
    expect(errors.length, text).toBe(1)
    for (const whole of [text, printed]) {
      expect(whole.split('a shader has no import ?cpuu (did you mean ?cpu?)').length - 1, whole).toBeLessThan(2)
      expect(whole).not.toMatch(/^\s+at .*\.m?js:\d+/m)
    }
    expect(text).toContain('fit.slang?cpuu: a shader has no import ?cpuu')
  })

  it.skipIf(by.skip !== undefined)('lets warnings through, and builds', () => {
    const { errors, warnings, printed } = build(folder, by, { entry: 'doubtful.js', out: 'doubtful' })
    expect(errors).toEqual([])
    const text = [...warnings.map(w => `${w.file}:${w.line} ${w.shown ?? w.text} ${w.frame}`), printed].join('\n')
    expect(text).toMatch(/doubtful\.slang:5/)
    expect(text).toContain('W30058: nothing uses this comparison')
    expect(text).toContain('values[0] == 2;')
    expect(text).toContain('help: assign with =')
    expect(read(mainOf(folder, 'doubtful'))).toContain('fn main')
  })
})
