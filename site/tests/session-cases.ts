/** Programs with plans that both backends train alike. */
import type { Plan } from '../playground/train/index.ts'

const sgd = { kind: 'sgd', rate: 0.1 } as const

export const sessionCases: Readonly<Record<string, { readonly text: string; readonly plan: Plan }>> = {
  // Every kind of argument, with one that is not trained between two that are.
  arguments: {
    text: `
      public struct Part : IDifferentiable { public float2 at; public float sizes[2]; }
      [Differentiable] public float loss(float x, no_diff int n, Part p, no_diff bool twice, float2x3 m)
      {
          float sum = x * x * float(n) + p.at.x * p.at.y + p.sizes[0] * p.sizes[1] * 2.0;
          for (int i = 0; i < 2; i++) sum += m[i].x * m[i].y + 3.0 * m[i].z;
          return twice ? 2.0 * sum : sum;
      }`,
    plan: {
      subject: 'loss',
      parameters: ['m', 'x', 'p'],
      values: {
        x: 1.5,
        n: 3,
        p: { at: [1, 2], sizes: [3, 4] },
        twice: true,
        m: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      },
      optimizer: sgd,
    },
  },
  resources: {
    text: `
      StructuredBuffer<float3> points;
      uniform float scale;
      [Differentiable] public float loss(float x)
      { float sum = 0.0; for (int i = 0; i < 2; i++) { float e = scale * x - points[i].z; sum += e * e; } return sum; }`,
    plan: {
      subject: 'loss',
      parameters: ['x'],
      values: { x: 2 },
      buffers: { points: [1, 2, 3, 0, 4, 5, 6, 0] },
      uniforms: { scale: 0.5 },
      optimizer: sgd,
    },
  },
  buffers: {
    text: `
      DiffStructuredBuffer<float3> points;
      DiffRWStructuredBuffer<float> loss;
      StructuredBuffer<int> chosen;
      uniform float scale;
      [shader("compute")] [numthreads(4, 1, 1)] [Differentiable]
      void fit(uint3 id : SV_DispatchThreadID)
      { float3 p = points[chosen[id.x]] * scale; loss.Store(id.x, dot(p, p)); }`,
    plan: {
      subject: 'fit',
      parameters: ['points'],
      buffers: { points: { count: 3, low: [0, 1, 2], high: [1, 2, 3] }, loss: { count: 4 }, chosen: [0, 1, 1, 2] },
      uniforms: { scale: 0.5 },
      optimizer: sgd,
    },
  },
  tensors: {
    text: `
      DiffTensorView weights;
      [shader("compute")] [numthreads(2, 1, 1)] [Differentiable]
      void fit(uint3 id : SV_DispatchThreadID, DiffTensorView bias, DiffTensorView loss)
      { float w = weights[id.x, 1] + bias[0]; loss[id.x] = w * w; }`,
    plan: {
      subject: 'fit',
      parameters: ['weights', 'bias'],
      buffers: { weights: { count: 4, low: 3, shape: [2, 2] }, bias: [1], loss: { count: 2 } },
      optimizer: sgd,
    },
  },
  own: {
    text: `
      DiffStructuredBuffer<float> weights;
      RWStructuredBuffer<float> loss;
      [Differentiable] float square(uint i) { return weights[i] * weights[i]; }
      [shader("compute")] [numthreads(2, 1, 1)]
      void fit(uint3 id : SV_DispatchThreadID) { loss[id.x] = square(id.x); bwd_diff(square)(id.x, 1.0); }`,
    plan: { subject: 'fit', parameters: ['weights'], buffers: { weights: [3, 4], loss: { count: 2 } }, optimizer: sgd },
  },
  // Two dimensions of threads.
  grid: {
    text: `
      DiffStructuredBuffer<float> weights;
      DiffRWStructuredBuffer<float> loss;
      [shader("compute")] [numthreads(2, 2, 1)] [Differentiable]
      void fit(uint3 id : SV_DispatchThreadID)
      { uint i = id.y * 4 + id.x; float w = weights[i % 3] - float(i); loss.Store(i, w * w); }`,
    plan: {
      subject: 'fit',
      parameters: ['weights'],
      buffers: { weights: [1, 2, 3], loss: { count: 16 } },
      groups: [2, 2, 1],
      optimizer: sgd,
    },
  },
  // It divides by zero.
  stops: {
    text: `DiffStructuredBuffer<float> weights; DiffRWStructuredBuffer<float> loss;
[shader("compute")] [numthreads(1, 1, 1)] [Differentiable]
void fit(uint3 id : SV_DispatchThreadID)
{
    float w = weights[0];
    float far = 4.0 * w - 1.0 / w;
    loss.Store(0, far);
}`,
    plan: { subject: 'fit', parameters: ['weights'], buffers: { weights: [0], loss: { count: 1 } }, optimizer: sgd },
  },
}
