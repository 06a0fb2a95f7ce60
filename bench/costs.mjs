// What a constant of src/ir/costs.ts weighs: code, what gradients store, and time, beside the present value.
//   npm run bench:costs -- NAME [VALUE …] [--rounds N]   one constant: with half of it and double, or with these values
//   npm run bench:costs -- NAME NAME …                   several, one after the other; --all takes every one
// Code is that of the programs of the bench, of the examples and of the tests; bytes stored are those of gradients on a GPU. Times are ratios to the
// present value, in turns with it, of the programs that have gradients: their mean, and the least and the most. The row `again` is the present value
// once more: as far from 1 as the machine is noisy.
import { build } from 'esbuild'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { writeCore } from '../tools/core-index.mjs'
import { families } from './grow.mjs'
import { gradients } from './on-cpu.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const levels = [2, 3]
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' }, all: { type: 'boolean', default: false } },
})

const text = readFileSync(at('src/ir/costs.ts'), 'utf8')
const numbers = new Map(
  [...text.matchAll(/^export const (\w+) = ([\d_.e]+)$/gm)].map(m => [m[1], Number(m[2].replaceAll('_', ''))]),
)
const isNumber = word => /^[\d.e]+$/.test(word)
const names = options.all ? [...numbers.keys()] : positionals.filter(word => !isNumber(word))
const given = positionals.filter(isNumber).map(Number)
if (names.length === 0 || names.some(name => !numbers.has(name)) || (given.length > 0 && names.length > 1)) {
  console.error(
    `usage: npm run bench:costs -- NAME [VALUE …] [--rounds N]\n       npm run bench:costs -- NAME NAME …\nNAME is one of ${[...numbers.keys()].join(', ')}`,
  )
  process.exit(2)
}

const tests = ['tests/target', 'tests/grad', 'tests/graphics', 'tests/lang/run'].flatMap(folder =>
  readdirSync(at(folder))
    // One program takes as long as many others.
    .filter(file => file.endsWith('.slang') && file !== 'long-chains.slang')
    .map(file => ({ name: file, source: readFileSync(at(`${folder}/${file}`), 'utf8') })),
)
/** A loop of many trips, and a long array. */
const grown = Object.entries({ maxIters: 1024, array: 64 }).map(([name, size]) => ({
  name,
  source: families[name].make(size),
}))
const programs = [...gradients, ...grown, ...tests]

writeCore()
const folder = mkdtempSync(at('node_modules/.costs-'))
const file = join(folder, 'library.mjs')
let loads = 0

async function bundle() {
  await build({
    stdin: {
      contents: `export { compile } from './src/index.ts'
export { loadSync } from './src/cpu/index.ts'
export { tracing } from './src/ir/costs.ts'`,
      resolveDir: at('.'),
    },
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
    plugins: [
      {
        name: 'costs',
        // Until `quiet` is called, each constant that is read is noted.
        setup: build => {
          build.onResolve({ filter: /[\\/]ir[\\/]costs\.ts$/ }, () => ({ path: 'costs', namespace: 'costs' }))
          // CommonJS: who imports it reads a property at each use.
          build.onLoad({ filter: /^/, namespace: 'costs' }, () => ({
            contents: `const values = Object.assign(${JSON.stringify(Object.fromEntries(numbers))}, globalThis.costsToTry)
const read = new Set()
let tracing = true
module.exports = new Proxy(values, { get: (_, name) => (tracing && read.add(name), values[name]) })
values.tracing = { read, values, quiet: () => (tracing = false) }`,
          }))
        },
      },
    ],
  })
}

/** The library, loaded with other values. */
async function library(costs = {}) {
  globalThis.costsToTry = costs
  const { tracing, ...api } = await import(`${pathToFileURL(file)}?${loads++}`)
  return { ...api, ...tracing }
}

/** The library with one value of a constant: the shared one, warm already, where that learns of the change. */
async function variant({ shared, readAtLoad }, name, value) {
  const isShared = !readAtLoad.has(name)
  const lib = isShared ? shared : await library({ [name]: value })
  if (!isShared) lib.quiet()
  return {
    value,
    isShared,
    compile: (source, optimize) => {
      lib.values[name] = value
      return lib.compile(source, { optimize })
    },
    loadSync: lib.loadSync,
  }
}

