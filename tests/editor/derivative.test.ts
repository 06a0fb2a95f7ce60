import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  derivativeAt,
  type DerivativeForm,
  type DerivativeMode,
  type DerivativeQuery,
  type DerivativeText,
} from '../../src/editor/derivative/document.ts'
import { Analysis } from '../../src/editor/analysis.ts'
import { positionOf } from '../../src/editor/range.ts'
import { stages } from '../../src/compile.ts'
import { editorProgram, fileName, placeOf, textIn } from '../support/editor-program.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

afterAll(closeGpu)

const modes: readonly DerivativeMode[] = ['primal', 'forward', 'reverse']
const forms: readonly DerivativeForm[] = ['ir', 'wgsl', 'js']

function ask(
  source: string,
  mark: string,
  query: Partial<DerivativeQuery> = {},
  options = {},
): ReturnType<typeof derivativeAt> {
  return derivativeAt(editorProgram(source, options), fileName, {
    position: placeOf(source, mark),
    mode: 'reverse',
    as: 'wgsl',
    ...query,
  })
}

function text(source: string, mark: string, query: Partial<DerivativeQuery> = {}, options = {}): DerivativeText {
  const made = ask(source, mark, query, options)
  if ('refused' in made) throw new Error(made.refused)
  return made
}

function refused(source: string, mark: string, query: Partial<DerivativeQuery> = {}, options = {}): string {
  const made = ask(source, mark, query, options)
  if (!('refused' in made)) throw new Error(made.text)
  return made.refused
}

/** The lines of the text beside what they were made of. */
function sideBySide(source: string, { text: made, links }: DerivativeText): string {
  return made
    .split('\n')
    .map((line, i) => {
      const from = new Set(links.filter(l => l.to.start.line === i).map(l => textIn(source, l.from)))
      return from.size === 0 ? line : `${line}  <= ${[...from].join(' ; ')}`
    })
    .join('\n')
}

const scene = `StructuredBuffer<float> weights;
static float calls = 1.0;

[Differentiable]
float shade(float x, no_diff int i)
{
    calls += 1;
    return sin(x) * weights[i];
}

[Differentiable]
float loss(float x, inout float y)
{
    float s = 0.0;
    [MaxIters(4)] for (int i = 0; i < 4; i++)
        s += shade(x, i);
    y = s * x;
    return s;
}
`

describe('the virtual document', () => {
  it('shows the reverse derivative in WGSL, line by line with its source', () => {
    const source = '[Differentiable]\nfloat f(float x)\n{\n    float y = exp(x);\n    return y * x;\n}\n'
    expect(sideBySide(source, text(source, 'return'))).toMatchInlineSnapshot(`
      "struct DifferentialPair_float {
        p: f32,
        d: f32,
      }

      // test.slang:2
      fn bwd_f(x: DifferentialPair_float, resultGradient: f32) -> DifferentialPair_float {  <= f
        let y = exp(x.p);  <= exp(x)
        return DifferentialPair_float(x.p, resultGradient * y + resultGradient * x.p * y);  <= exp(x) ; y * x
      }
      "
    `)
  })

  it('shows it as JavaScript and as IR', () => {
    const source = '[Differentiable] float f(float x) { return x * x; }'
    expect(sideBySide(source, text(source, 'return', { as: 'js' }))).toMatchInlineSnapshot(`
      "const fround = Math.fround

      function bwd_f(x_p, x_d, resultGradient) {  <= f
        const t = fround(resultGradient * x_p)  <= x * x
        return [x_p, fround(t + t)]  <= x * x
      }

      function bwd_diff_f_host(x, resultGradient) {
        const [r_p, r_d] = bwd_f(fround(x.p), fround(x.d), fround(resultGradient))
        return { out: { x: { p: r_p, d: r_d } } }
      }

      export { bwd_diff_f_host as "bwd_diff(f)" }
      "
    `)
    expect(sideBySide(source, text(source, 'return', { as: 'ir' }))).toMatchInlineSnapshot(`
      "struct DifferentialPair_float { p: f32, d: f32 } diff DifferentialPair_float [0, 1]

      func @bwd_f(inout %x: DifferentialPair_float, %resultGradient: f32) [level backward, pure, exported "bwd_diff(f)"] {  <= f
        %0: f32 = extract 0 %x
        %1: f32 = mul %resultGradient, %0  <= x * x
        %2: f32 = add %1, %1  <= x * x
        %3: DifferentialPair_float = construct %0, %2  <= x * x
        ret %3  <= x * x
      }
      "
    `)
  })

  it('shows what a function needs: bindings, and what gives variables their values', async () => {
    const made = text(scene, 's += shade')
    expect(made.text).toMatch(/@group\(0\) @binding\(0\) var<storage, read> weights/)
    expect(made.text).toMatch(/fn initialise\(\)/)
    refuse(made.text, await compileWgsl(made.text))
    expect(made.links.map(l => textIn(scene, l.from))).toContain('weights[i]')
  })

  it.each(modes.flatMap(mode => forms.map(as => ({ mode, as }))))('has the $mode form as $as', async ({ mode, as }) => {
    const made = text(scene, 'return s;', { mode, as })
    expect(made.links.length).toBeGreaterThan(3)
    if (as === 'wgsl') refuse(made.text, await compileWgsl(made.text))
  })

  it('runs in JavaScript as it is shown', async () => {
    const source = '[Differentiable] float f(float x) { return x * x * x; }'
    const { text: code } = text(source, 'return', { as: 'js' })
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<
      string,
      (...args: unknown[]) => unknown
    >
    expect(module['bwd_diff(f)']!({ p: 2, d: 0 }, 1)).toMatchObject({ out: { x: { d: 12 } } })
  })

  it('has every stage that the derivative goes through, and names those where it does not', () => {
    const looked = stages.map(stage => {
      const made = ask(scene, 'return s;', { as: 'ir', stage })
      return 'refused' in made ? made.refused : stage
    })
    expect(looked).toEqual([
      'lower',
      'ssa',
      'prepared',
      'the reverse derivative does not go through the stage linearized; it goes through lower, ssa, prepared, unzipped, transposed, checkpointed, extracted, final',
      'unzipped',
      'transposed',
      'checkpointed',
      'extracted',
      'final',
    ])
    expect(refused(scene, 'return s;', { as: 'ir', stage: 'middle' })).toBe(
      `middle is no stage; the stages are ${stages.join(', ')}`,
    )
  })

  it('leaves the functions of the library out of IR', () => {
    expect(text(scene, 'return s;', { as: 'ir' }).text).not.toMatch(/func @sin/)
  })
})

