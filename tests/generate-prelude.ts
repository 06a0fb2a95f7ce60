/** Functions in Slang that generated programs call: what the generator itself cannot write. All are smooth everywhere. */
export interface PreludeFunction {
  readonly name: string
  readonly arity: number
  readonly text: string
}

const list: readonly PreludeFunction[] = [
  {
    name: 'byBackward', arity: 2,
    text: `[Differentiable]
void byBackwardBack(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float ct)
{
    x = diffPair(x.p, ct * y.p * 0.5);
    y = diffPair(y.p, ct * (0.5 * x.p + cos(y.p)));
}
[Differentiable] [BackwardDerivative(byBackwardBack)]
float byBackward(float x, float y) { return 0.5 * x * y + sin(y); }
`,
  },
  {
    name: 'byForward', arity: 2,
    text: `[Differentiable]
DifferentialPair<float> byForwardFwd(DifferentialPair<float> x, DifferentialPair<float> y)
{
    return diffPair(sin(x.p) * y.p, cos(x.p) * x.d * y.p + sin(x.p) * y.d);
}
[Differentiable] [ForwardDerivative(byForwardFwd)]
float byForward(float x, float y) { return sin(x) * y; }
`,
  },
  {
    name: 'generic', arity: 2,
    text: `[Differentiable]
T blend<T : IFloat>(T x, T y) { return x * y + x; }
[Differentiable]
float generic(float x, float y) { return blend<float>(x, y) + blend<float2>(float2(x, y), float2(y, 1.0)).x; }
`,
  },
  {
    name: 'slope', arity: 1,
    text: `[Differentiable]
float wave(float x) { return sin(x) * cos(0.5 * x); }
[Differentiable]
float slope(float x) { return fwd_diff(wave)(diffPair(x, 1.0)).d; }
`,
  },
  {
    name: 'pulled', arity: 2,
    text: `[Differentiable]
float mixed(float x, float y)
{
    float r = 0.0;
    for (int i = 0; i < 3; i++)
    {
        if (r > 0.7) break;
        r += sin(x * y) + 0.25 * y;
    }
    return r;
}
[Differentiable]
float pulled(float x, float y)
{
    var px = diffPair(x);
    var py = diffPair(y);
    bwd_diff(mixed)(px, py, 0.5);
    return px.d - py.d * 0.25;
}
`,
  },
  {
    name: 'dispatched', arity: 2,
    text: `interface IShape
{
    [Differentiable]
    float area(float x);
}
struct Square : IShape
{
    [Differentiable]
    float area(float x) { return x * x * 0.25; }
}
struct Wave : IShape
{
    float k;
    [Differentiable]
    float area(float x) { return sin(k * x); }
}
[Differentiable]
float areaOf(IShape shape, float x) { return shape.area(x); }
[Differentiable]
float dispatched(float x, float y)
{
    Square s;
    Wave w;
    w.k = 2.0;
    if (y > 0.1) return areaOf(s, x) * y;
    return areaOf(w, x) + y;
}
`,
  },
  {
    name: 'accumulated', arity: 2,
    text: `struct Sum : IDifferentiable
{
    float total;
    int count;
    __init() { total = 0.5; count = 0; }
    [Differentiable] [mutating]
    void add(float x) { total += x * x * 0.25; count++; }
    [Differentiable]
    float mean() { return total / float(count + 1); }
}
[Differentiable]
float accumulated(float x, float y)
{
    Sum sum = Sum();
    float a[4];
    [ForceUnroll]
    for (int i = 0; i < 4; i++) a[i] = i % 2 == 0 ? sin(x) : y;
    int k = 3;
    [MaxIters(4)]
    do
    {
        sum.add(a[k]);
        k--;
    } while (k > 0);
    return sum.mean();
}
`,
  },
  {
    name: 'constantPart', arity: 2,
    text: `[Differentiable]
float constantPart(float x, float y)
{
    float zero = no_diff(sin(x)) - detach(sin(x));
    return x * 0.5 + y * zero + y;
}
`,
  },
]

export const prelude: ReadonlyMap<string, PreludeFunction> = new Map(list.map(f => [f.name, f]))
