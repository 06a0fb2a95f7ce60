/** Output and checks: instructions that call the host. */
import type { Inst, Value } from '../../ir/value.ts'
import type { Body } from './body.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

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
  g.when(body.fails(body.node(inst.args[0]!)), () => {
    const { callee, id } = plan.trap(inst)
    g.stmt({ kind: 'call', func: callee, args: [g.i32(id)], locals: [], pure: false })
    g.stmt({ kind: 'unreachable' })
    g.at.open = false
  })
}
