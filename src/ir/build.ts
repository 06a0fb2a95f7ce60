/** The builder: how passes and transforms write instructions. */
import type { Span } from '../base/source.ts'
import type { Attr, Attrs, BareOp, OpName } from './op.ts'
import * as t from './type.ts'
import type { Type } from './type.ts'
import { Inst, Region, Value, noRegions, type Func } from './value.ts'

/** Appends instructions to one region at a time. Trivial composites and identities are folded as they are asked for. */
export class Builder {
  readonly func: Func
  at: Region
  /** Given to the instructions that follow. */
  span: Span | null = null

  constructor(func: Func, at: Region) {
    this.func = func
    this.at = at
  }

  value(type: Type, def: Inst | Region, index: number, name = ''): Value {
    return new Value(this.func.nextValue++, type, def, index, name)
  }

  /** Adds a parameter to a region. */
  param(type: Type, name = '', region: Region = this.at): Value {
    const v = this.value(type, region, region.params.length, name)
    region.params.push(v)
    return v
  }

  /** Appends an instruction; `types` is needed where the row has no type rule. */
  emit<K extends BareOp>(
    op: K,
    args: Value[],
    attr?: null,
    types?: readonly Type[],
    regions?: readonly Region[],
  ): Inst<K>
  emit<K extends OpName>(
    op: K,
    args: Value[],
    attr: Attrs[K],
    types?: readonly Type[],
    regions?: readonly Region[],
  ): Inst<K>
  emit(
    op: OpName,
    args: Value[],
    attr: Attr = null,
    types?: readonly Type[],
    regions: readonly Region[] = noRegions,
  ): Inst {
    const inst = new Inst(op, args, attr, regions, this.span)
    const results = types ?? inst.row.type!(args, attr)
    // A list of one is written as such: an empty list that grows takes room for many.
    if (results.length === 1) inst.results = [this.value(results[0]!, inst, 0)]
    else for (let i = 0; i < results.length; i++) inst.results.push(this.value(results[i]!, inst, i))
    this.at.insts.push(inst)
    return inst
  }

  /** The only result of a new instruction. */
  emit1<K extends BareOp>(op: K, args: Value[], attr?: null, type?: Type): Value
  emit1<K extends OpName>(op: K, args: Value[], attr: Attrs[K], type?: Type): Value
  emit1(op: OpName, args: Value[], attr: Attr = null, type?: Type): Value {
    const inst = new Inst(op, args, attr, noRegions, this.span)
    const result = this.value(type ?? inst.row.type!(args, attr)[0]!, inst, 0)
    inst.results = [result]
    this.at.insts.push(inst)
    return result
  }

  /** One of two values of any type, by an `if`. */
  choice(cond: Value, x: Value, y: Value): Value {
    const inst = this.emit('if', [cond], null, [x.type], [new Region(), new Region()])
    inst.regions.forEach((region, i) => this.within(region, () => this.emit('yield', [i === 0 ? x : y])))
    return inst.results[0]!
  }

  /** A loop that does something with each index below a number. */
  each(count: number, f: (i: Value) => void, type: Type = t.u32, first: Value = this.const(type, 0)): void {
    const [head, body] = [new Region(), new Region()]
    this.emit('loop', [first], null, [], [head, body])
    const i = this.param(type, 'i', head)
    this.within(head, () => this.emit('test', [this.emit1('lt', [i, this.const(type, count)])]))
    this.within(body, () => {
      f(i)
      this.emit('next', [this.add(i, this.const(type, 1))])
    })
  }

  /** Runs `f` with `region` as the place to append to. */
  within<T>(region: Region, f: () => T): T {
    const saved = this.at
    this.at = region
    const out = f()
    this.at = saved
    return out
  }

  const(type: Type, value: number | boolean | bigint): Value {
    return this.emit1('const', [], value, type)
  }

  zero(type: Type): Value {
    if (type.kind !== 'scalar') return this.emit1('zero', [], null, type)
    return this.const(type, type.scalar === 'bool' ? false : type.scalar === 'i64' || type.scalar === 'u64' ? 0n : 0)
  }

  /** What nobody gives a value: zero, or for a resource, which has no zero, nothing in particular. */
  unset(type: Type): Value {
    return type.kind === 'ptr' ? this.emit1('undef', [], null, type) : this.zero(type)
  }

  /** One, splatted to the type. */
  one(type: Type): Value {
    const scalar = t.scalars[type.scalar!]
    return this.splatLike(this.const(scalar, type.scalar === 'i64' || type.scalar === 'u64' ? 1n : 1), type)
  }

