// Gradients on one core of the CPU beside those of jax-js and TensorFlow.js, each in the fastest of the forms that a good user of it would try.
import { load } from '../dist/cpu.js'
import { compiled, gradientOf, time } from './dispatch.mjs'
import { programs } from './inputs.mjs'
import { rowsOf } from './peers-cpu/rows.mjs'
import { loadJax } from './peers-cpu/jax.mjs'
import { loadTfjs } from './peers-cpu/tfjs.mjs'
import { mean, row, table } from './table.mjs'
import { difference, failure, mostDifference, reached } from './verdict.mjs'

/** How many times as fast ours are in geometric mean. */
const bars = { 'jax-js': 1.5, tfjs: 5 }
/** Threads that write two megabytes of gradients, which caches hold: enough for what a call of a library costs not to count. */
const batches = { '01_poly': 1 << 17, '04_mlp': 1 << 12, '05_gauss2d': 1 << 12 }

/** The forms of a library: how to time each, and what it computes. */
function contenders(peer, name, data) {
  const { grad } = programs[name]
  return Object.entries(peer.forms[name]).map(([form, make]) => {
    const { run, blocks } = make(data)
    return {
      form,
      times: [],
      async time() {
        const begin = performance.now()
        const result = await peer.call(run)
        const taken = performance.now() - begin
        peer.free(result)
        return taken
      },
      async rows(count) {
        const result = await peer.call(run)
        const rows = rowsOf(count, grad, blocks(result))
        peer.free(result)
        return rows
      },
    }
  })
}

/** Times ours and all forms of both libraries in turns, and says which bars are met. */
export async function besidePeers(require, rounds, isWanted) {
  const peers = [loadJax(require), await loadTfjs(require)]
  console.log(
    `\nGradients on one core beside jax-js and TensorFlow.js (WebAssembly with SIMD): the least of ${rounds} rounds in turns.`,
  )
  console.log('What a library is given lies in its arrays before the clock starts, and what it gives stays there.\n')
  table('program', 'gradients', 'library', 'form', 'theirs ms', 'ours ms', 'theirs / ours', 'difference')
  const ratios = Object.fromEntries(peers.map(({ name }) => [name, {}]))
  const differing = []
  for (const [name, threads] of Object.entries(batches).filter(([name]) => isWanted(name))) {
    const module = await load(compiled(name), { threads: 1 })
    const { data, run, output } = gradientOf(module, name, threads)
    const forms = peers.map(peer => contenders(peer, name, data))
    const ours = []
    // The first calls compile.
    for (let k = 0; k < 5; k++) {
      run()
      for (const form of forms.flat()) await form.time()
    }
    for (let k = 0; k < rounds; k++) {
      for (let n = 0; n < 3; n++) ours.push(time(run))
      for (const form of forms.flat()) for (let n = 0; n < 3; n++) form.times.push(await form.time())
    }
    const mine = Math.min(...ours)
    for (const [i, peer] of peers.entries()) {
      for (const [k, contender] of forms[i]
        .map(form => ({ ...form, least: Math.min(...form.times) }))
        .sort((a, b) => a.least - b.least)
        .entries()) {
        const { form, least } = contender
        const apart = difference(await contender.rows(threads), output())
        if (!(apart < mostDifference)) differing.push(`${peer.name} in ${name} (${form})`)
        const ratio = least / mine
        if (k === 0) ratios[peer.name][name] = ratio
        row(name, threads, peer.name, form, least.toFixed(2), mine.toFixed(2), ratio.toFixed(2), apart.toExponential(1))
      }
    }
    module.close()
  }
  console.log()
  for (const [name, bar] of Object.entries(bars)) {
    const list = Object.entries(ratios[name]).sort(([, a], [, b]) => a - b)
    if (list.length === 0) continue
    const [[worst, ratio]] = list
    reached(`${name} / ours at worst, ${worst}`, ratio, 1)
    reached(`${name} / ours in geometric mean`, mean(Object.values(ratios[name])), bar)
  }
  if (differing.length > 0) failure(`other numbers: ${differing.join(', ')}`)
}
