// What threads are worth: programs of the bench by one thread and by several, over as many workgroups as take one thread a while.
import { availableParallelism } from 'node:os'
import { load } from '../dist/cpu.js'
import { compiled, gradientOf, time } from './dispatch.mjs'
import { programs } from './inputs.mjs'
import { row, table } from './table.mjs'
import { failure, reached } from './verdict.mjs'

/** Milliseconds of one thread from which a program counts, and how many times as fast two have to be. */
const [least, bar] = [10, 1.7]

/** Groups of 64 threads that keep one thread busy for about 40 ms. */
async function enough(program, { grad, input }) {
  // A module's own buffers keep their size: this one copies.
  const scout = await load(program, { threads: 1 })
  try {
    for (let groups = 4; ; groups *= 2) {
      const buffers = { inp: input(64 * groups), outp: new Float32Array(64 * groups * grad) }
      const run = () => scout.kernel('computeMain').dispatch([groups, 1, 1], { buffers })
      run()
      // Another program on the machine may take the core from one run.
      if (Math.min(time(run), time(run), time(run)) > 40 || groups >= 2 ** 15) return groups
    }
  } finally {
    scout.close()
  }
}

/** Times one thread and so many in turns, and says whether two are worth it. */
export async function byThreads(threads, rounds, isWanted) {
  console.log(`\nThreads, on ${availableParallelism()} cores: the least of ${rounds} rounds in turns.\n`)
  table('program', 'groups', '1 thread ms', `${threads} threads ms`, 'times as fast')
  const [ratios, differing] = [[], []]
  for (const name of Object.keys(programs).filter(isWanted)) {
    const program = compiled(name)
    const groups = await enough(program, programs[name])
    const modules = [await load(program, { threads: 1 }), await load(program, { threads })]
    const gradients = modules.map(module => gradientOf(module, name, 64 * groups))
    for (const { run } of gradients) for (let k = 0; k < 3; k++) run()
    const times = gradients.map(() => [])
    for (let k = 0; k < rounds; k++) gradients.forEach(({ run }, i) => times[i].push(time(run)))
    // What other programs on the machine do only adds to a time.
    const [one, many] = times.map(list => Math.min(...list))
    const [alone, shared] = gradients.map(({ output }) => output())
    if (!alone.every((x, i) => Object.is(x, shared[i]))) differing.push(name)
    if (one > least) ratios.push(one / many)
    row(name, groups, one.toFixed(2), many.toFixed(2), (one / many).toFixed(2))
    for (const module of modules) module.close()
  }
  console.log()
  if (threads === 2 && ratios.length > 0)
    reached(`two threads, times as fast as one at worst, where one takes over ${least} ms`, Math.min(...ratios), bar)
  if (differing.length > 0) failure(`other numbers by ${threads} threads: ${differing.join(', ')}`)
}
