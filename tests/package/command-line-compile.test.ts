/** What `compile` writes and where, and `--watch`. */
import { execFileSync } from 'node:child_process'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'

const { at, call, cli, dir, read, watching } = commandLine()

const kernel = (value: string): string =>
  `RWStructuredBuffer<float> o;\n[shader("compute")] [numthreads(1,1,1)] void main() { o[0] = ${value}; }\npublic float f(float x) { return x * ${value}; }\n`
at('src/a.slang', kernel('1.0'))
at('src/sub/b.slang', kernel('2.0'))

describe('compile', () => {
  it('writes one file for each source and target into a folder', () => {
    const files = ['src/a.slang', 'src/sub/b.slang']
    const args = ['--target', 'wgsl', '--target', 'js', '--target', 'wasm', '--target', 'ir', '-o', 'out/all']
    const beside = ['--reflection', '--source-map']
    expect(call(['compile', ...files, ...args, ...beside])).toEqual(
      expect.objectContaining({ status: 0, stdout: '', stderr: '' }),
    )
    for (const [stem, source] of [
      ['out/all/a', 'src/a.slang'],
      ['out/all/sub/b', 'src/sub/b.slang'],
    ] as const) {
      const wgsl = read(`${stem}.wgsl`)
      expect(wgsl.replace(/\/\/# sourceMappingURL=.*\n/, '')).toBe(call(['compile', source]).stdout)
      expect(wgsl).toContain(`//# sourceMappingURL=${stem.at(-1)!}.wgsl.map\n`)
      for (const target of ['js', 'ir'])
        expect(read(`${stem}.${target}`)).toBe(call(['compile', source, '--target', target]).stdout)
      expect(read(`${stem}.wasm`).slice(0, 4)).toBe('\0asm')
      expect(JSON.parse(read(`${stem}.reflection.json`))).toMatchObject({ entries: [{ name: 'main' }] })
    }
    expect((JSON.parse(read('out/all/sub/b.wgsl.map')) as { sources: string[] }).sources).toEqual([
      '../../../src/sub/b.slang',
    ])
    expect(call(['compile', ...files, '-o', 'out/types', '--reflection', '.ts']).status).toBe(0)
    expect(read('out/types/sub/b.reflection.ts')).toContain('main')
  })

  it('takes -o as a folder where it is one, or ends in a slash', () => {
    expect(call(['compile', 'src/a.slang', '-o', 'new/']).status).toBe(0)
    expect(call(['compile', 'src/a.slang', '--target', 'js', '-o', 'new']).status).toBe(0)
    expect([existsSync(at('new/a.wgsl')), existsSync(at('new/a.js'))]).toEqual([true, true])
    expect(call(['compile', '-', '-o', 'new', '--target', 'js'], { input: kernel('3.0') }).status).toBe(0)
    expect(read('new/stdin.js')).toContain('f')
    expect(call(['compile', 'src/a.slang', '-o', 'new/one.wgsl', '--reflection', '--source-map']).status).toBe(0)
    expect([existsSync(at('new/one.wgsl.json')), existsSync(at('new/one.wgsl.map'))]).toEqual([true, true])
  })

  it('says what to do where files and options do not fit', () => {
    at('other/a.slang', kernel('4.0'))
    at('file', '')
    const two = ['--target', 'wgsl', '--target', 'js']
    for (const [args, message] of [
      [['src/a.slang', ...two], 'name a folder for them with -o DIR'],
      [['src/a.slang', ...two, '-o', 'file'], 'several targets, and file is a file'],
      [['src/a.slang', 'other/a.slang', '-o', 'file'], 'several files, and file is a file'],
      [['src/a.slang', ...two, '--dump-ir', 'final'], 'give one --target, or none'],
      [['src/a.slang', '--target', 'js', '--source-map', '-o', 'new'], 'it goes with --target wgsl'],
      [['src/a.slang', '-o', 'new', '--source-map', 'x.map'], 'the map lies beside its WGSL'],
      [['src/a.slang', '-o', 'new', '--reflection', 'x.json'], 'it lies beside the code'],
      [['src/a.slang', '--reflection'], '--reflection needs a file, or -o'],
      [['src/a.slang', 'other/a.slang', '--reflection', 'x.json'], 'name a folder with -o DIR'],
      [['src/a.slang', '--reflection', 'src/sub/b.slang'], 'src/sub/b.slang is a source'],
      [['src/a.slang', '-o', 'src/a.slang'], 'src/a.slang is a source'],
      [['src/a.slang', '--target', 'jss'], 'Did you mean js?'],
    ] as const) {
      const { status, stderr, stdout } = call(['compile', ...args])
      expect([status, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain(message)
    }
    at('twin.slang', kernel('5.0'))
    at('twin', kernel('5.0'))
    expect(call(['compile', 'twin', 'twin.slang', '-o', 'new'])).toMatchObject({
      status: 2,
      stderr: 'cotangent: twin and twin.slang would both become new/twin.wgsl; compile one of them apart\n',
    })
  })

  it('goes on after a source with mistakes, and leaves what it wrote before alone', () => {
    at('bad.slang', 'float f() { return y; }\n')
    at('mixed/bad.wgsl', 'before')
    const { status, stderr } = call(['compile', 'bad.slang', 'src/a.slang', 'none.slang', '-o', 'mixed'])
    expect(status).toBe(2)
    expect(stderr).toContain('bad.slang:1:20: error E30015')
    expect(stderr).toContain('cotangent: none.slang: no such file\n')
    expect(read('mixed/bad.wgsl')).toBe('before')
    expect(existsSync(at('mixed/src/a.wgsl'))).toBe(true)
    expect(call(['compile', 'bad.slang', 'src/a.slang', '-o', 'mixed']).status).toBe(1)
  })

  it('refuses what is no text, once', () => {
    at('binary.slang', String.fromCharCode(...Array.from({ length: 4000 }, (_, i) => (i * 7) % 256)))
    writeFileSync(
      at('noise.slang'),
      Uint8Array.from({ length: 4000 }, (_, i) => 128 + ((i * 7) % 128)),
    )
    for (const [file, why] of [
      ['binary.slang', 'not a text file'],
      ['new/a.wasm', 'not a text file'],
      ['noise.slang', 'not UTF-8 text; save it as UTF-8'],
    ] as const) {
      if (file === 'new/a.wasm') call(['compile', 'src/a.slang', '--target', 'wasm', '-o', file])
      expect(call(['compile', file])).toMatchObject({ status: 2, stderr: `cotangent: ${file}: ${why}\n` })
    }
    writeFileSync(at('latin.slang'), Buffer.from('// \xe9\xe9\xe9\xe9\xe9\xe9\n', 'latin1'))
    expect(call(['compile', 'latin.slang']).stderr).toBe('cotangent: latin.slang: not UTF-8 text; save it as UTF-8\n')
    expect(call(['compile', at('asks.slang', 'import "binary.slang";\n')]).stderr).toMatch(
      /^.*asks\.slang:1:8: error E00001: cannot read .*binary\.slang: not a text file\n/,
    )
    // However often it is asked for.
    at('also.slang', 'import "binary.slang";\n')
    const often = 'import "binary.slang";\nimport also;\nimport "binary.slang";\n#include "binary.slang"\n'
    expect(call(['compile', at('often.slang', often)]).stderr.match(/not a text file/g)).toHaveLength(1)
  })
})

describe('--watch', () => {
  it('runs again when anything that was read changes, survives mistakes, and ends on Ctrl-C in 130', async () => {
    at('watch/main.slang', `import part;\n${kernel('part()')}`)
    at('watch/part.slang', 'public float part() { return 1; }\n')
    const { until, interrupt } = watching('compile', 'watch/main.slang', '--target', 'js', '-o', 'watch/out', '--watch')
    const done = /cotangent: \d\d:\d\d:\d\d done in \d+ ms; watching 2 files\n/
    // `-o` of one file with one target is that file.
    await until(done)
    const first = read('watch/out')
    at('watch/part.slang', 'public float part() { return 2; }\n')
    await until(done)
    const second = read('watch/out')
    expect(second).not.toBe(first)
    // As editors replace a file: by another one that is renamed, or by one that was deleted before.
    at('watch/part.tmp', 'public float part() { return 1; }\n')
    renameSync(at('watch/part.tmp'), at('watch/part.slang'))
    await until(done)
    expect(read('watch/out')).toBe(first)
    rmSync(at('watch/part.slang'))
    await until(/error E00001: cannot open module part[^]*failed in \d+ ms; watching 1 file\n/)
    expect(read('watch/out')).toBe(first)
    at('watch/part.slang', 'public float part() { return 2; }\n')
    await until(done)
    expect(read('watch/out')).toBe(second)
    rmSync(at('watch/main.slang'))
    await until(/cotangent: watch\/main\.slang: no such file\n.*failed in/)
    at('watch/main.slang', `import part;\n${kernel('part() + y')}`)
    await until(/error E30015[^]*failed in/)
    // A project file that was not there, and one with mistakes.
    at('watch/cotangent.json', '{ "define": {} }')
    await until(/cotangent\.json:1:3: error E50212[^]*failed in/)
    at('watch/cotangent.json', '{ "defines": { "y": 1.0 } }')
    await until(/done in \d+ ms; watching 3 files\n/)
    expect(await interrupt()).toEqual([130, null])
  })

  it('of check tests again; as JSON it tells the end of each run', async () => {
    at('watch/g.slang', '[Differentiable] public float g(float x) { return x * x; }\n')
    const { until, interrupt } = watching(
      'check',
      'watch/g.slang',
      '--watch',
      '--json',
      '--samples',
      '3',
      '--no-project',
    )
    await until(/^\{"event":"run","ok":true,"ms":[\d.]+,"files":1\}\n/)
    at('watch/g.slang', '[Differentiable] public float g(float x) { return y; }\n')
    await until(/^\{"severity":"error","code":"E30015".*\}\n\{"event":"run","ok":false/)
    expect(await interrupt()).toEqual([130, null])
  })

  it('ends at once where no change of a file could help', () => {
    expect(call(['compile', '-', '--watch'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--watch looks at files'),
    })
    for (const more of [[], ['src/sub/b.slang', '-o', 'new']])
      expect(call(['compile', 'src/a.slang', ...more, '--watch', '-D', '1x'])).toMatchObject({
        status: 2,
        stderr: 'cotangent: -D 1x: 1x is not a name\n',
      })
    expect(call(['check', 'src/a.slang', '--watch', '--timeout', '1']).status).toBe(124)
  })

  it('clears a terminal, and nothing else', async () => {
    const { until, interrupt } = watching('compile', 'src/a.slang', '--watch')
    await until(/done in/)
    at('src/a.slang', kernel('1.0'))
    expect(await until(/[^]*done in/)).not.toContain('\x1b')
    await interrupt()
    // `script` runs a command on a terminal; the file is touched meanwhile.
    const shown = (env: Readonly<Record<string, string>>): string =>
      execFileSync(
        'script',
        [
          '-qec',
          `(sleep 1; touch src/a.slang) & ${process.execPath} ${cli} check src/a.slang --watch --timeout 2 || true`,
          '/dev/null',
        ],
        {
          encoding: 'utf8',
          cwd: dir,
          env: { PATH: process.env['PATH'], ...env },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
    expect(shown({ TERM: 'xterm' })).toMatch(/done in[^]*\x1b\[2J[^]*done in/)
    expect(shown({ TERM: 'dumb' })).toMatch(/^[^\x1b]*done in[^\x1b]*done in[^\x1b]*$/)
  })
})
