// What threads are worth: each program of the bench by one thread and by several, over as many workgroups as take one thread a while.
//   npm run bench:threads [-- --threads 2 --rounds 9 --only 07]
// The exit status is 1 if two threads are less than 1.7 times as fast as one on a program that one thread needs over 10 ms for.
import process from 'node:process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { load } from '../dist/cpu.js'
import { compile } from '../dist/index.js'
import { programs } from './inputs.mjs'

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
})
const [threads, rounds] = [Number(values.threads), Number(values.rounds)]
if (!(threads >= 2) || !(rounds >= 1)) {
  console.error(
    'usage: npm run bench:threads -- [--threads N] [--rounds N] [--only NAME]: 2 threads or more, 1 round or more',
  )
  process.exit(2)
}
/** The least time of one thread that counts, and the times as fast that two have to be. */
const [least, wanted] = [10, 1.7]

const time = run => {
  const begin = performance.now()
  run()
  return performance.now() - begin
}

/** Groups of 64 threads that keep one thread busy for about 40 ms. */
function enough(call) {
  for (let groups = 4; ; groups *= 2) {
    const run = call(groups)
    run()
    if (time(run) > 40 || groups >= 2 ** 15) return groups
  }
}

console.log(`${availableParallelism()} cores; gradients, ${rounds} rounds in turn, the least time of each`)
console.log('program        groups   1 thread  ' + `${threads} threads   times as fast`)
let failed = false
for (const [name, { grad, input }] of Object.entries(programs)) {
  if (!name.includes(values.only)) continue
  const program = compile(readFileSync(new URL(`programs/${name}.slang`, import.meta.url), 'utf8'))
  const modules = [await load(program, { threads: 1 }), await load(program, { threads })]
  const call = (module, groups) => {
    // In the memory of the module, where nothing copies them. A view is gone when memory grows for the next.
    const data = input(64 * groups)
    module.buffer('inp', data.length)
    module.buffer('outp', 64 * groups * grad)
    const buffers = { inp: module.buffer('inp'), outp: module.buffer('outp') }
    buffers.inp.set(data)
    return () => module.kernel('computeMain').dispatch([groups, 1, 1], { buffers })
  }
  const scout = await load(program, { threads: 1 })
  const groups = enough(n => {
    const buffers = { inp: input(64 * n), outp: new Float32Array(64 * n * grad) }
    return () => scout.kernel('computeMain').dispatch([n, 1, 1], { buffers })
  })
  const runs = modules.map(m => call(m, groups))
  for (const run of runs) for (let k = 0; k < 3; k++) run()
  const times = runs.map(() => [])
  for (let k = 0; k < rounds; k++) runs.forEach((run, i) => times[i].push(time(run)))
  // What other programs on the machine do only adds to a time.
  const [one, many] = times.map(list => Math.min(...list))
  const results = modules.map(m => m.buffer('outp'))
  const isEqual = results[0].every((x, i) => Object.is(x, results[1][i]))
  const ratio = one / many
  if (!isEqual || (threads === 2 && one > least && ratio < wanted)) failed = true
  console.log(
    `${name.padEnd(12)} ${String(groups).padStart(8)} ${one.toFixed(2).padStart(7)} ms ${many.toFixed(2).padStart(7)} ms   ${ratio.toFixed(2)}${isEqual ? '' : '   other numbers'}`,
  )
  for (const m of [...modules, scout]) m.close()
}
process.exit(failed ? 1 : 0)
