/** Which instruction first makes a NaN or an infinity in a step of training. */
import type { NonFinite } from 'cotangent'
import { leavesOf, valueOf } from './layout.ts'
import { argumentsOf, uniformsOf, type Contents, type Task } from './task.ts'
import { extended } from './wrap.ts'

/** Why training stopped. Line and column count from 1; without an instruction the file is ''. */
export interface Stop {
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Looks for the instruction by running the step once more in the interpreter. */
export function traced(task: Task, parameters: Float32Array, what: string): Stop {
  const found = task.trainable.kind === 'function' ? inFunction(task, parameters) : inKernel(task, parameters)
  return found === null
    ? { message: `${what}. No single instruction makes it of finite numbers.`, file: '', line: 0, column: 0 }
    : { message: `${what}: ${described(found)}`, file: found.file, line: found.line, column: found.column }
}

function inFunction(task: Task, parameters: Float32Array): NonFinite | null {
  if (task.trainable.kind !== 'function') return null
  const { params } = task.trainable.of
  const args = argumentsOf(task, parameters).map((numbers, i) => valueOf(params[i]!.type, numbers))
  return task.program.traceNonFinite(task.plan.subject, args, { gradient: true, globals: globalsOf(task, parameters) })
}

const tracer = 'train__trace'

/** A kernel is traced by a function that calls it for each thread, which needs a kernel of one parameter: the number of the thread. */
function inKernel(task: Task, parameters: Float32Array): NonFinite | null {
  const { program, trainable, plan, groups } = task
  if (trainable.kind !== 'kernel') return null
  const { inputs } = program.wgsl().reflection.entries.find(e => e.name === plan.subject)!
  const [id] = inputs
  if (inputs.length !== 1 || id?.semantic !== 'SV_DISPATCHTHREADID') return null
  const [w, h, d] = trainable.workgroupSize.map((n, i) => n * groups[i]!) as [number, number, number]
  const count = id.type.kind === 'vector' ? id.type.count : 1
  const thread = ['i % across.x', 'i / across.x % across.y', 'i / (across.x * across.y)'].slice(0, count)
  const type = count === 1 ? 'uint' : `uint${count}`
  const made = extended(
    program,
    `${trainable.reversible ? '[Differentiable]' : ''} export void ${tracer}(no_diff uint3 across)
{
    for (uint i = 0; i < across.x * across.y * across.z; i++)
        ${plan.subject}(${type}(${thread.join(', ')}));
}
`,
  )
  return made.traceNonFinite(tracer, [[w, h, d]], {
    gradient: trainable.reversible,
    globals: globalsOf(task, parameters),
  })
}

/** The contents of buffers as lists of elements, and uniforms, by all names that they have in the program. */
function globalsOf(task: Task, parameters: Float32Array): Record<string, unknown> {
  const uniforms = uniformsOf(task, {})
  const globals: Record<string, unknown> = { ...uniforms, globalParams: uniforms }
  for (const [name, contents] of task.contents) {
    const slice = task.slices.find(s => s.pick.name === name)
    const data = slice === undefined ? contents.data : parameters.subarray(slice.at, slice.at + slice.length)
    const primal = elementsOf(contents, data)
    const gradient = elementsOf(contents, new Float32Array(data.length).fill(name === 'loss' ? 1 : 0))
    Object.assign(globals, { [name]: primal, [`${name}_primal`]: primal, [`${name}_diff`]: gradient })
  }
  return globals
}

function elementsOf({ element, stride }: Contents, data: ArrayLike<number>): unknown[] {
  const leaves = leavesOf(element)
  return Array.from({ length: data.length / stride }, (_, i) =>
    valueOf(
      element,
      leaves.map(l => data[i * stride + l.offset / 4]!),
    ),
  )
}

/** The instruction for people, as `cotangent grad --trace-nan` says it. */
function described({ value, operation, operands, file, line, column, text, in: phase }: NonFinite): string {
  const place = file === '' ? '' : `${file}:${line}:${column}: `
  const where = phase === 'primal' ? '' : 'in the derivative of this, '
  const given = operands.map(o => (o.name === '' ? shown(o.value) : `${o.name} = ${shown(o.value)}`))
  const of = given.length === 0 ? '' : `, of ${given.join(', ')}`
  return `${place}${where}${operation} makes ${shown(value)}${text === '' ? '' : `: ${text}`}${of}`
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : String(value)
  return typeof value === 'object' && value !== null ? 'memory' : String(value)
}
