/**
 * A compute entry point four threads wide: lanes run over the threads of a workgroup in order, or over workgroups where each is one
 * thread. Those past the end are not active.
 */
import type { Func, Inst } from '../../../ir/value.ts'
import { bind, idsOf, type KernelSetup } from '../kernel.ts'
import { hasBarrier, lockstep } from '../lockstep.ts'
import { Label, type Code, type Node } from '../node.ts'
import { i32, mask4, op } from '../opcode.ts'
import type { Plan } from '../plan.ts'
import { WideBody } from './body.ts'
import { pays, shareOf } from './cost.ts'
import { laneCount, NotWide, type WideGraph } from './graph.ts'
import { isLine, orderOf, rootsOf } from './order.ts'
import { Varying } from './varying.ts'

/**
 * Fills in the code of a kernel with parameters (groups x, y, z, first group, group after the last). Throws `NotWide` where that cannot be,
 * and where it costs more than one thread at a time, if not `always`.
 */
export function wideKernelCode(
  plan: Plan,
  func: Func,
  code: Code,
  { frame, shared, always }: Pick<KernelSetup, 'frame' | 'shared'> & { readonly always: boolean },
): void {
  const together = hasBarrier(func) ? lockstep(func) : undefined
  const run = together?.func ?? func
  const threads = new Map<Inst, number>()
  const numthreads = func.info.entry!.numthreads
  const count = numthreads.reduce((a, b) => a * b, 1)
  together?.trips.forEach((trips, loop) => {
    if (trips === 0) threads.set(loop, count)
  })
  const order = orderOf(numthreads)
  const roots =
    together === undefined
      ? rootsOf(func)
      : new Map(
          [...threads.keys()].map(loop => [
            loop.regions[0]!.params[0]!,
            { differs: [true], isRow: true, isAligned: true },
          ]),
        )
  const varying = new Varying(run, roots, new Set(threads.keys()), plan.limits.trips !== undefined)
  if (!always) {
    const share =
      together === undefined ? shareOf(order.over === 'threads' ? count : laneCount) : { times: 1, active: 1 }
    if (!pays(plan, run, varying, threads, share)) throw new NotWide('it takes less time')
  }
  let done = new Label()
  let everybody: Node | undefined
  const body = new WideBody(plan, run, code, frame, varying, threads, () => {
    // Lanes that are not here come to the end on ways of their own.
    if (body.memory.mask === everybody) body.g.br(done)
  })
  together?.trips.forEach((n, loop) => body.trips.set(loop, n))
  if (together === undefined) body.callOnce(run.body!)
  const { g, memory } = body
  const once = (mask: Node | undefined, f: () => void): void => {
    done = new Label()
    everybody = mask
    memory.mask = mask
    body.endAt(done)
    const inner = g.nested(false, () => {
      f()
      body.region(run.body!)
    })
    g.stmt({ kind: 'block', body: inner, label: done })
    memory.mask = undefined
  }
  const groupOf = (group: Node): Node[] => {
    const [gx, gy] = [g.get(0), g.get(1)]
    const row = g.pure(op.i32DivU, i32, group, gx)
    return [
      g.pure(op.i32RemU, i32, group, gx),
      g.pure(op.i32RemU, i32, row, gy),
      g.pure(op.i32DivU, i32, group, g.mul(gx, gy)),
    ]
  }
  const byFour = (end: number, f: (first: Node) => void): void => g.count(g.i32(end), f, g.i32(0), laneCount)
  const clear = (): void => {
    for (const global of shared) memory.clear(plan.locationOf(g, global))
  }
  if (together !== undefined) {
    g.count(
      g.get(4),
      group => {
        clear()
        once(undefined, () => body.set(run.body!.params[0]!, groupOf(group)))
      },
      g.get(3),
    )
  } else if (order.over === 'groups') {
    // Four groups are in one row of groups, or fewer at its end.
    const local = code.local(i32)
    const [top, exit] = [new Label(), new Label()]
    g.stmt({ kind: 'set', local, value: g.get(3) })
    const each = g.nested(true, () => {
      const first = g.get(local)
      g.br(exit, g.pure(op.i32GeU, i32, first, g.get(4)))
      const [x, y, z] = groupOf(first)
      const left = [g.pure(op.i32Sub, i32, g.get(0), x!), g.pure(op.i32Sub, i32, g.get(4), first), g.i32(laneCount)]
      const active = left.reduce((a, b) => g.select(g.pure(op.i32LtU, i32, a, b), a, b))
      once(g.as(mask4, g.pure(op.i32LtU, i32, g.row(g.i32(0), 1), active)), () =>
        bind(body, func, idsOf(g, numthreads, [g.row(x!, 1), y!, z!], [g.i32(0), g.i32(0), g.i32(0)])),
      )
      g.stmt({ kind: 'set', local, value: g.add(first, active) })
      g.br(top)
    })
    g.stmt({ kind: 'loop', body: each, top, exit })
  } else {
    g.count(
      g.get(4),
      group => {
        const groupId = groupOf(group)
        clear()
        const [nx, ny, nz] = numthreads
        if (order.over === 'x')
          over(g, nz, z =>
            over(g, ny, y =>
              byFour(nx, x =>
                once(undefined, () => bind(body, func, idsOf(g, numthreads, groupId, [g.row(g.align(x), 1), y, z]))),
              ),
            ),
          )
        else
          byFour(count, first => {
            const index = g.row(first, 1)
            const mask = count % laneCount === 0 ? undefined : g.pure(op.i32LtU, i32, index, g.i32(count))
            once(mask, () => bind(body, func, idsOf(g, numthreads, groupId, localIds(g, index, numthreads), index)))
          })
      },
      g.get(3),
    )
  }
}

function over(g: WideGraph, count: number, f: (i: Node) => void): void {
  if (count === 1) f(g.i32(0))
  else g.count(g.i32(count), f)
}

/** The place of threads in their group, by their index. */
function localIds(g: WideGraph, index: Node, size: readonly [number, number, number]): Node[] {
  if (isLine(size)) return [index, g.i32(0), g.i32(0)]
  const [nx, ny] = size
  const div = (x: Node, n: number): Node => (n === 1 ? x : g.pure(op.i32DivU, i32, x, g.i32(n)))
  const rem = (x: Node, n: number): Node => (n === 1 ? g.i32(0) : g.pure(op.i32RemU, i32, x, g.i32(n)))
  const row = div(index, nx)
  return [rem(index, nx), rem(row, ny), div(row, ny)]
}
