/**
 * The arguments of a function: JSON on the command line, or `@FILE`. If one `@FILE` is all there is, it holds all arguments, as a list or as an
 * object by the names of the parameters. Among others it holds that one.
 */
import { error, note, Sink, type Entry } from '../base/diag.ts'
import { suggestAmong } from '../base/near.ts'
import { SourceFile, type Span } from '../base/source.ts'
import { ArityError, ShapeError } from '../cpu/index.ts'
import type { CommandInputs } from './inputs.ts'
import { report } from './report.ts'
import { Failed, UsageError, failures } from './usage.ts'

/** The strings and numbers of JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/g

/** The value that JSON stands for. An integer that a number would round becomes a bigint: one of 64 bits is taken as it was written. */
function parse(text: string): unknown {
  const marked = text.replace(tokens, token =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) && Number.isFinite(Number(token))
      ? `"\\u0000${token}"`
      : token,
  )
  return JSON.parse(marked, (_, v: unknown) => (typeof v === 'string' && v.startsWith('\0') ? BigInt(v.slice(1)) : v))
}

type Path = readonly (string | number)[]

/** A value, and where it was written: on the command line, or in a file below some path. */
interface Given {
  readonly value: unknown
  readonly file?: SourceFile
  readonly path: Path
}

/** What does not fit the function that is called. */
const misfit: Entry<'message'> = error(failures.argument, '{message}')

function fail(
  file: SourceFile,
  span: Span | undefined,
  message: string,
  names: readonly string[] = [],
  name = '',
): never {
  const sink = new Sink()
  const place = span === undefined ? [note(undefined, `in ${file.name}`)] : []
  sink.add(misfit, span, { message }, ...place, ...(name === '' ? [] : suggestAmong(name, names)))
  report(sink.list)
  throw new Failed(2)
}

/** Where a value stands in a file. Only mistakes ask for it, so only they load the parser that knows places. */
async function placeOf(file: SourceFile, path: Path, key = false): Promise<Span | undefined> {
  const { readTree, spanAt } = await import('../project/json.ts')
  const tree = readTree(file, new Sink(), { comments: false })
  return tree === undefined ? undefined : spanAt(file, tree, path, key)
}

async function read(text: string, what: string, inputs: CommandInputs): Promise<Given> {
  if (!text.startsWith('@')) {
    try {
      return { value: parse(text), path: [] }
    } catch {
      throw new UsageError(
        `${what} is not JSON: ${text}; write 1.5, true, [1,2,3], {"x": 1}, or @FILE for a file that holds it`,
        2,
        failures.argument,
      )
    }
  }
  const name = text.slice(1)
  if (name === '') throw new UsageError(`${what}: a file is missing after @`, 2, failures.argument)
  const file = new SourceFile(name, inputs.text(name))
  try {
    return { value: parse(file.text.replace(/^\ufeff/, '')), file, path: [] }
  } catch (cause) {
    const { readTree } = await import('../project/json.ts')
    const sink = new Sink()
    readTree(file, sink, { comments: false })
    if (sink.errors === 0) sink.add(misfit, undefined, { message: `${name} is not JSON: ${(cause as Error).message}` })
    report(sink.list)
    throw new Failed(2)
  }
}

/** The arguments of one call, as they were written. */
export class Arguments {
  readonly #given: readonly Given[]
  readonly #cotangent: Given | undefined
  #placed: readonly Given[] = []
  #names: readonly string[] = []

  private constructor(given: readonly Given[], cotangent: Given | undefined) {
    this.#given = given
    this.#cotangent = cotangent
  }

  /** Reads what stands on the command line. Throws a `UsageError` where something is not JSON. */
  static async read(
    texts: readonly string[],
    cotangent: string | undefined,
    inputs: CommandInputs,
  ): Promise<Arguments> {
    const given: Given[] = []
    for (const [i, text] of texts.entries()) given.push(await read(text, `argument ${i + 1}`, inputs))
    return new Arguments(given, cotangent === undefined ? undefined : await read(cotangent, '--cotangent', inputs))
  }

  /** What `--cotangent` gives. */
  get cotangent(): unknown {
    return this.#cotangent?.value
  }

  /** The values for the parameters of a function. Throws a `UsageError` where a file does not fit them. */
  async for(fn: string, names: readonly string[]): Promise<unknown[]> {
    const [only] = this.#given
    this.#names = names
    this.#placed =
      this.#given.length === 1 && only!.file !== undefined ? await this.#spread(only!, fn, names) : this.#given
    return this.#placed.map(given => given.value)
  }

  /** The arguments that one file holds. */
  async #spread(given: Given, fn: string, names: readonly string[]): Promise<readonly Given[]> {
    const { value } = given
    const file = given.file!
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (names.length === 1) {
      // The file may hold the one argument itself.
      const isWrapped = isObject
        ? Object.keys(value).length === 1 && Object.hasOwn(value, names[0]!)
        : Array.isArray(value) && value.length === 1
      if (!isWrapped) return [given]
    }
    if (Array.isArray(value)) {
      if (value.length !== names.length)
        fail(file, await placeOf(file, []), new ArityError(fn, names, value.length).message)
      return value.map((v: unknown, i): Given => ({ value: v, file, path: [i] }))
    }
    if (!isObject)
      fail(
        file,
        await placeOf(file, []),
        `${fn} takes ${names.length} arguments: expected a list of them, or an object by their names (${names.join(', ')})`,
      )
    const named = value as Readonly<Record<string, unknown>>
    for (const name of Object.keys(named))
      if (!names.includes(name))
        fail(file, await placeOf(file, [name], true), `${fn} has no parameter ${name}`, names, name)
    const missing = names.filter(name => !Object.hasOwn(named, name))
    if (missing.length > 0) fail(file, await placeOf(file, []), `${fn} also takes ${missing.join(', ')}`)
    return names.map(name => ({ value: named[name], file, path: [name] }))
  }

  /** Reports a value that does not fit its type at its place, if it came from a file. Then it throws `Failed`. */
  async locate(error: unknown): Promise<void> {
    if (!(error instanceof ShapeError)) return
    // A message begins with the path of the value.
    const [, root = '', rest = ''] = /^(--cotangent|\w+)((?:\[\d+\]|\.\w+)*): /.exec(error.message) ?? []
    const given = root === '--cotangent' ? this.#cotangent : this.#placed[this.#names.indexOf(root)]
    if (given?.file === undefined) return
    const steps = [...rest.matchAll(/\[(\d+)\]|\.(\w+)/g)].map(([, index, field]) => field ?? Number(index))
    fail(given.file, await placeOf(given.file, [...given.path, ...steps]), error.message)
  }

  /** Names the cotangent of the result in errors as the command line does. */
  ofCotangent<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof ShapeError)
        error.message = error.message.replace(/^(?:resultGradient|cotangent)\b/, '--cotangent')
      throw error
    }
  }
}
