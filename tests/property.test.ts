/**
 * Properties of generated programs. `SEED` and `SEEDS` choose programs (a nightly run takes thousands), `SIZE` how long the
 * longest are, `SECOND_SEEDS`, `BOUNDLESS_SEEDS`, `CHECKPOINT_SEEDS` and `BUDGET_SEEDS` those for second derivatives, without bounds,
 * with few states kept and within a budget; `SHOW` prints whole messages.
 */
import { describe, expect, it } from 'vitest'
import { loadSync } from '../src/cpu/index.ts'
import { CompileError, compile, type Program as Compiled } from '../src/index.ts'
import { parseModule } from '../src/ir/parse.ts'
import { printModule } from '../src/ir/print.ts'
import { funcNamed, run, type Data } from '../src/ir/run.ts'
import { differential, type Type } from '../src/ir/type.ts'
import { verifyModule } from '../src/ir/verify.ts'
import { prelude } from './generate-prelude.ts'
import { generateProgram } from './generate-slang.ts'
import { paramDifferential, type Program } from './program.ts'
import { programText } from './program-text.ts'
import { random } from './generate-ir.ts'
import { disagreement, fill, flatten, largestIn, moved } from './gradients.ts'
import { closeGpu, runByName } from './gpu.ts'
import { gradientKernel, gradientOfGradient } from './kernel-text.ts'
import { evaluate, fromHost, toHost } from './js-run.ts'
import { lowerMini } from './lower-mini.ts'
import { reduce } from './reduce.ts'

const first = Number(process.env['SEED'] ?? 0)
const count = Number(process.env['SEEDS'] ?? 500)
const size = Number(process.env['SIZE'] ?? 14)
const shown = process.env['SHOW'] !== undefined

/** Library functions that keep the values of generated programs moderate. */
const libs: ReadonlySet<string> = new Set([
  'sin', 'cos', 'sqrt', 'exp', 'dot', 'tanh', 'atan', 'abs', 'sinh', 'log', 'rsqrt', 'log2', 'min', 'max', 'atan2', 'pow', 'lerp', 'clamp', 'smoothstep', 'length',
  'sin#', 'tanh#', 'abs#', 'min#', 'max#', 'lerp#', 'mul', 'cross', 'normalize', 'reflect', 'transpose', ...prelude.keys(),
])

/** A function with its derivatives, on the interpreter's data: whatever computes it. */
interface Subject {
  readonly value: (args: readonly Data[]) => Data[]
  readonly jvp: (args: readonly Data[], tangents: readonly (Data | undefined)[]) => { readonly values: Data[]; readonly tangents: Data[] }
  readonly vjp: (args: readonly Data[], cts: readonly Data[]) => (Data | undefined)[]
}

type Host = Record<string, unknown>
type Pair = { p: unknown; d: unknown }

