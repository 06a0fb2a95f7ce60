/**
 * Lists in linear memory. A list is the address of a block, 0 if it is empty. A block holds the number of elements, the address of
 * the only variable that may write it in place, and from 16 bytes on the elements. Code that loads a list as a value removes that
 * permission. So the value stays as it is, and the variable copies the block before it writes again. Blocks follow each other on a
 * tape, which begins anew with each call of an export. It lies where the host says: behind all other memory, if memory is to grow with it.
 */
import * as costs from '../../ir/costs.ts'
import { Graph } from './graph.ts'
import type { Code } from './node.ts'
import { Callee, type Node } from './node.ts'
import { i32, op } from './opcode.ts'

/** Words of the module's region for the tape: how far it has come, where it begins, and where it must end. Hosts move the last two. */
const tapeEndAt = 4
export const tapeBaseAt = 8
const tapeLimitAt = 12
/** The end of a tape that may take all memory: addresses have 32 bits, of which the last page stays unused. */
const tapeLimit = -65536
/** Bytes before the elements of a block. */
export const headerBytes = 16
const ownerAt = 4

export type TapeName = 'at' | 'put' | 'share' | 'joined' | 'shorter' | 'grow' | 'block'

/** What the functions of the tape call. */
export interface TapeParts {
  /** Another function of the tape. */
  readonly part: (name: TapeName) => Callee
  /** Stops the program for want of memory. */
  readonly stop: (g: Graph) => void
}

const signatures: Readonly<Record<TapeName, number>> = {
  at: 4,
  put: 3,
  share: 1,
  joined: 3,
  shorter: 2,
  grow: 3,
  block: 1,
}

/** A function of the tape, without its code. */
export function tapeCallee(name: TapeName): Callee {
  return new Callee(
    `list.${name}`,
    Array.from({ length: signatures[name] }, () => i32),
    [i32],
  )
}

/** Fills in the code of a function of the tape. */
export function tapeCode(name: TapeName, code: Code, parts: TapeParts): void {
  new Writer(code, parts)[name]()
}

/** Places the tape behind the module's region. */
export function placeTape(g: Graph, heap: number): void {
  setWord(g, tapeBaseAt, g.add(g.base(), g.i32(heap)))
  setWord(g, tapeLimitAt, g.i32(tapeLimit))
}

/** Begins the tape anew. */
export function rewind(g: Graph): void {
  setWord(g, tapeEndAt, g.read(op.i32Load, i32, g.base(), tapeBaseAt, false))
}

function setWord(g: Graph, offset: number, value: Node): void {
  g.stmt({ kind: 'store', op: op.i32Store, addr: g.base(), value, offset, object: undefined })
}

class Writer {
  readonly #g: Graph
  readonly #parts: TapeParts

  constructor(code: Code, parts: TapeParts) {
    this.#g = new Graph(code)
    this.#parts = parts
  }

