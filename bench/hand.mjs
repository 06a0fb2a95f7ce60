// Gradients on the GPU beside kernels that are written by hand, and beside the real compiler: are they as fast, as quick to load, as short?
//   npm run bench:gradients -- hand [--budget ms] [--only name]
import { existsSync, readFileSync } from 'node:fs'
import { timeOf } from './gpu.mjs'
import { mean, row, table } from './table.mjs'
import { difference, failure, mostDifference, verdict } from './verdict.mjs'
import { writeOut } from './write-out.mjs'

/** Longer kernels are no measure: nobody writes them, and pipelines of them take long to create. */
const longest = 16 * 1024
/** Loops of at most so many trips are written out, in one variant each. */
const trips = [4, 8, 12]
/** How often a kernel that seems slower than the real compiler's is timed again before it counts as slower. */
const again = 3

const bars = { mean: 1.25, worst: 1.6, creation: 1.5, length: 1 / 3 }

/** The kernel of a program as somebody wrote it, and its variants with small loops written out; none if there is no such kernel. */
function kernelsByHand(name) {
  const texts = [name, `${name}.flat`]
    .map(file => new URL(`handwritten/${file}.wgsl`, import.meta.url))
    .filter(file => existsSync(file))
    .map(file => readFileSync(file, 'utf8'))
  const variants = texts.flatMap(text => [text, ...trips.map(n => writeOut(text, n))])
  return [...new Set(variants)].filter(text => text.length < longest)
}

/**
 * Times our gradient, the kernels by hand and the real compiler's gradient in turns, and says which bars are met. `compiled` holds a
 * program's name, input and outputs, and the WGSL of both compilers.
 */
export async function besideHand(gpu, compiled) {
  console.log(`\nGradients beside kernels by hand, through WGSL on ${gpu.name}: the least of many runs.`)
  console.log('Best: the fastest of the plain kernel and those with small loops written out, under 16 KB.')
  console.log(
    'Creation: of the pipeline, against that of the best kernel. All threads of a program run: the other tables take fewer.\n',
  )
  table(
    'program',
    'ours ms',
    'ours / plain',
    'ours / best',
    'creation ms',
    'creation / best',
    'theirs / ours',
    'difference',
  )
  const plains = [],
    bests = [],
    creations = [],
    slower = [],
    differing = []
  for (const program of compiled) {
    const hand = kernelsByHand(program.name)
    const kernels = [
      { wgsl: program.ours, entry: 'computeMain' },
      { wgsl: program.theirs, entry: 'computeMain' },
      ...hand.map(wgsl => ({ wgsl, entry: 'main' })),
    ]
    const answer = await timed(gpu, program, kernels, 3)
    const [ours, theirs, ...byHand] = timeOf(answer)
    if (await isSlower(gpu, program, kernels, theirs / ours)) slower.push(program.name)
    const cells = [program.name, ours.toFixed(2)]
    if (hand.length === 0) {
      row(...cells, '', '', answer.creation[0].toFixed(0), '', (theirs / ours).toFixed(2), '')
      continue
    }
    const apart = difference(answer.results[2], answer.results[0])
    if (!(apart < mostDifference)) differing.push(program.name)
    const best = byHand.indexOf(Math.min(...byHand))
    const [toPlain, toBest] = [ours / byHand[0], ours / byHand[best]]
    const creation = answer.creation[0] / answer.creation[2 + best]
    plains.push(toPlain)
    bests.push(toBest)
    creations.push(creation)
    row(
      ...cells,
      toPlain.toFixed(2),
      toBest.toFixed(2),
      answer.creation[0].toFixed(0),
      creation.toFixed(2),
      (theirs / ours).toFixed(2),
      apart.toExponential(1),
    )
  }
  console.log()
  if (bests.length > 0) {
    console.log(`ours / plain in geometric mean: ${mean(plains).toFixed(2)}`)
    verdict('ours / best in geometric mean', mean(bests), bars.mean)
    verdict('ours / best at worst', Math.max(...bests), bars.worst)
    verdict('creation / best in geometric mean', mean(creations), bars.creation)
  }
  const length = what => compiled.reduce((sum, program) => sum + Buffer.byteLength(program[what]), 0)
  verdict('bytes of WGSL, ours / theirs', length('ours') / length('theirs'), bars.length)
  if (slower.length > 0) failure(`slower than theirs: ${slower.join(', ')}`)
  if (differing.length > 0) failure(`other numbers than by hand: ${differing.join(', ')}`)
}

function timed(gpu, { threads: n, grad, input }, kernels, creations) {
  // All threads: the first rays of a picture see another part of the scene than the others.
  return gpu.time({ kernels, input: input(n), outputs: n * grad, groups: n / 64, creations })
}

/** True if our kernel was slower each time: two equal kernels are in turn slower by chance. */
async function isSlower(gpu, program, kernels, ratio) {
  for (let i = 0; i < again && ratio < 1; i++) {
    const [ours, theirs] = timeOf(await timed(gpu, program, kernels.slice(0, 2), 1))
    ratio = theirs / ours
  }
  return ratio < 1
}
