/**
 * Builds nodes. It folds constants, finds equal pure nodes in scope, and defines pure nodes outside of all loops that do not feed
 * them. The walk over the IR enters and leaves loops, and sets `at`.
 */
import * as costs from '../../ir/costs.ts'
import { baseGlobal, Label, Node, Seq, type Code, type Stmt } from './node.ts'
import { isVector, op, f32, f64, i32, i64, type ScalarType, type ValType } from './opcode.ts'

const noArgs: readonly Node[] = []
const constOp: Readonly<Record<ScalarType, number>> = {
  [i32]: op.i32Const,
  [i64]: op.i64Const,
  [f32]: op.f32Const,
  [f64]: op.f64Const,
}
export const isConst = (n: Node): boolean => n.op >= op.i32Const && n.op <= op.f64Const

export class Graph {
  readonly code: Code
  at: Seq
  #next = 0

  constructor(code: Code) {
    this.code = code
    this.at = code.body
  }

  stmt(s: Stmt): void {
    if (!this.at.open) return
    this.code.work?.spend('output', costs.nodeOutput)
    this.at.stmts.push(s)
  }

  /** Runs `f` with a new list of statements to append to, and gives that list. */
  nested(loops: boolean, f: () => void): Seq {
    const saved = this.at
    const seq = new Seq(saved, loops)
    this.at = seq
    f()
    this.at = saved
    return seq
  }

  /** A constant; that of a vector by its 128 bits. */
  constant(type: ValType, value: number | bigint): Node {
    const code = isVector(type) ? op.v128Const : constOp[type]
    return this.#shared(code, type, noArgs, value, this.code.body, false)
  }

  i32(value: number): Node {
    return this.constant(i32, value | 0)
  }
  f32(value: number): Node {
    return this.constant(f32, Math.fround(value))
  }
  f64(value: number): Node {
    return this.constant(f64, value)
  }
  i64(value: bigint): Node {
    return this.constant(i64, BigInt.asIntN(64, value))
  }

  /** The zero of a type. */
  zero(type: ValType): Node {
    return this.constant(type, type === i64 || isVector(type) ? 0n : 0)
  }

