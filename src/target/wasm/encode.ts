/** The binary encoding of a module. */
import { ownGlobals, type Callee, type WasmCode } from './node.ts'
import { i32, op, typeCode, type ValType } from './opcode.ts'
import type { Ins } from './node.ts'
import { schedule } from './schedule.ts'

const pageSize = 65536
/** Stands before the parameters of a function type. */
const functionType = 0x60
/** The type of a construct that leaves nothing on the stack. */
const emptyBlock = 0x40
/** Marks data that code copies to memory. */
const passive = 1

/** Encodes a module; gives its functions their indices. */
export function encode(module: WasmCode): Uint8Array<ArrayBuffer> {
  const out = new Bytes()
  out.raw([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
  const callees: Callee[] = [...module.imports, ...module.codes.map(c => c.callee)]
  callees.forEach((c, i) => {
    c.index = i
  })
  const types = new Map<string, number>()
  const typeBytes = new Bytes()
  const typeOf = (c: Callee): number => {
    const key = `${c.params.map(typeCode).join()}>${c.results.map(typeCode).join()}`
    let index = types.get(key)
    if (index === undefined) {
      index = types.size
      types.set(key, index)
      typeBytes.byte(functionType)
      typeBytes.list(c.params.map(typeCode))
      typeBytes.list(c.results.map(typeCode))
    }
    return index
  }
  const typeIndices = callees.map(typeOf)
  const bodies = module.codes.map(code => ({ code, ins: schedule(code) }))

  out.section(1, s => {
    s.u32(types.size)
    s.append(typeBytes)
  })
  out.section(2, s => {
    s.u32(2 + module.imports.length)
    const least = pagesOf(module.memory)
    s.name('host')
    s.name('memory')
    const most = mostPages(module)
    s.raw([2, module.shared ? 3 : most === undefined ? 0 : 1])
    s.u32(least)
    if (most !== undefined) s.u32(most)
    s.name('host')
    s.name('base')
    s.raw([3, i32, 0])
    module.imports.forEach((c, i) => {
      s.name('host')
      s.name(c.name)
      s.byte(0)
      s.u32(typeIndices[i]!)
    })
  })
  out.section(3, s => s.list(typeIndices.slice(module.imports.length)))
  if (module.globals.length > 0) {
    out.section(6, s => {
      s.u32(module.globals.length)
      for (let i = 0; i < module.globals.length; i++) s.raw([i32, 1, op.i32Const, 0, op.end])
    })
  }
  out.section(7, s => {
    s.u32(module.exports.length + module.globals.length)
    for (const e of module.exports) {
      s.name(e.name)
      s.byte(0)
      s.u32(e.callee.index)
    }
    module.globals.forEach((name, i) => {
      s.name(name)
      s.byte(3)
      s.u32(ownGlobals + i)
    })
  })
  const { start, data } = module
  if (start !== undefined) out.section(8, s => s.u32(start.index))
  if (data.length > 0) out.section(12, s => s.u32(data.length))
  out.section(10, s => {
    s.u32(bodies.length)
    for (const { code, ins } of bodies) {
      const body = new Bytes()
      writeLocals(body, code.locals.slice(code.callee.params.length))
      for (let i = 0; i < ins.length; i++) writeIns(body, ins[i]!)
      body.byte(op.end)
      s.u32(body.length)
      s.append(body)
    }
  })
  if (data.length > 0) {
    out.section(11, s => {
      s.u32(data.length)
      for (const { bytes } of data) {
        s.byte(passive)
        s.u32(bytes.length)
        s.raw(bytes)
      }
    })
  }
  out.section(0, s => {
    s.name('name')
    s.byte(1)
    const names = new Bytes()
    names.u32(callees.length)
    callees.forEach((c, i) => {
      names.u32(i)
      names.name(c.name)
    })
    s.u32(names.length)
    s.append(names)
  })
  return out.bytes()
}

/** How many pages hold so many bytes. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / pageSize)
}

function writeLocals(out: Bytes, locals: readonly ValType[]): void {
  const runs: [number, number][] = []
  for (const type of locals.map(typeCode)) {
    const last = runs[runs.length - 1]
    if (last !== undefined && last[1] === type) last[0]++
    else runs.push([1, type])
  }
  out.u32(runs.length)
  for (const [n, type] of runs) {
    out.u32(n)
    out.byte(type)
  }
}

/** log2 of the natural alignment of each load and store. */
function alignment(code: number): number {
  switch (code) {
    case op.i64Load:
    case op.f64Load:
    case op.i64Store:
    case op.f64Store:
      return 3
    case op.i32Load8S:
    case op.i32Load8U:
    case op.i32Store8:
      return 0
    case op.i32Load16S:
    case op.i32Load16U:
    case op.i32Store16:
      return 1
    default:
      return 2
  }
}

/** True for opcodes that take an alignment and an offset. */
export function isMemoryOp(code: number): boolean {
  return (
    (code >= op.i32Load && code <= op.i32Store16) ||
    isAtomic(code) ||
    code === op.v128Load ||
    code === op.v128Store ||
    code === op.v128Load32Zero ||
    code === op.v128Load64Zero ||
    isLaneAccess(code)
  )
}

/** True for loads of one lane. */
export function isLaneAccess(code: number): boolean {
  return code === op.v128Load32Lane || code === op.v128Load64Lane
}

/** Where a load of one lane carries the lane: an immediate that holds both. */
const laneFactor = 2 ** 32

/** The immediate of an access of one lane. */
export function laneAt(offset: number, lane: number): number {
  return offset + lane * laneFactor
}

/** The offset in an immediate of `laneAt`. */
export function offsetOf(imm: number): number {
  return imm % laneFactor
}

export function laneOf(imm: number): number {
  return Math.floor(imm / laneFactor)
}

/** True for what takes a lane alone. */
export function takesLane(code: number): boolean {
  return code >= op.i32x4ExtractLane && code <= op.f64x2ExtractLane
}

function isAtomic(code: number): boolean {
  return code >= op.i32AtomicLoad
}

/** log2 of the alignment that an atomic access has to name: opcodes come in sevens, for 32, 64, 8 and 16 bits first. */
function atomicAlignment(code: number): number {
  return [2, 3, 0, 1][(code - op.i32AtomicLoad) % 7]!
}

function writeIns(out: Bytes, ins: Ins): void {
  const code = ins.op
  if (code > 0xff) {
    out.byte(code >> 8)
    out.u32(code & 0xff)
    if (code === op.memoryInit) {
      out.u32(ins.a as number)
      out.byte(0)
    } else if (isAtomic(code)) {
      out.u32(atomicAlignment(code))
      out.u32(ins.a as number)
    } else if (code === op.memoryCopy) out.raw([0, 0])
    else if (code === op.memoryFill) out.byte(0)
    else if (isMemoryOp(code)) {
      // Lanes and vectors lie at multiples of 4.
      out.u32(2)
      out.u32(offsetOf(ins.a as number))
      if (isLaneAccess(code)) out.byte(laneOf(ins.a as number))
    } else if (takesLane(code)) out.byte(ins.a as number)
    else if (code === op.v128Const || code === op.i8x16Shuffle) out.vector(ins.a as bigint)
    return
  }
  out.byte(code)
  if (isMemoryOp(code)) {
    out.u32(alignment(code))
    out.u32(ins.a as number)
    return
  }
  switch (code) {
    case op.block:
    case op.loop:
    case op.if:
      out.byte(emptyBlock)
      return
    case op.br:
    case op.brIf:
    case op.call:
    case op.localGet:
    case op.localSet:
    case op.localTee:
    case op.globalGet:
    case op.globalSet:
      out.u32(ins.a as number)
      return
    case op.brTable:
      out.list(ins.table!)
      out.u32(ins.a as number)
      return
    case op.memoryGrow:
      out.byte(0)
      return
    case op.i32Const:
    case op.i64Const:
      out.signed(BigInt(ins.a))
      return
    case op.f32Const:
      out.float32(ins.a as number)
      return
    case op.f64Const:
      out.float64(ins.a as number)
      return
    default:
      return
  }
}

/** Bytes that grow. */
class Bytes {
  #buffer = new Uint8Array(256)
  length = 0

  #reserve(n: number): void {
    if (this.length + n <= this.#buffer.length) return
    const bigger = new Uint8Array(Math.max(this.#buffer.length * 2, this.length + n))
    bigger.set(this.#buffer.subarray(0, this.length))
    this.#buffer = bigger
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(0, this.length)
  }

  byte(b: number): void {
    this.#reserve(1)
    this.#buffer[this.length++] = b
  }

  raw(bytes: ArrayLike<number>): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  append(other: Bytes): void {
    this.raw(other.#buffer.subarray(0, other.length))
  }

  u32(n: number): void {
    let rest = n >>> 0
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.byte(rest)
  }

  signed(n: bigint): void {
    let rest = n
    for (;;) {
      const low = Number(rest & 0x7fn)
      rest >>= 7n
      if ((rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)) {
        this.byte(low)
        return
      }
      this.byte(low | 0x80)
    }
  }

  float32(x: number): void {
    this.raw(new Uint8Array(Float32Array.of(x).buffer))
  }

  float64(x: number): void {
    this.raw(new Uint8Array(Float64Array.of(x).buffer))
  }

  vector(bits: bigint): void {
    this.raw(new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, bits), BigInt.asUintN(64, bits >> 64n)).buffer))
  }

  list(items: readonly number[]): void {
    this.u32(items.length)
    for (let i = 0; i < items.length; i++) this.u32(items[i]!)
  }

  name(text: string): void {
    const bytes = new TextEncoder().encode(text)
    this.u32(bytes.length)
    this.raw(bytes)
  }

  section(id: number, fill: (s: Bytes) => void): void {
    const body = new Bytes()
    fill(body)
    this.byte(id)
    this.u32(body.length)
    this.append(body)
  }
}

/** How many pages the memory of a module has at most; undefined for any number. A shared one has a maximum always. */
export function mostPages({ shared, memory, most }: WasmCode): number | undefined {
  if (!shared && most === undefined) return undefined
  return Math.min(65536, Math.max(pagesOf(memory), Math.ceil((most ?? Infinity) / pageSize)))
}