  add(x: Value, y: Value): Value {
    return isZero(x) ? y : isZero(y) ? x : this.emit1('add', [x, y])
  }
  sub(x: Value, y: Value): Value {
    return this.emit1('sub', [x, y])
  }
  mul(x: Value, y: Value): Value {
    return isOne(x) ? y : isOne(y) ? x : this.emit1('mul', [x, y])
  }
  div(x: Value, y: Value): Value {
    return isOne(y) ? x : this.emit1('div', [x, y])
  }
  neg(x: Value): Value {
    return this.emit1('neg', [x])
  }
  select(c: Value, x: Value, y: Value): Value {
    return x === y ? x : this.emit1('select', [c, x, y])
  }
  convert(x: Value, type: Type): Value {
    return x.type === type ? x : this.emit1('convert', [x], null, type)
  }
  transpose(x: Value): Value {
    return this.emit1('transpose', [x])
  }
  load(p: Value): Value {
    return this.emit1('load', [p])
  }
  store(p: Value, v: Value): void {
    this.emit('store', [p, v])
  }
  field(p: Value, i: number): Value {
    return this.emit1('field', [p], i)
  }
  elem(p: Value, i: Value): Value {
    return this.emit1('elem', [p, i])
  }
  variable(type: Type, name = ''): Value {
    const v = this.emit1('var', [], null, t.ptr('function', type))
    v.name = name
    return v
  }

  construct(type: Type, parts: Value[]): Value {
    const whole = wholeOf(type, parts)
    return whole ?? this.emit1('construct', parts, null, type)
  }

  /** A component of a composite; looks through `construct`, `insert` and `zero`. */
  extract(x: Value, i: number): Value {
    let from = x
    for (;;) {
      const def = from.def
      if (def.op === 'param') break
      if (def.op === 'construct') return def.args[i]!
      if (def.op === 'splat' && from.type.kind === 'vec') return def.args[0]!
      if (def.op === 'zero') return this.zero(t.component(from.type, i))
      if (def.op !== 'insert') break
      if (def.attr === i) return def.args[1]!
      from = def.args[0]!
    }
    return this.emit1('extract', [from], i)
  }

  insert(x: Value, i: number, part: Value): Value {
    return this.emit1('insert', [x, part], i)
  }

  splat(x: Value, type: Type): Value {
    return x.type === type ? x : this.emit1('splat', [x], null, type)
  }

  /** A scalar as a value of the given scalar, vector or matrix type. */
  splatLike(x: Value, type: Type): Value {
    return x.type.kind === 'scalar' ? this.splat(x, type) : x
  }

  swizzle(x: Value, lanes: readonly number[]): Value {
    if (lanes.length === x.type.count && lanes.every((l, i) => l === i)) return x
    return this.emit1('swizzle', [x], lanes)
  }

  /** The sum of all lanes of a vector or matrix. */
  sumLanes(x: Value): Value {
    if (x.type.kind === 'scalar') return x
    let sum: Value | undefined
    for (let i = 0; i < x.type.count; i++) {
      const part = this.sumLanes(this.extract(x, i))
      sum = sum === undefined ? part : this.add(sum, part)
    }
    return sum!
  }

  /** Column vector times row vector: row i is `x[i] * y`. */
  outer(x: Value, y: Value): Value {
    const rows: Value[] = []
    for (let i = 0; i < x.type.count; i++) rows.push(this.mul(this.splat(this.extract(x, i), y.type), y))
    return this.construct(t.mat(x.type.elem!, x.type.count, y.type.count), rows)
  }

  call(func: Func, args: Value[]): Value[] {
    return this.emit('call', args, func).results
  }
}

/** The composite whose components `parts` are, in order: constructing it again is the composite itself. */
function wholeOf(type: Type, parts: readonly Value[]): Value | undefined {
  let whole: Value | undefined
  for (let i = 0; i < parts.length; i++) {
    const def = parts[i]!.def
    if (def.op === 'param' || def.op !== 'extract' || def.attr !== i || def.args[0]!.type !== type) return undefined
    if (i > 0 && def.args[0] !== whole) return undefined
    whole = def.args[0]
  }
  return whole
}

/** True for a constant that is one in all lanes. */
export function isOne(x: Value): boolean {
  const def = x.def
  if (def.op === 'param') return false
  if (def.op === 'const') return def.attr === 1
  return def.op === 'splat' && isOne(def.args[0]!)
}

/** True for a constant that is zero in all lanes. */
export function isZero(x: Value): boolean {
  const def = x.def
  if (def.op === 'param') return false
  if (def.op === 'zero') return true
  if (def.op === 'const') return def.attr === 0 || def.attr === 0n || def.attr === false
  return def.op === 'splat' && isZero(def.args[0]!)
}

/** An empty region. */
export function region(): Region {
  return new Region()
}
