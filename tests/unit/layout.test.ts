/** `layout(…)` of GLSL says what attributes say. */
import { expect, test } from 'vitest'
import { compile } from '../../src/index.ts'

test('layout(binding, set) places a resource, in any order and beside other words', () => {
  const program = compile(`
    #define GROUP 1
    layout(binding = 3, set = GROUP) RWStructuredBuffer<float> first;
    layout(std430, set = 2, binding = 1 + 1) StructuredBuffer<float> second;
    [[vk::binding(4, 1)]] RWStructuredBuffer<float> third;
    [shader("compute")] [numthreads(1, 1, 1)] void main() { first[0] = second[0]; third[0] = 1; }`)
  const { bindings } = program.wgsl().reflection
  expect(bindings.map(b => [b.name, b.group, b.binding])).toEqual([
    ['first', 1, 3],
    ['second', 2, 2],
    ['third', 1, 4],
  ])
})

test('the sampler of a texture that has a place comes beside it, where nothing else asks for that place', () => {
  const program = compile(`
    Texture2D free;
    [[vk::binding(2)]] Sampler2D first;
    [[vk::binding(4)]] Sampler2D second;
    [[vk::binding(5)]] Sampler2D third;
    [shader("fragment")]
    float4 main(float2 uv : UV) : SV_Target { return first.Sample(uv) + second.Sample(uv) + third.Sample(uv) + free.Load(int3(0)); }`)
  const { bindings } = program.wgsl().reflection
  expect(bindings.map(b => [b.name, b.binding])).toEqual([
    ['free', 0],
    ['first_texture', 2],
    ['first_sampler', 3],
    ['second_texture', 4],
    ['second_sampler', 1],
    ['third_texture', 5],
    ['third_sampler', 6],
  ])
})
