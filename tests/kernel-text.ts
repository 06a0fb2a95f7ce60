/** A compute kernel around a generated program: reads arguments from one buffer, writes values and gradients to another. */
import * as t from '../src/ir/type.ts'
import { component, differential, type Type } from '../src/ir/type.ts'
import { paramDifferential, type Program } from './program.ts'
import { declarator, programText } from './program-text.ts'

/** The kernel's text, and how many floats it reads and writes. */
export interface KernelText {
  readonly text: string
  readonly reads: readonly Type[]
  readonly writes: number
}

/**
 * Adds an entry point `computeMain` that calls `f` and `bwd_diff(f)` once. It reads, for each parameter in order, the value of
 * what goes in and then its derivative, of which only that of what comes out matters, and last that of the result; it writes
 * the floats of the result, of what comes out, and of the gradients of what goes in.
 */
export function gradientKernel(program: Program): KernelText {
  const { params, result } = program.main
  const lines: string[] = []
  const reads: Type[] = []
  let writes = 0
  const load = (type: Type, name: string): void => {
    lines.push(`    ${declare(type, name)};`)
    for (const [path, leaf] of leaves(type, name)) {
      lines.push(`    ${path} = ${leaf === t.i32 ? 'int' : ''}(inp[${reads.length}]);`)
      reads.push(leaf)
    }
  }
  const store = (type: Type, name: string): void => { for (const [path, leaf] of leaves(type, name)) if (t.isFloat(leaf)) lines.push(`    outp[${writes++}] = ${path};`) }
  const args: string[] = []
  const plain: string[] = []
  const outs: { type: Type; name: string }[] = []
  const grads: { type: Type; name: string }[] = []
  for (const p of params) {
    const diff = paramDifferential(p)
    plain.push(p.dir === 'in' ? p.name : `o_${p.name}`)
    if (p.dir !== 'in') {
      lines.push(`    ${declare(p.type, `o_${p.name}`)};`)
      outs.push({ type: p.type, name: `o_${p.name}` })
    }
    if (p.dir === 'out') {
      load(diff!, `d_${p.name}`)
      args.push(`d_${p.name}`)
      continue
    }
    load(p.type, p.name)
    if (p.dir === 'inout') lines.push(`    o_${p.name} = ${p.name};`)
    if (diff === null) {
      args.push(p.name)
      continue
    }
    load(diff, `d_${p.name}`)
    lines.push(`    var pair_${p.name} = diffPair(${p.name}, d_${p.name});`)
    args.push(`pair_${p.name}`)
    grads.push({ type: diff, name: `pair_${p.name}` })
  }
  load(differential(result)!, 'd_result')
  lines.push(`    ${declare(result, 'r')} = f(${plain.join(', ')});`)
  store(result, 'r')
  for (const o of outs) store(o.type, o.name)
  lines.push(`    bwd_diff(f)(${[...args, 'd_result'].join(', ')});`)
  for (const g of grads) {
    lines.push(`    ${declare(g.type, `g_${g.name}`)} = ${g.name}.d;`)
    store(g.type, `g_${g.name}`)
  }
  const text = `${programText(program)}
StructuredBuffer<float> inp;
RWStructuredBuffer<float> outp;

[shader("compute")]
[numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
${lines.join('\n')}
}
`
  return { text, reads, writes }
}

/**
 * Adds `h(s)`: a weighted sum of the gradients of `f` at inputs that move with `s`. Its derivatives are second derivatives
 * of `f`. `number` gives constants; what `f` takes as integers is 2.
 */
export function gradientOfGradient(program: Program, number: () => number): string {
  const { params, result } = program.main
  const lines: string[] = []
  const terms: string[] = []
  const args: string[] = []
  const literal = (): string => {
    const x = number()
    return x < 0 ? `(${x.toFixed(4)})` : x.toFixed(4)
  }
  const fill = (type: Type, name: string, isFixed = false): void => {
    lines.push(`    ${declare(type, name)};`)
    for (const [path, leaf] of leaves(type, name)) lines.push(`    ${path} = ${leaf === t.i32 ? '2' : isFixed ? literal() : `${literal()} + s * ${literal()}`};`)
  }
  for (const p of params) {
    const diff = paramDifferential(p)
    if (p.dir === 'out') {
      fill(diff!, `d_${p.name}`)
      args.push(`d_${p.name}`)
      continue
    }
    // What comes in without derivative would lose that of `s`.
    fill(p.type, p.name, p.noDiff)
    if (diff === null) {
      args.push(p.name)
      continue
    }
    fill(diff, `d_${p.name}`)
    lines.push(`    var pair_${p.name} = diffPair(${p.name}, d_${p.name});`)
    args.push(`pair_${p.name}`)
    terms.push(...leaves(diff, `pair_${p.name}.d`).map(([path]) => `${literal()} * ${path}`))
  }
  fill(differential(result)!, 'd_result')
  lines.push(`    bwd_diff(f)(${[...args, 'd_result'].join(', ')});`)
  return `${programText(program)}
[Differentiable]
public float h(float s)
{
${lines.join('\n')}
    return ${terms.length === 0 ? '0.0' : terms.join(' + ')};
}
`
}

function declare(type: Type, name: string): string {
  // Differentials of structs are named through their struct.
  return type.kind === 'struct' ? `${type.name} ${name}` : declarator(type, name)
}

function leaves(type: Type, path: string): [string, Type][] {
  if (type.kind === 'scalar') return [[path, type]]
  const all: [string, Type][] = []
  for (let i = 0; i < type.count; i++) {
    const step = type.kind === 'struct' ? `.${type.fields[i]!.name}` : type.kind === 'vec' ? `.${'xyzw'[i]}` : `[${i}]`
    all.push(...leaves(component(type, i), path + step))
  }
  return all
}
