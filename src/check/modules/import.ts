/** Modules: a root file with what it includes, and the modules that it imports. */
import type { Sink } from '../../base/diag.ts'
import * as errors from '../../base/errors/names.ts'
import { SourceFile, type Span } from '../../base/source.ts'
import * as ast from '../../syntax/ast.ts'
import { macroTable, type Macro, type MacroTable } from '../../syntax/macro.ts'
import { parse } from '../../syntax/parse.ts'
import type { Unreadable } from '../../syntax/preprocess.ts'
import { collect } from './collect.ts'
import type { Cx } from '../model/context.ts'
import type { ModuleDecl, Visibility } from '../model/decl.ts'
import { newScope } from '../model/scope.ts'

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

/** The text that the caller gave for a path, if there is one. */
function textIn(path: string, text: unknown, giver: 'source' | 'files' | 'resolve'): string | Unreadable {
  if (typeof text === 'string') return text
  const what =
    text === null
      ? 'null'
      : typeof text !== 'object'
        ? `a ${typeof text}`
        : typeof (text as PromiseLike<unknown>).then === 'function'
          ? 'a Promise'
          : ArrayBuffer.isView(text)
            ? 'bytes'
            : 'an object'
  switch (giver) {
    case 'source':
      return { path, why: `the source is ${what}, and must be a string` }
    case 'files':
      return { path, why: `files has ${what} for it, and must have a string` }
    case 'resolve':
      return {
        path,
        why: `resolve answered ${what}, and must answer a string at once, or undefined where there is no such file`,
      }
  }
}

function messageOf(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause)
  } catch {
    return 'resolve threw something that has no text'
  }
}

