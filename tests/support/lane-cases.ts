/** Kernels that run one thread at a time, several at once, and on several threads of the machine, on the same numbers. */
import { loadSync, type CpuModule } from '../../src/cpu/index.ts'
import { compile, type Level, type Program } from '../../src/index.ts'
import { random } from './generate-ir.ts'
import { generateKernel, groupsOf, threadReads, threadRow, threadWrites } from './generate-kernel.ts'
import { gradientKernel } from './kernel-text.ts'
import { boundless, programOf } from './random-check.ts'

/** A program with a kernel named `computeMain`, and what it is given. */
export interface LaneCase {
  readonly text: string
  readonly level: Level
  readonly groups: number
  readonly buffers: () => Readonly<Record<string, Float32Array | Int32Array>>
}

const levels = [2, 1, 0, 3] as const

/** Threads of a group: rows of four, rows with a rest, groups of one thread, and more than one row. */
const rows = [
  [64, 2],
  [4, 9],
  [1, 33],
  [7, 6],
  [3, 11],
] as const
const boxes = [
  [64, 1, 1],
  [4, 1, 1],
  [1, 1, 1],
  [7, 1, 1],
  [3, 2, 1],
  [8, 8, 1],
  [1, 5, 2],
  [2, 2, 2],
  [4, 3, 1],
] as const

/** Each thread calls a generated function and its reverse derivative. */
export function gradientCase(seed: number, size: number): LaneCase {
  const rand = random(seed * 31 + 5)
  const kernel = gradientKernel(programOf(seed, size), seed % 2)
  const [threads, groups] = rows[seed % rows.length]!
  const all = threads * groups
  const id = seed % 2 === 0 ? 'id' : 'ids.id'
  const leaves = seed % 3 === 0 ? `    if (${id}.x >= ${all - 5}) return;\n` : ''
  const text = (seed % 4 === 1 ? boundless(kernel.text) : kernel.text)
    .replace(/inp\[([\w.]+) \+/g, `inp[$1 * ${kernel.reads.length} +`)
    .replace(/outp\[([\w.]+) \+/g, `outp[$1 * ${kernel.writes} +`)
    .replace('[numthreads(1, 1, 1)]', `[numthreads(${threads}, 1, 1)]`)
    .replace(/(void computeMain\(.*\)\n\{\n)/, `$1${leaves}`)
  const inp = Float32Array.from({ length: all * kernel.reads.length }, () => (rand(4001) - 2000) / 900)
  return {
    text,
    level: levels[seed % levels.length]!,
    groups,
    buffers: () => ({ inp: inp.slice(), outp: new Float32Array(Math.max(1, all * kernel.writes)) }),
  }
}

/** Threads go different ways, meet at barriers, and add to common numbers. */
export function controlCase(seed: number, size: number): LaneCase {
  const rand = random(seed * 37 + 11)
  const box = boxes[seed % boxes.length]!
  const threads = box[0] * box[1] * box[2]
  const groups = groupsOf(threads)
  const number = (): number => (rand(4001) - 2000) / 700
  const inp = Float32Array.from({ length: threads * groups * threadReads }, number)
  const all = Float32Array.from({ length: 16 }, number)
  // A thread may have a part of the last row. No two read the last element, as they do who read what is out of bounds.
  const rowed = 4 * Math.ceil((threads * groups) / 4) * threadRow - (seed % threadRow)
  return {
    text: generateKernel(seed, box, size),
    level: levels[seed % levels.length]!,
    groups,
    buffers: () => ({
      inp: inp.slice(),
      all: all.slice(),
      outp: new Float32Array(threads * groups * threadWrites),
      rows: Float32Array.from({ length: rowed }, (_, k) => ((k * 7) % 23) / 4 - 2),
      quads: new Float32Array(4 * threads * groups),
      sums: new Int32Array(4),
    }),
  }
}

/** What a kernel wrote, and why one thread at a time ran. */
export interface LaneRun {
  readonly buffers: ReturnType<LaneCase['buffers']>
  readonly reason: string | undefined
}

export function compileCase(made: LaneCase): Program {
  return compile(made.text, { optimize: made.level })
}

function dispatch(module: CpuModule, made: LaneCase): LaneRun {
  const kernel = module.kernel('computeMain')
  const buffers = made.buffers()
  kernel.dispatch([made.groups, 1, 1], {
    buffers: Object.fromEntries(kernel.buffers.map(name => [name, buffers[name]!])),
  })
  module.close()
  return { buffers, reason: kernel.lanes.reason }
}

export function runLanes(program: Program, made: LaneCase, lanes: 1 | 4): LaneRun {
  return dispatch(loadSync(program, { lanes }), made)
}

/** Runs on threads of the machine, by the build: their worker is a file of it. */
export async function runThreads(program: Program, made: LaneCase, threads: number): Promise<LaneRun> {
  const built = new URL('../../dist/cpu.js', import.meta.url).href
  const { load } = (await import(/* @vite-ignore */ built)) as typeof import('../../src/cpu/index.ts')
  return dispatch(await load(program, { threads }), made)
}

/** Where two runs wrote different bits, in words; undefined where nowhere. */
export function laneDifference(one: LaneRun, other: LaneRun): string | undefined {
  for (const [name, x] of Object.entries(one.buffers)) {
    const y = other.buffers[name]!
    const i = x.findIndex((v, k) => !Object.is(v, y[k]))
    if (i >= 0) return `${name}[${i}]: ${x[i]} becomes ${y[i]}`
  }
  return undefined
}
