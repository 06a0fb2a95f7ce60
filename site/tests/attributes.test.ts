/** The attributes of Slang's playground: what a source says, and what is planned from it. */
import { compile, type BindingInfo, type DataType, type EntryReflection, type Reflection } from 'cotangent'
import { describe, expect, it } from 'vitest'
import { attributesOf, literal, stringsOf } from '../playground/machine/attributes.ts'
import { planned, valueAt, type Known, type Moment } from '../playground/machine/plan.ts'

const told = (source: string): string[] =>
  attributesOf(source, 'a.slang').map(
    a => `${a.line} ${a.name}(${a.args.map(x => (x.kind === 'text' ? `"${x.text}"` : x.text)).join(' | ')}) ${a.of}`,
  )

describe('attributes of a source', () => {
  it.each<[string, string, string[]]>([
    ['a buffer', '[playground::ZEROS(512)]\nRWStructuredBuffer<float> x;', ['1 ZEROS(512) x']],
    [
      'a generic type with commas',
      '[playground::RAND(N * 2)] RWStructuredBuffer<vector<float, 3>> v;',
      ['1 RAND(N * 2) v'],
    ],
    [
      'several in one list',
      '[shader("compute"), playground::CALL(f(1, 2), 4, 1)] void main() {}',
      ['1 CALL(f(1, 2) | 4 | 1) main'],
    ],
    [
      'one after the other',
      '[playground::CALL::SIZE_OF("buf")]\n[playground::CALL::ONCE]\n[numthreads(8, 1, 1)]\nvoid fill(uint3 i : SV_DispatchThreadID) { }',
      ['1 CALL_SIZE_OF("buf") fill', '2 CALL_ONCE() fill'],
    ],
    ['spelled with an underscore', '[playground::CALL_ONCE] void f() {}', ['1 CALL_ONCE() f']],
    ['without arguments', '[playground::TIME] uniform float time;', ['1 TIME() time']],
    ['with a value', '[playground::SLIDER(-0.5, -1.0, 1.0)] uniform float s = 3;', ['1 SLIDER(-0.5 | -1.0 | 1.0) s']],
    ['an array', '[playground::ZEROS(4)] float x[4];', ['1 ZEROS(4) x']],
    ['a bracket in a text', '[playground::KEY("]")] uniform float k;', ['1 KEY("]") k']],
    ['in a comment', '// [playground::TIME] uniform float a;\n/* [playground::TIME] */ uniform float b;', []],
    ['in a text', 'static const String s = "[playground::TIME] float x;";', []],
    ['of others', '[shader("compute")] [numthreads(1, 1, 1)] void main() { int a[3]; a[0] = 1; }', []],
    ['in the middle of typing', '[playground::ZEROS(', []],
  ])('%s', (_name, source, expected) => {
    expect(told(source)).toEqual(expected)
  })

  it('knows literals from what the compiler must evaluate', () => {
    expect(['512', '1.5f', '0x10', '-3', '2e3', '.5', '16u'].map(literal)).toEqual([512, 1.5, 16, -3, 2000, 0.5, 16])
    expect(['N', '2 * 3', '', '1.2.3'].map(literal)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('finds texts as the program has them', () => {
    expect(stringsOf('print("a\\n%d", 1); // "no"\n f("b");')).toEqual(['a\n%d', 'b'])
  })
})

const float: DataType = { kind: 'scalar', scalar: 'f32', size: 4 }
const buffer = (name: string, elem: DataType = float): BindingInfo => ({
  name,
  path: [name],
  target: name,
  group: 0,
  binding: 0,
  kind: 'storage',
  type: { kind: 'array', elem, count: 0, stride: elem.size, size: 0 },
  handle: null,
})
const kernel = (name: string, ...bindings: string[]): EntryReflection => ({
  name,
  target: name,
  stage: 'compute',
  workgroupSize: [8, 1, 1],
  bindings,
  inputs: [],
  outputs: [],
})
const reflection = (
  bindings: BindingInfo[],
  entries: EntryReflection[],
  uniforms: readonly { name: string; type: DataType }[] = [],
): Reflection => {
  const fields = uniforms.map((u, i) => ({ ...u, offset: i * 16 }))
  const block: DataType = { kind: 'struct', name: 'GlobalParams', fields, size: fields.length * 16 }
  const info: BindingInfo = {
    name: 'globalParams',
    path: ['globalParams'],
    target: 'globalParams',
    group: 0,
    binding: 0,
    kind: 'uniform',
    type: block,
    handle: null,
  }
  return {
    bindings: uniforms.length === 0 ? bindings : [info, ...bindings],
    entries,
    parameters: uniforms.map(u => ({ path: [u.name], entry: null, binding: 'globalParams', field: u.name })),
    globalParams: uniforms.length === 0 ? null : block,
    features: [],
    prints: null,
  }
}
const known = (name: string, of: string, ...args: (number | string)[]): Known => ({
  name,
  of,
  args,
  file: 'a.slang',
  line: 3,
})

describe('a plan', () => {
  it('gives buffers their elements, and kernels a thread for each', () => {
    const plan = planned(
      reflection([buffer('x')], [kernel('main', 'x')]),
      [known('RAND', 'x', 100), known('CALL_SIZE_OF', 'main', 'x')],
      [4, 4],
    )
    expect(plan.buffers).toMatchObject([{ name: 'x', elements: 100, stride: 4, fill: 'random' }])
    expect(plan.calls).toMatchObject([{ groups: [13, 1, 1], once: false }])
    // It keeps what a frame leaves, so frames go on.
    expect(plan.animated).toBe(true)
  })

  it('runs every kernel once where nothing says how', () => {
    const plan = planned(reflection([buffer('x')], [kernel('a', 'x'), kernel('b')]), [], [4, 4])
    expect(plan.calls.map(c => c.groups)).toEqual([
      [128, 1, 1],
      [1, 1, 1],
    ])
    expect(plan.animated).toBe(false)
  })

  it('counts no threads by the buffer of printed text', () => {
    const bindings = [buffer('x'), buffer('printedWords')]
    const room = known('ZEROS', 'printedWords', 16384)
    const kernels = [kernel('a', 'x', 'printedWords'), kernel('b', 'printedWords')]
    const plan = planned(reflection(bindings, kernels), [room], [4, 4])
    expect(plan.calls.map(c => c.groups)).toEqual([
      [128, 1, 1],
      [1, 1, 1],
    ])
  })

  it('runs only kernels that are called, where one is', () => {
    const plan = planned(
      reflection([], [kernel('a'), kernel('b')]),
      [known('CALL', 'b', 9), known('CALL_ONCE', 'b')],
      [4, 4],
    )
    expect(plan.calls).toMatchObject([{ kernel: { name: 'b' }, groups: [2, 1, 1], once: true }])
    expect(plan.animated).toBe(false)
  })

  it('takes uniforms from where attributes say', () => {
    const int4: DataType = { kind: 'vector', scalar: 'i32', count: 4, size: 16 }
    const uniforms = [
      { name: 'time', type: float },
      { name: 'mouse', type: int4 },
      { name: 'key', type: float },
      { name: 's', type: float },
    ]
    const attributes = [
      known('TIME', 'time'),
      known('MOUSE_POSITION', 'mouse'),
      known('KEY', 'key', 'KeyA'),
      known('SLIDER', 's', 0.5, 0, 1),
    ]
    const plan = planned(reflection([], [kernel('main', 'globalParams')], uniforms), attributes, [4, 4])
    const moment: Moment = {
      seconds: 1.5,
      frame: 7,
      mouse: [1.5, 2, -3.5, 4],
      keys: new Set(['KeyA']),
      controls: { s: 0.25 },
    }
    expect(plan.uniforms.map(u => valueAt(u, moment))).toEqual([1.5, [1, 2, -3, 4], 1, 0.25])
    expect(plan.animated).toBe(true)
  })

  it.each<[string, Known, RegExp]>([
    ['addresses', known('URL', 'x', 'https://example.com/a.png'), /asks no other host/],
    ['unknown attributes', known('ZERO', 'x', 3), /there is no such attribute; there are TIME, /],
    ['a size that is none', known('ZEROS', 'x', -1), /whole number above 0, got \(-1\)/],
    ['a size that is missing', known('ZEROS', 'x'), /expected a whole number/],
    ['a texture attribute on a buffer', known('BLACK', 'x', 4, 4), /takes ZEROS or RAND/],
    [
      'a resource that is not there',
      known('CALL_SIZE_OF', 'main', 'nothing'),
      /no kernel uses a buffer or texture nothing/,
    ],
    ['a buffer too large', known('ZEROS', 'x', 1e9), /more than 268435456/],
  ])('refuses %s, and says why', (_name, attribute, message) => {
    expect(() => planned(reflection([buffer('x')], [kernel('main', 'x')]), [attribute], [4, 4])).toThrow(message)
  })

  it('refuses random numbers that are no floats', () => {
    const int: DataType = { kind: 'scalar', scalar: 'i32', size: 4 }
    expect(() => planned(reflection([buffer('x', int)], []), [known('RAND', 'x', 4)], [4, 4])).toThrow(
      /only a buffer of float/,
    )
  })
})

it('what lies inside of a struct has the name that hosts take, and the shape of a tensor is no control', () => {
  const { reflection } = compile(`struct Look { Texture2D picture; float scale; };
uniform Look look;
RWStructuredBuffer<float> y;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uniform TensorView<float> x) { y[0] = x[0] + look.scale * look.picture.Load(int3(0)).x; }
`).wgsl()
  const { uniforms } = planned(reflection, [], [4, 4])
  const sources = Object.fromEntries(uniforms.map(u => [u.name, u.source]))
  expect(sources['look_scale']).toMatchObject({ control: { kind: 'number', value: 0 } })
  expect(Object.keys(sources)).toContain('x_strides')
  expect(Object.entries(sources).filter(([name]) => name.startsWith('x_') && sources[name] !== 'zeros')).toEqual([])
})
