/** Reads the text of `cotangent.json`. Nothing here needs Node: a language server in a worker reads it too. */
import { Sink, note, type Diagnostic } from '../base/diag.ts'
import { missingSetting, repeatedSetting, unknownSetting, wrongValue } from '../base/errors/project.ts'
import { suggestAmong } from '../base/near.ts'
import { SourceFile, type Span } from '../base/source.ts'
import { readTree, spanOf, type Node } from './json.ts'
import { projectFileName } from './name.ts'
import { options, type ProjectOptions, type Shape } from './options.ts'

/** A project file as it was read. */
export interface Project {
  /** The options that are as they must be. Paths are as they are written: relative to the file. */
  readonly options: ProjectOptions
  /** What is wrong with the others, each with its place in the file. All are errors. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The options that a project file holds. Mistakes become diagnostics; it throws nothing for them. Comments and commas after the last element are
 * taken, as in `tsconfig.json`. `owner` is what messages call the whole of the options.
 */
export function readProject(
  text: string,
  fileName: string = projectFileName,
  owner: string = projectFileName,
): Project {
  const file = new SourceFile(fileName, text)
  const sink = new Sink()
  const tree = readTree(file, sink, { comments: true })
  if (tree === undefined) return { options: {}, diagnostics: sink.list }
  const reader = new Reader(file, sink, owner)
  const whole: Shape = {
    is: 'object',
    // Editors look for the schema there.
    fields: { $schema: { is: 'text', expected: 'the place of a JSON schema' }, ...options },
    expected: 'an object',
  }
  const { $schema: _, ...found } = (reader.valueOf(tree, whole, '') ?? {}) as Record<string, unknown>
  return { options: found, diagnostics: sink.list }
}

class Reader {
  readonly #file: SourceFile
  readonly #sink: Sink
  readonly #owner: string

  constructor(file: SourceFile, sink: Sink, owner: string) {
    this.#file = file
    this.#sink = sink
    this.#owner = owner
  }

  /** Names of values in messages are paths: `entries[0].stage`; the path of the whole is empty. */
  #shown(path: string): string {
    return path === '' ? this.#owner : path
  }

  /** The value of a node; undefined where it is not what the shape asks for. Of lists and objects, what is right is kept. */
  valueOf(node: Node, shape: Shape, path: string): unknown {
    switch (shape.is) {
      case 'text': {
        const value: unknown = node.value
        const fits =
          typeof value === 'string' &&
          (shape.words === undefined || shape.words.includes(value)) &&
          (shape.pattern === undefined || new RegExp(shape.pattern).test(value))
        return fits ? value : this.#wrong(node, shape, path)
      }
      case 'number': {
        const value: unknown = node.value
        const fits =
          typeof value === 'number' &&
          Number.isFinite(value) &&
          (!shape.whole || Number.isSafeInteger(value)) &&
          value >= (shape.least ?? -Infinity)
        return fits ? value : this.#wrong(node, shape, path)
      }
      case 'flag':
        return node.type === 'boolean' && (shape.only === undefined || node.value === shape.only)
          ? (node.value as boolean)
          : this.#wrong(node, shape, path)
      case 'list':
        if (node.type !== 'array') return this.#wrong(node, shape, path)
        return node.children!.flatMap((item, i) => {
          const value = this.valueOf(item, shape.of, `${path}[${i}]`)
          return value === undefined ? [] : [value]
        })
      case 'map':
      case 'object':
        return node.type === 'object' ? this.#members(node, shape, path) : this.#wrong(node, shape, path)
      case 'either': {
        const alike = shape.of.filter(s => kindOf(s) === node.type)
        return alike.length === 1 && node.type === 'object'
          ? this.valueOf(node, alike[0]!, path)
          : alike.some(s => fits(node, s))
            ? (node.value as unknown)
            : this.#wrong(node, shape, path)
      }
    }
  }

  #members(node: Node, shape: Shape & { is: 'map' | 'object' }, path: string): Record<string, unknown> | undefined {
    const found = new Map<string, unknown>()
    const places = new Map<string, Span>()
    const fields = shape.is === 'object' ? new Map(Object.entries(shape.fields)) : undefined
    for (const member of node.children!) {
      const [key, value] = member.children as [Node, Node]
      const name = key.value as string
      const at = spanOf(this.#file, key)
      const own = path === '' ? name : `${path}.${name}`
      const first = places.get(name)
      if (first !== undefined) {
        this.#sink.add(repeatedSetting, at, { name: own }, note(first, 'the first one'))
        continue
      }
      places.set(name, at)
      if (fields !== undefined && !fields.has(name)) {
        const names = [...fields.keys()].filter(n => n !== '$schema')
        this.#sink.add(unknownSetting, at, { name, owner: this.#shown(path) }, ...suggestAmong(name, names))
        continue
      }
      if (shape.is === 'map' && !new RegExp(shape.keys).test(name)) {
        this.#sink.add(wrongValue, at, { name: `a key of ${path}`, expected: shape.names, came: JSON.stringify(name) })
        continue
      }
      const read = this.valueOf(value, fields?.get(name) ?? (shape as Shape & { is: 'map' }).of, own)
      if (read !== undefined) found.set(name, read)
    }
    // The options of the file may all be left out; the fields of an object in it may not.
    if (fields !== undefined && path !== '') {
      for (const field of fields.keys()) {
        if (places.has(field)) continue
        this.#sink.add(missingSetting, spanOf(this.#file, node), { name: path, field })
      }
      if (found.size < fields.size) return undefined
    }
    return Object.fromEntries(found)
  }

  #wrong(node: Node, shape: Shape, path: string): undefined {
    const { value } = node as { readonly value?: unknown }
    const near = shape.is === 'text' && shape.words !== undefined && typeof value === 'string'
    this.#sink.add(
      wrongValue,
      spanOf(this.#file, node),
      { name: this.#shown(path), expected: shape.expected, came: this.#described(node) },
      ...(near ? suggestAmong(value, shape.words).filter(n => n.text.startsWith('did you mean')) : []),
    )
    return undefined
  }

  /** A value in messages: as it is written. */
  #described(node: Node): string {
    if (node.type === 'object') return 'an object'
    if (node.type === 'array') return 'a list'
    const text = this.#file.text.slice(node.offset, node.offset + node.length)
    return text.length <= 40 ? text : `${text.slice(0, 40)}…`
  }
}

/** The kind of JSON value that a shape asks for. */
function kindOf(shape: Shape): Node['type'] | undefined {
  switch (shape.is) {
    case 'text':
      return 'string'
    case 'flag':
      return 'boolean'
    case 'number':
      return 'number'
    case 'list':
      return 'array'
    case 'map':
    case 'object':
      return 'object'
    case 'either':
      return undefined
  }
}

/** Whether a plain value is what a shape asks for. */
function fits(node: Node, shape: Shape): boolean {
  const sink = new Sink()
  return new Reader(new SourceFile('', ''), sink, '').valueOf(node, shape, '') !== undefined && sink.errors === 0
}
