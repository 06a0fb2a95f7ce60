/**
 * Compiles a module in IR to WASM functions over linear memory. A region of memory is the module's own. It is laid out once: uniforms,
 * module-level variables, constants and the frames of all functions have fixed places in it, since no function of an instance runs
 * twice at the same time, except recursive ones. The host says where the region begins, so that several instances can share a memory.
 */
import * as costs from '../../ir/costs.ts'
import { InternalError, type Sink } from '../../base/diag.ts'
import { LimitReached } from '../../base/limits.ts'
import {
  memoryMissing,
  recursiveMemory,
  resourceMissing,
  semanticMissing,
  missingIntrinsic,
} from '../../base/errors/wasm.ts'
import { voidType, type ScalarName, type Type } from '../../ir/type.ts'
import type { Global, Inst } from '../../ir/value.ts'
import { Func, Region, inputs, type Module } from '../../ir/value.ts'
import { dataSignature, dataType } from '../data.ts'
import { elementsIn, layouts, layoutsOf, roundUp, type Layouts } from '../../ir/layout.ts'
import { reflectParameters } from '../reflect.ts'
import { Body } from './body.ts'
import { hasIntrinsic } from './compute.ts'
import { constantBytes } from './constant.ts'
import { ConstantPool } from './constant-pool.ts'
import { elementaryCode, elementaryNames } from './elementary.ts'
import { helperCode } from './helper.ts'
import type { WasmBuffer, WasmFunction, WasmInterface, WasmKernel, WasmPrint, WasmUniform } from './interface.ts'
import { kernelCode, knownSemantics } from './kernel.ts'
import { Leaves, valType } from './leaf.ts'
import { Graph } from './graph.ts'
import { location, type Location } from './memory.ts'
import { Callee, Code, ownGlobals, type WasmCode } from './node.ts'
import { f32, i32, op, type ValType } from './opcode.ts'
import { isBuffer, Reach, resourcesOf, writtenGlobals } from './reach.ts'
import { ownKernel } from './own.ts'
import type { RunLimits } from '../limits.ts'
import type { CallTarget, LimitCells, Passing, Plan, WasmOptions } from './plan.ts'
import { startCode } from './start.ts'
import { wideElementaryCode } from './wide/elementary.ts'
import { NotWide } from './wide/graph.ts'
import { wideKernelCode } from './wide/kernel.ts'
import { wideFunc } from './wide/prepare.ts'
import { rewind, tapeBaseAt, tapeCallee, tapeCode, type TapeName } from './tape.ts'

/** Bytes for the arguments of one `printf`. */
const printBytes = 512

/** What is said when memory ends. */
const tapeFull =
  'out of memory: a reverse derivative stores more trips of loops without [Checkpoints] than memory holds'

/** The most memory for variables: half of the 32-bit address space is left to buffers. */
const maxMemory = 2 ** 31

export interface Legal {
  readonly code: WasmCode
  readonly host: WasmInterface
}

/**
 * Compiles exported functions and compute entry points. Undefined after a diagnostic. Array values of more than `maxArray` scalars
 * are in memory.
 */
export function legalize(module: Module, sink: Sink, options: WasmOptions = {}): Legal | undefined {
  const errors = sink.errors
  const legal = new Legalizer(module, sink, options).run()
  return sink.errors > errors ? undefined : legal
}

interface BufferGlobals {
  readonly base: number
  readonly length: number
  readonly last: number
}

