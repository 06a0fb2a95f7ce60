// Programs for `bench/others.mjs`, one after another, in a process of its own: the real compiler may die or hang.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { compile } from '../../dist/index.js'
import { loadPeer } from './peer.mjs'
import { drawings } from './graphics.mjs'
import {
  alike,
  compareRuns,
  openDevice,
  ourSlots,
  peerSlots,
  refusal,
  runKernel,
  untilWritten,
  withoutReads,
} from './run.mjs'

const textOf = path => {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}
const short = text => text.replace(/\s+/g, ' ').slice(0, 160)
/** The first error of what the real compiler says, without where. */
const firstError = text => short(/error (\d+: [^\n]*)/.exec(text)?.[1] ?? text)

/** Our WGSL, or why there is none. */
function ours({ file, source, paths, defines }) {
  try {
    const program = compile(source, { fileName: file, resolve: textOf, searchPaths: paths, defines })
    if (program.ok) return { program, wgsl: program.wgsl() }
    throw Object.assign(new Error(), { diagnostics: program.diagnostics })
  } catch (e) {
    const found = e.diagnostics?.find(d => d.severity === 'error')
    if (found === undefined) return { error: `crash: ${e.stack}` }
    const line = found.span?.file.position(found.span.start).line
    return {
      error: `E${found.code.replace(/^E/, '')} ${basename(found.span?.file.name ?? '')}:${line}: ${found.message}`,
    }
  }
}

const entryIn = (code, stage, name) =>
  [...code.matchAll(new RegExp(`@${stage}\\b[^{]*?\\bfn (\\w+)`, 'g'))]
    .map(m => m[1])
    .find(n => n === name || n.replace(/_\d+$/, '') === name)

let peer
let isOpen = false

/** What the real compiler makes of a program; kept in a file, if one is named. */
async function theirs(kept, asked) {
  if (kept !== undefined && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  // Whoever dies on the way to an answer has this one.
  if (kept !== undefined) writeFileSync(kept, JSON.stringify({ error: 'died or took too long' }))
  peer ??= await loadPeer()
  const real = peer(asked)
  if (real.dead) peer = undefined
  if (kept !== undefined) writeFileSync(kept, JSON.stringify(real))
  return real
}

/** The modules of a program that Dawn takes: one for all entry points, or where it refuses that, one for each; or why it takes neither. */
async function accepted(job, asked, code) {
  const no = await refusal(code)
  if (no === null) return { codes: [code] }
  if (job.alone !== true) return { no }
  const { codes = [] } = await theirs(job.kept?.replace(/json$/, 'separate.json'), { ...asked, separate: true })
  const own = codes.filter(Boolean).map(withoutReads)
  for (const c of own) if ((await refusal(c)) !== null) return { no }
  return own.length > 0 && own.length === codes.length ? { codes: own } : { no }
}

async function check(job) {
  const { folder, program: p } = job
  const file =
    p.driver === undefined ? join(folder, p.path) : join(folder, p.path.replace(/[^/]*$/, 'cotangent-driver.slang'))
  const source = p.driver ?? readFileSync(file, 'utf8')
  const paths = (job.paths ?? []).map(x => join(folder, x))
  const made = ours({ file, source, paths, defines: p.defines })
  const head = Object.entries(p.defines ?? {})
    .map(([k, v]) => `#define ${k} ${v}\n`)
    .join('')
  const asked = { file, source: head + source, paths }
  const real = await theirs(job.kept, asked)
  if (real.code) real.code = withoutReads(real.code)
  const result = {
    ours: made.error === undefined ? 'compiles' : short(made.error),
    theirs: real.error === undefined ? 'compiles' : firstError(real.error),
    // Whether each has kernels or stages; a module without any has no WGSL.
    entries: { ours: made.wgsl?.reflection.entries.length ?? 0, theirs: real.code ? 1 : 0 },
    kernels: [],
  }
  if (!isOpen) await openDevice()
  isOpen = true
  if (made.wgsl !== undefined) {
    const no = made.wgsl.code === '' ? null : await refusal(made.wgsl.code)
    if (no !== null) result.ours = `refused by Dawn: ${short(no)}`
    if (job.alone !== true)
      try {
        made.program.wasm({ derivatives: false })
        made.program.js({ derivatives: false })
        result.cpu = 'compiles'
      } catch (e) {
        result.cpu = short(e.diagnostics?.[0]?.message ?? `crash: ${e.stack}`)
      }
  }
  if (job.print) process.stdout.write(`${made.wgsl?.code ?? made.error}\n\n${real.code ?? real.error}\n`)
  let codes = [real.code]
  if (real.code) {
    const taken = await accepted(job, asked, real.code)
    if (taken.codes === undefined) result.theirs = `refused by Dawn: ${short(taken.no)}`
    else codes = taken.codes
  }
  if (real.code === '' && made.wgsl?.reflection.entries.length > 0) result.theirs = 'makes no WGSL of kernels for CUDA'
  if (result.ours !== 'compiles' || result.theirs !== 'compiles' || job.run === false) return result
  const settings = { ...p }
  const entries = made.wgsl.reflection.entries
  for (const e of entries.filter(e => e.stage === 'compute')) {
    const code = codes.find(c => entryIn(c, 'compute', e.name) !== undefined)
    const name = code && entryIn(code, 'compute', e.name)
    if (name === undefined) {
      result.kernels.push({ name: e.name, error: 'missing in theirs' })
      continue
    }
    const groups = p.groups?.[e.name] ?? p.groups?.['*'] ?? [2, 2, 1]
    const run = async settings => {
      const slots = peerSlots(code, name)
      const a = await runKernel(made.wgsl.code, e.target, alike(ourSlots(made.wgsl, e.name), slots), settings, groups)
      const b = await runKernel(code, name, slots, settings, groups)
      return compareRuns(a, b, p.tolerance ?? 1e-4)
    }
    try {
      result.kernels.push({ name: e.name, ...(await untilWritten(run, settings)) })
    } catch (err) {
      result.kernels.push({ name: e.name, error: short(String(err.message ?? err)) })
    }
  }
  const theirStage = (stage, name) => {
    const code = codes.find(c => entryIn(c, stage, name) !== undefined)
    if (code === undefined) throw new Error(`${name} is missing in theirs`)
    return { code, entry: entryIn(code, stage, name) }
  }
  result.kernels.push(...(await drawings(made.wgsl, theirStage, settings, p.tolerance ?? 1e-4)))
  return result
}

process.on('message', job => {
  const result = check(job).catch(e => ({
    ours: `the comparison failed: ${short(String(e.stack))}`,
    theirs: '',
    kernels: [],
  }))
  void result.then(it => process.send(it))
})
process.on('disconnect', () => process.exit(0))
