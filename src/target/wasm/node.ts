/**
 * A WASM function between legalisation and encoding: a tree of statement lists (`Seq`) whose operands are graphs of scalar nodes. A
 * node is computed where it is defined, or at its only use if that gives the same (`schedule.ts`).
 */
import type { Work } from '../../base/limits.ts'
import type { ValType } from './opcode.ts'

/** One instruction: an opcode with up to two immediates; `table` is for `br_table`. */
export interface Ins {
  readonly op: number
  readonly a: number | bigint
  readonly b: number
  readonly table: readonly number[] | undefined
}

/** A scalar value. Equal pure nodes of one scope are one object. */
export class Node {
  readonly op: number
  readonly type: ValType
  readonly args: readonly Node[]
  /** Constant, local or global index, or offset of a load. */
  readonly imm: number | bigint
  /** Where it may be computed first. */
  readonly home: Seq
  /** Reads memory that may be written: may not move across a write. */
  readonly reads: boolean
  /** Number of uses by statements that run and nodes that are needed; counted by the scheduler. */
  uses = 0
  /** The last counted user; the only one where `uses` is 1. */
  user: Node | Seq | undefined = undefined
  /** For a load: the object that it reads. Different objects do not overlap; undefined may be any. */
  object: object | undefined = undefined
  /** Another node of its list with the same hash. */
  next: Node | undefined = undefined
  /** The local that holds it, or -1. */
  local = -1
  readonly id: number

  constructor(
    id: number,
    op: number,
    type: ValType,
    args: readonly Node[],
    imm: number | bigint,
    home: Seq,
    reads: boolean,
  ) {
    this.id = id
    this.op = op
    this.type = type
    this.args = args
    this.imm = imm
    this.home = home
    this.reads = reads
  }
}

/** A list of statements with one way in. */
export class Seq {
  readonly parent: Seq | undefined
  readonly depth: number
  /** Runs many times for one run of its parent. */
  readonly loops: boolean
  readonly stmts: Stmt[] = []
  /** Pure nodes defined here, by the hash of what they compute; `Node.next` leads to others of the same hash. */
  readonly known: Map<number, Node> = new Map()
  /** False once a jump has ended it. */
  open = true

  constructor(parent: Seq | undefined, loops: boolean) {
    this.parent = parent
    this.depth = parent === undefined ? 0 : parent.depth + 1
    this.loops = loops
  }
}

/** What a branch names; `used` where one does. */
export class Label {
  used = false
}

export type Stmt =
  /** Computes a node here, unless its only use does. */
  | { readonly kind: 'def'; readonly node: Node }
  | { readonly kind: 'set'; readonly local: number; readonly value: Node }
  /** All values are computed before the first local is written. */
  | { readonly kind: 'sets'; readonly locals: readonly number[]; readonly values: readonly Node[] }
  /** Writes to memory of `object`; undefined may be any. */
  | {
      readonly kind: 'store'
      readonly op: number
      readonly addr: Node
      readonly value: Node
      readonly offset: number
      readonly object: object | undefined
    }
  /** Reads memory of `object` and writes it, as one: the local gets what was there. */
  | {
      readonly kind: 'atomic'
      readonly op: number
      /** The address, to which `offset` is added, and the operands. */
      readonly args: readonly Node[]
      readonly offset: number
      readonly local: number
      readonly object: object | undefined
    }
  /** `memory.copy` or `memory.fill` into `object`: destination, to which `offset` is added; source or byte; bytes. */
  | {
      readonly kind: 'bulk'
      readonly op: number
      readonly args: readonly Node[]
      readonly offset: number
      readonly object: object | undefined
    }
  /** Writes a piece of the module's data, by its index. */
  | { readonly kind: 'data'; readonly index: number; readonly to: Node; readonly bytes: number }
  | {
      readonly kind: 'call'
      readonly func: Callee
      readonly args: readonly Node[]
      readonly locals: readonly number[]
      readonly pure: boolean
    }
  | { readonly kind: 'if'; readonly cond: Node; readonly yes: Seq; readonly no: Seq | undefined; readonly label: Label }
  | { readonly kind: 'block'; readonly body: Seq; readonly label: Label }
  /** `exit` leaves the loop, `top` goes round again. The body falls out of the loop at its end. */
  | { readonly kind: 'loop'; readonly body: Seq; readonly top: Label; readonly exit: Label }
  | { readonly kind: 'br'; readonly to: Label; readonly cond: Node | undefined }
  /** Case i of the table runs `cases[table[i]]`; -1 and values past the table run the last. */
  | {
      readonly kind: 'switch'
      readonly selector: Node
      readonly table: readonly number[]
      readonly cases: readonly Seq[]
      readonly label: Label
    }
  | { readonly kind: 'return'; readonly values: readonly Node[] }
  | { readonly kind: 'unreachable' }

/** A function as its callers see it. It gets its index when the module is laid out. */
export class Callee {
  readonly name: string
  readonly params: readonly ValType[]
  readonly results: readonly ValType[]
  /** Imported from the host under this name. */
  readonly imported: boolean
  index = -1

  constructor(name: string, params: readonly ValType[], results: readonly ValType[], imported = false) {
    this.name = name
    this.params = params
    this.results = results
    this.imported = imported
  }
}

/** A function's code: parameters are the first locals. */
export class Code {
  readonly callee: Callee
  readonly locals: ValType[]
  readonly body: Seq = new Seq(undefined, false)
  /** Counts the code as work; undefined for code that is written here, not compiled. */
  readonly work: Work | undefined
  /** What the scheduler made of it, once it has. */
  scheduled: readonly Ins[] | undefined = undefined

  constructor(callee: Callee, work?: Work) {
    this.callee = callee
    this.work = work
    this.locals = [...callee.params]
  }

  local(type: ValType): number {
    return this.locals.push(type) - 1
  }
}

/** Bytes that differ from zero, and where they belong in the module's region. */
export interface Data {
  readonly at: number
  readonly bytes: Uint8Array
}

/** The index of the imported global that says where the module's region of memory begins. */
export const baseGlobal = 0
/** The index of the first global of the module itself. */
export const ownGlobals = 1

/** A module ready to be encoded. */
export interface WasmCode {
  readonly codes: readonly Code[]
  readonly imports: readonly Callee[]
  /** Mutable i32 globals, exported by name. Their indices begin with `ownGlobals`. */
  readonly globals: readonly string[]
  readonly exports: readonly { readonly name: string; readonly callee: Callee }[]
  /** Pieces of memory that `start` writes. */
  readonly data: readonly Data[]
  /** Runs when the module is instantiated; undefined where nothing is to be done. */
  readonly start: Callee | undefined
  /** Bytes of the module's own region of memory, which begins at the imported global `base`. */
  readonly memory: number
  /** Whether threads share the imported memory. */
  readonly shared: boolean
  /** Most bytes of the imported memory; undefined for any number. */
  readonly most: number | undefined
}
