// Gradients on one core of the CPU beside C that is written by hand, built by `gcc -O3`.
//   npm run bench:cpu [-- --rounds 9 --only 07]
// The exit status is 1 if ours take longer than C in geometric mean, or over 1.6 times as long on a program, or if numbers differ.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { load } from '../dist/cpu.js'
import { compile } from '../dist/index.js'
import { programs } from './inputs.mjs'
import { mean, row, table } from './table.mjs'
import { difference, failure, mostDifference, verdict } from './verdict.mjs'

const bars = { mean: 1, worst: 1.6 }
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, only: { type: 'string', default: '' } },
})
const rounds = Number(values.rounds)
if (!(rounds >= 1)) {
  console.error('usage: npm run bench:cpu -- [--rounds N] [--only NAME]: 1 round or more')
  process.exit(2)
}
if (spawnSync('gcc', ['--version']).status !== 0) {
  console.error('bench:cpu compares with C: it needs gcc, which this machine has not')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-cpu-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
const binary = join(folder, 'kernels')
execFileSync('gcc', ['-O3', '-o', binary, fileURLToPath(new URL('handwritten/kernels.c', import.meta.url)), '-lm'])

/** Seconds of the rounds of C, and what it computes. */
function byHand(name, threads, input, count) {
  const [from, to] = [join(folder, 'input'), join(folder, 'output')]
  writeFileSync(from, new Uint8Array(input.buffer))
  const text = execFileSync(binary, [name, String(threads), String(count), from, to], { encoding: 'utf8' })
  const bytes = readFileSync(to)
  return {
    seconds: text.trim().split('\n').map(Number),
    output: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
  }
}

console.log(`Gradients on one core beside C by hand, gcc -O3: the least of ${rounds} rounds in turns.\n`)
table('program', 'ours ms', 'C ms', 'ours / C', 'difference')
const [ratios, differing] = [[], []]
for (const [name, { grad, input }] of Object.entries(programs)) {
  const hasKernel = !['01_poly', '03_sphere'].includes(name)
  if (!hasKernel || !name.includes(values.only)) continue
  const program = compile(readFileSync(new URL(`programs/${name}.slang`, import.meta.url), 'utf8'))
  const module = await load(program, { threads: 1 })
  // As many threads as take a few milliseconds, so that caches hold what both read.
  const threads =
    { '02_loop': 4096, '04_mlp': 4096, '05_gauss2d': 4096, '07_sdf': 1024, '08_nbody': 1024 }[name] ?? 8192
  const data = input(threads)
  module.buffer('inp', data.length)
  module.buffer('outp', threads * grad)
  const buffers = { inp: module.buffer('inp'), outp: module.buffer('outp') }
  buffers.inp.set(data)
  const kernel = module.kernel('computeMain')
  const run = () => kernel.dispatch([threads / 64, 1, 1], { buffers })
  for (let k = 0; k < 5; k++) run()
  const ours = [],
    hand = []
  let output
  for (let k = 0; k < rounds; k++) {
    for (let n = 0; n < 3; n++) {
      const begin = performance.now()
      run()
      ours.push(performance.now() - begin)
    }
    const c = byHand(name, threads, data, 4)
    // The first round fetches what the others find in the cache.
    hand.push(...c.seconds.slice(1).map(s => 1000 * s))
    output = c.output
  }
  const [mine, theirs] = [Math.min(...ours), Math.min(...hand)]
  const apart = difference(output, module.buffer('outp'))
  ratios.push(mine / theirs)
  if (!(apart < mostDifference)) differing.push(name)
  row(name, mine.toFixed(2), theirs.toFixed(2), (mine / theirs).toFixed(2), apart.toExponential(1))
  module.close()
}
console.log()
verdict('ours / C in geometric mean', mean(ratios), bars.mean)
verdict('ours / C at worst', Math.max(...ratios), bars.worst)
if (differing.length > 0) failure(`other numbers than C: ${differing.join(', ')}`)
process.exit()
