import { error, warning, type Entry } from '../diag.ts'

export const unknownBound: Entry = error('E30510', 'on a GPU the reverse derivative needs a bound for the trips of this loop', {
  help: 'put [MaxIters(n)] or [Checkpoints(k)] before the loop, or [ForceUnroll] where the trips are known when compiling',
  example: {
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
})

export const rerunsEffects: Entry<'what'> = warning('W42051', '[Checkpoints] is ignored: trips of this loop cannot be run again, since it {what}', {
  help: 'do that before or after the loop, or leave [Checkpoints] out',
  example: `RWStructuredBuffer<float> values;
[Differentiable]
float f(float x)
{
    float y = x;
    [MaxIters(100)] [Checkpoints(4)]
    for (int i = 0; i < 100; i++)
        y = y * y + values[i];
    return y;
}
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
})

export const overBudget: Entry<'name' | 'bytes' | 'max'> = error('E36005', 'the reverse derivative of {name} keeps {bytes} bytes, and {max} are allowed', {
  help: 'allow more by --max-context, or keep less: what takes most is named below',
  example: {
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
})

export const recursiveDerivative: Entry = error('E36001', 'cannot differentiate {name}: it calls itself', {
  help: 'write the recursion as a loop, or give the function a derivative of its own',
  example: `[Differentiable]
float f(float x, int n) { return n == 0 ? x : x * f(x, n - 1); }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 3, 1.0);
    return p.d;
}`,
})

export const deepDerivative: Entry<'name' | 'limit'> = error('E36003', 'cannot differentiate {name}: it stands below a chain of more than {limit} calls', {
  help: 'call it from a loop, or give a function of the chain a derivative of its own',
  example: `[Differentiable] float f0(float x) { return x * x; }
${Array.from({ length: 450 }, (_, i) => `[Differentiable] float f${i + 1}(float x) { return sin(f${i}(x)) * x; }`).join('\n')}
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f450)(p, 1.0);
    return p.d;
}`,
})

export const noReverse: Entry = error('E30097', '{name} has no reverse derivative', {
  help: 'mark it [Differentiable], or give it a [BackwardDerivative]',
  example: `DifferentialPair<float> df(DifferentialPair<float> x) { return diffPair(x.p, 2.0 * x.d); }
[ForwardDerivative(df)]
float f(float x) { return x + x; }
export float g(float x)
{
    var p = diffPair(x);
    bwd_diff(f)(p, 1.0);
    return p.d;
}`,
})

export const notLinear: Entry = error('E36002', 'the forward derivative of {name} is not linear in its tangents, so it has no reverse', {
  help: 'compute the result tangent from sums and multiples of the .d halves only, or write a [BackwardDerivative]',
  example: `[Differentiable]
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
})

export const lostInInstance: Entry<'name'> = warning('W41020', 'derivative is lost: {name}, which serves generic code here, is not differentiable', {
  help: 'write no_diff before the call if that is meant, else mark {name} [Differentiable]',
  example: `interface IShape { float area(float scale); }
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
})

export const wideForward: Entry<'name' | 'limit'> = error('E36006', 'the forward derivative {name} has derivatives of its own, and more than {limit} floats, so that no reverse can be made of it', {
  help: 'give its function a [BackwardDerivative] too, or let it take fewer floats',
  example: `[ForwardDerivative(fF)] float f(float x[65]) { return x[0] * x[64]; }
[Differentiable] [ForwardDerivative(fFF)] DifferentialPair<float> fF(DifferentialPair<float[65]> x) { return diffPair(x.p[0] * x.p[64], x.d[0] * x.p[64] + x.p[0] * x.d[64]); }
DifferentialPair<DifferentialPair<float>> fFF(DifferentialPair<DifferentialPair<float[65]>> w) { return diffPair(fF(w.p), fF(w.d)); }
[Differentiable] float g(float x[65]) { return f(x); }
export float h(float x[65]) { var p = diffPair(x); bwd_diff(g)(p, 1.0); return p.d[0]; }`,
})

export const forwardWithEffects: Entry<'name'> = error('E36007', 'the forward derivative {name} has derivatives of its own, and it writes global memory or prints, so that no reverse can be made of it', {
  help: 'a reverse would run it once for each float of its inputs: give its function a [BackwardDerivative] too, or leave the effects out',
  example: `RWStructuredBuffer<float> seen;
[ForwardDerivative(fF)] float f(float x) { return x * x; }
[Differentiable] [ForwardDerivative(fFF)] DifferentialPair<float> fF(DifferentialPair<float> x) { seen[0] = 1.0; return diffPair(x.p * x.p, 2 * x.p * x.d); }
DifferentialPair<DifferentialPair<float>> fFF(DifferentialPair<DifferentialPair<float>> w) { return diffPair(fF(w.p), diffPair(2 * w.p.p * w.d.p, 2 * w.d.p * w.p.d + 2 * w.p.p * w.d.d)); }
[Differentiable] float g(float x) { return f(x); }
export float h(float x) { var p = diffPair(x); bwd_diff(g)(p, 1.0); return p.d; }`,
})
