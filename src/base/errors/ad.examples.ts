/** The smallest programs that get the diagnostics of `ad.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as adErrors from './ad.ts'

export const examples: Examples<typeof adErrors> = {
  lacksShadow: `struct P : IDifferentiablePtrType { typealias Differential = P; int at; }
RWStructuredBuffer<float> values;
[BackwardDerivative(loadBack)] float load(P p) { return values[p.at]; }
void loadBack(DifferentialPtrPair<P> p, float d) { values[p.d.at] += d; }
[Differentiable] float f(float x) { P p = { 1 }; return load(p) * x; }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
  unknownBound: {
    source: `[Differentiable]
float f(float x)
{
    float y = x;
    while (y < 10.0)
        y = y * y + 0.1;
    return y;
}
RWStructuredBuffer<float> values;
[shader("compute")] [numthreads(1, 1, 1)]
void g()
{
    var p = diffPair(values[0]);
    bwd_diff(f)(p, 1.0);
    values[0] = p.d;
}`,
    target: 'wgsl',
  },
  unrepeatableLoop: `RWStructuredBuffer<float> values;
[Differentiable]
float f(float x)
{
    float y = x;
    [MaxIters(100)] [Checkpoints(4)]
    for (int i = 0; i < 100; i++)
        y = y * y + values[i];
    values[0] = detach(y);
    return y;
}
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
  overBudget: {
    source: `[Differentiable]
float f(float x)
{
    float a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i == 0 ? x : sin(a[i - 1]) * x;
    return a[63];
}
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
    maxContext: 16,
  },
  recursiveDerivative: `[Differentiable]
float f(float x, int n) { return n == 0 ? x : x * f(x, n - 1); }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 3, 1.0);
    return p.d;
}`,
  deepDerivative: `[Differentiable] float f0(float x) { return x * x; }
${Array.from({ length: 450 }, (_, i) => `[Differentiable] float f${i + 1}(float x) { return sin(f${i}(x)) * x; }`).join('\n')}
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f450)(p, 1.0);
    return p.d;
}`,
  noReverse: `DifferentialPair<float> df(DifferentialPair<float> x) { return diffPair(x.p, 2.0 * x.d); }
[ForwardDerivative(df)]
float f(float x) { return x + x; }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
  notLinear: `[Differentiable]
DifferentialPair<float> df(DifferentialPair<float> x) { return diffPair(x.p, x.d * x.d); }
[Differentiable] [ForwardDerivative(df)]
float f(float x);
[Differentiable]
float h(float x) { return f(x) * 2.0; }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(h)(p, 1.0);
    return p.d;
}`,
  lostInBody: `float square(float x) { return x * x; }
[BackwardDerivative(f_bwd)]
float f(float x) { return square(x); }
void f_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 2.0 * x.p * d); }
export float g(float x) { return fwd_diff(f)(diffPair(x, 1.0)).d; }`,
  lostInDerivative: `[BackwardDerivative(f_bwd)]
float f(float x) { return x * x; }
void f_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 2.0 * x.p * d); }
[Differentiable]
float slope(float x) { var p = diffPair(x); bwd_diff(f)(p, 1.0); return p.d; }
export float g(float x) { return fwd_diff(slope)(diffPair(x, 1.0)).d; }`,
  lostInInstance: `interface IShape { float area(float scale); }
struct Square : IShape { float area(float scale) { return scale * scale; } }
[Differentiable]
float f<S : IShape>(S shape, float x) { return shape.area(x) * x; }
export float g(float x)
{
    Square s;
    var p = diffPair(x);
    bwd_diff(f<Square>)(s, p, 1.0);
    return p.d;
}`,
  wideForward: `[ForwardDerivative(fF)] float f(float x[65]) { return x[0] * x[64]; }
[Differentiable] [ForwardDerivative(fFF)] DifferentialPair<float> fF(DifferentialPair<float[65]> x) { return diffPair(x.p[0] * x.p[64], x.d[0] * x.p[64] + x.p[0] * x.d[64]); }
DifferentialPair<DifferentialPair<float>> fFF(DifferentialPair<DifferentialPair<float[65]>> w) { return diffPair(fF(w.p), fF(w.d)); }
[Differentiable] float g(float x[65]) { return f(x); }
export float h(float x[65]) { var p = diffPair(x); bwd_diff(g)(p, 1.0); return p.d[0]; }`,
  forwardWithEffects: `RWStructuredBuffer<float> seen;
[ForwardDerivative(fF)] float f(float x) { return x * x; }
[Differentiable] [ForwardDerivative(fFF)] DifferentialPair<float> fF(DifferentialPair<float> x) { seen[0] = 1.0; return diffPair(x.p * x.p, 2 * x.p * x.d); }
DifferentialPair<DifferentialPair<float>> fFF(DifferentialPair<DifferentialPair<float>> w) { return diffPair(fF(w.p), diffPair(2 * w.p.p * w.d.p, 2 * w.d.p * w.p.d + 2 * w.p.p * w.d.d)); }
[Differentiable] float g(float x) { return f(x); }
export float h(float x) { var p = diffPair(x); bwd_diff(g)(p, 1.0); return p.d; }`,
}
