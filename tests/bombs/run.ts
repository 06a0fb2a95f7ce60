/**
 * `npm run test:bombs`: compiles each bomb to each target, and fails where one takes more than two seconds (of the clock or of the
 * processor, whichever are fewer) or 512 MB, or throws. `OF=name` takes the bombs whose names hold that, `WAY=js` one target, `FEW=1` two targets for each bomb: the first, and the others in turn.
 * A process compiles one bomb to all targets. What goes wrong there is tried once more at the end, in a process of its own with nothing
 * beside it: targets share the memory of a process, and processes that of the machine.
 */
import { availableParallelism } from 'node:os'
import { bombs, ways, type Way } from './all.ts'
import { bundled, detonate, together, verdict, type Outcome } from './detonate.ts'
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

/** The targets of a bomb. */
function targetsOf(number: number): readonly Way[] {
  const [first, ...others] = targets
  return process.env['FEW'] === undefined || others.length === 0 ? targets : [first!, others[number % others.length]!]
}

async function work(): Promise<void> {
  for (let number = at++; number < chosen.length; number = at++) {
    const name = chosen[number]!
    const mine = targetsOf(number)
    const outcomes = await together(script, name, mine)
    // What is refused before a target is chosen is not refused again for each.
    const refused = outcomes.at(-1)?.refused === true
    for (const [i, way] of mine.entries()) {
      const taken = outcomes[i]
      if (taken !== undefined && verdict(taken) === undefined) tell(name, way, taken)
      else if (taken !== undefined || !refused) again.push({ name, way })
    }
  }
}

/** What went wrong beside other bombs and targets, or was not reached after that. */
const again: { readonly name: string; readonly way: Way }[] = []

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
for (const { name, way } of again) tell(name, way, await detonate(script, name, way))
console.log(
  `${chosen.length} bombs, ${ran} times compiled: ${failed} failed; the others took at most ${worst.time} ms and ${worst.memory} MB`,
)
remove()
process.exitCode = failed > 0 ? 1 : 0
