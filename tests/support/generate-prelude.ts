/** Functions in Slang that generated programs call: what the generator itself cannot write. All are smooth everywhere. */
export interface PreludeFunction {
  readonly name: string
  readonly arity: number
  readonly text: string
}

const list: readonly PreludeFunction[] = [
  {
    name: 'byBackward',
    arity: 2,
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
    name: 'byForward',
    arity: 2,
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
    name: 'generic',
    arity: 2,
    text: `[Differentiable]
T blend<T : IFloat>(T x, T y) { return x * y + x; }
[Differentiable]
float generic(float x, float y) { return blend<float>(x, y) + blend<float2>(float2(x, y), float2(y, 1.0)).x; }
`,
  },
  {
    name: 'slope',
    arity: 1,
    text: `[Differentiable]
float wave(float x) { return sin(x) * cos(0.5 * x); }
[Differentiable]
float slope(float x) { return fwd_diff(wave)(diffPair(x, 1.0)).d; }
`,
  },
  {
    name: 'pulled',
    arity: 2,
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
    name: 'dispatched',
    arity: 2,
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
    name: 'accumulated',
    arity: 2,
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
    name: 'constantPart',
    arity: 2,
    text: `[Differentiable]
float constantPart(float x, float y)
{
    float zero = no_diff(sin(x)) - detach(sin(x));
    return x * 0.5 + y * zero + y;
}
`,
  },
  {
    name: 'ownDifferential',
    arity: 2,
    text: `struct AngleD : IDifferentiable
{
    typealias Differential = AngleD;
    [DerivativeMember(AngleD.dv)] float dv;
    static AngleD dzero() { return { 0.0 }; }
    static AngleD dadd(AngleD a, AngleD b) { return { a.dv + b.dv }; }
}
struct Angle : IDifferentiable
{
    typealias Differential = AngleD;
    [DerivativeMember(AngleD.dv)] float v;
    int turns;
}
[Differentiable]
Angle angle(float v) { Angle a; a.v = v; a.turns = 2; return a; }
[Differentiable]
float ownDifferential(float x, float y)
{
    Angle a = angle(x * 0.5);
    Angle b = angle(y);
    if (x > y) b = a;
    [MaxIters(4)]
    for (int i = 0; i < a.turns; i++) a.v += 0.25 * sin(b.v);
    return a.v * cos(b.v);
}
`,
  },
  {
    name: 'staticRequirement',
    arity: 2,
    text: `interface IActivation
{
    [Differentiable]
    static float eval(float x);
}
struct Soft : IActivation
{
    [Differentiable]
    static float eval(float x) { return log(1.0 + exp(sin(x))); }
}
struct Line : IActivation
{
    [Differentiable]
    static float eval(float x) { return 0.5 * x + 0.25; }
}
[Differentiable]
float layer<A : IActivation, let N : int>(float x, float w)
{
    float sum[N];
    for (int i = 0; i < N; i++) sum[i] = A.eval(x * w + float(i));
    float total = 0.0;
    for (int i = N - 1; i >= 0; i--) total += sum[i] * 0.25;
    return total;
}
[Differentiable]
float staticRequirement(float x, float y) { return layer<Soft, 3>(x, y) + layer<Line, 2>(y, x); }
`,
  },
  {
    name: 'operators',
    arity: 2,
    text: `struct Dual2 : IDifferentiable
{
    float a;
    float b;
    property float sum
    {
        [Differentiable] get { return a + b; }
    }
    [Differentiable]
    static Dual2 of(float a, float b) { Dual2 r = { a, b }; return r; }
}
[Differentiable]
Dual2 operator*(Dual2 x, Dual2 y) { return Dual2.of(x.a * y.a, x.a * y.b + x.b * y.a); }
extension Dual2
{
    [Differentiable]
    float norm() { return sqrt(a * a + b * b + 0.5); }
}
[Differentiable]
float operators(float x, float y)
{
    Dual2 p = Dual2.of(sin(x), 0.5) * Dual2.of(y, 1.0);
    Dual2 all[2] = { p, Dual2.of(x, y) };
    for (int i = 0; i < 2; i++) all[i] = all[i] * p;
    return all[1].sum * 0.25 + all[0].norm();
}
`,
  },
  {
    name: 'swapped',
    arity: 2,
    text: `[Differentiable]
void swapScaled(inout float a, inout float b, out float sum)
{
    float t = a;
    a = b * 0.5;
    b = sin(t);
    sum = a + b;
}
[Differentiable]
float swapped(float x, float y)
{
    float2 v = float2(x, y);
    float s;
    float total = 0.0;
    [MaxIters(4)]
    for (int i = 0; ; i++)
    {
        if (i == 3) break;
        swapScaled(v.x, v.y, s);
        if (s > 1.5) continue;
        total += s * v.x;
    }
    return total + v.y;
}
`,
  },
  {
    name: 'associated',
    arity: 2,
    text: `interface IModel
{
    associatedtype State : IDifferentiable;
    [Differentiable]
    State start(float x);
    [Differentiable]
    float value(State s, float y);
}
struct Product : IModel
{
    typealias State = float2;
    [Differentiable]
    float2 start(float x) { return float2(x, sin(x)); }
    [Differentiable]
    float value(float2 s, float y) { return s.x * s.y * 0.5 + y; }
}
struct Turned : IDifferentiable { float angle; int turns; }
struct Rotation : IModel
{
    typealias State = Turned;
    [Differentiable]
    Turned start(float x) { Turned t; t.angle = 0.5 * x; t.turns = 2; return t; }
    [Differentiable]
    float value(Turned s, float y)
    {
        float r = y;
        [MaxIters(4)]
        for (int i = 0; i < s.turns; i++) r = cos(s.angle) * r + 0.25;
        return r;
    }
}
[Differentiable]
float modelled<M : IModel>(M m, float x, float y) { return m.value(m.start(x), y); }
[Differentiable]
float associated(float x, float y)
{
    Product p;
    Rotation r;
    return modelled(p, x, y) + modelled(r, y, x);
}
`,
  },
  {
    name: 'accessed',
    arity: 2,
    text: `interface ISignal : IDifferentiable
{
    property float level { [Differentiable] get; }
    __subscript(int i) -> float { [Differentiable] get; }
}
struct Samples : ISignal
{
    float v[2];
    property float level { [Differentiable] get { return v[0] * v[1]; } }
    __subscript(int i) -> float { [Differentiable] get { return sin(v[i]); } }
}
struct Flat : ISignal
{
    float k;
    property float level { [Differentiable] get { return 0.5 * k * k; } }
    __subscript(int i) -> float { [Differentiable] get { return k * float(i + 1); } }
}
[Differentiable]
float accessed(float x, float y)
{
    ISignal signal;
    if (x > y)
    {
        Samples s;
        s.v[0] = x;
        s.v[1] = y;
        signal = s;
    }
    else
    {
        Flat s = { x + y };
        signal = s;
    }
    return 0.5 * signal.level + signal[1] * y;
}
`,
  },
  {
    name: 'inherited',
    arity: 2,
    text: `struct Body : IDifferentiable
{
    float mass;
    [Differentiable]
    float energy(float v) { return 0.5 * mass * v * v; }
}
struct Spring : Body, IDifferentiable
{
    float stiffness;
    [Differentiable]
    float total(float v, float d) { return energy(v) + 0.25 * stiffness * d * d; }
}
[Differentiable]
float inherited(float x, float y)
{
    Spring s;
    s.mass = cos(x);
    s.stiffness = y;
    Spring t = s;
    t.mass = t.mass * y;
    return s.total(x, y) + t.energy(0.5 * x);
}
`,
  },
  {
    name: 'partlyFixed',
    arity: 2,
    text: `struct Knob : IDifferentiable
{
    float v;
    no_diff float scale;
    int steps;
}
[Differentiable]
Knob knob(float v) { Knob k; k.v = v; k.scale = 0.5; k.steps = 2; return k; }
[Differentiable]
float partlyFixed(float x, float y)
{
    Knob all[2] = { knob(x), knob(sin(y)) };
    float r = 0.0;
    for (int i = 0; i < 2; i++)
    {
        all[i].v *= all[1 - i].v + all[i].scale;
        r += all[i].v * all[i].scale * float(all[i].steps);
    }
    return r;
}
`,
  },
  {
    name: 'missing',
    arity: 2,
    text: `[Differentiable]
Optional<float> root(float x)
{
    if (x < -0.5) return none;
    return sqrt(x + 1.5);
}
[Differentiable]
float missing(float x, float y)
{
    Optional<float> a = root(x);
    float r = y;
    if (a.hasValue) r = r * a.value;
    if (let b = root(y)) r += 0.5 * b;
    return r;
}
`,
  },
  {
    // Both derivatives of both derivatives are the user's, and the compiler sees nothing to differentiate in what they stand for.
    name: 'ruled',
    arity: 1,
    text: `float sineOf(float x) { return sin(x); }
float cosineOf(float x) { return cos(x); }
[Differentiable]
DifferentialPair<DifferentialPair<float>> ruledFwdFwd(DifferentialPair<DifferentialPair<float>> x)
{
    float s = sin(x.p.p);
    float c = cos(x.p.p);
    DifferentialPair<float>.Differential d = { c * x.d.p, c * x.d.d - s * x.p.d * x.d.p };
    return diffPair(diffPair(s, c * x.p.d), d);
}
[Differentiable]
void ruledFwdBwd(inout DifferentialPair<DifferentialPair<float>> x, DifferentialPair<float>.Differential r)
{
    DifferentialPair<float>.Differential d = { r.p * cos(x.p.p) - r.d * sin(x.p.p) * x.p.d, r.d * cos(x.p.p) };
    x = diffPair(x.p, d);
}
[Differentiable] [ForwardDerivative(ruledFwdFwd)] [BackwardDerivative(ruledFwdBwd)]
DifferentialPair<float> ruledFwd(DifferentialPair<float> x) { return diffPair(no_diff sineOf(x.p), no_diff cosineOf(x.p) * x.d); }
[Differentiable]
void ruledBwdFwd(inout DifferentialPair<DifferentialPair<float>> x, DifferentialPair<float> r)
{
    DifferentialPair<float>.Differential d = { x.d.p, cos(x.p.p) * r.d - sin(x.p.p) * x.d.p * r.p };
    x = diffPair(diffPair(x.p.p, cos(x.p.p) * r.p), d);
}
[Differentiable]
void ruledBwdBwd(inout DifferentialPair<DifferentialPair<float>> x, inout DifferentialPair<float> r)
{
    DifferentialPair<float>.Differential d = { x.d.p - sin(x.p.p) * r.p * x.d.d, 0.0 };
    r = diffPair(r.p, cos(x.p.p) * x.d.d);
    x = diffPair(x.p, d);
}
[Differentiable] [ForwardDerivative(ruledBwdFwd)] [BackwardDerivative(ruledBwdBwd)]
void ruledBwd(inout DifferentialPair<float> x, float r) { x = diffPair(x.p, no_diff cosineOf(x.p) * r); }
[Differentiable] [ForwardDerivative(ruledFwd)] [BackwardDerivative(ruledBwd)]
float ruledSine(float x) { return no_diff sineOf(x); }
[Differentiable]
float throughRuled(float x) { return ruledSine(x) * x; }
[Differentiable]
float ruled(float x)
{
    float slope = fwd_diff(throughRuled)(diffPair(x, 1.0)).d;
    var p = diffPair(x);
    bwd_diff(throughRuled)(p, 0.5);
    return ruledSine(x) + 0.25 * slope - p.d;
}
`,
  },
  {
    name: 'onlyForward',
    arity: 1,
    text: `[Differentiable]
float cubic(float x) { float s = sin(x); return s * s * s; }
[Differentiable]
float onlyForward(float x)
{
    let once = fwd_diff(cubic)(diffPair(x, 1.0));
    return once.p + 0.5 * once.d;
}
`,
  },
]

export const prelude: ReadonlyMap<string, PreludeFunction> = new Map(list.map(f => [f.name, f]))