class Legalizer implements Plan {
  readonly sink: Sink
  readonly leaves: Leaves
  readonly tight: Layouts = layouts.tight
  readonly #module: Module
  readonly #codes: Code[] = []
  readonly #imports: Callee[] = []
  readonly #globals: string[] = []
  readonly #exports: { name: string; callee: Callee }[] = []
  readonly #pool: ConstantPool
  readonly #callees = new Map<Func, Callee>()
  readonly #passing = new Map<Func, Passing>()
  readonly #helpers = new Map<string, Callee>()
  readonly #targets = new Map<Func, CallTarget>()
  readonly #numbers: ReadonlyMap<Global, number>
  readonly #beginners = new Map<string, Callee>()
  readonly #reach: Reach
  readonly #constants = new Map<Global, Uint8Array | undefined>()
  readonly #queue: Func[] = []
  readonly #frame = { top: 16 + printBytes }
  readonly #addresses = new Map<Global, number>()
  readonly #buffers = new Map<Global, BufferGlobals>()
  readonly #used: { buffers: WasmBuffer[]; uniforms: WasmUniform[] } = { buffers: [], uniforms: [] }
  readonly #prints: WasmPrint[] = []
  readonly #traps: string[] = []
  readonly #loops: string[] = []
  readonly limits: RunLimits
  readonly shared: boolean
  readonly cells: LimitCells
  readonly #lanes: 1 | 4 | undefined
  readonly #wideAllowance = { left: costs.wideProgram }
  readonly #ownAllowance = { left: costs.ownProgram }
  readonly #written: ReadonlySet<Global>

