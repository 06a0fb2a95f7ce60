/**
 * The library for pages that only compile to WGSL: the same compiler without the other targets, which makes bundles smaller.
 * Nothing here touches the file system or the network.
 */
import { wgslCore } from './check/core-wgsl.generated.ts'
import { PackedLibrary, type PackedFile } from './check/modules/packed.ts'
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
  type Emulation,
  type EntryPoint,
  type ExportedFunction,
  type PackedFile,
} from './program.ts'

const extended = new WeakMap<readonly PackedFile[], PackedLibrary>()

/** The core library with more files. Each is one library in the life of the process, for it keeps what was parsed. */
function libraryWith(files: readonly PackedFile[] | null | undefined): PackedLibrary {
  // What is no list is reported with the other options.
  if (!Array.isArray(files)) return wgslCore
  const library = extended.get(files) ?? new PackedLibrary([...wgslCore.files, ...files])
  extended.set(files, library)
  return library
}

/** Compiles a program to WGSL. Mistakes are in `diagnostics`; nothing is thrown for them. */
export function compile(source: string, options: Omit<CompileOptions, 'verify'> = {}): WgslProgram {
  return new WgslProgram(source, options, libraryWith((options as CompileOptions | null)?.library))
}
