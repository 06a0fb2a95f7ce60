/** A compute kernel around a generated program: reads arguments from one buffer, writes values and gradients to another. */
import * as t from '../../src/ir/type.ts'
import { component, differential, type Type } from '../../src/ir/type.ts'
import { paramDifferential, type Program } from './program.ts'
import { declarator, programText, slangType } from './program-text.ts'

/** The ways in which an entry point learns which thread runs it: there is one. */
const ids: readonly { readonly declared: string; readonly param: string; readonly x: string }[] = [
  { declared: '', param: 'uint3 id : SV_DispatchThreadID', x: 'id.x' },
  {
    declared: 'struct Ids { uint3 id : SV_DispatchThreadID; uint index : SV_GroupIndex; }\n',
    param: 'Ids ids',
    x: 'ids.id.x',
  },
  {
    declared:
      'struct Local { uint3 inGroup : SV_GroupThreadID; }\nstruct Ids { Local local; uint3 group : SV_GroupID; }\n',
    param: 'Ids ids',
    x: '(ids.group.x + ids.local.inGroup.x)',
  },
]

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
export function gradientKernel(program: Program, seed: number): KernelText {
  const { params, result } = program.main
  const id = ids[seed % ids.length]!
  const lines: string[] = []
  const reads: Type[] = []
  let writes = 0
  const load = (type: Type, name: string): void => {
    lines.push(`    ${declare(type, name)};`)
    for (const [path, leaf] of leaves(type, name)) {
      lines.push(`    ${path} = ${leaf === t.i32 ? 'int' : ''}(inp[${id.x} + ${reads.length}]);`)
      reads.push(leaf)
    }
  }
  const store = (type: Type, name: string): void => {
    for (const [path, leaf] of leaves(type, name))
      if (t.isFloat(leaf)) lines.push(`    outp[${id.x} + ${writes++}] = ${path};`)
  }
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
${id.declared}
[shader("compute")]
[numthreads(1, 1, 1)]
void computeMain(${id.param})
{
${lines.join('\n')}
}
`
  return { text, reads, writes }
}

/**
 * Adds `byReverse(s)` and `byForward(s)`: the weighted derivative of `f` along a direction, where the point, the direction and
 * the weights move with `s`, by `bwd_diff` and by `fwd_diff`. Both are the same number, and their derivatives are second
 * derivatives of `f`. `number` gives constants; what `f` takes as integers is 2. `isHeld`: as differences have to see it.
 */
export function secondOrder(program: Program, number: () => number, isHeld = false): string {
  const { params, result } = program.main
  const lines: string[] = []
  const literal = (): string => {
    const x = number()
    return x < 0 ? `(${x.toFixed(4)})` : x.toFixed(4)
  }
  const fill = (type: Type, name: string, isFixed = false): void => {
    lines.push(`    ${declare(type, name)};`)
    for (const [path, leaf, held] of leaves(type, name))
      lines.push(
        `    ${path} = ${leaf === t.i32 ? '2' : isFixed || held ? literal() : `${literal()} + s * ${literal()}`};`,
      )
  }
  const [reverse, forward]: [string[], string[]] = [[], []]
  const [pulled, pushed]: [string[], string[]] = [[], []]
  const [reverseArgs, forwardArgs]: [string[], string[]] = [[], []]
  const inner = (type: Type, x: string, y: string): string[] =>
    leaves(type, '').map(([path]) => `${x}${path} * ${y}${path}`)
  for (const p of params) {
    const diff = paramDifferential(p)
    // What comes in without derivative would lose that of `s`.
    if (p.dir !== 'out') fill(p.type, p.name, p.noDiff)
    if (diff === null) {
      reverseArgs.push(p.name)
      forwardArgs.push(p.name)
      continue
    }
    // The weight of what comes out; what stands in the pair of an `in` parameter does not matter.
    fill(diff, `w_${p.name}`)
    forwardArgs.push(`pair_${p.name}`)
    if (p.dir === 'out') {
      reverseArgs.push(`w_${p.name}`)
      forward.push(`    DifferentialPair<${slangType(p.type)}> pair_${p.name};`)
    } else {
      fill(diff, `u_${p.name}`)
      reverseArgs.push(`pair_${p.name}`)
      reverse.push(`    var pair_${p.name} = diffPair(${p.name}, w_${p.name});`)
      forward.push(`    var pair_${p.name} = diffPair(${p.name}, u_${p.name});`)
      pulled.push(...inner(diff, `u_${p.name}`, `pair_${p.name}.d`))
    }
    if (p.dir !== 'in') pushed.push(...inner(diff, `w_${p.name}`, `pair_${p.name}.d`))
  }
  fill(differential(result)!, 'w_result')
  reverse.push(`    bwd_diff(f)(${[...reverseArgs, 'w_result'].join(', ')});`)
  forward.push(`    var result = fwd_diff(f)(${forwardArgs.join(', ')});`)
  pushed.push(...inner(differential(result)!, 'w_result', 'result.d'))
  const func = (name: string, body: readonly string[], terms: readonly string[]): string => `[Differentiable]
public float ${name}(float s)
{
${[...lines, ...body].join('\n')}
    return ${terms.length === 0 ? '0.0' : terms.join(' + ')};
}
`
  return `${programText(program, isHeld)}
${func('byReverse', reverse, pulled)}
${func('byForward', forward, pushed)}`
}

/** An entry point that writes both of `secondOrder`, and of each its derivative by `fwd_diff` and by `bwd_diff`. */
export function secondKernel(program: Program, number: () => number): string {
  const seconds = ['byReverse', 'byForward'].map(
    (name, k) => `    outp[${k}] = ${name}(s);
    outp[${2 * k + 2}] = fwd_diff(${name})(diffPair(s, 1.0)).d;
    var pair${k} = diffPair(s, 777.0);
    bwd_diff(${name})(pair${k}, 1.0);
    outp[${2 * k + 3}] = pair${k}.d;
`,
  )
  return `${secondOrder(program, number)}
StructuredBuffer<float> inp;
RWStructuredBuffer<float> outp;

[shader("compute")]
[numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    float s = inp[0];
${seconds.join('')}}
`
}

function declare(type: Type, name: string): string {
  // Differentials of structs are named through their struct.
  return type.kind === 'struct' ? `${type.name} ${name}` : declarator(type, name)
}

/** The scalars of a type: where each stands, its type, and whether it lies in a field that keeps no derivative. */
function leaves(type: Type, path: string, held = false): [string, Type, boolean][] {
  if (type.kind === 'scalar') return [[path, type, held]]
  const all: [string, Type, boolean][] = []
  for (let i = 0; i < type.count; i++) {
    const step = type.kind === 'struct' ? `.${type.fields[i]!.name}` : type.kind === 'vec' ? `.${'xyzw'[i]}` : `[${i}]`
    all.push(...leaves(component(type, i), path + step, held || type.diff?.fields[i] === -1))
  }
  return all
}
