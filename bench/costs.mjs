// What one constant of src/ir/costs.ts weighs: `npm run bench:costs -- NAME VALUE VALUE …` compiles all programs of the bench and the examples with each
// value, in turns, and prints what comes of it. Without values: half of it, itself, and double.
import { build } from 'esbuild'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { writeCore } from '../tools/core-index.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const {
  values: options,
  positionals: [name, ...given],
} = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '15' } } })

const text = readFileSync(at('src/ir/costs.ts'), 'utf8')
const entry = new RegExp(`^  ${name}: ([\\d_.e]+),`, 'm')
const found = name === undefined ? null : entry.exec(text)
if (found === null) {
  const names = [...text.matchAll(/^ {2}(\w+): [\d_.e]+,/gm)].map(m => m[1])
  console.error(`usage: npm run bench:costs -- NAME [VALUE …] [--rounds N]\nNAME is one of ${names.join(', ')}`)
  process.exit(2)
}
const own = Number(found[1].replaceAll('_', ''))
const tried = given.length > 0 ? given.map(Number) : [own / 2, own, own * 2]
if (tried.some(v => !(v >= 0))) {
  console.error('values are numbers, 0 or more')
  process.exit(2)
}

writeCore()
const folder = mkdtempSync(at('node_modules/.costs-'))
const programs = [
  ...readdirSync(at('bench/programs')).map(f => `bench/programs/${f}`),
  ...readdirSync(at('examples')).map(f => `examples/${f}/${f}.slang`),
].map(path => [path, readFileSync(at(path), 'utf8')])

/** The library with another value. */
async function library(value) {
  const outfile = join(folder, `${value}.mjs`)
  await build({
    entryPoints: [at('src/index.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
    plugins: [
      {
        name: 'cost',
        setup: build =>
          build.onLoad({ filter: /[\\/]ir[\\/]costs\.ts$/ }, () => ({
            contents: text.replace(entry, `  ${name}: ${value},`),
            loader: 'ts',
          })),
      },
    ],
  })
  return import(pathToFileURL(outfile).href)
}

/** Seconds of the processor. */
function timed(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

try {
  const results = []
  for (const value of tried)
    results.push({ value, library: await library(value), compile: Infinity, wgsl: 0, stored: 0, js: 0 })
  for (const result of results) {
    for (const [, source] of programs) {
      const program = result.library.compile(source)
      result.wgsl += program.wgsl().code.length
      result.js += program.js().code.length
      result.stored += program.explain().reduce((sum, e) => sum + e.memory, 0)
    }
  }
  // In turns, so that what else the machine does meets all of them.
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const result of results) {
      result.compile = Math.min(
        result.compile,
        timed(() => {
          for (const [, source] of programs) result.library.compile(source).wgsl()
        }),
      )
    }
  }
  console.log(
    `${name}, which is ${own}: ${programs.length} programs\n\n| value | WGSL bytes | JavaScript bytes | bytes stored by gradients | compile ms |\n| --: | --: | --: | --: | --: |`,
  )
  for (const r of results)
    console.log(`| ${r.value} | ${r.wgsl} | ${r.js} | ${r.stored} | ${(r.compile * 1000).toFixed(0)} |`)
} finally {
  rmSync(folder, { recursive: true })
}
