/** Output and atomics: instructions that call the host, or read and write memory at once. */
import type { Inst, Value } from '../../ir/value.ts'
import type { Body } from './body.ts'
import type { Graph } from './graph.ts'
import { valType } from './leaf.ts'
import type { Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'
import { lane } from './scalar.ts'

/** An atomic access: one thread at a time runs, so it is a plain read and write. Out of bounds it does nothing and gives 0. */
export function atomic(body: Body, inst: Inst<'atomic'>): void {
  const { g, memory } = body
  const result = inst.results[0]
  const scalar = inst.args[0]!.type.elem!.scalar!
  const old = g.code.local(valType(scalar))
  const kind = inst.attr
  const operand = (k: number): Node => body.node(inst.args[k]!)
  const p = body.at(inst.args[0]!)
  if (p.write !== undefined) g.stmt({ kind: 'set', local: old, value: g.zero(valType(scalar)) })
  memory.guarded(p, exact => {
    const before = memory.load(exact)[0]!
    g.stmt({ kind: 'set', local: old, value: before })
    const was = g.get(old)
    const put = (value: Node): void => memory.store(exact, [value])
    switch (kind) {
      case 'load':
        return
      case 'store':
      case 'exchange':
        put(operand(1))
        return
      case 'add':
        put(lane(g, 'add', scalar, [was, operand(1)])!)
        return
      case 'and':
        put(lane(g, 'and', scalar, [was, operand(1)])!)
        return
      case 'or':
        put(lane(g, 'or', scalar, [was, operand(1)])!)
        return
      case 'xor':
        put(lane(g, 'xor', scalar, [was, operand(1)])!)
        return
      case 'min':
        put(g.select(lane(g, 'lt', scalar, [operand(1), was])!, operand(1), was))
        return
      case 'max':
        put(g.select(lane(g, 'gt', scalar, [operand(1), was])!, operand(1), was))
        return
      case 'compare':
        g.when(sameBits(g, was, operand(1)), () => put(operand(2)))
        return
    }
  })
  if (result !== undefined) body.set(result, [g.get(old)])
}

/** Whether two scalars have the same bits: a NaN equals itself, and zeros with different signs differ. */
function sameBits(g: Graph, x: Node, y: Node): Node {
  if (x.type === f32)
    return g.pure(op.i32Eq, i32, g.pure(op.i32ReinterpretF32, i32, x), g.pure(op.i32ReinterpretF32, i32, y))
  if (x.type === f64)
    return g.pure(op.i64Eq, i32, g.pure(op.i64ReinterpretF64, i64, x), g.pure(op.i64ReinterpretF64, i64, y))
  return g.pure(x.type === i64 ? op.i64Eq : op.i32Eq, i32, x, y)
}

/** A `printf`: its scalars go to memory, 8 bytes each, and the host formats them. */
export function printf(body: Body, inst: Inst<'printf'>): void {
  const { g, plan } = body
  const scalars = inst.args.flatMap((a: Value) => [...plan.leaves.of(a.type)])
  const values = inst.args.flatMap((a: Value) => [...body.nodes(a)])
  const { callee, id, at } = plan.print(inst.attr, scalars)
  values.forEach((v, k) => {
    const value = v.type === f32 ? g.pure(op.f64PromoteF32, f64, v) : v
    const code = value.type === i32 ? op.i32Store : value.type === i64 ? op.i64Store : op.f64Store
    g.stmt({ kind: 'store', op: code, addr: g.base(), value, offset: at + 8 * k, object: plan })
  })
  g.stmt({ kind: 'call', func: callee, args: [g.i32(id)], locals: [], pure: false })
}

/** A check that stops the program. */
export function trapUnless(body: Body, inst: Inst): void {
  const { g, plan } = body
  g.when(g.eqz(body.node(inst.args[0]!)), () => {
    const { callee, id } = plan.trap(inst)
    g.stmt({ kind: 'call', func: callee, args: [g.i32(id)], locals: [], pure: false })
    g.stmt({ kind: 'unreachable' })
    g.at.open = false
  })
}