  constructor(module: Module, sink: Sink, { maxArray, limits = {}, shared = false, lanes }: WasmOptions) {
    this.#lanes = lanes
    this.#module = module
    this.#reach = new Reach(module, func => this.target(func))
    this.#numbers = new Map(module.globals.map((global, i) => [global, i]))
    this.limits = limits
    this.shared = shared
    const at = this.#frame.top
    this.cells = { trips: at, depth: at + 4, where: at + 8 }
    if (this.#isLimited()) this.#frame.top += 16
    this.leaves = new Leaves(maxArray)
    this.sink = sink
    this.#pool = new ConstantPool(this.#frame, sink.work)
    this.#written = writtenGlobals(module)
  }

  run(): Legal {
    const functions: WasmFunction[] = []
    const kernels: WasmKernel[] = []
    for (const func of new Set(this.#module.funcs)) {
      if (func.info.exported !== undefined) this.#exportFunction(func, func.info.exported, functions)
      if (func.info.entry !== undefined) this.#exportKernel(func, kernels)
    }
    for (let func = this.#queue.pop(); func !== undefined; func = this.#queue.pop()) this.#compile(func)
    const heap = roundUp(this.#frame.top, 16)
    const { data } = this.#pool
    const start = startCode(data, heap, this.#reach.listed, this.sink.work)
    if (start !== undefined) this.#codes.push(start)
    if (heap > maxMemory) this.sink.add(memoryMissing, undefined, { bytes: heap })
    return {
      code: {
        codes: this.#codes,
        imports: this.#imports,
        globals: this.#globals,
        exports: this.#exports,
        data,
        start: start?.callee,
        memory: heap,
        shared: this.shared,
        most: this.limits.bytes,
      },
      host: {
        functions,
        kernels,
        ...this.#used,
        parameters: reflectParameters(this.#module),
        prints: this.#prints,
        printAt: 16,
        traps: this.#traps,
        heap,
        ...(this.shared ? { shared: true as const } : {}),
        tapeAt: this.#reach.listed ? tapeBaseAt : 0,
        limits: this.#isLimited() ? { ...this.limits, cells: this.cells, loops: this.#loops } : null,
      },
    }
  }

  // ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────

  #exportFunction(func: Func, name: string, functions: WasmFunction[]): void {
    const signature = dataSignature(func, name, this.tight)
    // No host can call what takes or gives resources: `leaveOut` says so.
    if (signature === undefined) return
    functions.push({ ...signature, ...this.#flags(func), ...resourcesOf(this.#reach.globals(func)) })
    const callee = this.calleeOf(func)
    const privates = this.#privatesOf(func)
    const lists = this.#reach.lists(func)
    if (privates.length === 0 && !lists) {
      this.#exports.push({ name, callee })
      return
    }
    const outer = new Code(new Callee(`${name}.export`, callee.params, callee.results), this.sink.work)
    const body = this.#emptyBody(outer)
    if (lists) rewind(body.g)
    this.#begin(body, privates)
    const locals = callee.results.map(t => outer.local(t))
    body.g.stmt({ kind: 'call', func: callee, args: callee.params.map((_t, i) => body.g.get(i)), locals, pure: false })
    body.g.stmt({ kind: 'return', values: locals.map(l => body.g.get(l)) })
    this.#codes.push(outer)
    this.#exports.push({ name, callee: outer.callee })
  }

  #exportKernel(func: Func, kernels: WasmKernel[]): void {
    const entry = func.info.entry!
    if (entry.stage !== 'compute') return
    const unknown = entry.semantics.find(s => !knownSemantics.has(s))
    if (unknown !== undefined) {
      this.sink.add(semanticMissing, func.span ?? undefined, { semantic: unknown })
      return
    }
    const privates = this.#privatesOf(func)
    const touched = this.#reach.globals(func)
    const newCode = (): Code => new Code(new Callee(func.name, [i32, i32, i32, i32, i32], []), this.sink.work)
    const shared = touched.filter(g => g.space === 'workgroup')
    // Also those that only code mentions that cannot be reached.
    for (const global of touched.filter(isBuffer)) this.#buffer(new Graph(newCode()), global)
    const wide = this.#wideKernel(func, privates, shared, newCode)
    let code: Code
    if (typeof wide === 'string') {
      code = newCode()
      const own = ownKernel(func, privates, this, this.#reach, this.#ownAllowance)
      const lists = this.#reach.lists(func)
      kernelCode(this, own ?? func, code, {
        frame: this.#frame,
        shared,
        initialize: b => {
          if (lists) rewind(b.g)
          this.#begin(b, own === undefined ? privates : [])
        },
      })
    } else code = wide
    this.#codes.push(code)
    this.#exports.push({ name: func.name, callee: code.callee })
    kernels.push({
      name: func.name,
      numthreads: entry.numthreads,
      lanes: typeof wide === 'string' ? { count: 1, reason: wide } : { count: 4 },
      ...resourcesOf(touched),
    })
  }

  /** A kernel four threads wide; why not, where that cannot be. */
  #wideKernel(func: Func, privates: readonly Global[], shared: readonly Global[], newCode: () => Code): Code | string {
    if (this.#lanes === 1) return 'the program was compiled for one'
    try {
      return this.sink.work.apart(() => {
        const code = newCode()
        const copy = wideFunc(func, { privates, shared }, this, this.#reach, this.#wideAllowance)
        wideKernelCode(this, copy, code, { frame: this.#frame, shared, always: this.#lanes === 4 })
        return code
      })
    } catch (error) {
      if (error instanceof LimitReached) return 'it is large'
      // After an internal error, one thread at a time is right too, and the reason says what to report.
      if (error instanceof NotWide || error instanceof InternalError) return error.message
      throw error
    }
  }

  /** Compiles what belongs to no function of the program. */
  #emptyBody(code: Code): Body {
    const func = new Func(code.callee.name, { params: [], result: voidType, resultNoDiff: true }, null)
    func.body = new Region()
    return new Body(this, func, code, this.#frame, () => undefined)
  }

  /** Initialises variables, by a function of its own if there are many: other functions may begin with them too. */
  #begin(body: Body, privates: readonly Global[]): void {
    if (privates.length <= costs.privatesInPlace) {
      this.#initialize(body, privates)
      return
    }
    const key = privates.map(global => this.#numbers.get(global)).join()
    let callee = this.#beginners.get(key)
    if (callee === undefined) {
      callee = new Callee('begin', [], [])
      this.#beginners.set(key, callee)
      const code = new Code(callee, this.sink.work)
      this.#initialize(this.#emptyBody(code), privates)
      this.#codes.push(code)
    }
    body.g.stmt({ kind: 'call', func: callee, args: [], locals: [], pure: false })
  }

  #initialize(body: Body, privates: readonly Global[]): void {
    for (const global of privates) {
      const p = this.locationOf(body.g, global)
      if (global.init === undefined) {
        body.memory.clear(p)
        continue
      }
      const callee = this.calleeOf(global.init)
      if (this.passing(global.init).results[0]!) {
        const locals = callee.results.map(t => body.g.code.local(t))
        body.g.stmt({ kind: 'call', func: callee, args: [], locals, pure: false })
        body.memory.store(
          p,
          locals.map(l => body.g.get(l)),
        )
      } else {
        body.g.stmt({ kind: 'call', func: callee, args: [body.memory.address(p)], locals: [], pure: false })
      }
    }
  }

  calleeOf(func: Func): Callee {
    let callee = this.#callees.get(func)
    if (callee === undefined) {
      const passing = this.passing(func)
      const params = inputs(func.sig).flatMap((p, i) =>
        passing.params[i] ? this.leaves.of(p.type).map(valType) : ([i32] as const),
      )
      const results = func.results.flatMap((t, i) => (passing.results[i] ? this.leaves.of(t).map(valType) : []))
      const locations = func.results.filter((_t, i) => !passing.results[i]).map(() => i32 as ValType)
      callee = new Callee(func.name, [...params, ...locations], results)
      this.#callees.set(func, callee)
      this.#queue.push(func)
    }
    return callee
  }

  passing(func: Func): Passing {
    let passing = this.#passing.get(func)
    if (passing === undefined) {
      passing = {
        params: this.leaves.asScalars(inputs(func.sig).map(p => p.type)),
        results: this.leaves.asScalars(func.results),
      }
      this.#passing.set(func, passing)
    }
    return passing
  }

  /** The same by parameter of the signature. */
  #flags(func: Func): Pick<WasmFunction, 'flat' | 'outFlat' | 'resultFlat'> {
    const { params, results } = this.passing(func)
    const isVoid = func.sig.result.kind === 'void'
    let [input, output] = [0, isVoid ? 0 : 1]
    const flat: boolean[] = []
    const outFlat: boolean[] = []
    for (const p of func.sig.params) {
      flat.push(p.dir !== 'out' && params[input++]!)
      outFlat.push(p.dir !== 'in' && results[output++]!)
    }
    return { flat, outFlat, resultFlat: isVoid || results[0]! }
  }

  #compile(func: Func): void {
    const passing = this.passing(func)
    const code = new Code(this.calleeOf(func), this.sink.work)
    const locations: Location[] = []
    const body = new Body(this, func, code, this.#frame, (b, values) => {
      let next = 0
      const flat: ReturnType<Body['nodes']>[number][] = []
      values.forEach((v, i) => {
        if (passing.results[i]) flat.push(...b.nodes(v))
        else b.build(locations[next++]!, v)
      })
      b.g.stmt({ kind: 'return', values: flat })
      b.g.at.open = false
    })
    let local = 0
    func.body!.params.forEach((param, i) => {
      if (passing.params[i]) {
        body.set(
          param,
          this.leaves.of(param.type).map(() => body.g.get(local++)),
        )
        return
      }
      const at = location(param.type, this.tight, body.g.get(local++), 0, true)
      body.set(param, this.leaves.flat(param.type) ? body.memory.load(at) : at)
    })
    func.results.forEach((type, i) => {
      if (!passing.results[i]) locations.push(location(type, this.tight, body.g.get(local++), 0, false, {}))
    })
    body.region(func.body!)
    this.#codes.push(code)
    if (body.keepsMemory && this.#reach.returns(func))
      this.sink.add(recursiveMemory, func.span ?? undefined, { func: func.name })
  }

  target(func: Func): CallTarget {
    let target = this.#targets.get(func)
    if (target === undefined) {
      target = this.#resolve(func)
      if (target.kind === 'none') this.sink.add(missingIntrinsic, func.span ?? undefined, { func: func.name })
      this.#targets.set(func, target)
    }
    return target
  }

  #resolve(func: Func): CallTarget {
    const intrinsic = func.info.intrinsics?.['wasm']
    const scalar = func.results[0]?.scalar
    if (intrinsic !== undefined && scalar !== undefined && hasIntrinsic(intrinsic, scalar))
      return { kind: 'op', intrinsic }
    if (
      intrinsic !== undefined &&
      elementaryNames.includes(intrinsic) &&
      func.body !== undefined &&
      func.results[0]!.kind === 'scalar' &&
      valType(scalar!) === f32
    )
      return { kind: 'helper', intrinsic, func }
    const lanes = func.info.lanewise
    if (lanes !== undefined && lanes !== func && func.results.length === 1 && this.leaves.count(func.results[0]!) > 1) {
      const inner = this.#resolve(lanes)
      if (inner.kind !== 'none') return inner.kind === 'call' ? { kind: 'lanes', func: inner.func } : inner
    }
    return func.body === undefined ? { kind: 'none' } : { kind: 'call', func }
  }

  // ── Reachability ─────────────────────────────────────────────────────────────────────────────────────────────

  /** The module-level variables that have to be given their initial values before a function runs. */
  #privatesOf(func: Func): Global[] {
    const found = new Set<Global>()
    const add = (global: Global): void => {
      if (global.space !== 'private' || found.has(global) || this.#constantOf(global) !== undefined) return
      if (global.init !== undefined) this.#reach.globals(global.init).forEach(add)
      found.add(global)
    }
    this.#reach.globals(func).forEach(add)
    return [...found]
  }

  /** The bytes of a variable that is never written and begins as a constant. */
  #constantOf(global: Global): Uint8Array | undefined {
    if (this.#written.has(global)) return undefined
    if (!this.#constants.has(global)) {
      const end = global.init?.body?.end
      this.#constants.set(global, end?.op === 'ret' ? constantBytes(this.tight, end.args[0]!) : undefined)
    }
    return this.#constants.get(global)
  }

  // ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────

  #allocate(type: Type, layouts: Layouts): number {
    const layout = layouts.of(type)
    const at = roundUp(this.#frame.top, Math.max(16, layout.align))
    this.#frame.top = at + layout.size
    return at
  }

  locationOf(g: Graph, global: Global): Location {
    switch (global.space) {
      case 'storage':
      case 'storage_rw':
        return this.#buffer(g, global)
      case 'uniform':
        return location(global.type, layouts.uniform, g.base(), this.#uniformAt(global), true)
      default: {
        const bytes = this.#constantOf(global)
        if (bytes !== undefined) return location(global.type, this.tight, g.base(), this.constants(bytes), true)
        let at = this.#addresses.get(global)
        if (at === undefined) {
          at = this.#allocate(global.type, this.tight)
          this.#addresses.set(global, at)
        }
        return location(global.type, this.tight, g.base(), at, false, global)
      }
    }
  }

  #buffer(g: Graph, global: Global): Location {
    let globals = this.#buffers.get(global)
    const own = layoutsOf(global)
    const elements = elementsIn(global.type, own)
    const isArray = elements !== undefined && global.type.kind === 'array'
    if (globals === undefined) {
      const made = dataType(isArray ? global.type.elem! : global.type, own)
      // Of what ends with an array without a length there is at least one element.
      const type =
        made?.kind === 'struct' && elements && !isArray ? { ...made, size: elements.offset + elements.stride } : made
      if (type === undefined) this.sink.add(resourceMissing, global.span ?? undefined, { func: global.name })
      else {
        const stride = isArray ? elements.stride : 0
        this.#used.buffers.push({
          name: global.name,
          writable: global.space === 'storage_rw',
          elem: type,
          stride,
          raw: global.resource === 'bytes',
        })
      }
      const base =
        this.#globals.push(`${global.name}.base`, `${global.name}.length`, `${global.name}.last`) - 3 + ownGlobals
      globals = { base, length: base + 1, last: base + 2 }
      this.#buffers.set(global, globals)
    }
    const fixed = global.space === 'storage'
    const p = location(global.type, own, g.global(globals.base), 0, fixed, global)
    if (elements === undefined) return p
    if (isArray) return { ...p, extent: { length: g.global(globals.length), last: g.global(globals.last) } }
    const bytes = g.pure(op.i32Sub, i32, g.global(globals.length), g.i32(elements.offset))
    const length = g.pure(op.i32DivU, i32, bytes, g.i32(elements.stride))
    return { ...p, extent: { length, last: g.pure(op.i32Sub, i32, length, g.i32(1)) } }
  }

  #uniformAt(global: Global): number {
    let at = this.#addresses.get(global)
    if (at === undefined) {
      at = this.#allocate(global.type, layouts.uniform)
      this.#addresses.set(global, at)
      const type = dataType(global.type, layouts.uniform)
      if (type === undefined) this.sink.add(resourceMissing, global.span ?? undefined, { func: global.name })
      else this.#used.uniforms.push({ name: global.name, type, at })
    }
    return at
  }

  zeros(size: number): number {
    return this.#pool.zeros(size)
  }

  constants(bytes: Uint8Array): number {
    return this.#pool.constants(bytes)
  }

  // ── The host ─────────────────────────────────────────────────────────────────────────────────────────────────

  helper(name: 'fmod32' | 'fmod64'): Callee {
    let callee = this.#helpers.get(name)
    if (callee === undefined) {
      const code = helperCode(name)
      callee = code.callee
      this.#helpers.set(name, callee)
      this.#codes.push(code)
    }
    return callee
  }

  elementary(intrinsic: string, func: Func, wide = false): Callee {
    // Of halves the body gives halves.
    const key = `${intrinsic} ${func.results[0]!.scalar}${wide ? ' wide' : ''}`
    let callee = this.#helpers.get(key)
    if (callee === undefined) {
      const code = wide
        ? wideElementaryCode(intrinsic, this.elementary(intrinsic, func), bytes => this.constants(bytes))
        : elementaryCode(intrinsic, () => this.calleeOf(func))
      callee = code.callee
      this.#helpers.set(key, callee)
      this.#codes.push(code)
    }
    return callee
  }

  tape(name: TapeName): Callee {
    let callee = this.#helpers.get(`list.${name}`)
    if (callee === undefined) {
      callee = tapeCallee(name)
      this.#helpers.set(`list.${name}`, callee)
      const code = new Code(callee)
      tapeCode(name, code, {
        part: other => this.tape(other),
        stop: g => {
          g.stmt({
            kind: 'call',
            func: this.#import('trap'),
            args: [g.i32(this.#traps.push(tapeFull) - 1)],
            locals: [],
            pure: false,
          })
          g.stmt({ kind: 'unreachable' })
          g.at.open = false
        },
      })
      this.#codes.push(code)
    }
    return callee
  }

  #import(name: string): Callee {
    let callee = this.#helpers.get(name)
    if (callee === undefined) {
      callee = new Callee(name, [i32], [], true)
      this.#helpers.set(name, callee)
      this.#imports.push(callee)
    }
    return callee
  }

  print(format: string, args: readonly ScalarName[]): { callee: Callee; id: number; at: number } {
    const kept = args.slice(0, printBytes / 8)
    return { callee: this.#import('print'), id: this.#prints.push({ format, args: kept }) - 1, at: 16 }
  }

  stop(text: string): { callee: Callee; id: number } {
    return { callee: this.#import('trap'), id: this.#traps.push(text) - 1 }
  }

  loop(name: string): number {
    const known = this.#loops.indexOf(name)
    return known < 0 ? this.#loops.push(name) : known + 1
  }

  #isLimited(): boolean {
    const { trips, depth, bytes, groups } = this.limits
    return [trips, depth, bytes, groups].some(limit => limit !== undefined)
  }

  trap(inst: Inst): { callee: Callee; id: number } {
    const where =
      inst.span === null ? '' : ` at ${inst.span.file.name}:${inst.span.file.position(inst.span.start).line}`
    return { callee: this.#import('trap'), id: this.#traps.push(`${inst.attr}${where}`) - 1 }
  }
}
