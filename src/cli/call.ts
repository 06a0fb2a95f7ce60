import { load, ArityError, NameError, ShapeError, TrapError, type CpuFunction } from '../cpu/index.ts'
import { CompileError, type NonFinite, type Program } from '../index.ts'
import { compileFile, remark, report, type SharedOptions } from './host.ts'
import { Failed, UsageError } from './usage.ts'
import { printed, tell } from './output.ts'
import { nonFiniteLines } from './nan.ts'

interface CallOptions extends SharedOptions {
  readonly fn: string
  readonly json?: boolean
  readonly cotangent?: string
  readonly traceNan?: boolean
}

/** The strings and numbers of JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/g

/** The value that JSON stands for. An integer that a number would round becomes a bigint: one of 64 bits is taken as it was written. */
function parse(text: string, what: string): unknown {
  try {
    const marked = text.replace(tokens, token =>
      /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) && Number.isFinite(Number(token))
        ? `"\\u0000${token}"`
        : token,
    )
    return JSON.parse(marked, (_, v: unknown) => (typeof v === 'string' && v.startsWith('\0') ? BigInt(v.slice(1)) : v))
  } catch {
    throw new UsageError(`${what} is not JSON: ${text}; write 1.5, true, [1,2,3] or {"x": 1}`)
  }
}

/** The function to call, and its arguments. */
async function prepare(
  file: string,
  texts: readonly string[],
  options: CallOptions,
): Promise<{ readonly program: Program; readonly fn: CpuFunction; readonly args: unknown[] }> {
  const args = texts.map((text, i) => parse(text, `argument ${i + 1}`))
  const program = compileFile(file, options, { exports: [options.fn], entries: [] })
  const module = await load(program, { print: printed })
  const fn = module.fn[options.fn]
  if (fn === undefined) {
    throw new UsageError(
      `${file} has no function ${options.fn} that can be called: it takes or gives what JSON cannot say`,
      1,
    )
  }
  const reads = resourcesOf(program)
  if (reads.length > 0)
    remark(`${options.fn} uses ${reads.join(', ')}: from here, buffers are empty and uniforms are zero`, options)
  return { program, fn, args }
}

/** Names of the buffers and uniforms of a program, as its source has them. */
function resourcesOf(program: Program): string[] {
  const { buffers, uniforms } = program.wasm({ derivatives: false }).host
  const single = uniforms.flatMap(u =>
    u.name === 'globalParams' && u.type.kind === 'struct' ? u.type.fields.map(f => f.name) : [u.name],
  )
  // Of a texture or sampler a CPU has the parts.
  return [...new Set([...buffers.map(b => b.name.replace(/___(texels|shape|modes)$/, '')), ...single])]
}

/** Reports a mistake of the caller as one line, and those of the compiler as diagnostics. */
async function reporting(options: CallOptions, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CompileError) {
      report(error.diagnostics, options)
      throw new Failed()
    }
    if (error instanceof ArityError || error instanceof ShapeError) throw new UsageError(error.message)
    if (error instanceof NameError || error instanceof TrapError) throw new UsageError(error.message, 1)
    throw error
  }
}

/** `cotangent run`: the result, and the `out` and `inout` parameters by name. */
export function runCommand(file: string, texts: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CallOptions
  return reporting(options, async () => {
    const { program, fn, args } = await prepare(file, texts, options)
    const { result, out } = fn.run(...args)
    const traced = options.traceNan === true ? { nonFinite: program.traceNonFinite(options.fn, args) } : {}
    if (options.json === true) {
      print(json({ result: result ?? null, out, ...nonFiniteJson(traced) }))
      return
    }
    if (result !== undefined) print(shown(result))
    for (const [name, value] of Object.entries(out)) print(`${name} = ${shown(value)}`)
    printTrace(traced)
  })
}

