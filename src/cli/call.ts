/** `cotangent run` and `cotangent grad`: call a function on the CPU, and print what comes back. */
import { load, ArityError, NameError, ShapeError, TrapError, type CpuFunction } from '../cpu/index.ts'
import { CompileError, type NonFinite, type Program } from '../index.ts'
import { Arguments } from './arguments.ts'
import { Run, type SharedOptions } from './host.ts'
import { report } from './report.ts'
import { Failed, UsageError, failures } from './usage.ts'
import { printed, remark, tell } from './output.ts'
import { nonFiniteLines } from './nan.ts'

interface CallOptions extends SharedOptions {
  readonly fn?: string
  readonly json?: boolean
  readonly cotangent?: string
  readonly traceNan?: boolean
}

/** The same, with the function that was chosen. */
type CallOf = CallOptions & { readonly fn: string }

/** The function to call, and its arguments. */
interface Call {
  readonly name: string
  readonly program: Program
  readonly fn: CpuFunction
  readonly args: readonly unknown[]
  readonly given: Arguments
}

/** Those among some functions that can be called from here: arguments and results are what JSON can say. */
async function callable(run: Run, file: string, options: CallOptions, names: readonly string[]): Promise<string[]> {
  try {
    const program = await run.program(file, options, () => ({ exports: names, entries: [] }))
    if (program.ok) {
      const { fn }: { readonly fn: Readonly<Record<string, unknown>> } = await load(program)
      return names.filter(name => fn[name] !== undefined)
    }
  } catch (cause) {
    if (!(cause instanceof CompileError)) throw cause
  }
  // One of them cannot be exported.
  if (names.length <= 1) return []
  const half = names.length >> 1
  const first = await callable(run, file, options, names.slice(0, half))
  return [...first, ...(await callable(run, file, options, names.slice(half)))]
}

/** What is said to who names no function: those that `run` or `grad` could call. */
async function missingFunction(file: string, options: CallOptions, forGradient: boolean): Promise<never> {
  const run = new Run()
  const whole = await run.compile(file, options)
  const entries = whole.entries.map(e => e.name)
  const all = whole.subjects
    .filter(f => !entries.includes(f.name) && (!forGradient || f.differentiable === 'backward'))
    .map(f => f.name)
  // Standard input can be read once.
  const names = file === '-' ? all : await callable(run, file, options, all)
  const kind = forGradient ? 'differentiable function' : 'function'
  const source = file === '-' ? 'standard input' : file
  if (names.length === 0) throw new UsageError(`${source} has no ${kind} that can be called`, 1)
  throw new UsageError(`name a ${kind} by --fn; ${source} has ${names.join(', ')}`)
}

async function prepare(file: string, texts: readonly string[], options: CallOf): Promise<Call> {
  const run = new Run()
  const given = await Arguments.read(texts, options.cotangent, run.inputs)
  const program = await run.compile(file, options, () => ({ exports: [options.fn], entries: [] }))
  const module = await load(program, { print: printed })
  const fn: CpuFunction | undefined = module.fn[options.fn]
  if (fn === undefined) {
    throw new UsageError(
      `${file} has no function ${options.fn} that can be called: it takes or gives what JSON cannot say`,
      1,
    )
  }
  const names = fn.signature.params.filter(p => p.dir !== 'out').map(p => p.name)
  const args = await given.for(options.fn, names)
  const reads = resourcesOf(program)
  if (reads.length > 0)
    remark(`${options.fn} uses ${reads.join(', ')}: from here, buffers are empty and uniforms are zero`)
  return { name: options.fn, program, fn, args, given }
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

/** Calls a function. A mistake of the caller is reported as one line, or at its place in a file; those of the compiler are diagnostics. */
async function calling(
  file: string,
  texts: readonly string[],
  options: CallOptions,
  forGradient: boolean,
  work: (call: Call) => void,
): Promise<void> {
  let call: Call | undefined
  try {
    const { fn = await missingFunction(file, options, forGradient) } = options
    call = await prepare(file, texts, { ...options, fn })
    work(call)
  } catch (error) {
    await call?.given.locate(error)
    if (error instanceof CompileError) {
      report(error.diagnostics)
      throw new Failed()
    }
    if (error instanceof ArityError || error instanceof ShapeError)
      throw new UsageError(error.message, 2, failures.argument)
    if (error instanceof NameError || error instanceof TrapError) throw new UsageError(error.message, 1)
    throw error
  }
}

/** `cotangent run`: the result, and the `out` and `inout` parameters by name. */
export function runCommand(file: string, texts: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CallOptions
  return calling(file, texts, options, false, ({ name, program, fn, args }) => {
    const { result, out } = fn.run(...args)
    const traced = options.traceNan === true ? { nonFinite: program.traceNonFinite(name, args) } : {}
    if (options.json === true) {
      print(json({ result: result ?? null, out, ...nonFiniteJson(traced) }))
      return
    }
    if (result !== undefined) print(shown(result))
    for (const [param, value] of Object.entries(out)) print(`${param} = ${shown(value)}`)
    printTrace(traced)
  })
}

/** `cotangent grad`: value and gradient by reverse mode. */
export function gradCommand(file: string, texts: readonly string[], raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CallOptions
  return calling(file, texts, options, true, ({ name, program, fn, args, given }) => {
    const { cotangent } = given
    const { value, grad } =
      cotangent === undefined
        ? fn.valueAndGrad(...args)
        : { value: fn(...args), grad: given.ofCotangent(() => fn.vjp(args, cotangent)) }
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
      options.traceNan === true ? { nonFinite: program.traceNonFinite(name, args, { gradient: true, ...weights }) } : {}
    if (options.json === true) {
      print(json({ value: value ?? null, grad: gradients, ...nonFiniteJson(traced) }))
      return
    }
    print(`value = ${shown(value)}`)
    for (const [param, g] of Object.entries(gradients)) print(`d/d${param} = ${shown(g)}`)
    printTrace(traced)
    if (Object.keys(gradients).length === 0) remark(`no parameter of ${name} carries a derivative`)
  })
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
