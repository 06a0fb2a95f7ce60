/** The WebAssembly target: compiles a module in IR to bytes, to text, and to the data that a host needs to run it. */
import type { Sink } from '../../base/diag.ts'
import { tooManyLocals } from '../../base/errors/wasm.ts'
import type { Module } from '../../ir/value.ts'
import { reportChoices } from '../choice.ts'
import { encode } from './encode.ts'
import type { WasmInterface } from './interface.ts'
import { legalize } from './legalize.ts'
import type { WasmOptions } from './plan.ts'
import { printWat } from './wat.ts'

/** Bytes in memory that is not shared: `Uint8Array<ArrayBuffer>`, which compilers before TypeScript 5.7 do not know. */
type OwnBytes = ReturnType<typeof Uint8Array.of>

/** A WebAssembly module and what a host must know of it. */
export interface WasmOutput {
  /**
   * The module in WebAssembly's binary format. It imports its memory as `host.memory`, and as `host.base` the address of the region
   * there that is its own: an immutable i32, a multiple of 16. `heap` of `host` says how many bytes that has, which must be zeros.
   * Where the program prints or checks, it also imports `host.print` and `host.trap`.
   */
  readonly bytes: OwnBytes
  readonly host: WasmInterface
  /** WebAssembly's text format of the same module. */
  readonly text: () => string
}

/** The limits of engines for a function, by WebAssembly's JavaScript interface. */
const maxParams = 1000
const maxLocals = 50_000

/** Compiles the exported functions and compute entry points of an optimised module; undefined where the sink says why not. */
export function compileWasm(module: Module, sink: Sink, options: WasmOptions = {}): WasmOutput | undefined {
  if (reportChoices(module, sink)) return undefined
  const legal = legalize(module, sink, options)
  if (legal === undefined) return undefined
  const bytes = encode(legal.code)
  for (const { callee, locals } of legal.code.codes) {
    const params = callee.params.length
    if (params > maxParams)
      sink.add(tooManyLocals, undefined, { func: callee.name, count: params, what: 'parameters', limit: maxParams })
    else if (locals.length > maxLocals)
      sink.add(tooManyLocals, undefined, {
        func: callee.name,
        count: locals.length,
        what: 'variables',
        limit: maxLocals,
      })
  }
  return { bytes, host: legal.host, text: () => printWat(legal.code) }
}
