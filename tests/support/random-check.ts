/**
 * What must hold of a generated program: forward, reverse and central differences agree, of first and second order, and
 * JavaScript, WebAssembly and a WebGPU device give the same numbers. Differences tell nothing next to a kink, and devices
 * nothing of large numbers: then other points are tried, and what was left without a good point is counted.
 */
import { CompileError, compile, type Level, type Program as Compiled } from '../../src/index.ts'
import { loadSync } from '../../src/cpu/index.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { funcNamed, run, type Data } from '../../src/ir/run.ts'
import { differential, type Type } from '../../src/ir/type.ts'
import type { Module } from '../../src/ir/value.ts'
import { verifyModule } from '../../src/ir/verify.ts'
import { random } from './generate-ir.ts'
import { prelude } from './generate-prelude.ts'
import { generateProgram } from './generate-slang.ts'
import { NotCompiled, runByName } from './gpu.ts'
import { disagreement, fill, flatten, flattenActive, largestIn, moved } from './gradients.ts'
import { evaluate, type Evaluated } from './js-run.ts'
import { gradientKernel, secondKernel, secondOrder } from './kernel-text.ts'
import { lowerMini, miniLibs, NotLowered } from './lower-mini.ts'
import { isNear, sizeOf } from './near.ts'
import { programText } from './program-text.ts'
import { isHolding, paramDifferential, type Program } from './program.ts'
import { reduce } from './reduce.ts'
import { assembled, scripted, type Pair } from './subjects.ts'
import { setting } from './setting.ts'

/** Derivatives of derivatives of what is generated may be large, and are not what limits are for. */
const limits = { instructions: 1_000_000 }

const shown = process.env['SHOW'] !== undefined

/** Library functions that keep the values of generated programs moderate. */
const libs: ReadonlySet<string> = new Set([
  'sin',
  'cos',
  'sqrt',
  'exp',
  'dot',
  'tanh',
  'atan',
  'abs',
  'sinh',
  'log',
  'rsqrt',
  'log2',
  'min',
  'max',
  'atan2',
  'pow',
  'lerp',
  'clamp',
  'smoothstep',
  'length',
  'sin#',
  'tanh#',
  'abs#',
  'min#',
  'max#',
  'lerp#',
  'mul',
  'cross',
  'normalize',
  'reflect',
  'transpose',
  ...prelude.keys(),
])

/** The program of a seed. One in eight has only what is lowered without a front end too, whose values it is held to. */
export function programOf(seed: number, size: number): Program {
  return generateProgram(
    seed,
    seed % 8 === 5 ? { libs: miniLibs, size, objects: false } : { libs, size, objects: true },
  )
}

const near = (x: readonly number[], y: readonly number[], tolerance: number): boolean => {
  const most = tolerance * sizeOf(x)
  return x.length === y.length && x.every((v, i) => isNear(v, y[i]!, most))
}

/** Changes the text of a program. */
export type Edit = (text: string) => string
const asItIs: Edit = text => text

/** The same program, but nothing tells the compiler how many trips its loops make: their counters start at a zero that only runs show. */
export const boundless: Edit = text => `int hidden()
{
    int n = 3;
    while (n > 1) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return n - 1;
}
${text.replace(/int (\w+) = (\d+);(\s*)\[MaxIters\(\d+\)\]/g, 'int $1 = $2 + hidden();$3').replace(/\[MaxIters\(\d+\)\](\s*for \(int \w+ = \d+)/g, '$1 + hidden()')}`

