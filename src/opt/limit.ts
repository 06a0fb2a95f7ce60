/**
 * For debug builds: stops the program where a loop makes more trips than `[MaxIters(n)]` allows. In other builds it goes on with
 * undefined values. Trips that reach their end count, so one more may begin, and break.
 */
import { Builder } from '../ir/build.ts'
import { i32 } from '../ir/type.ts'
import { Region, type Func, type Inst } from '../ir/value.ts'
import { boundOf } from './loops.ts'

/** Guards the loops of a function as it was lowered. */
export function limitTrips(func: Func): boolean {
  return func.body !== undefined && guard(func, func.body)
}

function guard(func: Func, region: Region): boolean {
  let changed = false
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    for (const r of inst.regions) if (guard(func, r)) changed = true
    const bound = inst.op === 'loop' ? boundOf(inst.attr) : undefined
    const body = inst.regions[1]
    if (bound === undefined || body?.end.op !== 'next') continue
    const before = new Region()
    const b = new Builder(func, before)
    const trips = b.variable(i32, 'trips')
    b.store(trips, b.const(i32, 0))
    const next = body.insts.pop()!
    b.within(body, () => {
      const done = b.add(b.load(trips), b.const(i32, 1))
      b.emit(
        'trap',
        [b.emit1('le', [done, b.const(i32, bound)])],
        `${place(inst)}this loop makes more trips than its [MaxIters(${bound})] allows`,
      )
      b.store(trips, done)
    })
    body.insts.push(next)
    region.insts.splice(i, 0, ...before.insts)
    i += before.insts.length
    changed = true
  }
  return changed
}

function place({ span }: Inst): string {
  if (span === null) return ''
  const { line, column } = span.file.position(span.start)
  return `${span.presumed?.file ?? span.file.name}:${span.presumed?.line ?? line}:${column}: `
}