describe('which function it is', () => {
  it('is that of the instance of a generic one', () => {
    const source = `[Differentiable] T square<T : IFloat>(T x) { return x * x; }
float a(float x) { return square(x) + square(float2(x, x)).x; }`
    const made = text(source, 'return x * x')
    expect(made.name).toBe('square<float>')
    expect(made.instances).toEqual(['square<float2>'])
    expect(text(source, 'return x * x', { instance: 'square<float2>' }).text).toMatch(/vec2f/)
    expect(refused(source, 'return x * x', { instance: 'square<half>' })).toMatch(
      /it makes square<float>, square<float2>/,
    )
  })

  it('asks for the arguments of a generic one that nothing calls', () => {
    const source = 'struct Box<U> { [Differentiable] static T f<T : IFloat>(T x) { return x * x; } }'
    expect(refused(source, 'return')).toBe('Box.f is generic, and nothing calls it: the argument of U, T is not known')
  })

  it('is a method, with its object', async () => {
    const source = `struct Line : IDifferentiable { float k;
  [Differentiable] float at(float x) { return k * x; } }`
    const made = text(source, 'return')
    expect(made.name).toBe('Line.at')
    refuse(made.text, await compileWgsl(made.text))
  })

  it('is the function around a lambda', () => {
    const source = '[Differentiable] float f(float x) { let g = (float y) => y * x; return g(x); }'
    expect(text(source, 'y * x').name).toBe('f')
  })

  it('may stand in an imported module, whose lines are then linked with the file', () => {
    const files = {
      'shape.slang': 'module shape;\npublic [Differentiable] float area(float side)\n{\n    return side * side;\n}',
    }
    const source = 'import shape;\n[Differentiable] float f(float x) { return area(x) * x; }'
    const program = editorProgram(source, { files })
    const inner = derivativeAt(program, 'shape.slang', {
      position: { line: 3, character: 6 },
      mode: 'forward',
      as: 'wgsl',
    })
    expect('refused' in inner ? inner.refused : inner.links.map(l => l.file)).not.toContain(fileName)
    const outer = text(source, 'return', {}, { files })
    expect(outer.links.map(l => l.file)).toContain('shape.slang')
  })

  it('is told one of several of a name by its place', () => {
    const source =
      '[Differentiable] float f(float x) { return x; }\n[Differentiable] float2 f(float2 x) { return x * 2; }'
    expect(text(source, 'return x * 2').text).toMatch(/vec2f/)
  })

  it('is an entry point, whose reverse derivative is one too', async () => {
    const source = `[CUDAKernel] [Differentiable]
void kernel(DiffTensorView<float> x, DiffTensorView<float> y) { y[0] = x[0] * x[1]; }`
    const made = text(source, 'y[0]')
    expect(made.text).toMatch(/@compute @workgroup_size\(64, 1, 1\)\nfn kernel_bwd/)
    refuse(made.text, await compileWgsl(made.text))
  })

  it('may be none', () => {
    expect(refused('float f(float x) { return x; }\n\nstatic float y;', 'static')).toBe(
      'no function with a body stands here',
    )
  })
})

describe('an analysis', () => {
  it('is such a program, also after an edit', () => {
    const first = new Analysis(fileName, scene, {}, () => undefined)
    const edited = new Analysis(fileName, scene.replace('s * x', 's * x * x'), {}, () => undefined, first)
    const made = [first, edited].map(a =>
      derivativeAt(a, fileName, { position: placeOf(scene, 'return s;'), mode: 'reverse', as: 'js' }),
    )
    expect(made.map(m => ('refused' in m ? m.refused : m.links.length > 3))).toEqual([true, true])
    expect(made[1]).toEqual(text(scene.replace('s * x', 's * x * x'), 'return s;', { as: 'js' }))
    expect(made[0]).toEqual(text(scene, 'return s;', { as: 'js' }))
  })
})

