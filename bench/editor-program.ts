/** A long realistic program for what is measured and tested of editors: the examples, over and over, with names of their own each time. */
import { readFileSync } from 'node:fs'
import { Workspace } from '../src/editor/workspace.ts'

/** Structs, interfaces, generics, differentiable functions, kernels: paths from the root of the repository. */
const parts = [
  'examples/splat2d/splat2d.slang',
  'bench/programs/04_mlp.slang',
  'examples/brdf/brdf.slang',
  'bench/programs/07_sdf.slang',
  'examples/spring/spring.slang',
  'bench/programs/08_nbody.slang',
  'bench/programs/05_gauss2d.slang',
]

const generic = `
interface IShape : IDifferentiable
{
    [Differentiable]
    float distance(float3 p);
    static const int cost;
}

struct Ball : IShape
{
    float3 centre;
    float radius;

    [Differentiable]
    float distance(float3 p)
    {
        return length(p - centre) - radius;
    }

    static const int cost = 2;
}

struct Repeated<S : IShape, let N : int> : IShape
{
    S shapes[N];

    [Differentiable]
    float distance(float3 p)
    {
        float nearest = 1e9;
        [ForceUnroll]
        for (int i = 0; i < N; i++)
            nearest = min(nearest, shapes[i].distance(p));
        return nearest;
    }

    static const int cost = S.cost * N;
}

[Differentiable]
float smooth<S : IShape, T : IShape>(S a, T b, float3 p, float k)
{
    float d = a.distance(p);
    float e = b.distance(p);
    float h = saturate(0.5 + 0.5 * (e - d) / k);
    return lerp(e, d, h) - k * h * (1.0 - h);
}

[Differentiable]
float scene(no_diff float3 p, float r)
{
    Ball ball = { float3(0.0), r };
    Repeated<Ball, 3> row;
    [ForceUnroll]
    for (int i = 0; i < 3; i++)
        row.shapes[i] = { float3(float(i), 0.0, 0.0), r * 0.5 };
    return smooth(ball, row, p, 0.1);
}

export float slope(float x)
{
    var r = diffPair(x);
    bwd_diff(scene)(float3(x, 2.0, 3.0), r, 1.0);
    return r.d + float(Repeated<Ball, 3>.cost);
}
`

/** A part with a suffix at each name that it declares at its top. */
function renamed(text: string, suffix: string): string {
  const workspace = new Workspace({ read: () => undefined })
  workspace.open('memory:/part.slang', 1, text)
  const analysis = workspace.analysis('memory:/part.slang')!
  const wrong = analysis.diagnostics.filter(d => d.severity === 'error')
  if (wrong.length > 0) throw new Error(`a part has mistakes: ${wrong[0]!.message}`)
  const file = analysis.files[0]!
  const places = new Set<number>()
  for (const decl of analysis.cx.modules[0]!.inner.names.values())
    for (const d of decl) if (d.kind !== 'module' && d.span?.file === file) places.add(d.span.end)
  for (const { span, decl } of analysis.names.in(file))
    if ('scope' in decl && decl.scope.kind === 'module' && !decl.module.isCore) places.add(span.end)
  let out = ''
  let from = 0
  for (const at of [...places].toSorted((a, b) => a - b)) {
    out += text.slice(from, at) + suffix
    from = at
  }
  return out + text.slice(from)
}

/** A program of at least so many lines, without mistakes; `root` is the URL of the repository. */
export function longProgram(lines: number, root: URL): string {
  const all = [...parts.map(path => readFileSync(new URL(path, root), 'utf8')), generic]
  let text = ''
  for (let i = 0, count = 0; count < lines; i++) {
    const part = `${renamed(all[i % all.length]!, `_${i}`)}\n`
    text += part
    count += part.split('\n').length - 1
  }
  return text
}
