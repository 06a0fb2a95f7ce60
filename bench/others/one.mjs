// Programs for `bench/others.mjs`, one after another, in a process of its own: the real compiler may die or hang.
import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { compile } from '../../dist/index.js'
import { loadPeer } from './peer.mjs'
import { compareRuns, draw, openDevice, ourSlots, peerSlots, refusal, runKernel, withoutReads } from './run.mjs'

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

/** WGSL's name for what a vertex shader takes at a location. */
const formatOf = ({ kind, scalar, count }) =>
  `${{ f32: 'float32', i32: 'sint32', u32: 'uint32' }[scalar] ?? 'float32'}${kind === 'vector' && count > 1 ? `x${count}` : ''}`

let peer
let isOpen = false

async function check(job) {
  const { folder, program: p } = job
  const file =
    p.driver === undefined ? join(folder, p.path) : join(folder, p.path.replace(/[^/]*$/, 'cotangent-driver.slang'))
  const source = p.driver ?? readFileSync(file, 'utf8')
  const paths = (job.paths ?? []).map(x => join(folder, x))
  const made = ours({ file, source, paths, defines: p.defines })
  peer ??= await loadPeer()
  const head = Object.entries(p.defines ?? {})
    .map(([k, v]) => `#define ${k} ${v}\n`)
    .join('')
  const real = peer({ file, source: head + source, paths })
  if (real.dead) peer = undefined
  if (real.code) real.code = withoutReads(real.code)
  const result = {
    ours: made.error === undefined ? 'compiles' : short(made.error),
    theirs: real.error === undefined ? 'compiles' : firstError(real.error),
    kernels: [],
  }
  if (!isOpen) await openDevice()
  isOpen = true
  if (made.wgsl !== undefined) {
    const no = made.wgsl.code === '' ? null : await refusal(made.wgsl.code)
    if (no !== null) result.ours = `refused by Dawn: ${short(no)}`
    try {
      made.program.wasm({ derivatives: false })
      made.program.js({ derivatives: false })
      result.cpu = 'compiles'
    } catch (e) {
      result.cpu = short(e.diagnostics?.[0]?.message ?? `crash: ${e.stack}`)
    }
  }
  if (job.print) process.stdout.write(`${made.wgsl?.code ?? made.error}\n\n${real.code ?? real.error}\n`)
  if (real.code) {
    const no = await refusal(real.code)
    if (no !== null) result.theirs = `refused by Dawn: ${short(no)}`
  }
  if (real.code === '' && made.wgsl?.reflection.entries.length > 0) result.theirs = 'makes no WGSL of kernels for CUDA'
  if (result.ours !== 'compiles' || result.theirs !== 'compiles') return result
  const settings = { ...p }
  const entries = made.wgsl.reflection.entries
  for (const e of entries.filter(e => e.stage === 'compute')) {
    const name = entryIn(real.code, 'compute', e.name)
    if (name === undefined) {
      result.kernels.push({ name: e.name, error: 'missing in theirs' })
      continue
    }
    const groups = p.groups?.[e.name] ?? p.groups?.['*'] ?? [2, 2, 1]
    try {
      const a = await runKernel(made.wgsl.code, e.target, ourSlots(made.wgsl, e.name), settings, groups)
      const b = await runKernel(real.code, name, peerSlots(real.code, name), settings, groups)
      result.kernels.push({ name: e.name, ...compareRuns(a, b, p.tolerance ?? 1e-4) })
    } catch (err) {
      result.kernels.push({ name: e.name, error: short(String(err.message ?? err)) })
    }
  }
  const vertex = entries.find(e => e.stage === 'vertex')
  for (const f of vertex === undefined ? [] : entries.filter(e => e.stage === 'fragment')) {
    const [v2, f2] = [entryIn(real.code, 'vertex', vertex.name), entryIn(real.code, 'fragment', f.name)]
    const inputs = vertex.inputs
      .filter(i => i.location !== null)
      .map(i => ({ location: i.location, format: formatOf(i.type) }))
    const outputs = f.outputs.filter(o => o.location !== null).length
    try {
      const a = await draw(
        made.wgsl.code,
        { vertex: vertex.target, fragment: f.target, inputs, outputs },
        ourSlots(made.wgsl, vertex.name, f.name),
        settings,
      )
      const b = await draw(
        real.code,
        { vertex: v2, fragment: f2, inputs, outputs },
        peerSlots(real.code, v2, f2),
        settings,
      )
      result.kernels.push({ name: `${vertex.name}, ${f.name}`, ...compareRuns(a, b, p.tolerance ?? 1e-4) })
    } catch (err) {
      result.kernels.push({ name: f.name, error: short(String(err.message ?? err)) })
    }
  }
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