/** The same program, with few states kept of each of its loops. */
export const checkpointed: Edit = text =>
  text.replace(
    /^( *)(\[MaxIters\(\d+\)\]\n *)?((?:for|while|do)\b)(?! *\(n )/gm,
    (_, indent: string, bound: string | undefined, loop: string) =>
      `${indent}[Checkpoints(${1 + ((indent.length / 4) % 3)})]\n${bound === undefined ? '' : `${indent}${bound.trim()}\n`}${indent}${loop}`,
  )

/** What happened so far. */
export const stats = {
  /** Programs; those of which no point could be compared with differences. */
  programs: 0,
  unclear: 0,
  /** Points; those next to kinks, and those with numbers too large for comparison. */
  points: 0,
  kinks: 0,
  large: 0,
  /** Programs whose values were held to those of a lowering without a front end. */
  lowered: 0,
  /** Programs that hold something constant in derivatives. */
  holding: 0,
  /** Runs on a device; how often it could not compile a program, which is tried at the lowest level then. */
  devices: 0,
  uncompiled: 0,
  /** Those with numbers too large to compare. */
  silent: 0,
  /** Those that found no number where numbers overflow on the way. */
  overflows: 0,
  /** Those that say something else, as far as their functions may err. */
  noise: 0,
  /** Programs that keep within a budget, and that cannot. */
  within: 0,
  tooBig: 0,
  /** The same of second derivatives. */
  seconds: 0,
  secondUnclear: 0,
  secondPoints: 0,
  secondKinks: 0,
  secondLarge: 0,
  secondDevices: 0,
}

const levels = [2, 1, 0, 3] as const
/** `npm test` verifies every program; a longer run, which asks for SEEDS, every other one of each level. */
const verified = (seed: number): boolean => process.env['SEEDS'] === undefined || (seed >> 2) % 2 === 0
/** What the interpreter makes of the program is asked at all levels, but not of all programs: it takes as long as a target. */
const interpreted = (seed: number): boolean => (seed >> 3) % 4 === 0
/** Numbers beyond it overflow in single precision once they are multiplied. */
const singleLimit = 1e18
/** The least normal number of single precision. */
const smallestNormal = 2 ** -126
const enough = 2
const most = 8

function refusal(compiled: Compiled): string | undefined {
  const errors = compiled.diagnostics.filter(d => d.severity === 'error')
  return errors.length === 0 ? undefined : `refused: ${errors.map(d => `${d.code} ${d.message}`).join('; ')}`
}

/** A point at which WebAssembly has said what devices have to say: values, then gradients. */
export interface Sample {
  readonly args: readonly Data[]
  readonly cts: readonly Data[]
  readonly said: readonly number[]
  /** What JavaScript says. */
  readonly script: (module: Evaluated) => readonly number[]
  /** Whether numbers on the way pass what single precision can multiply: of a value that is not used that may make no number of zero. */
  readonly overflows: () => boolean
}

/** The same of second derivatives: a point, and the derivative there by both modes with both derivatives of each. */
export interface SecondSample {
  readonly s: number
  readonly said: readonly number[]
  readonly script: (module: Evaluated) => readonly number[]
  readonly overflows: () => boolean
}

/** How a program is changed before, what reverse passes may keep, and whether second derivatives are asked for. */
export interface Conditions {
  readonly edit?: Edit
  readonly budget?: number
  readonly second?: boolean
}

/** What a check leaves for devices to say. */
export interface Samples {
  readonly first: Sample[]
  readonly second: SecondSample[]
}

/** True where the reverse derivative of `f` cannot be had within the budget. Throws where it is had, and is not within it. */
function isTooBig(compiled: Compiled, budget: number): boolean {
  try {
    const kept = compiled.explain('f').at(-1)!.memory
    if (kept > budget) throw new Error(`it keeps ${kept} bytes of ${budget}`)
    // A CPU weighs memory otherwise, and may not get there.
    compiled.js({ derivativesOf: 'f' })
    return false
  } catch (error) {
    if (error instanceof CompileError && error.diagnostics.every(d => d.code === 'E36005')) return true
    throw error
  }
}

/** What is wrong with a program; undefined where nothing is. */
export function check(
  program: Program,
  seed: number,
  conditions: Conditions = {},
  samples: Samples = { first: [], second: [] },
): string | undefined {
  try {
    return tryCheck(program, seed, conditions, samples)
  } catch (error) {
    return `threw ${(error as Error).message
      .split('\n')
      .slice(0, shown ? 400 : 2)
      .join('\n')}${shown ? ((error as Error).stack ?? '') : ''}`
  }
}

function tryCheck(
  program: Program,
  seed: number,
  { edit = asItIs, budget, second = false }: Conditions,
  samples: Samples,
): string | undefined {
  const print = (isHeld: boolean): string =>
    edit(second ? secondOrder(program, constants(seed), isHeld) : programText(program, isHeld))
  const text = print(false)
  const compiled = compile(text, {
    verify: verified(seed),
    optimize: levels[seed % 4]!,
    debug: seed % 3 === 2,
    maxContext: budget,
    limits,
  })
  const refused = refusal(compiled)
  if (refused !== undefined) return refused
  if (budget !== undefined && isTooBig(compiled, budget)) {
    stats.tooBig++
    return undefined
  }
  if (budget !== undefined) stats.within++
  const forms = new Forms(compiled, seed, isHolding(program) ? print(true) : undefined)
  if (printModule(forms.ir) !== forms.text) return 'the text of the IR reads back otherwise'
  verifyModule(forms.ir, 'parse')
  return checkFirst(program, seed, forms, samples.first) ?? (second ? checkSecond(forms, samples.second) : undefined)
}

/** Runs a program that writes down what it holds in its first run, for a step of zero, and reads that in the others. */
function heldForm(text: string, verify: boolean): Forms['differenced'] {
  const compiled = compile(text, { verify, optimize: 0, limits })
  const refused = refusal(compiled)
  if (refused !== undefined) throw new Error(`held for differences, it is ${refused}`)
  const module = evaluate(compiled.js({ mode: 'f64' }).code)
  const [heldValues, heldState] = [new Float64Array(1 << 16), new Int32Array(2)]
  module['bind']?.({ heldValues, heldState })
  stats.holding++
  return run => h => {
    heldState[1] = h === 0 ? 0 : 1
    heldState[0] = 0
    const numbers = run(module)
    if (heldState[0] >= heldValues.length) throw new Error('too much is held')
    return numbers
  }
}

/** A program on CPU targets. */
class Forms {
  readonly exact: Evaluated
  readonly loaded: ReturnType<typeof loadSync>
  /** The program as differences have to see it: what derivatives hold constant stays what it was at the point. */
  readonly differenced: (run: (module: Evaluated) => number[]) => (h: number) => number[]
  readonly #compiled: Compiled
  readonly #strict: boolean
  #single: Evaluated | undefined
  #text: string | undefined
  #ir: Module | undefined

  constructor(compiled: Compiled, seed: number, held: string | undefined) {
    this.#compiled = compiled
    this.#strict = seed % 8 === 0
    this.exact = evaluate(compiled.js({ mode: 'f64' }).code)
    this.loaded = loadSync(compiled)
    this.differenced = held === undefined ? run => () => run(this.exact) : heldForm(held, verified(seed))
  }

  get text(): string {
    return (this.#text ??= this.#compiled.ir('final'))
  }

  get ir(): Module {
    return (this.#ir ??= parseModule(this.text))
  }

  /** True where a function computes numbers so large that what is left of their differences, or of zero times a derivative, tells nothing. */
  isLarge(name: string, args: readonly Data[], limit: number): boolean {
    let largest = 0
    run(funcNamed(this.ir, name), args, {
      mode: 'f64',
      watch: (_, x) => {
        largest = Math.max(largest, largestIn(x))
      },
    })
    return largest > limit
  }

  /**
   * True where the derivatives of a function pass numbers so large that others overflow. Of a value that is computed but not used
   * the derivative is zero, and zero times infinity no number.
   */
  overflows(name: string, forward: readonly Data[], reverse: readonly Data[], limit = 1e50): boolean {
    const module = parseModule(this.#compiled.ir('final', name))
    let largest = 0
    const watch = (_: unknown, x: Data): void => {
      const size = largestIn(x)
      if (Number.isFinite(size)) largest = Math.max(largest, size)
    }
    run(funcNamed(module, `fwd_${name}`), forward, { mode: 'f64', watch })
    run(funcNamed(module, `bwd_${name}`), reverse, { mode: 'f64', watch })
    return largest > limit
  }

  /**
   * Holds numbers of WebAssembly to those of JavaScript in double precision. Where they are further apart than most rounding
   * explains, and always for some programs, JavaScript in single precision decides, which rounds as WebAssembly does but for
   * the library's last bits.
   */
  disagreement(
    what: string,
    exact: readonly number[],
    wasm: readonly number[],
    single: (module: Evaluated) => readonly number[],
    tolerance: number,
  ): string | undefined {
    if (!this.#strict && near(exact, wasm, tolerance)) return undefined
    this.#single ??= evaluate(this.#compiled.js({ mode: 'f32' }).code)
    const js = single(this.#single)
    return near(js, wasm, tolerance)
      ? undefined
      : `${what} of JavaScript is ${js.join(', ')}, of WebAssembly ${wasm.join(', ')}, exactly ${exact.join(', ')}`
  }
}

function checkFirst(program: Program, seed: number, forms: Forms, samples: Sample[]): string | undefined {
  const ins = program.main.params.filter(p => p.dir !== 'out')
  const types = [program.main.result, ...program.main.params.filter(p => p.dir !== 'in').map(p => p.type)]
  const diffs = types.map(type => differential(type)!)
  const exact = scripted(program, forms.exact)
  const wasm = assembled(program, forms.loaded)
  const references = interpreted(seed) ? [funcNamed(forms.ir, 'f')] : []
  try {
    references.push(lowerMini(program).main)
    stats.lowered++
  } catch (error) {
    if (!(error instanceof NotLowered)) throw error
  }
  const rand = random(seed + 99)
  const number = (): number => (rand(2001) - 1000) / 700 + 0.0123
  const flatAll = (values: readonly Data[], of: readonly Type[]): number[] =>
    of.flatMap((type, i) => flatten(type, values[i]!))
  const active = (values: readonly Data[]): number[] => types.flatMap((type, i) => flattenActive(type, values[i]!))
  const flatGrads = (grads: readonly (Data | undefined)[]): number[] =>
    ins.flatMap((p, i) => (paramDifferential(p) === null ? [] : flatten(paramDifferential(p)!, grads[i]!)))
  const at = (args: readonly Data[], tangents: readonly (Data | undefined)[]): string | undefined => {
    const here = flatAll(exact.value(args), types)
    const value = (h: number): number[] =>
      forms.differenced(module =>
        active(
          scripted(program, module).value(
            args.map((a, i) => (tangents[i] === undefined ? a : moved(ins[i]!.type, a, tangents[i], h))),
          ),
        ),
      )(h)
    if (!near(value(0), active(exact.value(args)), 1e-9)) return 'what differences see is another value'
    for (const func of references) {
      const expected = flatAll(run(func, args, { mode: 'f64' }), types)
      if (!near(expected, here, 1e-5))
        return `the value is ${here.join(', ')}, but ${func === references[0] && interpreted(seed) ? 'by the IR it is' : 'should be'} ${expected.join(', ')}`
    }
    const weights = value(0).map(() => Math.fround(number()))
    let used = 0
    const cts = types.map(type => fill(differential(type)!, () => weights[used++]!))
    const both = exact.jvp(args, tangents)
    if (!near(flatAll(both.values, types), here, 1e-5)) return 'fwd_diff gives another value'
    const inner = (grads: readonly (Data | undefined)[]): number[] =>
      ins.flatMap((p, i) => {
        const diff = paramDifferential(p)
        if (diff === null) return []
        const t = flatten(diff, tangents[i]!)
        return flatten(diff, grads[i]!).map((x, n) => x * t[n]!)
      })
    const grads = exact.vjp(args, cts)
    const pushed = flatAll(both.tangents, diffs)
    const wrong = disagreement({ value, forward: pushed, reverse: inner(grads), weights })
    const pairs = (mode: 'forward' | 'reverse'): Data[] => {
      let [input, ct] = [0, 1]
      return program.main.params.flatMap(p => {
        const given = p.dir === 'out' ? undefined : input++
        const weight = p.dir === 'in' ? undefined : cts[ct++]!
        if (given === undefined) return mode === 'forward' ? [] : [weight!]
        return [
          tangents[given] === undefined
            ? args[given]!
            : [args[given]!, mode === 'forward' ? tangents[given] : (weight ?? tangents[given])],
        ]
      })
    }
    const overflows = (limit?: number): boolean =>
      forms.overflows('f', pairs('forward'), [...pairs('reverse'), cts[0]!], limit)
    if (wrong !== undefined && ![...pushed, ...flatGrads(grads)].every(Number.isFinite) && overflows()) return 'large'
    if (wrong !== undefined) return wrong
    if (!here.every(v => Math.abs(v) < 100)) return 'large'
    const values = flatAll(wasm.value(args), types)
    const gradients = flatGrads(wasm.vjp(args, cts))
    const tangent = flatAll(wasm.jvp(args, tangents).tangents, diffs)
    const other =
      forms.disagreement('the value', here, values, js => flatAll(scripted(program, js).value(args), types), 1e-4) ??
      forms.disagreement(
        'the gradient',
        flatGrads(grads),
        gradients,
        js => flatGrads(scripted(program, js).vjp(args, cts)),
        1e-3,
      ) ??
      forms.disagreement(
        'the tangent',
        pushed,
        tangent,
        js => flatAll(scripted(program, js).jvp(args, tangents).tangents, diffs),
        1e-3,
      )
    if (other !== undefined) return other
    const script = (js: Evaluated): number[] => {
      const subject = scripted(program, js)
      return [...flatAll(subject.value(args), types), ...flatGrads(subject.vjp(args, cts))]
    }
    samples.push({ args, cts, said: [...values, ...gradients], script, overflows: () => overflows(singleLimit) })
    return undefined
  }
  stats.programs++
  let good = 0
  for (let point = 0; point < most && good < enough; point++) {
    stats.points++
    const args = ins.map(p => fill(p.type, s => (s.name === 'i32' ? rand(4) : Math.fround(number()))))
    const tangents = ins.map(p =>
      paramDifferential(p) === null ? undefined : fill(paramDifferential(p)!, () => Math.fround(number())),
    )
    const wrong = at(args, tangents)
    if (wrong === undefined) good++
    else if (wrong === 'rough') stats.kinks++
    else if (wrong === 'large' || forms.isLarge('f', args, 1e6)) stats.large++
    else return wrong
  }
  if (good === 0) stats.unclear++
  return undefined
}

// ── Second derivatives ───────────────────────────────────────────────────────────────────────────────────────────

const constants = (seed: number): (() => number) => {
  const rand = random(seed + 31)
  return () => (rand(2001) - 1000) / 900 + 0.0123
}

/** The derivative of a program along a curve by reverse and by forward mode, and the derivatives of each in both modes: these four are one number. */
function checkSecond(forms: Forms, samples: SecondSample[]): string | undefined {
  const names = ['byReverse', 'byForward'] as const
  const script = (module: Evaluated, s: number): number[] => [
    ...names.map(name => module[name]!(s) as number),
    ...names.flatMap(name => [
      (module[`fwd_diff(${name})`]!({ p: s, d: 1 }) as Pair).d as number,
      (module[`bwd_diff(${name})`]!({ p: s, d: 777 }, 1) as { out: { s: { d: number } } }).out.s.d,
    ]),
  ]
  const { fn } = forms.loaded
  const at = (s: number): string | undefined => {
    const found = script(forms.exact, s)
    if (!found.every(Number.isFinite) && names.some(name => forms.overflows(name, [[s, 1]], [[s, 777], 1])))
      return 'large'
    const [reverse, forward, ...seconds] = found as [number, number, ...number[]]
    if (!near([reverse], [forward], 1e-6)) return `by reverse mode it is ${reverse}, by forward mode ${forward}`
    for (const second of seconds) {
      if (!isNear(second, seconds[0]!, 1e-6 * (1 + Math.abs(second))))
        return `second derivatives are ${seconds.join(', ')} (fwd(bwd), bwd(bwd), fwd(fwd), bwd(fwd))`
    }
    const wrong = disagreement({
      value: step => forms.differenced(module => [module['byForward']!(s + step) as number])(step),
      forward: [seconds[2]!],
      reverse: [seconds[1]!],
      weights: [1],
    })
    if (wrong !== undefined) return wrong === 'rough' ? wrong : `of second order, ${wrong}`
    if (!found.every(v => Math.abs(v) < 1000)) return 'large'
    const wasm = [
      ...names.map(name => fn[name]!(s) as number),
      ...names.flatMap(name => [fn[name]!.jvp([s], [1]).tangent as number, fn[name]!.vjp([s], 1)[0] as number]),
    ]
    const other = forms.disagreement('the second derivative', found, wasm, js => script(js, s), 1e-3)
    if (other !== undefined) return other
    samples.push({
      s,
      said: wasm,
      script: js => script(js, s),
      overflows: () => names.some(name => forms.overflows(name, [[s, 1]], [[s, 777], 1], singleLimit)),
    })
    return undefined
  }
  stats.seconds++
  let good = 0
  for (let point = 0; point < most && good < enough; point++) {
    stats.secondPoints++
    const s = Math.fround(0.1 + point * 0.63 - (point > 3 ? 3.3 : 0))
    const wrong = at(s)
    if (wrong === undefined) good++
    else if (wrong === 'rough') stats.secondKinks++
    else if (wrong === 'large' || names.some(name => forms.isLarge(name, [s], 1e5))) stats.secondLarge++
    else return wrong
  }
  if (good === 0) stats.secondUnclear++
  return undefined
}

// ── Devices ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a device makes of a program: the same numbers as WebAssembly, as far as it promises. Where they are not given, WebAssembly says them first. */
export async function checkOnDevice(
  program: Program,
  seed: number,
  second: boolean,
  samples: Samples = { first: [], second: [] },
): Promise<string | undefined> {
  try {
    if (samples.first.length === 0 && check(program, seed, { second }, samples) !== undefined) return undefined
    return await (second
      ? secondOnDevice(program, seed, samples.second[0])
      : firstOnDevice(program, seed, samples.first[0]))
  } catch (error) {
    return `threw ${(error as Error).message
      .split('\n')
      .slice(0, shown ? 400 : 2)
      .join('\n')}`
  }
}

async function firstOnDevice(program: Program, seed: number, sample: Sample | undefined): Promise<string | undefined> {
  const { text, reads, writes } = gradientKernel(program, seed)
  const given: number[] = []
  const put = (data: Data): void => {
    if (typeof data === 'number') given.push(data)
    else (data as readonly Data[]).forEach(put)
  }
  let [input, ct] = [0, 1]
  for (const p of sample === undefined ? [] : program.main.params) {
    const diff = paramDifferential(p)
    if (p.dir !== 'out') put(sample!.args[input++]!)
    if (p.dir !== 'in') put(sample!.cts[ct++]!)
    else if (diff !== null) put(fill(diff, () => 777))
  }
  if (sample !== undefined) {
    put(sample.cts[0]!)
    stats.devices++
  }
  return ofDevice(text, seed, given, reads.length, writes, sample)
}

async function secondOnDevice(
  program: Program,
  seed: number,
  sample: SecondSample | undefined,
): Promise<string | undefined> {
  if (sample !== undefined) stats.secondDevices++
  return ofDevice(secondKernel(program, constants(seed)), seed, sample === undefined ? [] : [sample.s], 1, 6, sample)
}

async function ofDevice(
  text: string,
  seed: number,
  given: readonly number[],
  reads: number,
  writes: number,
  sample: Sample | SecondSample | undefined,
): Promise<string | undefined> {
  const inp = new Float32Array(reads)
  inp.set(given)
  const at = async (optimize: Level): Promise<string | { compiled: Compiled; code: string; found: number[] }> => {
    const compiled = compile(text, { verify: verified(seed), optimize, limits })
    const refused = refusal(compiled)
    if (refused !== undefined) return `as a kernel, ${refused}`
    const { code, reflection } = compiled.wgsl()
    const data = { inp: new Uint8Array(inp.buffer), outp: new Uint8Array(writes * 4) }
    const bytes = (await runByName(code, 'computeMain', reflection.bindings, data, [1, 1, 1]))['outp']!
    return { compiled, code, found: [...new Float32Array(bytes.slice().buffer)].slice(0, writes) }
  }
  const attempts = [levels[seed % 4]!, 0] as const
  let result: Awaited<ReturnType<typeof at>> | undefined
  for (let i = 0; i < attempts.length && result === undefined; i++) {
    result = await at(attempts[i]!).catch(error => {
      if (!(error instanceof NotCompiled)) throw error
      stats.uncompiled++
      return undefined
    })
  }
  if (typeof result !== 'object') return result
  const { compiled, code, found } = result
  if (sample === undefined) return undefined
  const { said } = sample
  if (found.length === said.length && near(said, found, 2e-2)) return undefined
  if (said.some(v => !(Math.abs(v) < 1e3))) {
    stats.silent++
    return undefined
  }
  if (!found.every(Number.isFinite) && sample.overflows()) {
    stats.overflows++
    return undefined
  }
  if (isNoise(compiled, sample, found)) {
    stats.noise++
    return undefined
  }
  return `on the device: WebAssembly says ${said.join(', ')}, WGSL ${found.join(', ')}${shown ? `\n${text}\n${code}` : ''}`
}

/**
 * True where what a device says is no further off than the errors that WGSL allows its functions explain: JavaScript in single
 * precision with such errors, chosen at random, goes as far. For sin and cos that is 2⁻¹¹; for atan2 it is bounded only where
 * the first operand is a normal number, and of -0 or a subnormal one a device may make any angle.
 */
function isNoise(compiled: Compiled, { said, script }: Sample | SecondSample, found: readonly number[]): boolean {
  const { code } = compiled.js({ mode: 'f32' })
  const spread = said.map(() => 0)
  const rand = random(7)
  const error = (): number => (rand(2001) - 1000) / 1000
  let turn: number | undefined
  const math: Record<string, unknown> = {}
  for (const name of Object.getOwnPropertyNames(Math)) {
    const f = (Math as unknown as Record<string, unknown>)[name]
    const isExact =
      typeof f !== 'function' || /^(abs|floor|ceil|trunc|round|sign|min|max|fround|imul|clz32)$/.test(name)
    const isWave = name === 'sin' || name === 'cos'
    math[name] = isExact
      ? f
      : (...args: number[]) => {
          const exact = (f as (...args: number[]) => number)(...args)
          if (name === 'atan2' && Math.abs(args[0]!) < smallestNormal) return exact + (turn ?? rand(3) - 1) * Math.PI
          return isWave ? exact + error() * 2 ** -11 : exact * (1 + error() * 2 ** -18)
        }
  }
  for (let run = 0; run < 24; run++) {
    // A device errs the same way each time, which adds up where errors by chance cancel.
    turn = run < 6 ? (run % 3) - 1 : undefined
    script(evaluate(code, math)).forEach((v, i) => {
      spread[i] = Math.max(spread[i]!, Math.abs(v - said[i]!))
    })
  }
  return found.every((v, i) => Math.abs(v - said[i]!) <= 2 * spread[i]! + 2e-2 * Math.max(1, Math.abs(said[i]!)))
}

// ── Failures ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A check of a program and its seed. */
export type Check = (program: Program, seed: number) => string | undefined | Promise<string | undefined>

const kind = (message: string | undefined): string =>
  (message ?? '').replace(/-?\d[\w.+-]*|[@%]\S+/g, '#').slice(0, (message ?? '').startsWith('refused') ? 400 : 60)

/** A program that fails a check, as small as it can be made. */
export async function shrunk(test: Check, seed: number, size: number, message: string): Promise<string> {
  const before = { ...stats }
  const program = await reduce(programOf(seed, size), async p => kind(await test(p, seed)) === kind(message), 300)
  const text = `seed ${seed}: ${await test(program, seed)}\n${programText(program)}`
  Object.assign(stats, before)
  return text
}

/** The seed to begin with, and after how many failures to stop. */
export const first: number = setting('SEED', 0)
export const mostFailures: number = setting('FAILURES', 3)

/** Programs that fail a check, shrunk. */
export async function failuresOf(test: Check, count: number, size: number): Promise<string[]> {
  const failures: string[] = []
  for (let seed = first; seed < first + count && failures.length < mostFailures; seed++) {
    const message = await test(programOf(seed, size), seed)
    if (message !== undefined) failures.push(await shrunk(test, seed, size, message))
  }
  return failures
}
