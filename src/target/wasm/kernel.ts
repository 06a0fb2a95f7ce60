/**
 * A compute entry point as a function that runs a range of workgroups: loops over groups and threads around the body.
 * The threads of a group run one after the other; between barriers, where there are any (`lockstep.ts`).
 */
import * as t from '../../ir/type.ts'
import type { Func, Global, Value } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { Body } from './body.ts'
import { hasBarrier, lockstep } from './lockstep.ts'
import type { Graph } from './graph.ts'
import { Label, type Code, type Node } from './node.ts'
import { i32, op } from './opcode.ts'
import type { Plan } from './plan.ts'

/** What a kernel is told of the thread that it runs. */
export const knownSemantics: ReadonlySet<string> = new Set([
  'SV_DISPATCHTHREADID',
  'SV_GROUPID',
  'SV_GROUPTHREADID',
  'SV_GROUPINDEX',
])

/** What a kernel needs besides its body: memory of the function, initial values for each thread, variables of each group. */
export interface KernelSetup {
  readonly frame: { top: number }
  readonly initialize: (body: Body) => void
  readonly shared: readonly Global[]
}

/** Fills in the code of a kernel with parameters (groups x, y, z, first group, group after the last). */
export function kernelCode(plan: Plan, func: Func, code: Code, setup: KernelSetup): void {
  const together = hasBarrier(func) ? lockstep(func) : undefined
  const { frame, shared } = setup
  let done = new Label()
  const run = together?.func ?? func
  const body = new Body(plan, run, code, frame, b => b.g.br(done))
  together?.trips.forEach((n, loop) => body.trips.set(loop, n))
  const g = body.g
  const [nx, ny, nz] = func.info.entry!.numthreads
  const [gx, gy] = [g.get(0), g.get(1)]
  const u = (row: number, x: Node, y: Node): Node => g.pure(row, i32, x, y)
  g.count(
    g.get(4),
    group => {
      const groupId = [
        u(op.i32RemU, group, gx),
        u(op.i32RemU, u(op.i32DivU, group, gx), gy),
        u(op.i32DivU, group, g.mul(gx, gy)),
      ]
      for (const global of shared) body.memory.clear(plan.locationOf(g, global))
      if (together !== undefined) {
        body.set(run.body!.params[0]!, groupId)
        done = new Label()
        const all = g.nested(false, () => {
          setup.initialize(body)
          body.region(run.body!)
        })
        g.stmt({ kind: 'block', body: all, label: done })
        return
      }
      over(body, nz, z =>
        over(body, ny, y =>
          over(body, nx, x => {
            bind(body, func, idsOf(g, [nx, ny, nz], groupId, [x, y, z]))
            done = new Label()
            const label = done
            const thread = g.nested(false, () => {
              setup.initialize(body)
              body.region(func.body!)
            })
            g.stmt({ kind: 'block', body: thread, label })
          }),
        ),
      )
    },
    g.get(3),
  )
}

type Ids = Readonly<Record<string, readonly Node[]>>

/** What threads are told: by their group, their place in it, and the number of that place. */
export function idsOf(
  g: Graph,
  size: readonly [number, number, number],
  group: readonly Node[],
  local: readonly Node[],
  index?: Node,
): Ids {
  const [nx, ny] = size
  const [x, y, z] = local as [Node, Node, Node]
  return {
    SV_GROUPID: group,
    SV_GROUPTHREADID: local,
    SV_DISPATCHTHREADID: group.map((id, k) => g.add(g.mul(id, g.i32(size[k]!)), local[k]!)),
    SV_GROUPINDEX: [index ?? g.add(g.add(g.mul(z, g.i32(nx * ny)), g.mul(y, g.i32(nx))), x)],
  }
}

function over(body: Body, count: number, f: (i: Node) => void): void {
  if (count === 1) f(body.g.i32(0))
  else body.g.count(body.g.i32(count), f)
}

/** Gives the parameters of a kernel their values. */
export function bind(body: Body, func: Func, ids: Ids): void {
  const entry = func.info.entry!
  const [nx, ny, nz] = entry.numthreads
  func.body!.params.forEach((param: Value, k) => {
    const semantic = entry.semantics[k]!
    const nodes = ids[semantic]!
    body.set(param, nodes.slice(0, t.lanes(param.type)))
    if (semantic === 'SV_GROUPTHREADID')
      walk(func.body!, ({ op, attr, args, results }) => {
        if (op === 'extract' && args[0] === param)
          body.ranges.given.set(results[0]!, { lo: 0, hi: entry.numthreads[attr]! - 1 })
      })
    if (semantic === 'SV_GROUPINDEX') body.ranges.given.set(param, { lo: 0, hi: nx * ny * nz - 1 })
  })
}
