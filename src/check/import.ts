/** Modules: a root file with what it includes, and the modules that it imports. */
import type { Sink } from '../base/diag.ts'
import * as errors from '../base/errors/names.ts'
import { SourceFile } from '../base/source.ts'
import * as ast from '../syntax/ast.ts'
import { macroTable, type MacroTable } from '../syntax/macro.ts'
import { parse } from '../syntax/parse.ts'
import { collect } from './collect.ts'
import type { Cx } from './context.ts'
import type { ModuleDecl, Visibility } from './decl.ts'
import { newScope } from './scope.ts'

/** Where sources come from. */
export interface SourceOptions {
  readonly source: string
  readonly fileName: string
  readonly files: Readonly<Record<string, string>>
  readonly resolve: ((path: string) => string | undefined) | undefined
  readonly searchPaths: readonly string[]
  readonly defines: Readonly<Record<string, string | number | boolean>>
  /** Whether matrices lie in memory column by column where nothing says otherwise. */
  readonly columnMajor: boolean
}

/** Joins paths and takes out `.` and `..`. */
function join(dir: string, path: string): string {
  const absolute = path.startsWith('/') || (dir.startsWith('/') && !path.startsWith('/'))
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${dir}/${path}`).split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return (absolute ? '/' : '') + parts.join('/')
}

const dirname = (path: string): string => path.includes('/') ? path.slice(0, path.lastIndexOf('/')) || '/' : ''

/** Reads files and makes modules of them, each once. */
export class Loader {
  readonly #cx: Cx
  readonly #options: SourceOptions
  readonly #sink: Sink
  readonly #files = new Map<string, SourceFile | null>()
  readonly #modules = new Map<string, ModuleDecl>()
  readonly #loading = new Set<string>()

  constructor(cx: Cx, options: SourceOptions, sink: Sink) {
    this.#cx = cx
    this.#options = options
    this.#sink = sink
  }

  #macros(): MacroTable {
    const defines: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#options.defines)) defines[name] = value === true ? '1' : value === false ? '0' : String(value)
    return macroTable(defines)
  }

  #read(path: string): SourceFile | null {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const text = Object.hasOwn(this.#options.files, path) ? this.#options.files[path] : this.#options.resolve?.(path)
    const file = text === undefined ? null : new SourceFile(path, text)
    this.#files.set(path, file)
    return file
  }

  /** The file that one of the paths means: beside the file that asks, on the search path, or from the top. */
  #find(paths: readonly string[], from: SourceFile): SourceFile | null {
    for (const dir of [dirname(from.name), ...this.#options.searchPaths, '']) {
      for (const path of paths) {
        const file = this.#read(join(dir, path))
        if (file !== null) return file
      }
    }
    return null
  }

  /** The root module. */
  root(): ModuleDecl {
    const file = new SourceFile(this.#options.fileName, this.#options.source)
    this.#files.set(join('', file.name), file)
    return this.#load(file)
  }

  #load(file: SourceFile): ModuleDecl {
    const inner = newScope(null, 'module', null)
    const name = file.name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')
    const module: ModuleDecl = { kind: 'module', id: this.#cx.id(), name, parent: null, file, isCore: false, files: [], inner, imports: [] }
    Object.assign(module.inner, { owner: module })
    this.#modules.set(file.name, module)
    this.#cx.modules.push(module)
    this.#loading.add(file.name)
    this.#add(module, file, this.#macros(), 'public')
    this.#loading.delete(file.name)
    return module
  }

  /** Parses one file into a module. */
  #add(module: ModuleDecl, file: SourceFile, macros: MacroTable, outer: Visibility): void {
    module.files.push(file)
    const parsed = parse(file, { macros, include: (path, from) => this.#find([path], from) ?? undefined }, this.#sink)
    // A file that says `module` shows only what is public.
    const visibility: Visibility = parsed.decls.some(d => d.kind === 'moduleDecl' && !d.implementing) ? 'internal' : outer
    for (const d of parsed.decls) {
      if (d.kind === 'import') this.#import(module, d, file)
      else if (d.kind === 'include') this.#include(module, d, file, macros, visibility)
    }
    collect(this.#cx, parsed.decls, module, module, module.inner, visibility)
    for (const d of parsed.decls) if (d.kind === 'assert') this.#cx.asserts.push({ decl: d, scope: module.inner })
  }

  #paths(name: string, isPath: boolean): readonly string[] {
    if (isPath) return /\.[a-z]+$/.test(name) ? [name] : [name, `${name}.slang`]
    const path = name.replaceAll('.', '/')
    return [`${path}.slang`, `${path.replaceAll('_', '-')}.slang`]
  }

  #import(module: ModuleDecl, d: ast.ImportDecl, from: SourceFile): void {
    if (d.name.text === 'slang' || d.name.text === 'glsl' || d.name.text === 'core') return
    const file = this.#find(this.#paths(d.name.text, d.isPath), from)
    if (file === null) {
      this.#sink.add(errors.noModule, d.name.span, { name: d.name.text })
      return
    }
    if (this.#loading.has(file.name)) {
      this.#sink.add(errors.importCycle, d.name.span, { name: d.name.text })
      return
    }
    const target = this.#modules.get(file.name) ?? this.#load(file)
    module.imports.push({ module: target, exported: d.exported || ast.hasModifier(d, '__exported') })
  }

  #include(module: ModuleDecl, d: ast.IncludeDecl, from: SourceFile, macros: MacroTable, visibility: Visibility): void {
    const file = this.#find(this.#paths(d.name.text, d.isPath), from)
    if (file === null) this.#sink.add(errors.noModule, d.name.span, { name: d.name.text })
    else if (!module.files.includes(file)) this.#add(module, file, macros, visibility)
  }
}
