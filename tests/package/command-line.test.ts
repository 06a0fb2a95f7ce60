/** The command line as people use it: what it reads, where it writes, and how it ends. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wantsColor } from '../../src/cli/output.ts'
import { commandLine } from '../support/command-line.ts'

const { root, cli, dir, at, call, onTerminal } = commandLine()
type Said = ReturnType<typeof call>

const good = at(
  'good.slang',
  'RWStructuredBuffer<float> o;\n[shader("compute")] [numthreads(1,1,1)] void main() { o[0] = 1; }\npublic float f(float x) { return x * x; }\n',
)
const bad = at('bad.slang', 'float f() { return y; }\n')

describe('sources', () => {
  execFileSync('mkfifo', [at('pipe.slang')])
  mkdirSync(at('folder.slang'))
  symlinkSync('loop.slang', at('loop.slang'))
  symlinkSync('/dev/zero', at('zero.slang'))
  at('huge.slang', ' '.repeat((1 << 24) + 1))
  const wrong: Readonly<Record<string, string>> = {
    'pipe.slang': 'not a regular file',
    '/dev/zero': 'not a regular file',
    'zero.slang': 'not a regular file',
    '/dev/tty': '',
    'loop.slang': 'a symbolic link that leads back to itself',
    'huge.slang': 'longer than 16777216 bytes',
  }

  it.each(Object.entries(wrong))('that are no bounded regular files are refused: %s', (path, why) => {
    const main = call(['compile', path])
    expect(main.status).toBe(2)
    expect(main.stderr).toMatch(new RegExp(`^cotangent: ${path}: .*${why}\n$`))
    for (const line of [`#include "${path}"`, `import "${path}";`, `__include "${path}";`]) {
      const { status, stderr } = call(['compile', at('asks.slang', line)])
      expect(status).toBe(1)
      expect(stderr).toMatch(/^.*asks\.slang:1:\d+: error E00001: cannot read .*: .*\n/)
      expect(stderr).toContain(why)
    }
  })

  it('a socket is none', async () => {
    const server = createServer().listen(at('socket.slang'))
    await new Promise(done => server.once('listening', done))
    expect(call(['compile', 'socket.slang'])).toMatchObject({
      status: 2,
      stderr: 'cotangent: socket.slang: not a regular file\n',
    })
    expect(call(['compile', at('asks.slang', '#include "socket.slang"')]).stderr).toContain(
      'socket.slang: not a regular file',
    )
    server.close()
  })

  it('that are folders or are not there are looked for further on', () => {
    expect(call(['compile', 'folder.slang'])).toMatchObject({
      status: 2,
      stderr: 'cotangent: folder.slang: a folder, not a file\n',
    })
    expect(call(['compile', 'none.slang'])).toMatchObject({
      status: 2,
      stderr: 'cotangent: none.slang: no such file\n',
    })
    mkdirSync(at('inc'), { recursive: true })
    at('inc/folder.slang', 'public float g() { return 2; }\n')
    const using = at('using.slang', 'import folder;\npublic float f() { return g(); }\n')
    expect(call(['run', using, '--fn', 'f', '-I', 'inc'])).toMatchObject({ status: 0, stdout: '2\n', stderr: '' })
    expect(call(['compile', using]).stderr).toContain('cannot open module folder')
    expect(call(['compile', at('asks.slang', '#include "a\0b"\n')]).stderr).toContain('cannot find the file a<U+0000>b')
    expect(call(['compile', at('asks.slang', `#include "${'a'.repeat(5000)}"\n`)]).stderr).toContain(
      'cannot find the file',
    )
  })

  it('come from standard input too, of bounded size', () => {
    expect(call(['run', '-', '--fn', 'f', '3'], { input: 'public float f(float x) { return x * x; }' })).toMatchObject({
      status: 0,
      stdout: '9\n',
      stderr: '',
    })
    expect(call(['compile', '-'], { input: 'float f() { return y; }' }).stderr).toContain(
      'stdin.slang:1:20: error E30015',
    )
    expect(call(['compile', '-'], { input: ' '.repeat((1 << 24) + 1) })).toMatchObject({
      status: 2,
      stderr: 'cotangent: standard input: longer than 16777216 bytes\n',
    })
  })

  it('are UTF-8', () => {
    const text = 'public float f(float x) { return x; }'
    for (const mark of ['\ufeff', '\ufffe']) {
      writeFileSync(join(dir, 'wide.slang'), Buffer.from(mark + text, 'utf16le'))
      expect(call(['run', 'wide.slang', '--fn', 'f', '3'])).toMatchObject({
        status: 2,
        stderr: 'cotangent: wide.slang: UTF-16 or UTF-32 text; save it as UTF-8\n',
      })
    }
    expect(call(['run', at('marked.slang', `\ufeff${text}`), '--fn', 'f', '3'])).toMatchObject({
      status: 0,
      stdout: '3\n',
    })
  })
})

describe('a terminal', () => {
  const obeyed = '\x1b[2J\x07\x9b2J\x7f\u202e\u2066'
  // What our own colours are made of is left, and what a program brought is not.
  const left = (text: string): string[] =>
    text
      .replaceAll(/\p{Cc}\[[\d;]*m/gu, '')
      .replaceAll('\r\n', '\n')
      .match(/(?![\t\n])[\p{Cc}\u202e\u2066]/gu) ?? []

  it('is sent no control character of a program', () => {
    const wild = at(
      'wild.slang',
      `#warning a${obeyed}b\npublic float f(float x) { printf("p${obeyed}q\\n"); return x; } // ${obeyed}\n`,
    )
    for (const more of [[], ['--diagnostics', 'json']]) {
      const said = onTerminal(['run', wild, '--fn', 'f', '1', ...more])
      expect(left(said)).toEqual([])
      expect(said).toContain('p<U+001B>[2J<U+0007><U+009B>2J<U+007F><U+202E><U+2066>q')
    }
    expect(left(onTerminal(['compile', wild, '--target', 'js']))).toEqual([])
    expect(left(onTerminal(['compile', wild, '--target', 'ir']))).toEqual([])
    expect(left(onTerminal(['check', wild]))).toEqual([])
    expect(left(onTerminal(['explain', wild, '--fn', `f${obeyed}`]))).toEqual([])
    expect(left(onTerminal(['compile', `no${obeyed}file`]))).toEqual([])
    expect(left(onTerminal([`no${obeyed}command`]))).toEqual([])
    expect(left(onTerminal(['compile', wild, `--no${obeyed}option`]))).toEqual([])
    expect(left(onTerminal(['run', wild, '--fn', 'f', obeyed]))).toEqual([])
  })

  it('is all that is spared: files and pipes get what a program prints', () => {
    const wild = at('prints.slang', `public float f(float x) { printf("p${obeyed}q\\n"); return x; }\n`)
    const { stdout, stderr } = call(['run', wild, '--fn', 'f', '1'])
    expect(stdout).toBe('1\n')
    expect(stderr).toContain(`p${obeyed}q\n`)
    expect(stderr).toContain('warning W10010')
    expect(stderr).toContain('printf("p<U+001B>[2J')
  })

  it('gets colours where it can show them and nobody minds', () => {
    expect(onTerminal(['compile', bad])).toContain('\x1b[1;31merror E30015:\x1b[0m')
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { FORCE_COLOR: '0' }, { NO_COLOR: '1', FORCE_COLOR: '1' }])
      expect(onTerminal(['compile', bad], env)).not.toContain('\x1b')
    expect(onTerminal(['compile', bad], { NO_COLOR: '' })).toContain('\x1b[1;31m')
    expect(call(['compile', bad]).stderr).not.toContain('\x1b')
    expect(call(['compile', bad], { env: { NO_COLOR: '', FORCE_COLOR: '1' } }).stderr).toContain('\x1b[1;31m')
    const terminal = { isTTY: true } as NodeJS.WriteStream
    expect(
      [{ TERM: 'xterm' }, { FORCE_COLOR: '' }, { FORCE_COLOR: 'false' }, { TERM: 'dumb', FORCE_COLOR: 'true' }].map(
        env => wantsColor(terminal, env),
      ),
    ).toEqual([true, true, false, true])
  })
})

describe('a reader that goes away', () => {
  const ended = (
    stream: 'stdout' | 'stderr',
    args: readonly string[],
  ): Promise<{ readonly status: number | null; readonly other: string }> =>
    new Promise(done => {
      const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      child[stream].destroy()
      let other = ''
      child[stream === 'stdout' ? 'stderr' : 'stdout'].on('data', (data: Buffer) => {
        other += data.toString()
      })
      child.on('close', status => {
        done({ status, other })
      })
    })

  it('ends what writes to it in peace', async () => {
    expect(await ended('stdout', ['compile', good])).toEqual({ status: 0, other: '' })
    expect(await ended('stdout', ['--help'])).toEqual({ status: 0, other: '' })
    expect(await ended('stdout', ['check', join(root, 'examples/spring/spring.slang'), '--samples', '2'])).toEqual({
      status: 0,
      other: '',
    })
    expect(await ended('stderr', ['compile', bad])).toEqual({ status: 1, other: '' })
    expect(await ended('stderr', ['compile', good, '--time'])).toMatchObject({
      status: 0,
      other: expect.stringContaining('fn main'),
    })
  })
})

describe('the command line', () => {
  it('ends in 0 where all went well, 1 where the program is wrong, and 2 where the command line is', () => {
    for (const args of [['--help'], ['--version'], ['compile', '--help'], ['help', 'run'], ['compile', good], ['demo']])
      expect(call(args), args.join(' ')).toMatchObject({ status: 0, stderr: '' })
    for (const args of [
      ['compile', bad],
      ['run', good, '--fn', 'nothing'],
      ['run', bad, '--fn', 'f'],
      ['check', bad],
      ['explain', bad],
    ])
      expect(call(args).status, args.join(' ')).toBe(1)
    for (const args of [
      [],
      ['nothing'],
      ['compile'],
      ['compile', good, '--nothing'],
      ['compile', good, '--target', 'spirv'],
      ['compile', good, '-O', '9'],
      ['compile', good, '--max-context', 'x'],
      ['run', good],
      ['run', good, '--fn', 'f', 'x'],
      ['run', good, '--fn', 'f'],
      ['compile', 'none.slang'],
      ['compile', good, '-o', '/none/x.wgsl'],
      ['check', good, '--samples', '0'],
      ['demo', 'nothing'],
      ['compile', good, '-D', '1x'],
    ]) {
      const { status, stderr, stdout } = call(args)
      expect(status, args.join(' ')).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).not.toMatch(/\n +at /)
      expect(stderr).not.toBe('')
    }
  })

  it('takes and gives integers of 64 bits as they are written', () => {
    const wide = at(
      'wide64.slang',
      'public int64_t next(int64_t x) { return x + 1; }\npublic vector<uint64_t, 2> both(vector<uint64_t, 2> x) { return x; }\npublic float f(float x) { return x; }\n',
    )
    const run = (...args: string[]): Said => call(['run', wide, '--fn', ...args])
    // 2^53 + 1 is the first integer that a number rounds.
    expect(run('next', '9007199254740993').stdout).toBe('9007199254740994\n')
    expect(run('next', '-9223372036854775808', '--json').stdout).toBe('{"result":"-9223372036854775807","out":{}}\n')
    expect(run('both', '[18446744073709551615, 7]').stdout).toBe('[18446744073709551615,7]\n')
    expect(run('next', '18446744073709551616')).toMatchObject({ status: 2, stdout: '' })
    expect(run('f', '18446744073709551616').stdout).toBe('18446744073709552000\n')
    expect(run('f', '012345678901234567890').stderr).toContain(
      'argument 1 is not JSON: 012345678901234567890; write 1.5,',
    )
  })

  it('calls an endless loop that it meets by name', () => {
    expect(call(['run', at('stuck.slang', 'public void f(int x) { for (;;) x++; }'), '--fn', 'f', '1'])).toMatchObject({
      status: 1,
      stderr: 'cotangent: f stopped: it came to a loop that nothing ends\n',
    })
  })

  // Node itself tries for ever to make a folder and those around it there.
  it.runIf(process.platform === 'linux')('ends where a folder cannot be made', () => {
    for (const folder of ['/proc/none', '/proc/none/deep', join(good, 'deep/deeper')]) {
      const { status, stderr } = call(['demo', 'brdf', '--steps', '1', '-o', folder])
      expect(stderr).toMatch(/^cotangent: .* cannot be written \(\w+\); -o names another folder\n$/)
      expect(status).toBe(2)
    }
  })

  it('says which folder of -o is not there', () => {
    const { status, stderr } = call(['compile', good, '-o', 'not-there/x.wgsl'])
    expect(stderr).toBe('cotangent: not-there/x.wgsl cannot be written: there is no folder not-there\n')
    expect(status).toBe(2)
  })

  it('says no folder is gone that is there', () => {
    symlinkSync(at('nowhere/x'), at('dangling.wgsl'))
    const { status, stderr } = call(['compile', good, '-o', 'dangling.wgsl'])
    expect(stderr).toBe('cotangent: dangling.wgsl cannot be written (ENOENT)\n')
    expect(status).toBe(2)
  })

  it('says what a misspelt command or option may have been', () => {
    expect(call(['compil', good]).stderr).toBe(
      "cotangent: unknown command 'compil'\n(Did you mean compile?)\n(cotangent --help lists the commands)\n",
    )
    expect(call(['compile', good, '--taget', 'js']).stderr).toContain('Did you mean --target?')
    expect(call(['compile', good, '-taget', 'js']).stderr).not.toContain('\n    at ')
  })

  it('help says what a misspelt command may have been', () => {
    expect(call(['help', 'tpyes'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("cotangent: unknown command 'tpyes'\n(Did you mean types?)\n") as string,
    })
    expect(call(['help', 'types'])).toMatchObject({ status: 0, stdout: call(['types', '--help']).stdout })
    expect(call(['help'])).toMatchObject({ status: 0, stdout: call(['--help']).stdout })
  })

  it('lists the functions that can be called to who names none', () => {
    const file = at(
      'several.slang',
      `struct S { float x; float m() { return x; } }
RWStructuredBuffer<float> o;
[Differentiable] T square<T : IFloat>(T x) { return x * x; }
float viaBuffer(RWStructuredBuffer<float> r) { return r[0]; }
[Differentiable] float use(float x) { return square<float>(x); }
[shader("compute")] [numthreads(1, 1, 1)] void main() { o[0] = viaBuffer(o); }\n`,
    )
    const said = (name: string, kind: string, list: string): object => ({
      status: 2,
      stderr: `cotangent: name a ${kind} by --fn; ${name} has ${list}\n`,
    })
    expect(call(['run', file])).toMatchObject(said(file, 'function', 'S.m, use, square<float>'))
    expect(call(['grad', file, '3'])).toMatchObject(said(file, 'differentiable function', 'use, square<float>'))
    expect(call(['run', '-'], { input: 'float f() { return 1; }' })).toMatchObject(
      said('standard input', 'function', 'f'),
    )
    at('kernel.slang', '[shader("compute")] [numthreads(1, 1, 1)] void main() {}')
    expect(call(['run', 'kernel.slang'])).toMatchObject({
      status: 1,
      stderr: 'cotangent: kernel.slang has no function that can be called\n',
    })
  })

  it('tells the time of each phase where it is asked', () => {
    const { stdout, stderr } = call(['compile', good, '--time'])
    expect(stdout).toContain('fn main')
    expect(stderr).toMatch(/^(\w+ +\d+\.\d\d ms\n)+$/)
    for (const phase of ['check', 'lower', 'optimise', 'emit', 'total']) expect(stderr).toContain(phase)
  })

  it('tells with the time how many threads of a kernel run at once, and why not more', () => {
    const kernels = at(
      'kernels.slang',
      `RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(8,1,1)] void wide(uint3 id : SV_DispatchThreadID) { o[id.x] = 1; }
[shader("compute")] [numthreads(8,1,1)] void told(uint3 id : SV_DispatchThreadID) { printf("%u", id.x); o[id.x] = 1; }
`,
    )
    const { stderr } = call(['compile', kernels, '--target', 'wasm', '-o', 'kernels.wasm', '--time'])
    expect(stderr).toContain('threads at once of wide: 4\nthreads at once of told: 1, for it prints\n')
  })
})