  /** A local that is written once in each run of the current list, or by the current loop. */
  get(local: number): Node {
    return this.#shared(
      op.localGet,
      this.code.locals[local]!,
      noArgs,
      local,
      local < this.code.callee.params.length ? this.code.body : this.at,
      false,
    )
  }

  /** Where the module's own region of memory begins. */
  base(): Node {
    return this.global(baseGlobal)
  }

  /** A module global; hosts write it between calls only. */
  global(index: number): Node {
    return this.#shared(op.globalGet, i32, noArgs, index, this.code.body, true)
  }

  /** A pure operation. */
  pure(code: number, type: ValType, ...args: Node[]): Node {
    return this.fold(code, type, args) ?? this.plain(code, type, args)
  }

  /** A pure operation with an immediate, as it stands. */
  plain(code: number, type: ValType, args: readonly Node[], imm: number | bigint = 0): Node {
    return this.#shared(code, type, args, imm, this.#home(args), true)
  }

  /** A pure operation at this place, which what changes a local comes before or after. */
  here(code: number, type: ValType, args: readonly Node[]): Node {
    const node = new Node(this.#next++, code, type, args, 0, this.at, false)
    this.stmt({ kind: 'def', node })
    return node
  }

  /** A load from memory of `object`; `fixed` where no code of the module writes that memory. */
  read(code: number, type: ValType, addr: Node, offset: number, fixed: boolean, object?: object): Node {
    return this.loads(code, type, [addr], offset, fixed, object)
  }

  /** A load that takes other operands than an address too. */
  loads(
    code: number,
    type: ValType,
    args: readonly Node[],
    imm: number,
    fixed: boolean,
    object: object | undefined,
  ): Node {
    if (fixed) return this.plain(code, type, args, imm)
    const node = new Node(this.#next++, code, type, args, imm, this.at, true)
    node.object = object
    this.stmt({ kind: 'def', node })
    return node
  }

  add(x: Node, y: Node): Node {
    return this.pure(op.i32Add, i32, x, y)
  }
  mul(x: Node, y: Node): Node {
    return this.pure(op.i32Mul, i32, x, y)
  }
  eqz(x: Node): Node {
    return this.pure(op.i32Eqz, i32, x)
  }
  select(c: Node, x: Node, y: Node): Node {
    return x === y ? x : this.pure(op.select, x.type, x, y, c)
  }
  br(to: Label, cond?: Node): void {
    if (cond !== undefined && isConst(cond)) {
      if (cond.imm === 0) return
      cond = undefined
    }
    if (!this.at.open) return
    to.used = true
    this.stmt({ kind: 'br', to, cond })
    if (cond === undefined) this.at.open = false
  }

  /** Appends `if (cond) f()`. */
  when(cond: Node, f: () => void): void {
    if (isConst(cond)) {
      if (cond.imm !== 0) f()
      return
    }
    const yes = this.nested(false, f)
    this.stmt({ kind: 'if', cond, yes, no: undefined, label: new Label() })
  }

  /** Counts from 0 (or `from`) up to `end`, by 1 (or `step`). */
  count(end: Node, f: (i: Node) => void, from: Node = this.i32(0), step = 1): void {
    const local = this.code.local(i32)
    const [top, exit] = [new Label(), new Label()]
    this.stmt({ kind: 'set', local, value: from })
    const body = this.nested(true, () => {
      const i = this.get(local)
      this.br(exit, this.pure(op.i32GeU, i32, i, end))
      f(i)
      this.stmt({ kind: 'set', local, value: this.add(i, this.i32(step)) })
      this.br(top)
    })
    this.stmt({ kind: 'loop', body, top, exit })
  }

  /** The innermost list in which all operands are known, moved out of the loops that this allows. */
  #home(args: readonly Node[]): Seq {
    let depth = 0
    for (let k = 0; k < args.length; k++) depth = Math.max(depth, args[k]!.home.depth)
    let home = this.at
    for (let seq: Seq = this.at; seq.depth > depth; seq = seq.parent!) {
      if (seq.loops) home = seq.parent!
    }
    return home
  }

  #shared(code: number, type: ValType, args: readonly Node[], imm: number | bigint, home: Seq, defined: boolean): Node {
    const hash = hashOf(code, type, args, imm)
    for (let seq: Seq | undefined = this.at; seq !== undefined; seq = seq.parent) {
      for (let old = seq.known.get(hash); old !== undefined; old = old.next)
        if (computes(old, code, type, args, imm)) return old
    }
    this.code.work?.spend('output', costs.nodeOutput)
    const node = new Node(this.#next++, code, type, args, imm, home, false)
    node.next = home.known.get(hash)
    home.known.set(hash, node)
    if (defined) home.stmts.push({ kind: 'def', node })
    return node
  }

  /** The result of an operation on constants and neutral elements, if it folds. */
  fold(code: number, type: ValType, args: readonly Node[]): Node | undefined {
    const [x, y, c] = [args[0]!, args[1], args[2]]
    if (code === op.select) {
      if (isConst(c!)) return c!.imm !== 0 ? x : y
      return undefined
    }
    if (code === op.i32Eqz) {
      if (isConst(x)) return this.i32(x.imm === 0 ? 1 : 0)
      if (x.op === op.i32Eqz && isBoolean(x.args[0]!)) return x.args[0]
      return negated[x.op] === undefined ? undefined : this.pure(negated[x.op]!, i32, ...x.args)
    }
    if (type !== i32 || y === undefined || x.type !== i32) return undefined
    if (isConst(x) && isConst(y)) return foldI32(this, code, x.imm as number, y.imm as number)
    if (isConst(x) && commutes(code)) return this.fold(code, type, [y, x]) ?? this.plain(code, type, [y, x])
    if (!isConst(y)) return undefined
    const n = y.imm as number
    switch (code) {
      case op.i32Add:
      case op.i32Sub:
      case op.i32Shl:
      case op.i32ShrS:
      case op.i32ShrU:
      case op.i32Or:
      case op.i32Xor:
        if (n === 0) return x
        if (code === op.i32Add && x.op === op.i32Add && isConst(x.args[1]!)) {
          return this.add(x.args[0]!, this.i32(n + (x.args[1]!.imm as number)))
        }
        return undefined
      case op.i32Mul:
        if (n === 1) return x
        if (n === 0) return y
        return n > 0 && (n & (n - 1)) === 0 ? this.pure(op.i32Shl, i32, x, this.i32(31 - Math.clz32(n))) : undefined
      case op.i32And:
        return n === -1 ? x : n === 0 ? y : undefined
      case op.i32DivU:
        return n === 1
          ? x
          : n > 0 && (n & (n - 1)) === 0
            ? this.pure(op.i32ShrU, i32, x, this.i32(31 - Math.clz32(n)))
            : undefined
      case op.i32RemU:
        return n > 0 && (n & (n - 1)) === 0 ? this.pure(op.i32And, i32, x, this.i32(n - 1)) : undefined
      default:
        return undefined
    }
  }
}