/** The emitted JavaScript of a program. */
function scripted(program: Program, code: string): Subject {
  const module = evaluate(code)
  const { params, result } = program.main
  const ins = params.filter(p => p.dir !== 'out')
  const outs = params.filter(p => p.dir !== 'in')
  const results = (value: unknown): unknown[] => outs.length === 0 ? [value] : [(value as Host)['result'], ...outs.map(p => ((value as Host)['out'] as Host)[p.name])]
  const types = [result, ...outs.map(p => p.type)]
  const tangentOf = (type: Type): Type => differential(type)!
  return {
    value: args => results(module['f']!(...args.map((a, i) => toHost(ins[i]!.type, a)))).map((v, i) => fromHost(types[i]!, v)),
    jvp: (args, tangents) => {
      const given = args.map((a, i) => tangents[i] === undefined ? toHost(ins[i]!.type, a) : { p: toHost(ins[i]!.type, a), d: toHost(tangentOf(ins[i]!.type), tangents[i]) })
      const pairs = results(module['fwd_diff(f)']!(...given)) as Pair[]
      return { values: pairs.map((v, i) => fromHost(types[i]!, v.p)), tangents: pairs.map((v, i) => fromHost(tangentOf(types[i]!), v.d)) }
    },
    vjp: (args, cts) => {
      const given: unknown[] = []
      let [input, ct] = [0, 1]
      for (const p of params) {
        if (p.dir === 'out') {
          given.push(toHost(tangentOf(p.type), cts[ct++]!))
          continue
        }
        const primal = toHost(p.type, args[input++]!)
        const diff = paramDifferential(p)
        if (diff === null) given.push(primal)
        // What an `in` pair brings along is ignored: it must not matter what it is.
        else given.push({ p: primal, d: toHost(diff, p.dir === 'inout' ? cts[ct++]! : fill(diff, () => 777)) })
      }
      given.push(toHost(tangentOf(result), cts[0]!))
      const whole = module['bwd_diff(f)']!(...given) as { out: Record<string, Pair> }
      return ins.map(p => paramDifferential(p) === null ? undefined : fromHost(tangentOf(p.type), whole.out[p.name]!.d))
    },
  }
}

/** The same through WebAssembly. */
function assembled(program: Program, compiled: ReturnType<typeof compile>): Subject {
  const f = loadSync(compiled).fn['f']!
  const { params, result } = program.main
  const ins = params.filter(p => p.dir !== 'out')
  const outs = params.filter(p => p.dir !== 'in')
  const types = [result, ...outs.map(p => p.type)]
  const list = (value: unknown): unknown[] => outs.length === 0 ? [value] : [(value as Host)['result'], ...outs.map(p => ((value as Host)['out'] as Host)[p.name])]
  const host = (args: readonly Data[]): unknown[] => args.map((a, i) => toHost(ins[i]!.type, a))
  return {
    value: args => list(f(...host(args))).map((v, i) => fromHost(types[i]!, v)),
    jvp: (args, tangents) => {
      const both = f.jvp(host(args), tangents.map((d, i) => d === undefined ? null : toHost(paramDifferential(ins[i]!)!, d)))
      return { values: list(both.value).map((v, i) => fromHost(types[i]!, v)), tangents: list(both.tangent).map((v, i) => fromHost(differential(types[i]!)!, v)) }
    },
    vjp: (args, cts) => {
      const given = types.map((type, i) => toHost(differential(type)!, cts[i]!))
      const out = Object.fromEntries(outs.map((p, i) => [p.name, given[i + 1]]))
      const grads = f.vjp(host(args), outs.length === 0 ? given[0] : { result: given[0], out })
      return ins.map((p, i) => paramDifferential(p) === null ? undefined : fromHost(paramDifferential(p)!, grads[i]))
    },
  }
}

const near = (x: readonly number[], y: readonly number[], tolerance: number): boolean => {
  const scale = Math.max(1, ...x.map(Math.abs))
  return x.length === y.length && x.every((v, i) => Object.is(v, y[i]) || Math.abs(v - y[i]!) <= tolerance * scale)
}

type Edit = (text: string) => string
const asItIs: Edit = text => text

/** The same program, but nothing tells the compiler how many trips its loops make: their counters start at a zero that only runs show. */
const boundless: Edit = text => `int hidden()
{
    int n = 3;
    while (n > 1) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return n - 1;
}
${text.replace(/int (\w+) = (\d+);(\s*)\[MaxIters\(\d+\)\]/g, 'int $1 = $2 + hidden();$3').replace(/\[MaxIters\(\d+\)\](\s*for \(int \w+ = \d+)/g, '$1 + hidden()')}`

