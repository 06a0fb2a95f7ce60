// The programs of docs/gallery.md, as Cotangent and as the real compiler run them.
//   node bench/gallery.mjs [--write | --check] [--only NAME]       after npm run build
// Without options it prints what it finds. --write records that in bench/gallery/recorded.json and in the tables of the page. --check
// compares it with what is recorded, and fails where the two differ.
import { execFileSync, fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gpuEnv } from '../tools/gpu-env.mjs'
import { programs } from './gallery/list.mjs'
import { filled, isRight, programsOf, shown } from './gallery/page.mjs'

const { values: flags } = parseArgs({
  options: { write: { type: 'boolean' }, check: { type: 'boolean' }, only: { type: 'string' } },
})
const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const pagePath = at('docs/gallery.md')
const recordPath = at('bench/gallery/recorded.json')
const patience = 90_000

const env = gpuEnv()
let child

/** Asks the process that runs programs; a new one, where the last has died. */
function ask(job) {
  child ??= fork(at('bench/gallery/run.mjs'), { env, serialization: 'advanced', execArgv: ['--stack-size=4000'] })
  const asked = child
  return new Promise(done => {
    const end = answer => {
      clearTimeout(clock)
      asked.removeAllListeners()
      done(answer)
    }
    const clock = setTimeout(() => asked.kill('SIGKILL'), patience)
    asked.once('message', end)
    asked.once('exit', () => {
      child = undefined
      end({ refused: 'it ends, or takes too long' })
    })
    asked.send(job)
  })
}

/** What both make of a program. */
async function run(name, source) {
  const { at: given, hand } = programs[name]
  const job = { source, at: given, count: hand.length }
  const ours = await ask({ who: 'ours', ...job })
  const theirs = await ask({ who: 'theirs', ...job })
  for (const [who, answer] of [
    ['Cotangent', ours],
    ['the real compiler', theirs],
  ])
    if (answer.failed !== undefined) throw new Error(`${name}, ${who}: ${answer.failed}`)
  if (ours.webgpu === undefined) throw new Error(`${name}, Cotangent: ${ours.refused}`)
  return { ours, theirs }
}

/** Whether two runs say the same; of numbers, within rounding. */
function isSame(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Object.is(a, b) || isRight(a, b)
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return keys.every(key => key in a && key in b && isSame(a[key], b[key]))
}

const page = readFileSync(pagePath, 'utf8')
const sources = programsOf(page)
const found = {}
for (const [name, { hand, differences, f, at: given }] of Object.entries(programs)) {
  if (flags.only !== undefined && flags.only !== name) continue
  if (sources[name] === undefined) throw new Error(`docs/gallery.md has no program ${name}.slang`)
  found[name] = await run(name, sources[name])
  const { ours, theirs } = found[name]
  console.log(name)
  for (const [who, numbers] of Object.entries({
    'by hand': hand,
    'by differences': differences(f, given),
    ...ours,
    Slang: theirs.numbers,
  }))
    console.log(`  ${who.padEnd(16)}${numbers?.map(shown).join('  ') ?? theirs.refused}`)
}

let isWell = true
if (flags.check) {
  const recorded = JSON.parse(readFileSync(recordPath, 'utf8'))
  for (const name of Object.keys(found)) {
    if (isSame(found[name], recorded[name])) continue
    isWell = false
    console.error(`${name}: recorded is ${JSON.stringify(recorded[name])}, and found ${JSON.stringify(found[name])}`)
  }
}
if (flags.write) {
  const recorded = {
    ...(existsSync(recordPath) && flags.only !== undefined ? JSON.parse(readFileSync(recordPath, 'utf8')) : {}),
    ...found,
  }
  writeFileSync(recordPath, JSON.stringify(recorded))
  execFileSync(process.execPath, [at('node_modules/oxfmt/bin/oxfmt'), recordPath])
  writeFileSync(pagePath, filled(page, programs, recorded))
}
child?.kill()
process.exit(isWell ? 0 : 1)
