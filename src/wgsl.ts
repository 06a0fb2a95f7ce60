/**
 * The library for pages that only compile to WGSL: the same compiler without the other targets, which makes bundles smaller.
 * Nothing here touches the file system or the network.
 */
import { wgslCore } from './check/core-wgsl.generated.ts'
import { WgslProgram, type CompileOptions } from './program.ts'

export type { Diagnostic, Note, Severity } from './base/diag.ts'
export { SourceFile, Span } from './base/source.ts'
export { InternalError } from './base/diag.ts'
export type { Limits } from './base/limits.ts'
export {
  diagnosticJson,
  renderDiagnostic,
  renderDiagnostics,
  type JsonDiagnostic,
  type RenderOptions,
} from './base/render.ts'
export type { Level, Stage } from './compile.ts'
export { stages } from './compile.ts'
export type { DataField, DataParam, DataSignature, DataType } from './target/data.ts'
export type {
  BindingInfo,
  BindingKind,
  EntryReflection,
  HandleInfo,
  PrintFormat,
  PrintInfo,
  Reflection,
  TextureDimension,
  VaryingInfo,
} from './target/reflect.ts'
export type { SourceMapping, Wgsl } from './target/wgsl/emit.ts'
export {
  CompileError,
  WgslProgram as Program,
  type CompileOptions,
  type EntryPoint,
  type ExportedFunction,
} from './program.ts'

/** Compiles a program to WGSL. Mistakes are in `diagnostics`; nothing is thrown for them. */
export function compile(source: string, options: Omit<CompileOptions, 'verify'> = {}): WgslProgram {
  return new WgslProgram(source, options, wgslCore)
}
