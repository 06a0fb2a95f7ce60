/** Compares what a program means with what the compiler makes of it. */
import { NotCompiled } from '../support/gpu.ts'
import { watch } from './dual.ts'
import { Meaning, Unclear, type Twist } from './meaning.ts'
import { Random } from './random.ts'
import { Refused, prepare, type Target } from './targets.ts'
import type { Program } from './tree.ts'

/** What came of a program: agreement, no answer, or a disagreement in words. */
export type Outcome =
  | { readonly kind: 'agrees'; readonly numbers: number }
  | { readonly kind: 'skipped'; readonly why: string }
  | { readonly kind: 'disagrees'; readonly what: string; readonly detail: string }

/** At how many points each program is compared. */
const pointCount = 2

interface Limits {
  /** Nearer to a kink than this, the numbers of a target may lie on its other side. */
  readonly margin: number
  /** Numbers this close, relative to those above 1, are the same. */
  readonly tolerance: number
  /** What each operation may err by; and what sines and cosines may, beside. */
  readonly noise: number
  readonly waves: number
  /** Larger numbers are not compared. */
  readonly largest: number
}

const limits: Readonly<Record<Target, Limits>> = {
  js: { margin: 1e-9, tolerance: 1e-9, noise: 2 ** -49, waves: 0, largest: 1e100 },
  wasm: { margin: 1e-9, tolerance: 1e-9, noise: 2 ** -48, waves: 0, largest: 1e100 },
  webgpu: { margin: 2e-3, tolerance: 1e-3, noise: 2 ** -20, waves: 2 ** -11, largest: 1e12 },
}
/** Errors add up in another order than noise does. */
const patience = 64
/** A number that noise moves by more, relative to those above 1, has no digit that could be compared: further errors may move it anywhere. */
const chaotic = 0.1

interface Sample {
  readonly inputs: readonly number[]
  readonly expected: readonly number[]
}

function inputsOf(program: Program, seed: number, point: number): number[] {
  const random = new Random(Math.imul(seed, 31) + point + 1)
  return Array.from({ length: program.inputs }, () => Math.round((random.next() * 3 - 1.5) * 4096) / 4096)
}

function quiet(): void {
  watch.margin = Infinity
  watch.largest = 0
  watch.noise = 0
  watch.waves = 0
}

/** How far numbers go where each operation errs as a target may: the most of some runs. */
function spreads(meaning: Meaning, { inputs, expected }: Sample, { noise, waves }: Limits): number[] {
  const out = expected.map(() => 0)
  const random = new Random(5)
  watch.random = () => random.next()
  for (let i = 0; i < 12; i++) {
    watch.noise = noise
    watch.waves = waves
    try {
      meaning.run(inputs).forEach((v, k) => {
        out[k] = Math.max(out[k]!, Math.abs(v - expected[k]!))
      })
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      // Within the errors of a target the program may come to what has no meaning.
      out.fill(Infinity)
    }
  }
  quiet()
  return out
}

/** Points at which a program means something that can be compared, and why others do not. */
function samplesOf(
  meaning: Meaning,
  seed: number,
  { largest, margin }: Limits,
): { readonly samples: Sample[]; readonly why: string } {
  const samples: Sample[] = []
  let why = ''
  for (let point = 0; point < pointCount; point++) {
    const inputs = inputsOf(meaning.program, seed, point)
    quiet()
    try {
      const expected = meaning.run(inputs)
      if (!expected.every(Number.isFinite) || !(watch.largest < largest)) why = 'large'
      else if (watch.margin < margin) why = 'kink'
      else samples.push({ inputs, expected })
    } catch (error) {
      if (!(error instanceof Unclear)) throw error
      why = error.message
    }
  }
  return { samples, why }
}

export async function compare(
  program: Program,
  seed: number,
  target: Target,
  twist: Twist = {},
  verify = false,
): Promise<Outcome> {
  const meaning = new Meaning(program, twist)
  const limit = limits[target]
  const { samples, why } = samplesOf(meaning, seed, limit)
  let answers: readonly (readonly number[])[]
  try {
    const run = prepare(program, target, verify)
    if (samples.length === 0) return { kind: 'skipped', why }
    answers = await run(samples.map(s => s.inputs))
  } catch (error) {
    const { message, stack } = error as Error
    if (error instanceof NotCompiled) return { kind: 'skipped', why: 'the device does not compile it in time' }
    if (error instanceof Refused)
      return { kind: 'disagrees', what: `refused: ${message.split('\n')[0]!}`, detail: message }
    return { kind: 'disagrees', what: `threw: ${message.split('\n')[0]!.slice(0, 80)}`, detail: stack ?? message }
  }
  let numbers = 0
  let isNoise = false
  for (const [k, sample] of samples.entries()) {
    const { inputs, expected } = sample
    const found = answers[k]!
    let spread: number[] | undefined
    for (const [i, want] of expected.entries()) {
      const off = Math.abs(found[i]! - want)
      if (off <= limit.tolerance * Math.max(1, Math.abs(want))) {
        numbers++
        continue
      }
      spread ??= spreads(meaning, sample, limit)
      if (off <= patience * spread[i]! || spread[i]! > chaotic * Math.max(1, Math.abs(want))) {
        isNoise = true
        continue
      }
      const said = expected.map((v, at) => `shown[${at}]: expected ${v}, found ${found[at]}${at === i ? '   <--' : ''}`)
      return { kind: 'disagrees', what: 'number', detail: `with x = { ${inputs.join(', ')} }\n${said.join('\n')}` }
    }
  }
  return numbers === 0 && isNoise ? { kind: 'skipped', why: 'noise' } : { kind: 'agrees', numbers }
}
