/**
 * The library: Slang source in, WGSL, WebAssembly, JavaScript or IR text out, derivatives included. Nothing here touches the
 * file system or the network; it runs in browsers, workers, Node, Deno and Bun alike.
 */
import { Explainer, type Explanation } from './compile.ts'
import { WgslProgram, type CompileOptions, type Derivatives } from './program.ts'
import { emitJs, type JsOutput } from './target/js/js.ts'
import { compileWasm, type WasmOutput } from './target/wasm/wasm.ts'

export type { Diagnostic, Note, Severity } from './base/diag.ts'
export { SourceFile, Span } from './base/source.ts'
export { InternalError } from './base/diag.ts'
export { diagnosticJson, renderDiagnostic, renderDiagnostics, type JsonDiagnostic, type RenderOptions } from './base/render.ts'
export type { Level, Stage } from './compile.ts'
export { stages } from './compile.ts'
export type { DataField, DataParam, DataSignature, DataType } from './target/data.ts'
export type { BindingInfo, BindingKind, EntryReflection, Reflection } from './target/reflect.ts'
export type { SourceMapping, Wgsl } from './target/wgsl/emit.ts'
export type { JsOutput } from './target/js/js.ts'
export type { WasmOutput } from './target/wasm/wasm.ts'
export type { WasmBuffer, WasmFunction, WasmInterface, WasmKernel, WasmPrint, WasmUniform } from './target/wasm/interface.ts'
export type { Change, Explanation, Residual } from './compile.ts'
export { CompileError, type CompileOptions, type EntryPoint, type ExportedFunction } from './program.ts'

/**
 * Compiles a program. Mistakes are in `diagnostics`; nothing is thrown for them.
 *
 * ```ts
 * const program = compile('export float square(float x) { return x * x; }')
 * program.js().code
 * ```
 */
export function compile(source: string, options: CompileOptions = {}): Program {
  return new Program(source, options)
}

/** A compiled program: its diagnostics, what it declares, and code for each target. */
export class Program extends WgslProgram {
  /**
   * A WebAssembly module of the exported functions and entry points. With `derivatives` (the default) each exported
   * differentiable function `f` comes with `fwd_diff(f)` and `bwd_diff(f)`, where they can be made; with `derivativesOf` it
   * is a module of that function and its derivatives alone. Throws `CompileError`.
   */
  wasm(options: DerivativeOptions = {}): WasmOutput {
    return this.emit('wasm', derivativesOf(options), (module, sink) => compileWasm(module, sink))!
  }

  /** A JavaScript module likewise; `f64` computes floats in double precision. Throws `CompileError`. */
  js(options: DerivativeOptions & { readonly mode?: 'f32' | 'f64' | undefined } = {}): JsOutput {
    return this.emit('js', derivativesOf(options), (module, sink) => emitJs(module, { mode: options.mode ?? 'f32' }, sink), options.mode === 'f64')
  }

  /**
   * What the reverse pass of a function keeps, computes again and stores, and why: of the one of that name, methods as
   * `Type.method` and instances as `name<arguments>`; of an entry point, of all functions that it differentiates; without a
   * name, of all that the program differentiates. Throws `CompileError`.
   */
  explain(name?: string): readonly Explanation[] {
    const explainer = new Explainer()
    this.watch(name, explainer)
    return explainer.explanations()
  }
}

/** Which derivatives to export. */
export interface DerivativeOptions {
  /** Whether each exported function comes with those derivatives that can be made; the default. */
  readonly derivatives?: boolean | undefined
  /** Only this function, and its derivatives; one that cannot be made is an error. */
  readonly derivativesOf?: string | undefined
}

function derivativesOf(options: DerivativeOptions): Derivatives {
  return options.derivativesOf !== undefined ? { of: options.derivativesOf } : options.derivatives === false ? 'none' : 'all'
}
