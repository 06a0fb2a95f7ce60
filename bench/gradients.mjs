// What gradients cost on the GPU, beside kernels written by hand and the real compiler: time, length, memory between the two passes, growth.
//   npm run bench:gradients [-- hand|bytes|time|arrays|growth] [--budget ms] [--only name]
// Times are through WGSL on one WebGPU device, both compilers' kernels in turns; what counts is the ratio. The exit status is 1 if a bar of
// `hand` is not met.
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compile } from '../dist/index.js'
import { startGpu, timeOf } from './gpu.mjs'
import { families } from './grow.mjs'
import { besideHand } from './hand.mjs'
import { programs, rng } from './inputs.mjs'
import { gradients } from './on-cpu.mjs'
import { loadPeer } from './peer.mjs'
import { mean, row, table } from './table.mjs'
import { difference } from './verdict.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { budget: { type: 'string', default: '1500' }, only: { type: 'string' } },
})
const parts = positionals.length === 0 ? ['hand', 'bytes', 'time', 'arrays', 'growth'] : positionals
const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = path => readFileSync(at(path), 'utf8')
const wanted = name => options.only === undefined || name.includes(options.only)

const peer = await loadPeer()
const theirs = (source, name) => peer(source, `${name}${Math.random().toString(36).slice(2)}`)
const ours = (source, name) => compile(source, { fileName: `${name}.slang` }).wgsl().code
const source = name => read(`bench/programs/${name}.slang`)

// ---- bytes ----

/** Bytes of the context structs of the real compiler, those within others not counted again. */
function contexts(wgsl) {
  const structs = new Map(
    [...wgsl.matchAll(/struct (\w+)\s*\{([^}]*)\}/g)].map(([, name, body]) => [
      name,
      [...body.matchAll(/:\s*([^\n]+?),?\s*(?:\n|$)/g)].map(m => m[1].trim().replace(/,$/, '')),
    ]),
  )
  const size = type => {
    const array = /^array<(.*),\s*(?:i32\()?(\d+)\)?>$/.exec(type)
    if (array !== null) return size(array[1].trim()) * Number(array[2])
    const vec = /^vec(\d)<\w+>$/.exec(type)
    if (vec !== null) return 4 * Number(vec[1])
    const mat = /^mat(\d)x(\d)<\w+>$/.exec(type)
    if (mat !== null) return 4 * Number(mat[1]) * Number(mat[2])
    return structs.has(type) ? structs.get(type).reduce((s, t) => s + size(t), 0) : 4
  }
  const names = [...structs.keys()].filter(n => n.includes('Intermediates'))
  const inner = new Set(names.flatMap(n => structs.get(n).flatMap(t => names.filter(m => m !== n && t.includes(m)))))
  return names.filter(n => !inner.has(n)).reduce((s, n) => s + size(n), 0)
}

function bytes() {
  console.log(
    '\nBytes that a reverse pass keeps in memory, a call: ours as `cotangent explain` says, theirs off the context structs of their WGSL\n',
  )
  table('program', 'Cotangent', 'slang-wasm')
  let [a, b] = [0, 0]
  const examples = gradients
    .filter(({ isExample }) => isExample)
    .map(({ name, source }) => [`examples/${name}`, source])
  for (const [name, text] of [...Object.keys(programs).map(n => [n, source(n)]), ...examples]) {
    if (!wanted(name)) continue
    const mine = compile(text, { fileName: `${name}.slang` })
      .explain()
      .reduce((s, e) => s + e.memory, 0)
    let other
    try {
      other = contexts(theirs(text, 'm'))
      a += mine
      b += other
    } catch {
      other = 'refused'
    }
    row(name, mine, other)
  }
  row('sum', a, b)
}

// ---- time ----

/** A kernel that only reads what a thread reads and writes what it writes: no gradient takes less. */
function copying(reads, writes) {
  const each = (count, line) => Array.from({ length: count }, (_, i) => `  ${line(i)}\n`).join('')
  return `@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;
@compute @workgroup_size(64)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let at = id.x * ${reads}u;
  let to = id.x * ${writes}u;
${each(reads, i => `let x${i} = inp[at + ${i}u];`)}${each(writes, i => `outp[to + ${i}u] = x${i % reads};`)}}
`
}

async function time(gpu) {
  console.log(
    `\nTime of the reverse through WGSL on ${gpu.name}: the least of many runs. Noise: how far our kernel is from itself, timed twice.`,
  )
  console.log('Copying: a kernel that only reads the inputs and writes the outputs.\n')
  table(
    'program',
    'ours ms',
    'theirs ms',
    'copying ms',
    'theirs / ours',
    'noise',
    'ours / own primal',
    'theirs / own primal',
    'difference',
  )
  const speedup = [],
    own = [],
    other = [],
    slower = []
  for (const [name, { threads, grad, input }] of Object.entries(programs)) {
    if (!wanted(name)) continue
    const [a, b] = [ours(source(name), name), theirs(source(name), name)]
    // Short runs find quiet moments.
    const n = threads / 8
    const data = input(n)
    const kernels = [
      ...[a, b].flatMap(wgsl => [
        { wgsl, entry: 'computeMain' },
        { wgsl, entry: 'primalMain' },
      ]),
      { wgsl: a, entry: 'computeMain' },
      { wgsl: copying(Math.max(1, Math.floor(data.length / n)), grad), entry: 'computeMain' },
    ]
    const answer = await gpu.time({ kernels, input: data, outputs: n * grad, groups: n / 64 })
    const { results } = answer
    const [mr, mp, tr, tp, again, copied] = timeOf(answer)
    const noise = Math.abs(mr - again) / mr
    speedup.push(tr / mr)
    own.push(mr / mp)
    other.push(tr / tp)
    if (tr / mr < 1 - noise) slower.push(name)
    row(
      name,
      mr.toFixed(2),
      tr.toFixed(2),
      copied.toFixed(2),
      (tr / mr).toFixed(2),
      `${(noise * 100).toFixed(1)} %`,
      (mr / mp).toFixed(2),
      (tr / tp).toFixed(2),
      difference(results[0], results[2]).toExponential(1),
    )
  }
  row('geometric mean', '', '', '', mean(speedup).toFixed(2), '', mean(own).toFixed(2), mean(other).toFixed(2), '')
  console.log(`\nSlower than theirs by more than the noise: ${slower.join(', ') || 'none'}`)
}

