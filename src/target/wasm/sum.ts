/** Sums of values of any type: of gradients, part by part. */
import * as costs from '../../ir/costs.ts'
import * as t from '../../ir/type.ts'
import { component, type Type } from '../../ir/type.ts'
import { holdsList } from '../../opt/lists.ts'
import type { Body } from './body.ts'
import { location, type Location } from './memory.ts'
import type { Node } from './node.ts'
import { lane } from './scalar.ts'
import { headerBytes } from './tape.ts'

/** Sums of flat values, lists in them included. */
export function flatSum(body: Body, type: Type, x: readonly Node[], y: readonly Node[]): readonly Node[] {
  if (type.kind === 'list') return [listSum(body, type, x[0]!, y[0]!)]
  if (!holdsList(type)) return body.plan.leaves.of(type).map((s, i) => lane(body.g, 'add', s, [x[i]!, y[i]!])!)
  const out: Node[] = []
  for (let k = 0; k < type.count; k++) {
    const part = component(type, k)
    const [from, to] = [out.length, out.length + body.plan.leaves.count(part)]
    out.push(...flatSum(body, part, x.slice(from, to), y.slice(from, to)))
  }
  return out
}

/** A copy of the longer list, with the elements of the shorter one added. */
function listSum(body: Body, type: Type, x: Node, y: Node): Node {
  const { g, memory } = body
  const stride = body.plan.tight.of(type).stride
  const sum = body.tape('joined', [x, y, g.i32(stride)])
  const shorter = body.tape('shorter', [x, y])
  const element = (of: Node, i: Node): Location =>
    location(type.elem!, body.plan.tight, g.add(of, g.mul(i, g.i32(stride))), headerBytes, false)
  g.when(shorter, () =>
    g.count(memory.load(location(t.u32, body.plan.tight, shorter, 0, false))[0]!, i => {
      sumInto(body, element(sum, i), element(sum, i), element(shorter, i))
    }),
  )
  return sum
}

/** Sums in memory, element by element. */
export function sumInto(body: Body, to: Location, x: Location, y: Location): void {
  const type = to.type
  const m = body.memory
  if (body.isFlat(type) && body.plan.leaves.count(type) <= costs.summedScalars) {
    m.store(to, flatSum(body, type, m.load(x), m.load(y)))
  } else if (type.kind === 'array') {
    body.g.count(body.g.i32(type.count), i =>
      sumInto(body, m.element(to, i, true), m.element(x, i, true), m.element(y, i, true)),
    )
  } else {
    for (let k = 0; k < type.count; k++) sumInto(body, m.part(to, k), m.part(x, k), m.part(y, k))
  }
}
