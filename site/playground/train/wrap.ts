/**
 * A kernel around a function, so that a device can run it: it reads the arguments as a list of floats, calls the function and its reverse
 * derivative, and writes the value and the gradient of each argument that has one.
 */
import { compile, type ExportedFunction, type Program } from 'cotangent'
import { leavesOf, type DataType, type Leaf } from './layout.ts'

/** Names in the kernel's code. */
export const wrapper = { kernel: 'train__step', input: 'train__input', output: 'train__output' } as const

/** The program again, with more text behind its source. */
export function extended(program: Program, text: string): Program {
  const [main, ...others] = program.files
  const made = compile(`${main!.text}\n${text}`, {
    fileName: main!.name,
    files: Object.fromEntries(others.map(f => [f.name, f.text])),
  })
  const error = made.diagnostics.find(d => d.severity === 'error')
  if (error !== undefined) throw new Error(`The program cannot be trained here: ${error.message}`)
  return made
}

/** The program with a kernel around a function. Each gradient follows the value in the order of the arguments. */
export function wrapped(program: Program, of: ExportedFunction): Program {
  let next = 0
  const declare = of.params.flatMap((p, i) => [
    `${textOf(p.type)} p${i};`,
    ...leavesOf(p.type).map(l => `p${i}${accessOf(l)} = ${cast(l.scalar, `${wrapper.input}[${next++}]`)};`),
  ])
  const isPair = (i: number): boolean => of.gradients[i] !== null && of.gradients[i] !== undefined
  const pairs = of.params.flatMap((_, i) => (isPair(i) ? [`var d${i} = diffPair(p${i});`] : []))
  let written = 1
  const results = of.gradients.flatMap((type, i) =>
    type === null ? [] : leavesOf(type).map(l => `${wrapper.output}[${written++}] = float(d${i}.d${accessOf(l)});`),
  )
  const plain = of.params.map((_, i) => `p${i}`)
  const mixed = of.params.map((_, i) => (isPair(i) ? `d${i}` : `p${i}`))
  const lines = [
    ...declare,
    `${wrapper.output}[0] = ${of.name}(${plain.join(', ')});`,
    ...pairs,
    `bwd_diff(${of.name})(${[...mixed, '1.0f'].join(', ')});`,
    ...results,
  ]
  return extended(
    program,
    `RWStructuredBuffer<float> ${wrapper.input};
RWStructuredBuffer<float> ${wrapper.output};
[shader("compute")] [numthreads(1, 1, 1)]
void ${wrapper.kernel}()
{
    ${lines.join('\n    ')}
}
`,
  )
}

const scalars: Readonly<Record<string, string>> = { bool: 'bool', i32: 'int', u32: 'uint', f16: 'half', f32: 'float' }

function textOf(type: DataType): string {
  switch (type.kind) {
    case 'void':
      return 'void'
    case 'scalar':
      return scalarOf(type.scalar)
    case 'vector':
      return `${scalarOf(type.scalar)}${type.count}`
    case 'matrix':
      return `${scalarOf(type.scalar)}${type.rows}x${type.cols}`
    case 'array':
      return `Array<${textOf(type.elem)}, ${type.count}>`
    case 'struct':
      return type.name
  }
}

function scalarOf(scalar: string): string {
  const text = scalars[scalar]
  if (text === undefined) throw new Error(`A number of kind ${scalar} does not exist on a GPU: train on the CPU`)
  return text
}

function cast(scalar: string, text: string): string {
  return scalar === 'bool' ? `${text} != 0.0` : `${scalarOf(scalar)}(${text})`
}

function accessOf({ path }: Leaf): string {
  return path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
}
