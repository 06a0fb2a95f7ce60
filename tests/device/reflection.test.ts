/** What reflection says of a program that uses everything, and that TypeScript takes the types made of it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import { compile, reflectionTypes, type BindingInfo, type VaryingInfo } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

afterAll(closeGpu)

describe('reflection', () => {
  const program = compile(readFileSync(new URL('../reflection/scene.slang', import.meta.url), 'utf8'), {
    fileName: 'scene.slang',
    verify: true,
  })
  const { code, reflection } = program.wgsl()
  const binding = (name: string): BindingInfo => reflection.bindings.find(b => b.name === name)!
  const entry = (name: string) => reflection.entries.find(e => e.name === name)!
  const ports = (list: readonly VaryingInfo[]) =>
    list.map(v => [
      v.name,
      v.semantic,
      v.builtin ?? v.location,
      v.interpolation,
      v.type.kind === 'vector' ? `${v.type.scalar}x${v.type.count}` : (v.type as { scalar: string }).scalar,
    ])

  test('is of WGSL that WebGPU accepts', async () => refuse(code, await compileWgsl(code)))

  test('says where everything is bound', () => {
    expect(reflection.bindings.map(b => `${b.group}:${b.binding} ${b.kind} ${b.path.join('.')}`)).toEqual([
      '0:0 uniform globalParams',
      '0:1 uniform light',
      '2:0 uniform material',
      '2:1 texture material.albedo',
      '2:2 sampler material.sampler',
      '2:3 storage-texture material.target',
      '0:2 read-only-storage lights',
      '0:3 storage bytes',
      '0:4 texture shadows.0',
      '0:5 texture shadows.1',
      '0:6 sampler nearer',
      '1:3 storage frames',
      '0:7 storage printOutput',
    ])
    expect(reflection.bindings.filter(b => b.handle !== null).map(b => b.handle)).toEqual([
      { kind: 'texture', texture: { dimension: '2d', sampleType: 'float', multisampled: false } },
      { kind: 'sampler', sampler: 'filtering' },
      { kind: 'storage-texture', storageTexture: { dimension: '2d', format: 'rgba16float', access: 'write-only' } },
      { kind: 'texture', texture: { dimension: '2d', sampleType: 'depth', multisampled: false } },
      { kind: 'texture', texture: { dimension: '2d', sampleType: 'depth', multisampled: false } },
      { kind: 'sampler', sampler: 'comparison' },
    ])
  })

  test('says how values lie in buffers', () => {
    const light = {
      kind: 'struct',
      name: 'Light',
      size: 32,
      align: 16,
      fields: [
        { name: 'direction', offset: 0, type: { kind: 'vector', scalar: 'f32', count: 3, size: 12, align: 16 } },
        { name: 'power', offset: 12, type: { kind: 'scalar', scalar: 'f32', size: 4, align: 4 } },
        { name: 'on', offset: 16, type: { kind: 'scalar', scalar: 'bool', size: 4, align: 4 } },
      ],
    }
    expect(binding('light').type).toEqual(light)
    expect(binding('lights').type).toEqual({ kind: 'array', elem: light, count: 0, stride: 32, size: 0, align: 16 })
    expect(binding('frames').type).toEqual({
      kind: 'array',
      count: 0,
      stride: 48,
      size: 0,
      align: 16,
      elem: { kind: 'matrix', scalar: 'f32', rows: 3, cols: 3, stride: 16, size: 48, align: 16 },
    })
    expect(reflection.globalParams).toMatchObject({
      size: 80,
      fields: [
        { name: 'time', offset: 0 },
        { name: 'view', offset: 16 },
      ],
    })
  })

  test('says which matrices lie column by column', async () => {
    const source = `struct S { float x; column_major float2x3 m; float2x3 n; }
RWStructuredBuffer<S> s;
[shader("compute")] [numthreads(1, 1, 1)] void main() { s[0].m[1][0] = s[0].m[0][2] + 10; s[0].n[1] = s[0].m[0]; }`
    for (const matrixLayout of ['row-major', 'column-major'] as const) {
      const other = matrixLayout === 'row-major' ? 'column_major' : 'row_major'
      const made = compile(source.replace('column_major', other), { matrixLayout })
      const m = { kind: 'matrix', scalar: 'f32', rows: 2, cols: 3 }
      const columns = { ...m, columnMajor: true, stride: 8, size: 24, align: 8 }
      const rows = { ...m, stride: 16, size: 32, align: 16 }
      const [first, second] = matrixLayout === 'row-major' ? [columns, rows] : [rows, columns]
      const { elem } = made.wgsl().reflection.bindings[0]!.type as unknown as {
        elem: { size: number; fields: { offset: number; type: object }[] }
      }
      expect(elem.fields.map(f => f.type)).toEqual([
        { kind: 'scalar', scalar: 'f32', size: 4, align: 4 },
        first,
        second,
      ])
      const [at, to] = elem.fields.slice(1).map(f => f.offset / 4)
      const bytes = new Float32Array(elem.size / 4)
      // Element 0, 2 and 1, 0 of the first matrix, and row 1 of the second.
      const read = matrixLayout === 'row-major' ? at! + 4 : at! + 2
      bytes[read] = 5
      const machine = await load(made)
      machine.kernel('main').dispatch([1, 1, 1], { buffers: { s: bytes } })
      expect(bytes[matrixLayout === 'row-major' ? at! + 1 : at! + 4]).toBe(15)
      expect(bytes[matrixLayout === 'row-major' ? to! + 6 : to! + 5]).toBe(5)
    }
  })

  test('says what entry points take, give and use', () => {
    expect(ports(entry('vertexMain').inputs)).toEqual([
      ['position', 'POSITION0', 2, '', 'f32x3'],
      ['joints', 'BLENDINDICES0', 0, '', 'u32x4'],
      ['instance', 'SV_INSTANCEID', 'instance_index', '', 'u32'],
    ])
    expect(ports(entry('vertexMain').outputs)).toEqual([
      ['position', 'SV_POSITION', 'position', '', 'f32x4'],
      ['joint', 'JOINT0', 0, 'flat', 'u32'],
      ['uv', 'TEXCOORD3', 1, 'perspective, centroid', 'f32x2'],
    ])
    expect(ports(entry('fragmentMain').inputs)).toEqual([
      ['position', 'SV_POSITION', 'position', '', 'f32x4'],
      ['joint', 'JOINT0', 0, 'flat', 'u32'],
      ['uv', 'TEXCOORD3', 1, 'perspective, centroid', 'f32x2'],
      ['front', 'SV_ISFRONTFACE', 'front_facing', '', 'bool'],
    ])
    expect(ports(entry('fragmentMain').outputs)).toEqual([
      ['depth', 'SV_DEPTH', 'frag_depth', '', 'f32'],
      ['result', 'SV_TARGET2', 2, '', 'f32x4'],
    ])
    expect(entry('computeMain')).toMatchObject({
      stage: 'compute',
      workgroupSize: [8, 4, 2],
      bindings: ['globalParams', 'material_target', 'lights', 'bytes', 'frames', 'printOutput'],
    })
    expect(entry('fragmentMain').bindings).toEqual([
      'light',
      'material',
      'material_albedo',
      'material_sampler',
      'shadows_0',
      'shadows_1',
      'nearer',
    ])
    expect(reflection.features).toEqual(['subgroups'])
    expect(reflection.prints).toEqual({
      binding: 'printOutput',
      formats: [{ format: '%u %f\n', args: ['u32', 'f32'] }],
    })
  })

  test('survives JSON', () => expect(JSON.parse(JSON.stringify(reflection))).toEqual(reflection))

  test('becomes TypeScript', () => {
    const words = [
      'any',
      'number',
      'never',
      'unknown',
      'object',
      'symbol',
      'bigint',
      'boolean',
      'Entries',
      'await',
      'yield',
      'let',
      'function',
      'type',
      'Array',
      'Record',
      'delete',
      'default',
      'undefined',
    ]
    const hostile = compile(`${words.map(w => `struct ${w} { float ${w}; int constructor; }`).join('\n')}
struct G<T> { T value; }  struct G_float_ { int other; }
${words.map((w, i) => `StructuredBuffer<${w}> b${i};`).join('\n')} StructuredBuffer<G<float> > generic; StructuredBuffer<G_float_> plain; RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] = ${words.map((w, i) => `b${i}[0].${w}`).join(' + ')} + generic[0].value + float(plain[0].other); }`)
    expect(hostile.diagnostics.filter(d => d.severity === 'error')).toEqual([])
    const text = `${reflectionTypes(reflection)}\nexport namespace Hostile {\n${reflectionTypes(hostile.wgsl().reflection)}}\nexport const word: Hostile.any_ = { any: 1, constructor: 2 }\n`
    const use = `${text}
const light: Light = { direction: [1, 2, 3], power: 1, on: true }
const compute: Entries['computeMain'] = { buffers: { lights: [light], bytes: [1], frames: [[[1, 2, 3], [4, 5, 6], [7, 8, 9]]] }, uniforms: { time: 1, view: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] }, textures: 'material_target', samplers: null as never }
const fragment: Entries['fragmentMain']['samplers'] = 'nearer'
// @ts-expect-error there is no such sampler
const sampler: Entries['fragmentMain']['samplers'] = 'farther'
// @ts-expect-error a field is missing
const dark: Light = { direction: [1, 2, 3], on: true }
export { compute, fragment, sampler, dark }
`
    const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.reflection-', import.meta.url)))
    try {
      writeFileSync(`${folder}/use.ts`, use)
      writeFileSync(
        `${folder}/tsconfig.json`,
        '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "types": [] } }',
      )
      const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(/package\.json$/, 'bin/tsc')
      const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
      expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
