/** The WebAssembly target: a module in IR as bytes, as text, and what a host must know to run it. */
import type { Sink } from '../../base/diag.ts'
import type { Module } from '../../ir/value.ts'
import { encode } from './encode.ts'
import type { WasmInterface } from './interface.ts'
import { legalize } from './legalize.ts'
import { printWat } from './wat.ts'

export interface WasmOutput {
  /** The module in WebAssembly's binary format. It imports `host.print` and `host.trap` where the program prints or checks. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly host: WasmInterface
  /** WebAssembly's text format of the same module. */
  readonly text: () => string
}

export interface WasmOptions {
  /** Array values of more scalars than this lie in memory instead of locals; default 4. */
  readonly maxArray?: number | undefined
}

/** Compiles the exported functions and compute entry points of an optimised module; undefined where the sink says why not. */
export function compileWasm(module: Module, sink: Sink, options: WasmOptions = {}): WasmOutput | undefined {
  const legal = legalize(module, sink, options.maxArray)
  if (legal === undefined) return undefined
  return { bytes: encode(legal.code), host: legal.host, text: () => printWat(legal.code) }
}