/** What an output is, or that there is none. */
function output(make) {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** What is made of a program. */
function madeBy(compile, source, optimize) {
  const program = compile(source, optimize)
  if (!program.ok) return {}
  return {
    wgsl: output(() => program.wgsl().code),
    wasm: output(() => Buffer.from(program.wasm().bytes).toString('latin1')),
    js: output(() => program.js().code),
    stored: output(() => program.explain().reduce((sum, e) => sum + e.memory, 0)),
  }
}

/** What the present values make of every program, by level, with the constants that were read for it. */
function survey({ compile, read }) {
  return new Map(
    levels.map(optimize => [
      optimize,
      programs.map(({ source }) => {
        read.clear()
        return { ...madeBy((text, optimize) => compile(text, { optimize }), source, optimize), read: new Set(read) }
      }),
    ]),
  )
}

/** Seconds of the processor. */
function timed(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** The least time of each piece of work, in turns, so that what else the machine does meets all of them. */
function fastest(works, rounds) {
  const least = works.map(() => Infinity)
  for (let round = 0; round < rounds; round++) works.forEach((work, i) => (least[i] = Math.min(least[i], timed(work))))
  return least
}

const rounds = Number(options.rounds)

/** Ratios of the time to compile the programs that have gradients, each at its fastest. */
function compileTimes(variants, optimize) {
  const totals = variants.map(() => 0)
  for (const { source } of gradients) {
    const works = variants.map(of => () => {
      const program = of.compile(source, optimize)
      program.wgsl()
      program.wasm()
    })
    fastest(works, rounds).forEach((time, k) => (totals[k] += time))
  }
  return totals.slice(1).map(time => time / totals[0])
}

/** Ratios of the time of gradients by program, for each variant. What is the same code is not run: its ratio is 1. */
function gradientTimes(variants, made, optimize) {
  const ratios = variants.slice(1).map(() => new Map())
  gradients.forEach(({ name, source, calls }, i) => {
    const others = variants.slice(1)
    const differing = others.filter((_, k) => made[k + 1][i].wasm !== made[0][i].wasm)
    if (differing.length === 0) return
    // The present value once more, which tells of the noise.
    differing.push(others.at(-1))
    const works = [variants[0], ...differing].map(of => {
      const { reverse } = calls(of.loadSync(of.compile(source, optimize)))
      for (let n = 0; n < 20; n++) reverse()
      return reverse
    })
    const count = Math.max(1, Math.ceil(0.01 / (timed(() => works[0]()) + 1e-6)))
    const [first, ...rest] = fastest(
      works.map(work => () => {
        for (let n = 0; n < count; n++) work()
      }),
      rounds * 3,
    )
    rest.forEach((time, k) => ratios[others.indexOf(differing[k])].set(name, time / first))
  })
  return ratios
}

const geometric = list => Math.exp(list.reduce((sum, x) => sum + Math.log(x), 0) / Math.max(1, list.length))
const percent = (x, y) => (x === y ? '0' : `${x > y ? '+' : '−'}${(Math.abs(x / y - 1) * 100).toPrecision(2)} %`)

/** The rows of one level: for each other value, what changes. */
function measured({ present }, name, variants, optimize) {
  const [own, ...others] = variants
  const first = present.get(optimize)
  // What does not read the constant stays as it is.
  const mayDiffer = i => !own.isShared || first[i].read.has(name)
  const made = [
    first,
    ...others
      .slice(0, -1)
      .map(of => programs.map(({ source }, i) => (mayDiffer(i) ? madeBy(of.compile, source, optimize) : first[i]))),
    first,
  ]
  // A library of its own is not as warm as another.
  const isTimed = own.isShared && gradients.some((_, i) => mayDiffer(i))
  const compiles = isTimed ? compileTimes(variants, optimize) : others.map(() => 1)
  const runs = gradientTimes(variants, made, optimize)
  return variants.slice(1).map((of, k) => {
    const [mine, other] = [made[k + 1], made[0]]
    const differs = kind => mine.filter((m, i) => m[kind] !== other[i][kind]).length
    // Of programs that both make.
    const sum = kind => {
      const both = mine.map((m, i) => [m[kind], other[i][kind]]).filter(pair => !pair.includes(undefined))
      const size = x => (typeof x === 'string' ? x.length : x)
      const [x, y] = [0, 1].map(side => both.reduce((total, pair) => total + size(pair[side]), 0))
      return `${percent(x, y)}${differs(kind) > 0 ? ` (${differs(kind)})` : ''}`
    }
    const refused = mine.filter((m, i) =>
      ['wgsl', 'wasm', 'js'].some(kind => m[kind] === undefined && other[i][kind] !== undefined),
    ).length
    const all = gradients.map(({ name }) => runs[k].get(name) ?? 1)
    const [least, most] = [Math.min(...all), Math.max(...all)]
    return [
      k === variants.length - 2 ? 'again' : of.value,
      `-O${optimize}`,
      ...['wgsl', 'wasm', 'js', 'stored'].map(sum),
      refused,
      compiles[k].toFixed(3),
      `${geometric(all).toFixed(3)} (${least.toFixed(2)} … ${most.toFixed(2)})`,
    ]
  })
}

const row = cells => console.log(`| ${cells.join(' | ')} |`)

try {
  await bundle()
  const shared = await library()
  const readAtLoad = new Set(shared.read)
  const present = survey(shared)
  shared.quiet()
  const known = { shared, readAtLoad, present }
  for (const name of names) {
    const own = numbers.get(name)
    const half = own > 1 ? Math.floor(own / 2) : own / 2
    const tried = given.length > 0 ? given : [half, own * 2]
    const variants = []
    for (const value of [own, ...tried]) variants.push(await variant(known, name, value))
    variants.push(variants[0])
    console.log(`\n${name}, which is ${own}: ${programs.length} programs; in parentheses how many of them differ\n`)
    row([
      'value',
      'level',
      'WGSL bytes',
      'WebAssembly bytes',
      'JavaScript bytes',
      'bytes stored',
      'refused',
      'compile time',
      'gradients on the CPU, time',
    ])
    row(['--:', '---', '--:', '--:', '--:', '--:', '--:', '--:', '--:'])
    for (const optimize of levels) measured(known, name, variants, optimize).forEach(row)
    shared.values[name] = own
  }
} finally {
  rmSync(folder, { recursive: true })
}