describe('what is in the way', () => {
  it('is that the function is not differentiable, with the chain of reasons', () => {
    const source = `float inner(float x) { return x * x; }
float middle(float x) { return inner(x); }
[Differentiable] float outer(float x) { return x; }
float loss(float x) { return middle(x) + outer(x); }`
    expect(refused(source, 'return middle')).toBe(`loss is not differentiable
- loss is not marked [Differentiable]
- it calls middle (line 4), which is not differentiable
  - middle is not marked [Differentiable]
  - it calls inner (line 2), which is not differentiable
    - inner is not marked [Differentiable]`)
  })

  it('is that an entry point is not, and then what it calls is named', () => {
    const source = `RWStructuredBuffer<float> o;
[Differentiable] float square(float x) { return x * x; }
[shader("compute")] [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) { o[i.x] = square(o[i.x]); }`
    expect(refused(source, 'o[i.x] =')).toMatch(
      /^the entry point main is not differentiable; it calls square, of which there are derivatives\n/,
    )
  })

  it('is no mistake in another function', () => {
    const source = `[Differentiable] float f(float x) { return x * x; }
float broken(float x) { return y; }
float alsoBroken(float x { return; }`
    expect(text(source, 'return x * x').text).toMatch(/fn bwd_f/)
  })

  it('is a mistake in the function, or in one that it leads to', () => {
    const source = `float broken(float x) { return y; }
[Differentiable] float f(float x) { return no_diff broken(x) * x; }`
    expect(refused(source, 'return y')).toBe('broken has an error: undefined identifier y')
    expect(refused(source, 'return no_diff')).toBe(
      'f leads to broken (line 2), which has an error: undefined identifier y',
    )
  })

  it('is what WGSL cannot do', () => {
    const source = '[Differentiable] float f(float x, int n) { float s = 1; while (s < n) s *= x; return s; }'
    expect(refused(source, 'return s')).toMatch(/needs a bound for the trips/)
    expect(text(source, 'return s', { as: 'js' }).text).toMatch(/function bwd_f/)
    const resource = '[Differentiable] float f(RWStructuredBuffer<float> b, float x) { return x * b[0]; }'
    expect(refused(resource, 'return', { as: 'js' })).toMatch(/takes or gives a resource/)
    expect(refused(resource, 'return')).toBe(
      'f takes or gives a resource, which WGSL cannot hand over: look at its IR, or at a function that calls it',
    )
    const kernel = '[CUDAKernel] [Differentiable] void k(DiffTensorView<float> x) { x[0] = x[1] * x[2]; }'
    expect(refused(kernel, 'x[0]', { mode: 'forward' })).toBe(
      'the entry point k has its forward derivative as IR only; its reverse derivative is an entry point too',
    )
    expect(text(kernel, 'x[0]', { mode: 'forward', as: 'ir' }).text).toMatch(/func @fwd_k/)
  })

  it('is an unknown mode or form', () => {
    expect(refused(scene, 'return s;', { mode: 'sideways' as 'forward' })).toMatch(
      /the modes are primal, forward, reverse/,
    )
    expect(refused(scene, 'return s;', { as: 'glsl' as 'js' })).toMatch(/the forms are ir, wgsl, js/)
  })
})

describe('the functions of the examples', () => {
  const folder = join(import.meta.dirname, '../../examples')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    f => f.endsWith('.slang') && !f.includes('node_modules'),
  )

  it.each(files)('of %s have links inside of both texts, and WGSL that compiles', async file => {
    const path = join(folder, file)
    const source = readFileSync(path, 'utf8')
    const program = editorProgram(source, {
      resolve: name => {
        try {
          return readFileSync(join(dirname(path), name), 'utf8')
        } catch {
          return undefined
        }
      },
    })
    const lengths = source.split('\n').map(l => l.length)
    let shown = 0
    for (const decl of program.checked.program.declarations) {
      if (decl.kind !== 'func' || !decl.hasBody || decl.span?.file.name !== fileName) continue
      const position = positionOf(decl.span.file, decl.span.start)
      for (const mode of modes) {
        for (const as of forms) {
          const made = derivativeAt(program, fileName, { position, mode, as })
          if ('refused' in made) continue
          shown++
          const lines = made.text.split('\n')
          for (const { from, to, file: other } of made.links) {
            expect(to.end.character, made.text).toBe(lines[to.start.line]!.length)
            expect(to.start.character).toBeLessThan(to.end.character)
            if (other === undefined) expect(from.end.character).toBeLessThanOrEqual(lengths[from.end.line]!)
          }
          if (as === 'wgsl') refuse(made.text, await compileWgsl(made.text))
        }
      }
    }
    expect(shown).toBeGreaterThan(0)
  })
})
