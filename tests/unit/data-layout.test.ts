/** The layouts of GLSL, by numbers of its specification, and the bytes that hosts and kernels see. */
import { expect, test } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import { compile, type DataType } from '../../src/index.ts'

const cell = `
  struct Tail { double x; float y; }
  struct Cell { float a; float3 b; bool c; Tail tail; float after; Tail many[2]; float rest; float2x3 m; float4x4 n; uint64_t last; float3 end; }`

function source(layout: string): string {
  return `${cell}
    StructuredBuffer<Cell, ${layout}> cells;
    RWStructuredBuffer<float, ScalarDataLayout> outp;
    [shader("compute")] [numthreads(1, 1, 1)] void main()
    {
        Cell c = cells[1];
        outp[0] = c.a; outp[1] = c.b.z; outp[2] = c.c ? 1 : 0; outp[3] = c.tail.y; outp[4] = c.after; outp[5] = float(c.many[1].x);
        outp[6] = c.rest; outp[7] = c.m[1].z; outp[8] = c.n[3].w; outp[9] = float(c.last); outp[10] = c.end.z;
    }`
}

/** By layout: the stride, then where the members lie. */
const wanted = {
  ScalarDataLayout: [184, 0, 4, 16, 24, 36, 40, 68, 72, 96, 160, 168],
  Std430DataLayout: [224, 0, 16, 28, 32, 48, 56, 88, 96, 128, 192, 208],
  Std140DataLayout: [240, 0, 16, 28, 32, 48, 64, 96, 112, 144, 208, 224],
}

for (const [layout, [stride, ...offsets]] of Object.entries(wanted)) {
  test(`${layout}: members lie where GLSL puts them, and are read from there`, async () => {
    const program = compile(source(layout))
    expect(program.diagnostics).toEqual([])
    const { buffers } = program.wasm().host
    const { elem, stride: found } = buffers.find(b => b.name === 'cells')!
    const fields = (elem as DataType & { kind: 'struct' }).fields
    expect([found, ...fields.map(f => f.offset)]).toEqual([stride, ...offsets])

    const bytes = new Uint8Array(stride! * 2)
    const view = new DataView(bytes.buffer, stride)
    const at = (name: string): number => fields.find(f => f.name === name)!.offset
    const vector = layout === 'ScalarDataLayout' ? 12 : 16
    view.setFloat32(at('a'), 1, true)
    view.setFloat32(at('b') + 8, 2, true)
    view.setUint32(at('c'), 1, true)
    view.setFloat32(at('tail') + 8, 3, true)
    view.setFloat32(at('after'), 4, true)
    view.setFloat64(at('many') + 16, 5, true)
    view.setFloat32(at('rest'), 6, true)
    view.setFloat32(at('m') + vector + 8, 7, true)
    view.setFloat32(at('n') + 60, 8, true)
    view.setBigUint64(at('last'), 9n, true)
    view.setFloat32(at('end') + 8, 10, true)
    const outp = new Float32Array(11)
    const machine = await load(program)
    machine.kernel('main').dispatch([1, 1, 1], { buffers: { cells: bytes, outp } })
    expect([...outp]).toEqual([1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10])

    const { code } = program.js()
    const script = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      main(groups: readonly number[], resources: object): void
    }
    const again = new Float32Array(11)
    script.main([1, 1, 1], { cells: bytes, outp: again })
    expect([...again]).toEqual([...outp])
  })
}

test('reflection says how far elements lie apart, and hosts hand over lists', async () => {
  const program = compile(`
    StructuredBuffer<float3, ScalarDataLayout> near;
    StructuredBuffer<float3> usual;
    RWStructuredBuffer<float, Std140DataLayout> apart;
    [shader("compute")] [numthreads(2, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { apart[id.x] += near[id.x].z * usual[id.x].x; }`)
  const { bindings } = program.wgsl().reflection
  expect(
    bindings.map(({ name, type }) => [name, type?.kind === 'array' ? [type.stride, type.elem.align] : null]),
  ).toEqual([
    ['near', [12, 4]],
    ['usual', [16, 16]],
    ['apart', [16, 4]],
  ])
  const apart = new Float32Array([1, 0, 0, 0, 2, 0, 0, 0])
  const machine = await load(program)
  machine.kernel('main').dispatch([1, 1, 1], {
    buffers: {
      near: new Float32Array([1, 2, 3, 4, 5, 6]),
      usual: [
        [10, 0, 0],
        [20, 0, 0],
      ],
      apart,
    },
  })
  expect([...apart]).toEqual([31, 0, 0, 0, 122, 0, 0, 0])
})

test('rows of matrices of 64-bit numbers begin where the one before ends, or later', async () => {
  const program = compile(`
    struct S { float a; double2x3 m; double4x4 n; double last; int64_t2x2 k; }
    RWStructuredBuffer<S, Std140DataLayout> all;
    ConstantBuffer<S> block;
    RWStructuredBuffer<double> read;
    [shader("compute")] [numthreads(1, 1, 1)] void main() { all[0] = block; }
    [shader("compute")] [numthreads(1, 1, 1)] void again() {
      read[0] = all[0].m[0][2]; read[1] = all[0].m[1][0]; read[2] = all[0].n[0][3]; read[3] = all[0].n[3][3]; read[4] = all[0].last + double(all[0].k[1][0]); }`)
  expect(program.diagnostics).toEqual([])
  const { host } = program.wasm()
  const { elem, stride } = host.buffers.find(b => b.name === 'all')!
  expect([stride, ...(elem as DataType & { kind: 'struct' }).fields.map(f => f.offset)]).toEqual([
    288, 0, 32, 96, 224, 240,
  ])
  const row = (i: number, count: number): number[] => Array.from({ length: count }, (_, k) => 10 * i + k)
  const block = {
    a: 1,
    m: [row(0, 3), row(1, 3)],
    n: [0, 1, 2, 3].map(i => row(i, 4)),
    last: 5,
    k: [
      [1n, 2n],
      [3n, 4n],
    ],
  }
  const [all, read] = [new Uint8Array(288), new Float64Array(5)]
  const machine = await load(program)
  machine.kernel('main').dispatch([1, 1, 1], { buffers: { all }, uniforms: { block } })
  machine.kernel('again').dispatch([1, 1, 1], { buffers: { all, read } })
  expect([...read]).toEqual([2, 10, 3, 33, 8])
})
