/** Compares many random programs; CONTRIBUTING.md says how to ask for them. */
import { fork } from 'node:child_process'
import process from 'node:process'
import { closeGpu } from '../support/gpu.ts'
import { setting } from '../support/setting.ts'
import { addTally, check, emptyTally, isClear, skippedIn, type Settings, type Tally } from './check.ts'
import { parts, type Part } from './generate.ts'
import { targets, type Target } from './targets.ts'

const target = (process.env['TARGET'] ?? 'js') as Target
if (!targets.includes(target)) throw new Error(`TARGET is one of ${targets.join(', ')}`)
const from = setting('FROM', 0)
const count = setting('COUNT', 1000)
const jobs = Math.max(1, setting('JOBS', 1))
const mostFailures = Math.max(1, setting('FAILURES', 3))
const without = (process.env['WITHOUT'] ?? '').split(',').filter(p => p !== '') as Part[]
for (const part of without) if (!parts.includes(part)) throw new Error(`WITHOUT takes ${parts.join(', ')}`)
const settings: Settings = {
  seed: setting('SEED', 1),
  target,
  size: setting('SIZE', 4),
  attempts: setting('ATTEMPTS', 2000),
  without: new Set(without),
}
/** How many programs a process does before it says how far it is. */
const batch = target === 'webgpu' ? 5 : 25
const saidEvery = 5000

const end = from + count
const total = emptyTally()
const begun = Date.now()
let said = begun
/** Batches that are done although one before them is not. */
const done = new Set<number>()
let next = from
let upTo = from

function line(): string {
  const seconds = Math.max(1, Math.round((Date.now() - begun) / 1000))
  const reasons = Object.entries(total.skipped)
    .map(([why, n]) => `${n} ${why}`)
    .join(', ')
  return `${total.programs} programs on ${target} in ${seconds} s: ${total.programs - skippedIn(total) - total.failures.length} compared (${total.numbers} numbers), ${skippedIn(total)} skipped${reasons === '' ? '' : ` (${reasons})`}, ${total.failures.length} disagreements`
}

function finished(at: number, tally: Tally): void {
  addTally(total, tally)
  for (const failure of tally.failures) console.log(`\n${failure}`)
  done.add(at)
  while (done.delete(upTo)) upTo += batch
  if (Date.now() - said < saidEvery) return
  said = Date.now()
  console.log(
    `${line()}; resume with SEED=${settings.seed} FROM=${Math.min(upTo, end)} COUNT=${end - Math.min(upTo, end)}`,
  )
}

const isOver = (): boolean => next >= end || total.failures.length >= mostFailures

function take(): number {
  const at = next
  next += batch
  return at
}

async function here(): Promise<void> {
  while (!isOver()) {
    const at = take()
    finished(at, await check(at, Math.min(end, at + batch), settings))
  }
}

/** One of several processes, which does what it is asked for. */
function elsewhere(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(process.argv[1]!, ['worker'])
    let at = 0
    const give = (): void => {
      if (isOver()) {
        child.disconnect()
        resolve()
        return
      }
      at = take()
      child.send({ from: at, to: Math.min(end, at + batch) })
    }
    child.on('message', (tally: Tally) => {
      finished(at, tally)
      give()
    })
    child.on('error', reject)
    child.on('exit', code => {
      if (code !== 0) reject(new Error(`a process ended with ${code}`))
    })
    give()
  })
}

if (process.argv[2] === 'worker') {
  process.on('message', (range: { from: number; to: number }) => {
    void check(range.from, range.to, settings).then(tally => process.send!(tally))
  })
  process.on('disconnect', () => {
    closeGpu()
  })
} else {
  await (jobs === 1 ? here() : Promise.all(Array.from({ length: jobs }, elsewhere)))
  closeGpu()
  if (!isClear(total)) console.log('too many programs could not be compared')
  console.log(line())
  process.exitCode = total.failures.length > 0 || !isClear(total) ? 1 : 0
}