  /** `at(cell, index, stride, zeros)`: the address of an element to be read; zeros where the list has none. */
  at(): void {
    const g = this.#g
    const [cell, index, stride, zeros] = [0, 1, 2, 3].map(k => g.get(k))
    const list = this.#var(this.#read(cell!, 0))
    g.when(g.eqz(list), () => this.#return(zeros!))
    g.when(this.#less(index!, this.#read(list, 0)), () => this.#return(this.#element(list, index!, stride!)))
    this.#return(zeros!)
  }

  /** `put(cell, index, stride)`: the address of an element to be written. */
  put(): void {
    const g = this.#g
    const [cell, index, stride] = [0, 1, 2].map(k => g.get(k))
    const list = this.#var(this.#read(cell!, 0))
    g.when(list, () =>
      g.when(this.#equal(this.#read(list, ownerAt), cell!), () => {
        g.when(this.#less(index!, this.#read(list, 0)), () => this.#return(this.#element(list, index!, stride!)))
      }),
    )
    this.#return(this.#element(this.#call('grow', cell!, index!, stride!), index!, stride!))
  }

  /** `grow(cell, index, stride)`: the variable's own block, made or made long enough for an element. */
  grow(): void {
    const g = this.#g
    const [cell, index, stride] = [0, 1, 2].map(k => g.get(k))
    const list = this.#var(this.#read(cell!, 0))
    const [old, own] = [this.#var(g.i32(0)), this.#var(g.i32(0))]
    g.when(list, () => {
      this.#set(old, this.#read(list, 0))
      this.#set(own, this.#equal(this.#read(list, ownerAt), cell!))
    })
    const most = this.#var(g.pure(op.i32DivU, i32, g.i32(2 ** 31 - 65536), stride!))
    g.when(g.eqz(this.#less(index!, most)), () => this.#parts.stop(g))
    // Twice as long each time, so that growing costs as much as writing.
    const count = this.#var(
      this.#max(this.#max(g.add(index!, g.i32(1)), g.i32(costs.listRoom)), g.select(own, g.add(old, old), old)),
    )
    this.#set(count, this.#min(count, most))
    const held = this.#var(g.mul(old, stride!))
    const bytes = this.#var(g.mul(count, stride!))
    const end = this.#var(g.add(list, g.add(g.i32(headerBytes), held)))
    // What lies last grows where it lies.
    g.when(own, () =>
      g.when(this.#equal(this.#aligned(end), this.#read(g.base(), tapeEndAt)), () => {
        this.#call(
          'block',
          g.pure(op.i32Sub, i32, g.add(list, g.add(g.i32(headerBytes), bytes)), this.#read(g.base(), tapeEndAt)),
        )
        g.stmt({
          kind: 'bulk',
          op: op.memoryFill,
          args: [end, g.i32(0), g.pure(op.i32Sub, i32, bytes, held)],
          offset: 0,
          object: undefined,
        })
        this.#write(list, 0, count)
        this.#return(list)
      }),
    )
    const made = this.#var(this.#call('block', g.add(g.i32(headerBytes), bytes)))
    g.stmt({
      kind: 'bulk',
      op: op.memoryCopy,
      args: [g.add(made, g.i32(headerBytes)), g.add(list, g.i32(headerBytes)), held],
      offset: 0,
      object: undefined,
    })
    const rest = g.add(made, g.add(g.i32(headerBytes), held))
    g.stmt({
      kind: 'bulk',
      op: op.memoryFill,
      args: [rest, g.i32(0), g.pure(op.i32Sub, i32, bytes, held)],
      offset: 0,
      object: undefined,
    })
    this.#write(made, 0, count)
    this.#write(made, ownerAt, cell!)
    this.#write(cell!, 0, made)
    this.#return(made)
  }

  /** `share(cell)`: the list as a value. */
  share(): void {
    const g = this.#g
    const cell = g.get(0)
    const list = this.#var(this.#read(cell, 0))
    g.when(list, () => g.when(this.#equal(this.#read(list, ownerAt), cell), () => this.#write(list, ownerAt, g.i32(0))))
    this.#return(list)
  }

  /** `joined(x, y, stride)`: a copy of the longer one, to which the shorter is to be added; one of the two where the other is empty. */
  joined(): void {
    const g = this.#g
    const [x, y, stride] = [0, 1, 2].map(k => g.get(k))
    g.when(g.eqz(x!), () => this.#return(y!))
    g.when(g.eqz(y!), () => this.#return(x!))
    const longer = this.#var(g.select(this.#less(this.#read(x!, 0), this.#read(y!, 0)), y!, x!))
    const bytes = this.#var(g.add(g.i32(headerBytes), g.mul(this.#read(longer, 0), stride!)))
    const made = this.#var(this.#call('block', bytes))
    g.stmt({ kind: 'bulk', op: op.memoryCopy, args: [made, longer, bytes], offset: 0, object: undefined })
    this.#write(made, ownerAt, g.i32(0))
    this.#return(made)
  }

  /** `shorter(x, y)`: the one that `joined` leaves to be added, or none. */
  shorter(): void {
    const g = this.#g
    const [x, y] = [0, 1].map(k => g.get(k))
    g.when(g.eqz(x!), () => this.#return(g.i32(0)))
    g.when(g.eqz(y!), () => this.#return(g.i32(0)))
    this.#return(g.select(this.#less(this.#read(x!, 0), this.#read(y!, 0)), x!, y!))
  }

  /** `block(bytes)`: the address of so many bytes at the end of the tape. */
  block(): void {
    const g = this.#g
    const bytes = g.get(0)
    const at = this.#var(this.#read(g.base(), tapeEndAt))
    const end = this.#var(this.#aligned(g.add(at, bytes)))
    g.when(this.#less(end, at), () => this.#parts.stop(g))
    g.when(this.#less(this.#read(g.base(), tapeLimitAt), end), () => this.#parts.stop(g))
    const pages = this.#var(this.#grown(g.i32(0)))
    const missing = this.#var(
      g.pure(op.i32Sub, i32, g.pure(op.i32ShrU, i32, g.add(end, g.i32(65535)), g.i32(16)), pages),
    )
    g.when(g.pure(op.i32GtS, i32, missing, g.i32(0)), () => {
      // Half as much again, or what is needed where there is no more.
      const generous = this.#var(this.#grown(this.#max(missing, g.pure(op.i32ShrU, i32, pages, g.i32(1)))))
      g.when(this.#equal(generous, g.i32(-1)), () => {
        const exact = this.#var(this.#grown(missing))
        g.when(this.#equal(exact, g.i32(-1)), () => this.#parts.stop(g))
      })
    })
    this.#write(g.base(), tapeEndAt, end)
    this.#return(at)
  }

  // ── Pieces ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** A local that holds a value. */
  #var(value: Node): Node {
    const local = this.#g.code.local(i32)
    this.#g.stmt({ kind: 'set', local, value })
    return this.#g.get(local)
  }

  #set(variable: Node, value: Node): void {
    this.#g.stmt({ kind: 'set', local: variable.imm as number, value })
  }

  #read(at: Node, offset: number): Node {
    return this.#g.read(op.i32Load, i32, at, offset, false)
  }

  #write(at: Node, offset: number, value: Node): void {
    this.#g.stmt({ kind: 'store', op: op.i32Store, addr: at, value, offset, object: undefined })
  }

  #call(name: TapeName, ...args: Node[]): Node {
    const local = this.#g.code.local(i32)
    this.#g.stmt({ kind: 'call', func: this.#parts.part(name), args, locals: [local], pure: false })
    return this.#g.get(local)
  }

  #return(value: Node): void {
    this.#g.stmt({ kind: 'return', values: [value] })
    this.#g.at.open = false
  }

  /** Grows memory by pages; gives how many there were, -1 where there are no more. */
  #grown(by: Node): Node {
    return this.#g.read(op.memoryGrow, i32, by, 0, false)
  }

  #element(list: Node, index: Node, stride: Node): Node {
    return this.#g.add(this.#g.add(list, this.#g.i32(headerBytes)), this.#g.mul(index, stride))
  }

  #aligned(bytes: Node): Node {
    return this.#g.pure(op.i32And, i32, this.#g.add(bytes, this.#g.i32(15)), this.#g.i32(-16))
  }

  #less(x: Node, y: Node): Node {
    return this.#g.pure(op.i32LtU, i32, x, y)
  }
  #equal(x: Node, y: Node): Node {
    return this.#g.pure(op.i32Eq, i32, x, y)
  }
  #max(x: Node, y: Node): Node {
    return this.#g.select(this.#less(x, y), y, x)
  }
  #min(x: Node, y: Node): Node {
    return this.#g.select(this.#less(x, y), x, y)
  }
}
