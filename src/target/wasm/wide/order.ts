/** The order in which lanes take threads: which of what a kernel is told of a thread differs between lanes. */
import type { Func, Value } from '../../../ir/value.ts'
import { laneCount } from './graph.ts'
import type { Root } from './varying.ts'

export type Semantic = 'SV_GROUPID' | 'SV_GROUPTHREADID' | 'SV_DISPATCHTHREADID' | 'SV_GROUPINDEX'

export interface Order {
  /** What lanes run over: the x of a row of threads, all threads of a group, or groups. */
  readonly over: 'x' | 'threads' | 'groups'
  /** Which parts of what the program is told differ between lanes. */
  readonly differs: Readonly<Record<string, readonly boolean[]>> & Readonly<Record<Semantic, readonly boolean[]>>
}

export function orderOf([nx, ny, nz]: readonly [number, number, number]): Order {
  const none = [false, false, false]
  const x = [true, false, false]
  if (nx * ny * nz === 1)
    return {
      over: 'groups',
      differs: { SV_GROUPID: x, SV_GROUPTHREADID: none, SV_DISPATCHTHREADID: x, SV_GROUPINDEX: [false] },
    }
  const isRow = nx % laneCount === 0
  const parts = isRow ? x : [nx > 1, ny > 1, nz > 1]
  return {
    over: isRow ? 'x' : 'threads',
    differs: { SV_GROUPID: none, SV_GROUPTHREADID: parts, SV_DISPATCHTHREADID: parts, SV_GROUPINDEX: [true] },
  }
}

/** The parameters of a kernel, by what of them differs. */
export function rootsOf(func: Func): ReadonlyMap<Value, Root> {
  const { numthreads, semantics } = func.info.entry!
  const order = orderOf(numthreads)
  return new Map(
    func.body!.params.map((p, k) => {
      const differs = order.differs[semantics[k]!]!
      const isRow = differs[0]! && (order.over !== 'threads' || semantics[k] === 'SV_GROUPINDEX' || isLine(numthreads))
      return [p, { differs, isRow, isAligned: order.over === 'x' && differs[0]! }]
    }),
  )
}

/** True for groups whose threads lie along x. */
export function isLine([, ny, nz]: readonly [number, number, number]): boolean {
  return ny * nz === 1
}
