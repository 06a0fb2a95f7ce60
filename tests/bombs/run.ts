/**
 * `npm run test:bombs`: compiles each bomb to each target, each in a process of its own, and fails where one takes more than two
 * seconds (of the clock or of the processor, whichever are fewer) or 512 MB, or throws. `OF=name` takes the bombs whose names hold that, `WAY=js` one target.
 * What is too slow while other bombs run is tried once more at the end, with nothing beside it: bombs share caches and memory with each other.
 */
import { availableParallelism } from 'node:os'
import { bombs, ways, type Way } from './all.ts'
import { bundled, detonate, harm, once, verdict, type Outcome } from './detonate.ts'
import { largest } from './recipe.ts'
import { setting } from '../support/setting.ts'

const chosen = Object.keys(bombs).filter(name => name.includes(process.env['OF'] ?? ''))
const targets = ways.filter(way => way === (process.env['WAY'] ?? way))
if (chosen.length === 0 || targets.length === 0)
  throw new Error(`there is no bomb of that name and target: targets are ${ways.join(', ')}`)
const verbose = process.env['VERBOSE'] !== undefined
let failed = 0
let ran = 0
let at = 0
let worst = { time: 0, memory: 0 }
const { script, remove } = await bundled()

async function work(): Promise<void> {
  for (let name = chosen[at++]; name !== undefined; name = chosen[at++]) {
    // What is refused before a target is chosen is not refused again for each.
    for (const way of targets) if (await one(name, way)) break
  }
}

/** Bombs that took too long beside others. */
const slow: { readonly name: string; readonly way: Way }[] = []

/** Runs one; whether the others would be the same. */
async function one(name: string, way: Way): Promise<boolean> {
  const taken = await once(script, name, way)
  if (verdict(taken) !== harm(taken)) slow.push({ name, way })
  else tell(name, way, taken)
  return taken.failure === undefined && taken.refused
}

function tell(name: string, way: Way, taken: Outcome): void {
  ran++
  const size = Buffer.byteLength(bombs[name]!())
  const wrong = verdict(taken)
  if (wrong !== undefined) failed++
  else worst = { time: Math.max(worst.time, taken.time), memory: Math.max(worst.memory, taken.memory) }
  if (wrong !== undefined || verbose)
    console.log(
      `${wrong === undefined ? 'ok  ' : 'FAIL'} ${name} → ${way}: ${taken.time} ms, ${taken.memory} MB, ${size > largest ? `${size} B source, ` : ''}${wrong ?? ''} ${taken.outcome}`,
    )
}

await Promise.all(Array.from({ length: Math.max(1, setting('JOBS', availableParallelism())) }, work))
for (const { name, way } of slow) tell(name, way, await detonate(script, name, way))
console.log(
  `${chosen.length} bombs, ${ran} times compiled: ${failed} failed; the others took at most ${worst.time} ms and ${worst.memory} MB`,
)
remove()
process.exitCode = failed > 0 ? 1 : 0