/** A number that nodes have in common which compute the same. */
function hashOf(code: number, type: ValType, args: readonly Node[], imm: number | bigint): number {
  // The second part tells numbers below one from each other.
  let hash =
    typeof imm === 'bigint' ? Number(BigInt.asIntN(32, imm)) : (imm | 0) ^ Math.imul(imm * 0x1000000, 0x27d4eb2f)
  hash = Math.imul(hash ^ (code << 8) ^ type, 0x9e3779b1)
  for (let k = 0; k < args.length; k++) hash = Math.imul((hash ^ (hash >>> 15)) + args[k]!.id, 0x85ebca6b)
  return hash
}

function computes(node: Node, code: number, type: ValType, args: readonly Node[], imm: number | bigint): boolean {
  if (node.op !== code || node.type !== type || node.args.length !== args.length || !Object.is(node.imm, imm))
    return false
  for (let k = 0; k < args.length; k++) if (node.args[k] !== args[k]) return false
  return true
}

/** Comparisons of integers by their opposites; those of floats have none, because of NaN. */
const negated: Readonly<Record<number, number>> = {
  [op.i32Eq]: op.i32Ne,
  [op.i32Ne]: op.i32Eq,
  [op.i32LtS]: op.i32GeS,
  [op.i32GeS]: op.i32LtS,
  [op.i32LtU]: op.i32GeU,
  [op.i32GeU]: op.i32LtU,
  [op.i32GtS]: op.i32LeS,
  [op.i32LeS]: op.i32GtS,
  [op.i32GtU]: op.i32LeU,
  [op.i32LeU]: op.i32GtU,
  [op.f32Eq]: op.f32Ne,
  [op.f32Ne]: op.f32Eq,
  [op.f64Eq]: op.f64Ne,
  [op.f64Ne]: op.f64Eq,
}

/** True for nodes that can only be 0 or 1. */
export function isBoolean(n: Node): boolean {
  return n.op >= op.i32Eqz && n.op <= op.f64Ge
}

function commutes(code: number): boolean {
  return (
    code === op.i32Add ||
    code === op.i32Mul ||
    code === op.i32And ||
    code === op.i32Or ||
    code === op.i32Xor ||
    code === op.i32Eq ||
    code === op.i32Ne
  )
}

function foldI32(g: Graph, code: number, x: number, y: number): Node | undefined {
  switch (code) {
    case op.i32Add:
      return g.i32(x + y)
    case op.i32Sub:
      return g.i32(x - y)
    case op.i32Mul:
      return g.i32(Math.imul(x, y))
    case op.i32And:
      return g.i32(x & y)
    case op.i32Or:
      return g.i32(x | y)
    case op.i32Xor:
      return g.i32(x ^ y)
    case op.i32Shl:
      return g.i32(x << (y & 31))
    case op.i32ShrS:
      return g.i32(x >> (y & 31))
    case op.i32ShrU:
      return g.i32(x >>> (y & 31))
    case op.i32Eq:
      return g.i32(x === y ? 1 : 0)
    case op.i32Ne:
      return g.i32(x !== y ? 1 : 0)
    case op.i32LtU:
      return g.i32(x >>> 0 < y >>> 0 ? 1 : 0)
    case op.i32GeU:
      return g.i32(x >>> 0 >= y >>> 0 ? 1 : 0)
    case op.i32LtS:
      return g.i32(x < y ? 1 : 0)
    case op.i32GtS:
      return g.i32(x > y ? 1 : 0)
    case op.i32DivU:
      return y === 0 ? undefined : g.i32((x >>> 0) / (y >>> 0))
    case op.i32RemU:
      return y === 0 ? undefined : g.i32((x >>> 0) % (y >>> 0))
    default:
      return undefined
  }
}