/** Joins paths and takes out `.` and `..`, but not above a drive (`C:`). Two slashes at the start, as Windows writes a share, stay. */
function join(dir: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${dir}/${path}`
  const [root = ''] = /^\/\/(?=[^/])|^\//.exec(path.startsWith('/') ? path : dir) ?? []
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && !/^(\.\.|[A-Za-z]:)$/.test(parts.at(-1)!)) parts.pop()
    else parts.push(part)
  }
  return root + parts.join('/')
}

const dirname = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) || '/' : '')

/** Reads files and makes modules of them, each once. */
export class Loader {
  readonly #cx: Cx
  readonly #options: SourceOptions
  readonly #sink: Sink
  readonly #files = new Map<string, SourceFile | Unreadable | null>()
  readonly #modules = new Map<string, ModuleDecl>()
  readonly #loading = new Set<string>()
  /** What the parser could not understand of all files. */
  readonly broken: ast.Broken[] = []

  constructor(cx: Cx, options: SourceOptions, sink: Sink) {
    this.#cx = cx
    this.#options = options
    this.#sink = sink
  }

  #macros(): MacroTable {
    const defines: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#options.defines))
      defines[name] = value === true ? '1' : value === false ? '0' : String(value)
    return macroTable(defines)
  }

  #read(path: string): SourceFile | Unreadable | null {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const { files } = this.#options
    const read = Object.hasOwn(files, path) ? textIn(path, files[path], 'files') : this.#ask(path)
    const file = typeof read === 'string' ? new SourceFile(path, read) : read
    this.#files.set(path, file)
    return file
  }

  /** Asks the caller, whose answer may be anything in JavaScript. */
  #ask(path: string): string | Unreadable | null {
    const { resolve } = this.#options
    if (resolve === undefined) return null
    try {
      const text: unknown = resolve(path)
      return text === undefined ? null : textIn(path, text, 'resolve')
    } catch (cause) {
      return { path, why: messageOf(cause) }
    }
  }

  /** The file of one of the paths: beside the importing file, on the search path, or from the top. */
  #find(paths: readonly string[], from: SourceFile): SourceFile | Unreadable | null {
    for (const dir of [dirname(from.name), ...this.#options.searchPaths, '']) {
      for (const path of paths) {
        const file = this.#read(join(dir, path))
        if (file !== null) return file
      }
    }
    return null
  }

  /** The file of a module, or one that a module includes. Undefined, with a diagnostic, if there is none. */
  #need(paths: readonly string[], from: SourceFile, name: ast.Name): SourceFile | undefined {
    const file = this.#find(paths, from)
    if (file instanceof SourceFile) {
      this.#cx.observer?.file(name.span, file)
      return file
    }
    if (file === null) this.#sink.add(errors.noModule, name.span, { name: name.text })
    else this.#sink.add(errors.unreadable, name.span, { path: file.path, why: file.why })
    return undefined
  }

  /** The root module. */
  root(): ModuleDecl {
    const { fileName, source } = this.#options
    const text = textIn(fileName, source, 'source')
    if (typeof text !== 'string') this.#sink.add(errors.unreadable, undefined, { path: text.path, why: text.why })
    const file = new SourceFile(fileName, typeof text === 'string' ? text : '')
    this.#files.set(join('', file.name), file)
    return this.#load(file)
  }

  #load(file: SourceFile): ModuleDecl {
    const inner = newScope(null, 'module', null)
    const name = file.name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')
    const module: ModuleDecl = {
      kind: 'module',
      id: this.#cx.id(),
      name,
      parent: null,
      file,
      isCore: false,
      files: [],
      inner,
      imports: [],
    }
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
    const { observer } = this.#cx
    const include = (path: string, from: SourceFile): SourceFile | Unreadable | undefined => {
      const found = this.#find([path], from) ?? undefined
      if (found instanceof SourceFile) observer?.included(found)
      return found
    }
    const named = observer === null ? undefined : (span: Span, macro: Macro): void => observer.macro(span, macro)
    const parsed = parse(file, { macros, include, named, later: observer?.later }, this.#sink)
    this.broken.push(...parsed.broken)
    observer?.parsed(parsed)
    // A file that says `module` shows only what is public, and so does one of version 2025.
    const visibility: Visibility =
      parsed.version >= 2025 || parsed.decls.some(d => d.kind === 'moduleDecl' && !d.implementing) ? 'internal' : outer
    if (module.file === file) module.version = parsed.version
    for (const d of parsed.decls) {
      if (d.kind === 'import') this.#import(module, d, file)
      else if (d.kind === 'include') this.#include(module, d, file, macros, visibility)
    }
    collect(this.#cx, parsed.decls, module, module, module.inner, visibility)
    for (const d of parsed.decls) if (d.kind === 'assert') this.#cx.asserts.push({ decl: d, scope: module.inner })
  }

  #paths(name: string, isPath: boolean): readonly string[] {
    if (isPath) return name.endsWith('.slang') ? [name] : [name, `${name}.slang`]
    const path = name.replaceAll('.', '/')
    return [`${path}.slang`, `${path.replaceAll('_', '-')}.slang`]
  }

  #import(module: ModuleDecl, d: ast.ImportDecl, from: SourceFile): void {
    if (d.name.text === 'slang' || d.name.text === 'glsl' || d.name.text === 'core') return
    const file = this.#need(this.#paths(d.name.text, d.isPath), from, d.name)
    if (file === undefined) return
    if (this.#loading.has(file.name)) {
      this.#sink.add(errors.importCycle, d.name.span, { name: d.name.text })
      return
    }
    const target = this.#modules.get(file.name) ?? this.#load(file)
    module.imports.push({ module: target, exported: d.exported || ast.hasModifier(d, '__exported') })
  }

  #include(module: ModuleDecl, d: ast.IncludeDecl, from: SourceFile, macros: MacroTable, visibility: Visibility): void {
    const file = this.#need(this.#paths(d.name.text, d.isPath), from, d.name)
    if (file !== undefined && !module.files.includes(file)) this.#add(module, file, macros, visibility)
  }
}