/** The same program, with few states kept of each of its loops. */
const checkpointed: Edit = text => text.replace(/^( *)(\[MaxIters\(\d+\)\]\n *)?((?:for|while|do)\b)(?! *\(n )/gm, (_, indent: string, bound: string | undefined, loop: string) =>
  `${indent}[Checkpoints(${1 + indent.length / 4 % 3})]\n${bound === undefined ? '' : `${indent}${bound.trim()}\n`}${indent}${loop}`)

/** What is wrong with a program; undefined where nothing is. */
function check(program: Program, seed: number, edit: Edit = asItIs, samples?: Sample[]): string | undefined {
  try {
    return tryCheck(program, seed, edit, samples)
  } catch (error) {
    return `threw ${(error as Error).message.split('\n').slice(0, shown ? 400 : 2).join('\n')}${shown ? (error as Error).stack ?? '' : ''}`
  }
}

/** What reverse passes may keep; undefined: as much as they like. */
let budget: number | undefined

/** True where the reverse derivative of `f` cannot be had within the budget. Throws where it is had, and is not within it. */
function isTooBig(compiled: Compiled): boolean {
  try {
    const kept = compiled.explain('f').at(-1)!.memory
    if (kept > budget!) throw new Error(`it keeps ${kept} bytes of ${budget}`)
    // A CPU weighs memory otherwise, and may not get there.
    compiled.js({ derivativesOf: 'f' })
    return false
  } catch (error) {
    if (error instanceof CompileError && error.diagnostics.every(d => d.code === 'E36005')) return true
    throw error
  }
}

const stats = { points: 0, rough: 0, devices: 0 }

/** A point at which JavaScript in single precision has said what devices have to say: values, then gradients. */
interface Sample {
  readonly args: readonly Data[]
  readonly cts: readonly Data[]
  readonly said: readonly number[]
}

function tryCheck(program: Program, seed: number, edit: Edit, samples?: Sample[]): string | undefined {
  const text = edit(programText(program)).replace(/(\[Differentiable\]\n)(?![^]*\[Differentiable\]\n\S)/, '$1public ')
  const level = ([2, 1, 0, 3] as const)[seed % 4]!
  const compiled = compile(text, { verify: true, optimize: level, debug: seed % 3 === 2, maxContext: budget })
  const errors = compiled.diagnostics.filter(d => d.severity === 'error')
  if (errors.length > 0) return `refused: ${errors.map(d => `${d.code} ${d.message}`).join('; ')}`
  if (budget !== undefined && isTooBig(compiled)) return undefined
  const ins = program.main.params.filter(p => p.dir !== 'out')
  const types = [program.main.result, ...program.main.params.filter(p => p.dir !== 'in').map(p => p.type)]
  const exact = scripted(program, compiled.js({ mode: 'f64' }).code)
  const single = scripted(program, compiled.js({ mode: 'f32' }).code)
  const wasm = assembled(program, compiled)
  const ir = compiled.ir('final')
  const read = parseModule(ir)
  if (printModule(read) !== ir) return 'the text of the IR reads back otherwise'
  verifyModule(read, 'parse')
  const dumped = funcNamed(read, 'f')
  const plain = (() => {
    try {
      return lowerMini(program).main
    } catch {
      // A library function that only the real front end knows.
      return undefined
    }
  })()
  const rand = random(seed + 99)
  const number = (): number => (rand(2001) - 1000) / 700 + 0.0123
  const flatAll = (values: readonly Data[], of: readonly Type[]): number[] => of.flatMap((type, i) => flatten(type, values[i]!))
  for (let point = 0; point < 2; point++) {
    const args = ins.map(p => fill(p.type, s => s.name === 'i32' ? rand(4) : Math.fround(number())))
    const tangents = ins.map(p => paramDifferential(p) === null ? undefined : fill(paramDifferential(p)!, () => Math.fround(number())))
    const value = (h: number): number[] => flatAll(exact.value(args.map((a, i) => tangents[i] === undefined ? a : moved(ins[i]!.type, a, tangents[i], h))), types)
    const here = value(0)
    let largest = 0
    const watch = (_: unknown, x: Data): void => { largest = Math.max(largest, largestIn(x)) }
    for (const func of plain === undefined ? [dumped] : [dumped, plain]) {
      const expected = flatAll(run(func, args, { mode: 'f64', watch }), types)
      if (!near(expected, here, 1e-5)) return `the value is ${here.join(', ')}, but ${func === plain ? 'should be' : 'by the IR it is'} ${expected.join(', ')}`
    }
    // Where numbers are that large, some derivative overflows, and zero times that is no number.
    if (largest > 1e6) continue
    const weights = here.map(() => Math.fround(number()))
    let used = 0
    const cts = types.map(type => fill(differential(type)!, () => weights[used++]!))
    const diffs = types.map(type => differential(type)!)
    const both = exact.jvp(args, tangents)
    if (!near(flatAll(both.values, types), here, 1e-5)) return 'fwd_diff gives another value'
    const inner = (grads: readonly (Data | undefined)[]): number[] => ins.flatMap((p, i) => {
      const diff = paramDifferential(p)
      if (diff === null) return []
      const t = flatten(diff, tangents[i]!)
      return flatten(diff, grads[i]!).map((x, n) => x * t[n]!)
    })
    const grads = exact.vjp(args, cts)
    const wrong = disagreement({ value, forward: flatAll(both.tangents, diffs), reverse: inner(grads), weights })
    stats.points++
    if (wrong === 'rough') stats.rough++
    else if (wrong !== undefined) return wrong
    if (wrong === 'rough' || !here.every(v => Math.abs(v) < 100)) continue
    // Single precision takes the same branches in JavaScript and WebAssembly, and rounds the same but for the library's last bits.
    const [js, w] = [single.value(args), wasm.value(args)].map(v => flatAll(v, types)) as [number[], number[]]
    if (!near(js, w, 1e-4)) return `JavaScript says ${js.join(', ')}, WebAssembly ${w.join(', ')}`
    const flatGrads = (g: readonly (Data | undefined)[]): number[] => ins.flatMap((p, i) => paramDifferential(p) === null ? [] : flatten(paramDifferential(p)!, g[i]!))
    const [jg, wg] = [flatGrads(single.vjp(args, cts)), flatGrads(wasm.vjp(args, cts))]
    if (!near(jg, wg, 1e-3)) return `the gradient of JavaScript is ${jg.join(', ')}, of WebAssembly ${wg.join(', ')}`
    samples?.push({ args, cts, said: [...js, ...jg] })
    const [jt, wt] = [flatAll(single.jvp(args, tangents).tangents, diffs), flatAll(wasm.jvp(args, tangents).tangents, diffs)]
    if (!near(jt, wt, 1e-3)) return `the tangent of JavaScript is ${jt.join(', ')}, of WebAssembly ${wt.join(', ')}`
  }
  return undefined
}

/** The same of second derivatives, through `bwd_diff` of the program differentiated in both modes. */
function checkSecond(program: Program, seed: number, edit: Edit = asItIs): string | undefined {
  try {
    const rand = random(seed + 31)
    const text = edit(gradientOfGradient(program, () => (rand(2001) - 1000) / 900 + 0.0123))
    const compiled = compile(text, { verify: true })
    const errors = compiled.diagnostics.filter(d => d.severity === 'error')
    if (errors.length > 0) return `refused: ${errors.map(d => `${d.code} ${d.message}`).join('; ')}`
    const module = evaluate(compiled.js({ mode: 'f64' }).code)
    const h = (s: number): number => module['h']!(s) as number
    const f = funcNamed(parseModule(compiled.ir('final')), 'h')
    for (const s of [0.1, 0.73]) {
      let largest = 0
      const watch = (_: unknown, x: Data): void => { largest = Math.max(largest, largestIn(x)) }
      run(f, [s], { mode: 'f64', watch })
      if (largest > 1e5) continue
      const forward = (module['fwd_diff(h)']!({ p: s, d: 1 }) as { d: number }).d
      const reverse = (module['bwd_diff(h)']!({ p: s, d: 777 }, 1) as { out: { s: { d: number } } }).out.s.d
      const wrong = disagreement({ value: step => [h(s + step)], forward: [forward], reverse: [reverse], weights: [1] })
      if (wrong !== undefined && wrong !== 'rough') return wrong
    }
    return undefined
  } catch (error) {
    return `threw ${(error as Error).message.split('\n').slice(0, shown ? 400 : 2).join('\n')}${shown ? (error as Error).stack ?? '' : ''}`
  }
}

const kind = (message: string | undefined): string => (message ?? '').replace(/-?\d[\w.+-]*|[@%]\S+/g, '#').slice(0, (message ?? '').startsWith('refused') ? 400 : 60)

type Check = (program: Program, seed: number) => string | undefined

const most = Number(process.env['FAILURES'] ?? 3)

/** A program that fails a check, as small as it can be made. */
function shrunk(test: Check, seed: number, size: number, message: string): string {
  const program = reduce(generateProgram(seed, { libs, size, objects: true }), p => kind(test(p, seed)) === kind(message), 300)
  return `seed ${seed}: ${test(program, seed)}\n${programText(program)}`
}

/** Programs that fail a check, shrunk. */
function failuresOf(test: Check, count: number, size: number): string[] {
  const failures: string[] = []
  for (let seed = first; seed < first + count && failures.length < most; seed++) {
    const message = test(generateProgram(seed, { libs, size, objects: true }), seed)
    if (message !== undefined) failures.push(shrunk(test, seed, size, message))
  }
  return failures
}

/** What a device makes of a program: the same values and gradients as JavaScript, as far as it promises. */
async function checkOnDevice(program: Program, seed: number, sample: Sample | undefined): Promise<string | undefined> {
  const { text, reads, writes } = gradientKernel(program)
  const compiled = compile(text, { verify: true, optimize: ([2, 1, 0, 3] as const)[seed % 4]! })
  const errors = compiled.diagnostics.filter(d => d.severity === 'error')
  if (errors.length > 0) return `seed ${seed}: refused as a kernel: ${errors.map(d => d.message).join('; ')}\n${text}`
  const given: number[] = []
  const put = (data: Data): void => { if (typeof data === 'number') given.push(data); else (data as readonly Data[]).forEach(put) }
  let [input, ct] = [0, 1]
  for (const p of sample === undefined ? [] : program.main.params) {
    const diff = paramDifferential(p)
    if (p.dir !== 'out') put(sample!.args[input++]!)
    if (p.dir !== 'in') put(sample!.cts[ct++]!)
    else if (diff !== null) put(fill(diff, () => 777))
  }
  if (sample !== undefined) put(sample.cts[0]!)
  const { code, reflection } = compiled.wgsl()
  const inp = new Float32Array(reads.length)
  inp.set(given)
  const data = { inp: new Uint8Array(inp.buffer), outp: new Uint8Array(writes * 4) }
  const bytes = (await runByName(code, 'computeMain', reflection.bindings, data, [1, 1, 1]))['outp']!
  if (sample === undefined) return undefined
  stats.devices++
  const found = [...new Float32Array(bytes.slice().buffer)].slice(0, writes)
  // Where gradients are large, the last bits of the functions on the way matter; WGSL lets sin and cos be off by 2⁻¹¹, and devices make use of it.
  if (found.length === sample.said.length && (sample.said.some(v => !(Math.abs(v) < 1e3)) || near(sample.said, found, 2e-2))) return undefined
  return `seed ${seed}: JavaScript says ${sample.said.join(', ')}, WGSL ${found.join(', ')}\n${text}\n${shown ? code : ''}`
}

describe('what generated programs call', () => {
  for (const f of prelude.values()) {
    it(`${f.name} has derivatives that agree with differences`, () => {
      const names = ['x', 'y'].slice(0, f.arity)
      const params = names.map(n => `float ${n}`).join(', ')
      const compiled = compile(`${f.text}[Differentiable] public float f(${params}) { return ${f.name}(${names.join(', ')}); }`, { verify: true })
      expect(compiled.diagnostics.filter(d => d.severity === 'error')).toEqual([])
      const module = evaluate(compiled.js({ mode: 'f64' }).code)
      const direction = [0.6, -0.9]
      for (const point of [[0.3, 0.7], [-0.8, 1.4], [1.1, -0.6]]) {
        const at = (h: number): number[] => [module['f']!(...names.map((_, i) => point[i]! + h * direction[i]!)) as number]
        const forward = (module['fwd_diff(f)']!(...names.map((_, i) => ({ p: point[i], d: direction[i] }))) as Pair).d as number
        const whole = module['bwd_diff(f)']!(...names.map((_, i) => ({ p: point[i], d: 777 })), 1) as { out: Record<string, { d: number }> }
        const reverse = names.map((n, i) => whole.out[n]!.d * direction[i]!)
        expect(disagreement({ value: at, forward: [forward], reverse, weights: [1] }), `at ${point.join(', ')}`).toBe(undefined)
      }
    })
  }
})

describe('generated programs', () => {
  it('have derivatives that agree with each other and with differences, and mean the same on every target', async () => {
    const failures: string[] = []
    const note = (wrong: string | undefined): void => { if (wrong !== undefined) failures.push(wrong) }
    let device: Promise<string | undefined> = Promise.resolve(undefined)
    for (let seed = first; seed < first + count && failures.length < most; seed++) {
      // Long programs find more, but take devices long to compile; those without bounds and with checkpoints, below, are long too.
      const length = seed % 8 === 0 ? size : Math.ceil(size / 2)
      const program = generateProgram(seed, { libs, size: length, objects: true })
      const samples: Sample[] = []
      const message = check(program, seed, asItIs, samples)
      // The device works on one program while the next is compiled.
      note(await device)
      device = message === undefined ? checkOnDevice(program, seed, samples[0]) : Promise.resolve(shrunk(check, seed, length, message))
    }
    note(await device)
    closeGpu()
    if (process.env['STATS'] !== undefined) console.log(stats)
    expect(failures.join('\n\n')).toBe('')
  }, 900_000)

  it('have second derivatives: both modes over the reverse mode', () => {
    expect(failuresOf(checkSecond, Number(process.env['SECOND_SEEDS'] ?? 25), Math.ceil(size / 2)).join('\n\n')).toBe('')
  }, 600_000)

  it('need no bounds of loops on CPU targets', () => {
    const seeds = Number(process.env['BOUNDLESS_SEEDS'] ?? 60)
    const failures = failuresOf((program, seed) => check(program, seed, boundless), seeds, size)
    failures.push(...failuresOf((program, seed) => checkSecond(program, seed, boundless), Math.ceil(seeds / 6), Math.ceil(size / 2)))
    expect(failures.join('\n\n')).toBe('')
  }, 600_000)

  it('keep within a budget', () => {
    const failures: string[] = []
    for (const bytes of [400, 60]) {
      budget = bytes
      failures.push(...failuresOf(check, Number(process.env['BUDGET_SEEDS'] ?? 12), size))
    }
    budget = undefined
    expect(failures.join('\n\n')).toBe('')
  }, 600_000)

  it('run loops again where few of their states are kept', () => {
    const seeds = Number(process.env['CHECKPOINT_SEEDS'] ?? 60)
    const failures = failuresOf((program, seed) => check(program, seed, text => checkpointed(seed % 2 === 0 ? text : boundless(text))), seeds, size)
    failures.push(...failuresOf((program, seed) => checkSecond(program, seed, checkpointed), Math.ceil(seeds / 6), Math.ceil(size / 2)))
    expect(failures.join('\n\n')).toBe('')
  }, 600_000)
})
