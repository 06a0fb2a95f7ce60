// Whether what a dispatch takes depends on elements that it does not touch: it reads and writes one of ten, and one of ten million, in the memory of its module.
//   npm run bench:memory [-- --rounds 41]
// What counts is the ratio: 1 is no cost at all. The exit status is 1 if one is above 1.5.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { load } from '../dist/cpu.js'
import { compile } from '../dist/index.js'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '41' } } })
const rounds = Number(values.rounds)
if (!(rounds >= 1)) {
  console.error('usage: npm run bench:memory -- [--rounds N]: a number of 1 or more')
  process.exit(2)
}
const counts = [10, 10_000_000]
const most = 1.5

const program = compile(`
RWStructuredBuffer<float> weights;
[shader("compute")] [numthreads(1, 1, 1)] void step() { weights[3] += 1.0; }
public float one(int i) { return weights[i]; }
[Differentiable] public float scaled(float x) { return x * no_diff(weights[3]); }
`)

/** What is timed, on a module whose buffer has `n` elements: in its own memory, or in an array that each call copies. */
async function subjects(n, isOwn) {
  const m = await load(program)
  // The derivative takes memory of its own, once.
  m.bind({ buffers: { weights: new Float32Array(4) } })
  m.fn.scaled.vjp([1], 1)
  const weights = isOwn ? m.buffer('weights', n) : new Float32Array(n)
  m.bind({ buffers: { weights } })
  const step = m.kernel('step')
  const given = { buffers: { weights } }
  return {
    dispatch: () => step.dispatch([1, 1, 1], given),
    'bound function': () => m.fn.one(3),
    'its gradient': () => m.fn.scaled.vjp([2], 1),
  }
}

/** Microseconds of each, in turns: the least of rounds, since other work of the machine only adds. */
function times(runs, steps) {
  const found = runs.map(() => Infinity)
  for (let round = -3; round < rounds; round++) {
    runs.forEach((run, i) => {
      const start = performance.now()
      for (let k = 0; k < steps; k++) run()
      if (round >= 0) found[i] = Math.min(found[i], ((performance.now() - start) * 1000) / steps)
    })
  }
  return found
}

const own = [await subjects(counts[0], true), await subjects(counts[1], true)]
const copied = await subjects(counts[1], false)
console.log(
  `\nMicroseconds a call that touches one element, in Node ${process.version}: the least of ${rounds} rounds in turns\n`,
)
console.log('| call | one of ten | one of ten million | ratio | ten million that are copied |\n|---|--:|--:|--:|--:|')
let worst = 0
for (const name of Object.keys(copied)) {
  const [few, many] = times(
    own.map(s => s[name]),
    1000,
  )
  const start = performance.now()
  copied[name]()
  const copy = (performance.now() - start) * 1000
  worst = Math.max(worst, many / few)
  console.log(`| ${name} | ${few.toFixed(2)} | ${many.toFixed(2)} | ${(many / few).toFixed(2)} | ${copy.toFixed(0)} |`)
}
if (worst > most) console.error(`\nuntouched elements cost time: a ratio is above ${most}`)
process.exit(worst > most ? 1 : 0)