// ---- small arrays ----

/** Programs that keep what they work on in small arrays and matrices, which pay only in registers. */
async function arrays(gpu) {
  console.log(`\nTime of the reverse of programs with small arrays (bench/arrays), through WGSL on ${gpu.name}\n`)
  table('program', 'ours ms', 'theirs ms', 'theirs / ours', 'ours / own primal', 'WGSL bytes', 'theirs')
  const [speedup, own] = [[], []]
  const threads = 1 << 12
  for (const file of readdirSync(at('bench/arrays')).sort()) {
    const name = file.replace('.slang', '')
    if (!wanted(name)) continue
    const text = read(`bench/arrays/${file}`)
    const numbers = Number(/Numbers a thread: (\d+)/.exec(text)[1])
    const random = rng(12345)
    const input = Float32Array.from({ length: threads * numbers }, () => random() * 1.2 - 0.3)
    const codes = [ours(text, name)]
    try {
      codes.push(theirs(text, name))
    } catch {
      // It refuses some.
    }
    const kernels = codes.flatMap(wgsl => ['computeMain', 'primalMain'].map(entry => ({ wgsl, entry })))
    const answer = await gpu.time({ kernels, input, outputs: threads * numbers, groups: threads / 64 })
    const [mr, mp, tr] = timeOf(answer)
    own.push(mr / mp)
    if (tr !== undefined) speedup.push(tr / mr)
    const ratio = tr === undefined ? '' : (tr / mr).toFixed(1)
    row(
      name,
      mr.toFixed(2),
      tr?.toFixed(2) ?? 'refused',
      ratio,
      (mr / mp).toFixed(2),
      codes[0].length,
      codes[1]?.length ?? '',
    )
  }
  row('geometric mean', '', '', mean(speedup).toFixed(1), mean(own).toFixed(2), '', '')
}

// ---- by hand ----

/** The programs as both compilers write them, and what the bars of `hand.mjs` ask of all of them. */
async function hand(gpu) {
  const all = Object.entries(programs).filter(([name]) => wanted(name))
  const compiled = all.map(([name, program]) => ({
    ...program,
    name,
    ours: ours(source(name), name),
    theirs: theirs(source(name), name),
  }))
  await besideHand(gpu, compiled)
}

// ---- growth ----

/** The exponent of time against size: the slope of a straight line through the logarithms. */
function exponent(sizes, times) {
  const [x, y] = [sizes.map(Math.log), times.map(Math.log)]
  const [mx, my] = [x, y].map(l => l.reduce((s, v) => s + v, 0) / l.length)
  return x.reduce((s, v, i) => s + (v - mx) * (y[i] - my), 0) / x.reduce((s, v) => s + (v - mx) ** 2, 0)
}

async function growth(gpu) {
  const threads = 1 << 13
  const input = Float32Array.from({ length: threads * 4 }, (_, i) => 0.2 + 0.6 * ((i * 0.6180339887) % 1))
  const cases = { array: [16, 64, 256], arrayParam: [16, 64, 256], maxIters: [16, 64, 256, 1024] }
  console.log(
    '\nHow the reverse grows, in ms: with the elements of an array, and with the bound of [MaxIters] at eight trips\n',
  )
  for (const [family, sizes] of Object.entries(cases)) {
    if (!wanted(family)) continue
    table(family, ...sizes.map(n => `N = ${n}`), 'exponent')
    const rows = { 'ours, primal': [], 'ours, reverse': [], 'theirs, primal': [], 'theirs, reverse': [] }
    for (const n of sizes) {
      const text = families[family].make(n)
      const kernels = [ours(text, family), theirs(text, family)].flatMap(wgsl => [
        { wgsl, entry: 'primalMain' },
        { wgsl, entry: 'computeMain' },
      ])
      const answer = await gpu.time({
        kernels,
        input,
        outputs: threads * 4,
        groups: threads / 64,
        budget: Number(options.budget) / 2,
      })
      Object.values(rows).forEach((r, i) => r.push(timeOf(answer)[i]))
    }
    for (const [name, times] of Object.entries(rows))
      row(name, ...times.map(t => t.toFixed(2)), exponent(sizes, times).toFixed(2))
    console.log()
  }
}

if (parts.includes('bytes')) bytes()
if (parts.some(part => part !== 'bytes')) {
  const gpu = await startGpu(Number(options.budget))
  if (parts.includes('hand')) await hand(gpu)
  if (parts.includes('time')) await time(gpu)
  if (parts.includes('arrays')) await arrays(gpu)
  if (parts.includes('growth')) await growth(gpu)
  gpu.stop()
}
process.exit(0)