/** `cotangent grad`: value and gradient by reverse mode. */
export function gradCommand(file: string, texts: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CallOptions
  return reporting(options, async () => {
    const { program, fn, args } = await prepare(file, texts, options)
    const cotangent = options.cotangent === undefined ? undefined : parse(options.cotangent, '--cotangent')
    const { value, grad } =
      cotangent === undefined
        ? fn.valueAndGrad(...args)
        : { value: fn(...args), grad: ofCotangent(() => fn.vjp(args, cotangent)) }
    const names = fn.signature.params.filter(p => p.dir !== 'out').map(p => p.name)
    const gradients = Object.fromEntries(
      names.flatMap((name, i) => (grad[i] === null || grad[i] === undefined ? [] : [[name, grad[i]]])),
    )
    const plain = fn.signature.params.every(p => p.dir === 'in')
    const { result, out } = (plain ? { result: cotangent, out: {} } : (cotangent ?? {})) as {
      result?: unknown
      out?: Readonly<Record<string, unknown>>
    }
    const weights = cotangent === undefined ? {} : { weights: { '': result, ...out } }
    const traced =
      options.traceNan === true
        ? { nonFinite: program.traceNonFinite(options.fn, args, { gradient: true, ...weights }) }
        : {}
    if (options.json === true) {
      print(json({ value: value ?? null, grad: gradients, ...nonFiniteJson(traced) }))
      return
    }
    print(`value = ${shown(value)}`)
    for (const [name, g] of Object.entries(gradients)) print(`d/d${name} = ${shown(g)}`)
    printTrace(traced)
    if (Object.keys(gradients).length === 0) remark(`no parameter of ${options.fn} carries a derivative`, options)
  })
}

/** Names the cotangent of the result in errors as the command line does. */
function ofCotangent<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ShapeError)
      throw new UsageError(error.message.replace(/^(?:resultGradient|cotangent)\b/, '--cotangent'))
    throw error
  }
}

interface Traced {
  readonly nonFinite?: NonFinite | null
}

function printTrace({ nonFinite }: Traced): void {
  if (nonFinite === null) print('everything is finite')
  else if (nonFinite !== undefined) for (const line of nonFiniteLines(nonFinite)) print(line)
}

/** JSON has no word for what this is about: NaN and infinities become strings. */
function nonFiniteJson(traced: Traced): object {
  return JSON.parse(
    JSON.stringify(traced, (_, v: unknown) =>
      typeof v === 'number' && !Number.isFinite(v) ? String(v) : typeof v === 'bigint' ? Number(v) : v,
    ),
  ) as object
}

/** A value for people: JSON, but for the numbers that JSON has no word for. */
function shown(value: unknown): string {
  return json(value, x => (typeof x === 'number' && Number.isFinite(x) ? x : `\0${x}`)).replace(
    /"\\u0000(-?\w+)"/g,
    '$1',
  )
}

function print(line: string): void {
  tell(`${line}\n`)
}

/** JSON with typed arrays as arrays, 64-bit integers as numbers or strings, and float32 values in their shortest form. */
function json(
  value: unknown,
  number: (x: number | bigint) => unknown = x => (typeof x === 'bigint' ? String(x) : x),
): string {
  return JSON.stringify(value, (_, v: unknown) => {
    if (typeof v === 'bigint') return Number.isSafeInteger(Number(v)) ? Number(v) : number(v)
    if (typeof v === 'number') return number(shortest(v))
    if (ArrayBuffer.isView(v) && !(v instanceof DataView))
      return Array.from(v as unknown as ArrayLike<number | bigint>, x =>
        typeof x === 'bigint' ? x : number(shortest(x)),
      )
    return v
  })
}

function shortest(x: number): number {
  if (!Number.isFinite(x) || Math.fround(x) !== x || Number.isInteger(x)) return x
  for (let digits = 1; digits < 9; digits++) {
    const y = Number(x.toPrecision(digits))
    if (Math.fround(y) === x) return y
  }
  return Number(x.toPrecision(9))
}
