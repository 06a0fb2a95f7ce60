// Gradients on one core of the CPU beside C that is written by hand, built by `gcc -O3`.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { load } from '../dist/cpu.js'
import { compiled, gradientOf, time } from './dispatch.mjs'
import { mean, row, table } from './table.mjs'
import { difference, failure, mostDifference, verdict } from './verdict.mjs'

const bars = { mean: 1, worst: 1.6 }
/** Programs that have a kernel in C, and as many threads as take a few milliseconds, so that caches hold what both read. */
const batches = {
  '02_loop': 4096,
  '04_mlp': 4096,
  '05_gauss2d': 4096,
  '06_brdf': 8192,
  '07_sdf': 1024,
  '08_nbody': 1024,
}

/** Whether this machine can build the kernels in C. */
export const hasC = () => spawnSync('gcc', ['--version']).status === 0

/** Builds the kernels in C: a function that gives the seconds of the rounds of one, and what it computes. */
function build() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cpu-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  const binary = join(folder, 'kernels')
  execFileSync('gcc', ['-O3', '-o', binary, fileURLToPath(new URL('handwritten/kernels.c', import.meta.url)), '-lm'])
  return (name, threads, input, count) => {
    const [from, to] = [join(folder, 'input'), join(folder, 'output')]
    writeFileSync(from, new Uint8Array(input.buffer))
    const text = execFileSync(binary, [name, String(threads), String(count), from, to], { encoding: 'utf8' })
    const bytes = readFileSync(to)
    return {
      seconds: text.trim().split('\n').map(Number),
      output: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
    }
  }
}

/** Times ours and the kernels in C in turns, and says which bars are met. */
export async function besideC(rounds, isWanted) {
  console.log(`\nGradients on one core beside C by hand, gcc -O3: the least of ${rounds} rounds in turns.\n`)
  const byHand = build()
  table('program', 'ours ms', 'C ms', 'ours / C', 'difference')
  const [ratios, differing] = [[], []]
  for (const [name, threads] of Object.entries(batches).filter(([name]) => isWanted(name))) {
    const module = await load(compiled(name), { threads: 1 })
    const { data, run, output } = gradientOf(module, name, threads)
    for (let k = 0; k < 5; k++) run()
    const [ours, hand] = [[], []]
    let written
    for (let k = 0; k < rounds; k++) {
      for (let n = 0; n < 3; n++) ours.push(time(run))
      const c = byHand(name, threads, data, 4)
      // The first round fetches what the others find in the cache.
      hand.push(...c.seconds.slice(1).map(s => 1000 * s))
      written = c.output
    }
    const [mine, theirs] = [Math.min(...ours), Math.min(...hand)]
    const apart = difference(written, output())
    ratios.push(mine / theirs)
    if (!(apart < mostDifference)) differing.push(name)
    row(name, mine.toFixed(2), theirs.toFixed(2), (mine / theirs).toFixed(2), apart.toExponential(1))
    module.close()
  }
  console.log()
  if (ratios.length === 0) return
  verdict('ours / C in geometric mean', mean(ratios), bars.mean)
  verdict('ours / C at worst', Math.max(...ratios), bars.worst)
  if (differing.length > 0) failure(`other numbers than C: ${differing.join(', ')}`)
}
