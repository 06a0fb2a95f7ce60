/**
 * `npm run fuzz`: compiles programs that nobody wrote, made of those of the repository by mutation and splicing, and looks for
 * what no program may cause: an exception, more than two seconds of the processor, a process that ends, WGSL that WebGPU refuses.
 * Program `n` of a seed is the same in every run, so a run goes on where another was stopped. CONTRIBUTING.md lists the settings.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setting } from '../support/setting.ts'
import type { Targets } from './attempt.ts'
import { make, readCorpus, type Corpus } from './corpus.ts'
import { work, type Line, type Task } from './worker.ts'

const settings = {
  count: setting('COUNT', 1000),
  seed: setting('SEED', 1),
  from: setting('FROM', 0),
  jobs: Math.max(1, setting('JOBS', 1)),
  targets: (process.env['TARGETS'] ?? 'wgsl') as Targets,
  of: process.env['OF'] === undefined ? undefined : resolve(process.env['OF']),
}
/** After so many seconds without a word a worker is ended. */
const patience = setting('PATIENCE', 180)
/** What a worker may keep, in megabytes: a program whose compilation takes more ends it. */
const memory = 512
const progressEvery = 30_000
const folder = resolve(import.meta.dirname, '../../out/fuzz')

const findings: Record<string, number> = { exception: 0, slow: 0, refused: 0, ended: 0 }
const made = { broken: 0, altered: 0, spliced: 0 }
const sound = { broken: 0, altered: 0, spliced: 0 }
let unanswered = 0
let corpus: Corpus | undefined
/** By worker: the program that it is at, or begins with. */
const next: number[] = []
const end = settings.from + settings.count

function found(kind: string, index: number, text: string): void {
  findings[kind] = findings[kind]! + 1
  const { source, kind: how } = make((corpus ??= readCorpus(settings.of)), settings.seed, index)
  const path = keep(
    `${settings.seed}-${index}.slang`,
    `// Program ${index} of seed ${settings.seed}, ${how}. ${kind}: ${text.split('\n')[0]}\n${source}`,
  )
  console.log(
    `${kind} by program ${index} of seed ${settings.seed} (${path}): ${text.split('\n').slice(0, 8).join('\n    ')}`,
  )
}

function keep(name: string, text: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const done = (): number => made.broken + made.altered + made.spliced
const total = (): number => Object.values(findings).reduce((a, b) => a + b, 0)
/** All programs before this one are done. */
const resume = (): number => Math.min(end, ...next)

/** Runs a worker until it has no program left; one that a program ends is followed by another. */
async function run(job: number): Promise<void> {
  while (next[job]! < end) {
    const task: Task = {
      seed: settings.seed,
      from: next[job]!,
      end,
      step: settings.jobs,
      targets: settings.targets,
      of: settings.of,
    }
    let at: number | undefined
    let spoke = false
    const child = spawn(process.execPath, [`--max-old-space-size=${memory}`, process.argv[1]!], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, FUZZ_TASK: JSON.stringify(task) },
    })
    const clock = setTimeout(() => child.kill('SIGKILL'), 1000 * patience)
    const status = new Promise<string>(ended => {
      child.on('close', (code, signal) => ended(signal ?? String(code)))
    })
    for await (const text of createInterface(child.stdout)) {
      clock.refresh()
      const line = JSON.parse(text) as Line
      spoke = true
      if (line.say === 'begin') {
        at = line.index
      } else if (line.say === 'done') {
        at = undefined
        next[job] = line.index + settings.jobs
        made[line.kind]++
        if (line.compiled) sound[line.kind]++
        if (line.unanswered) unanswered++
        if (line.finding !== undefined) found(line.finding.kind, line.index, line.finding.text)
      } else if (line.say === 'small') {
        console.log(`  shrunk: ${keep(`${settings.seed}-${line.index}.small.slang`, line.source)}`)
      }
    }
    clearTimeout(clock)
    const how = await status
    if (at !== undefined) {
      next[job] = at + settings.jobs
      found('ended', at, `the process ended (${how}): more than ${memory} MB, or nothing said for ${patience} s`)
    } else if (how !== '0' && !spoke) {
      throw new Error(`a worker ended (${how}) before program ${next[job]}`)
    }
  }
}

function summary(): string {
  const kinds = (['broken', 'altered', 'spliced'] as const).map(k => `${made[k]} ${k} (${sound[k]} compile)`).join(', ')
  const list = `${findings['exception']} exceptions, ${findings['slow']} over 2 s, ${findings['ended']} ended the process, ${settings.targets === 'all' ? `${findings['refused']} refused by WebGPU, ${unanswered} without its answer` : 'WebGPU not asked'}`
  return `fuzz of seed ${settings.seed}, targets ${settings.targets}, programs ${settings.from} to ${resume() - 1}: ${done()} compiled: ${kinds}; ${list}`
}

async function main(): Promise<void> {
  if (settings.targets !== 'wgsl' && settings.targets !== 'all') throw new Error('TARGETS is wgsl or all')
  for (let job = 0; job < settings.jobs; job++) next.push(settings.from + job)
  const progress = setInterval(() => {
    console.log(`${done()} of ${settings.count} programs, ${total()} findings; go on with FROM=${resume()}`)
  }, progressEvery)
  process.on('SIGINT', () => {
    console.log(`stopped; go on with FROM=${resume()}\n${summary()}`)
    process.exit(1)
  })
  await Promise.all(next.map((_, job) => run(job)))
  clearInterval(progress)
  console.log(summary())
  process.exitCode = total() > 0 ? 1 : 0
}

const task = process.env['FUZZ_TASK']
await (task === undefined ? main() : work(JSON.parse(task) as Task))
