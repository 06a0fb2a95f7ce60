/** What the host on the CPU is given: memory of the right kind, names that there are, and one call at a time. */
import { describe, expect, it } from 'vitest'
import { BusyError, loadSync, type BufferData, type CpuModule } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

const kernelOf = (type: string, declarations = ''): CpuModule =>
  loadSync(
    compile(`${declarations}
  StructuredBuffer<${type}> inp; RWStructuredBuffer<${type}> outp;
  [shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] = inp[0]; }`),
  )

const message = (run: () => unknown): string => {
  try {
    run()
    return 'none'
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`
  }
}

const typed = [
  Float32Array,
  Float64Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  BigInt64Array,
  BigUint64Array,
] as const

describe('buffers in memory', () => {
  it.each([
    ['float', ['Float32Array']],
    ['float3', ['Float32Array']],
    ['float2x2', ['Float32Array']],
    ['double', ['Float64Array']],
    ['int', ['Int32Array']],
    ['uint2', ['Uint32Array']],
    ['int64_t', ['BigInt64Array']],
    ['uint64_t', ['BigUint64Array']],
    ['half', ['Uint16Array']],
    ['int16_t', ['Int16Array']],
    ['uint16_t', ['Uint16Array']],
    ['int8_t', ['Int8Array']],
    ['bool', ['Int32Array', 'Uint32Array']],
    ['Same', ['Float32Array']],
    ['Mixed', []],
  ] as const)('of %s take typed arrays of %j alone, and bytes', (type, fits) => {
    const m = kernelOf(type, 'struct Same { float3 a; float b[2]; }\nstruct Mixed { float a; int b; }')
    const dispatch = (inp: BufferData): string =>
      message(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { inp, outp: new Uint8Array(64) } }))
    for (const kind of typed) {
      const said = dispatch(new kind(64 / kind.BYTES_PER_ELEMENT))
      if ((fits as readonly string[]).includes(kind.name)) expect(said, kind.name).toBe('none')
      else {
        expect(said, kind.name).toMatch(/^BufferError: buffer inp of /)
        expect(said).toContain(`${kind.name} of length ${64 / kind.BYTES_PER_ELEMENT} came`)
        for (const fit of fits) expect(said).toContain(fit)
      }
    }
    const memory = new ArrayBuffer(64)
    for (const bytes of [
      new Uint8Array(memory),
      new Uint8ClampedArray(memory),
      new DataView(memory),
      memory,
      new SharedArrayBuffer(64),
    ])
      expect(dispatch(bytes)).toBe('none')
    for (const wrong of [5, 'text', null, {}, new Map()])
      expect(dispatch(wrong as unknown as BufferData)).toMatch(/^BufferError: buffer inp/)
  })

  it('are written in place, whatever views them', () => {
    const m = kernelOf('float')
    for (const outp of [
      new Float32Array(2),
      new ArrayBuffer(8),
      new DataView(new ArrayBuffer(16), 8),
      new SharedArrayBuffer(8),
      [0, 0],
    ] as BufferData[]) {
      m.kernel('k').dispatch([1, 1, 1], { buffers: { inp: [2.5], outp } })
      const first = Array.isArray(outp)
        ? outp[0]
        : ArrayBuffer.isView(outp)
          ? new DataView(outp.buffer, outp.byteOffset).getFloat32(0, true)
          : new Float32Array(outp)[0]
      expect(first).toBe(2.5)
    }
  })

  it('of bytes take every typed array', () => {
    const m = loadSync(
      compile('RWByteAddressBuffer b; [shader("compute")] [numthreads(1, 1, 1)] void k() { b.Store<float>(0, 1.5); }'),
    )
    const b = new Float32Array(2)
    m.kernel('k').dispatch([1, 1, 1], { buffers: { b } })
    expect([...b]).toEqual([1.5, 0])
  })

  it('of exported functions too, and of JavaScript modules', () => {
    const program = compile('StructuredBuffer<float> table; public float f(int i) { return table[i]; }')
    const m = loadSync(program)
    expect(message(() => m.bind({ buffers: { table: new Float64Array([1, 2]) } }))).toMatch(
      /^BufferError: buffer table of float: expected a Float32Array/,
    )
    m.bind({ buffers: { table: new Float32Array([1, 2]) } })
    expect(m.fn['f']!(1)).toBe(2)
    const js = evaluate(program.js().code)
    expect(message(() => js['bind']!({ table: new Float64Array([1, 2]) }))).toBe(
      'TypeError: buffer table: expected a Float32Array or bytes, but a Float64Array came',
    )
    js['bind']!({ table: new Float32Array([1, 2]).buffer })
    expect(js['f']!(1)).toBe(2)
    const flags = compile(
      'RWStructuredBuffer<bool> b; [shader("compute")] [numthreads(2, 1, 1)] void k(uint i : SV_DispatchThreadID) { b[i] = !b[i]; }',
    )
    const [onWasm, onJs] = [new Uint32Array([1, 0]), new Uint32Array([1, 0])]
    loadSync(flags)
      .kernel('k')
      .dispatch([1, 1, 1], { buffers: { b: onWasm } })
    evaluate(flags.js().code)['k']!([1, 1, 1], { b: onJs })
    expect([[...onWasm], [...onJs]]).toEqual([
      [0, 1],
      [0, 1],
    ])
  })
})

describe('names', () => {
  const m = loadSync(
    compile(`
    struct Light { float power; } ConstantBuffer<Light> light; uniform float scale; RWStructuredBuffer<float> outp; StructuredBuffer<float> other; Texture2D<float4> picture;
    [shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] = scale * light.power; }
    [shader("compute")] [numthreads(1, 1, 1)] void another(uniform float own) { outp[0] = own + other[0] + picture.Load(int3(0, 0, 0)).x; }
    [Differentiable] public void pair(float x, out float square, inout float sum) { square = x * x; sum += x; }`),
  )
  const outp = new Float32Array(1),
    uniforms = { scale: 2, light: { power: 3 } }
  const dispatch = (resources: object): string => message(() => m.kernel('k').dispatch([1, 1, 1], resources))
  it('of buffers, uniforms, textures and options are refused where there are none, with a suggestion', () => {
    expect(dispatch({ buffers: { outp }, uniforms })).toBe('none')
    expect(dispatch({ buffers: { outp, outq: outp }, uniforms })).toMatch(
      /^BufferError: k has no buffer outq: did you mean outp\?/,
    )
    expect(dispatch({ buffers: { outp }, uniforms: { ...uniforms, scael: 1 } })).toMatch(
      /^BufferError: k has no uniform scael: did you mean scale\?/,
    )
    expect(dispatch({ buffers: { outp }, uniforms: { scale: 2, light: { power: 1, powr: 2 } } })).toMatch(
      /^ShapeError: light/,
    )
    expect(dispatch({ buffers: { outp }, uniforms, texturs: {} })).toMatch(
      /^NameError: dispatch of k takes no texturs: did you mean textures\?/,
    )
    expect(dispatch({ buffers: { outp }, uniforms, textures: { pictur: { size: [1, 1] } } })).toMatch(
      /^BufferError: k uses no texture pictur/,
    )
    expect(message(() => m.bind({ buffers: { outq: outp } }))).toMatch(
      /^BufferError: the program has no buffer outq: did you mean outp\?/,
    )
    expect(message(() => m.bind({ uniform: {} } as object))).toMatch(
      /^NameError: bind takes no uniform: did you mean uniforms\?/,
    )
    expect(message(() => loadSync(compile(''), { pint: () => undefined } as object))).toMatch(
      /^NameError: load takes no option pint: did you mean print\?/,
    )
  })
  it('that other kernels of the program use may be given', () => {
    expect(dispatch({ buffers: { outp, other: outp }, uniforms: { ...uniforms, own: 1 } })).toBe('none')
  })
  it('of cotangents are those of outputs', () => {
    const { pair } = m.fn
    expect(pair!.vjp([3, 1], { out: { square: 1 } })).toEqual([6, 0])
    expect(message(() => pair!.vjp([3, 1], { out: { squar: 1 } }))).toMatch(
      /^NameError: pair has no output squar: did you mean square\?/,
    )
    expect(message(() => pair!.vjp([3, 1], { square: 1 }))).toMatch(/^NameError: the cotangent of pair has no square/)
    expect(message(() => pair!.vjp([3, 1], 1))).toMatch(/^ShapeError: cotangent of pair/)
  })
})

describe('numbers of groups', () => {
  it.each([
    [[NaN, 1, 1]],
    [[-1, 1, 1]],
    [[1.5, 1, 1]],
    [[1, 1]],
    [[Infinity, 1, 1]],
    [[2 ** 31, 1, 1]],
    [[65536, 65536, 1]],
    [undefined],
    ['111'],
  ])('%j are refused', groups => {
    const program = compile(
      'RWStructuredBuffer<float> outp; [shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] += 1.0; }',
    )
    const outp = new Float32Array(1)
    expect(
      message(() =>
        loadSync(program)
          .kernel('k')
          .dispatch(groups as unknown as [number, number, number], { buffers: { outp } }),
      ),
    ).toMatch(/^ShapeError: dispatch of k: expected/)
    expect(outp[0]).toBe(0)
    const js = evaluate(program.js().code)
    if (Array.isArray(groups) && !groups.every(n => Number.isInteger(n) && n >= 0))
      expect(message(() => js['k']!(groups, { outp }))).toMatch(/^RangeError: /)
  })
})

describe('a module that is called from its own print', () => {
  const source = `
    static int calls = 0; RWStructuredBuffer<float> outp;
    [Differentiable] public float f(float x) { float sum = 0.0; for (int i = 0; i < 3; i++) { calls++; printf("%d", i); sum += x * x; } return sum + float(calls) * 0.0; }
    [Differentiable] public float g(float x) { float s = x; for (int i = 0; i < int(x); i++) s = sin(s) * x; return s; }
    public float stops(float x) { printf("x"); return x > 1e30 ? stops(x) + 1.0 : stops(x + 1.0) + 1.0; }
    [shader("compute")] [numthreads(2, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { printf("k"); outp[id.x] += 1.0; }`
  it('gets an error that says so, from every entry, and stays usable', () => {
    const entries: Readonly<Record<string, () => unknown>> = {
      call: () => m.fn['g']!(3),
      run: () => m.fn['g']!.run(3),
      gradient: () => m.fn['g']!.valueAndGrad(3),
      vjp: () => m.fn['g']!.vjp([3], 1),
      jvp: () => m.fn['g']!.jvp([3], [1]),
      kernel: () => m.kernel('k').dispatch([1, 1, 1], { buffers: { outp: [0, 0] } }),
    }
    const said: string[] = []
    let inner = (): unknown => undefined
    const m = loadSync(compile(source), {
      print: () => {
        said.push(message(inner))
      },
    })
    for (const [name, call] of Object.entries(entries)) {
      for (const outer of [
        (): unknown => m.fn['f']!(2),
        (): unknown => m.fn['f']!.valueAndGrad(2),
        (): unknown => m.fn['f']!.jvp([2], [1]),
        (): unknown => m.kernel('k').dispatch([1, 1, 1], { buffers: { outp: [0, 0] } }),
      ]) {
        said.length = 0
        inner = call
        outer()
        expect(said.length, name).toBeGreaterThan(0)
        for (const text of said)
          expect(text, name).toMatch(/^BusyError: .* is called while .* runs: a module does one thing at a time/)
        inner = (): unknown => undefined
        expect(m.fn['f']!(2)).toBe(12)
        expect(m.fn['f']!.valueAndGrad(2)).toEqual({ value: 12, grad: [12] })
      }
    }
  })

  it('stays usable after its print has thrown, and after a trap', () => {
    let thrown: Error | undefined
    const m = loadSync(compile(source), {
      print: () => {
        if (thrown !== undefined) throw thrown
      },
    })
    for (const error of [new Error('mine'), new RangeError('mine')]) {
      thrown = error
      expect(() => m.fn['f']!(2)).toThrow(error)
      expect(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { outp: [0, 0] } })).toThrow(error)
      thrown = undefined
      expect(m.fn['f']!(2)).toBe(12)
      expect(m.fn['f']!.valueAndGrad(2).grad).toEqual([12])
    }
    expect(message(() => m.fn['stops']!(0))).toBe('TrapError: stops calls itself too deeply')
    expect(m.fn['f']!(2)).toBe(12)
  })

  it('gets it from arguments that call it as they are read', () => {
    const m = loadSync(compile('public float f(float2 v) { return v.x + v.y; }'))
    const v = {
      length: 2,
      get 0() {
        return m.fn['f']!([1, 2]) as number
      },
      1: 1,
    }
    expect(() => m.fn['f']!(v)).toThrow(BusyError)
    expect(m.fn['f']!([1, 2])).toBe(3)
  })
})

describe('buffers of gibibytes', () => {
  const m = loadSync(
    compile(
      'struct Page { uint v[1024]; } StructuredBuffer<Page> a; RWStructuredBuffer<uint> b; [shader("compute")] [numthreads(1, 1, 1)] void k() { uint n, s; a.GetDimensions(n, s); b[0] = n; b[1] = a[n - 2].v[7] + 1; }',
    ),
  )
  it('work past two of them', () => {
    const b = new Uint32Array(2),
      count = 2 ** 19 + 4
    // An element has 4096 bytes. Little of the memory is touched.
    const a = m.buffer('a', count) as Uint32Array
    a[(count - 2) * 1024 + 7] = 7
    m.kernel('k').dispatch([1, 1, 1], { buffers: { a, b } })
    expect([...b]).toEqual([count, 8])
  })
  it('are refused past four', () => {
    const a: unknown[] = []
    a.length = 2 ** 20 + 4
    expect(message(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { a, b: new Uint32Array(2) } }))).toMatch(
      /^BufferError: \d+ bytes of memory are needed, more than WebAssembly can have/,
    )
  })
})

describe('what is no memory, or not to be had', () => {
  const detached = (): Float32Array => {
    const data = new Float32Array(4)
    structuredClone(data.buffer, { transfer: [data.buffer] })
    return data
  }
  const dispatch = (inp: unknown, outp: unknown): string =>
    message(() =>
      kernelOf('float')
        .kernel('k')
        .dispatch([1, 1, 1], { buffers: { inp, outp } as Record<string, BufferData> }),
    )

  it('is refused by name', () => {
    expect(dispatch(detached(), [0])).toMatch(/^BufferError: buffer inp of float: .* detached/)
    expect(dispatch([1], detached().buffer)).toMatch(/^BufferError: buffer outp of float: .* detached/)
    for (const fake of [
      new Proxy(new Float32Array(4), {}),
      new Proxy(new ArrayBuffer(16), {}),
      { [Symbol.toStringTag]: 'Float32Array', length: 4 },
    ]) {
      expect(dispatch(fake, [0])).toMatch(
        /^BufferError: buffer inp of float: expected a Float32Array, .* that is no memory came/,
      )
    }
    expect(dispatch([1], Object.freeze([0]))).toBe(
      'BufferError: buffer outp of float: expected a list that can be written, but a frozen one came',
    )
    expect(dispatch(Object.freeze([1]), [0])).toBe('none')
  })

  it('is refused in words where it is as memory never is, or was memory when the kernel began', async () => {
    // What it can do is newer than the types.
    const memory = Reflect.construct(ArrayBuffer, [16, { maxByteLength: 16 }]) as ArrayBuffer & {
      readonly resize: (bytes: number) => void
    }
    const [ended, fit] = [new DataView(memory, 0, 16), new Float32Array(memory)]
    const m = kernelOf('float')
    const meanwhile = async (outp: BufferData, change: () => unknown): Promise<string> => {
      const done = m.kernel('k').dispatchAsync([1, 1, 1], { buffers: { inp: [2], outp } })
      change()
      return done.then(
        () => 'none',
        (e: Error) => `${e.name}: ${e.message}`,
      )
    }
    expect(await meanwhile(fit, () => memory.resize(8))).toBe('none')
    expect([...fit]).toEqual([2, 0])
    expect(dispatch(ended, [0])).toBe(
      'BufferError: buffer inp of float: expected memory that can be read, but its DataView was transferred or shrunk and is detached',
    )
    const sent = new Float32Array(1)
    expect(await meanwhile(sent, () => structuredClone(sent, { transfer: [sent.buffer] }))).toMatch(
      /^BufferError: buffer outp of float: .* its Float32Array was transferred/,
    )
    const list = [0]
    expect(await meanwhile(list, () => Object.freeze(list))).toMatch(/^BufferError: buffer outp .* frozen one came$/)
    expect(dispatch([1], Object.defineProperty([0], 0, { writable: false }))).toMatch(
      /^BufferError: buffer outp: element 0 of its list cannot be written: TypeError/,
    )
    const { f } = loadSync(compile('public float f(float2 x) { return x.x; }')).fn
    for (const [x, text] of [
      [new DataView(new ArrayBuffer(8)), 'a DataView'],
      [ended, 'a detached DataView'],
      [new Int8Array(3), 'an Int8Array of length 3'],
      [Object.setPrototypeOf(new Float32Array(2), null), 'an Object'],
    ] as const)
      expect(message(() => f!(x))).toBe(`ShapeError: x: expected 2 numbers for a float2, but ${text} came`)
  })

  it('is refused where reading another buffer takes it away, and what it grows by meanwhile is left out', () => {
    const m = loadSync(
      compile(`StructuredBuffer<float> inp; RWStructuredBuffer<float> outp; RWStructuredBuffer<float> others;
        [shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] = inp[0]; others[0] += 1; }`),
    )
    const resizable = (bytes: number): ArrayBuffer & { readonly resize: (bytes: number) => void } =>
      Reflect.construct(ArrayBuffer, [bytes, { maxByteLength: 65536 }]) as never
    const reading = (outp: Float32Array, others: Float32Array, change: () => unknown): string => {
      const inp = Object.defineProperty([0], 0, { get: () => (change(), 7) })
      return message(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { inp, outp, others } }))
    }
    const sent = new Float32Array(1)
    const send = (): unknown => structuredClone(sent, { transfer: [sent.buffer] })
    expect(reading(sent, new Float32Array(1), send)).toMatch(/^BufferError: buffer outp of float: .* is detached$/)
    const less = resizable(8)
    expect(reading(new Float32Array(less), new Float32Array(1), () => less.resize(4))).toBe(
      'BufferError: buffer outp: its memory was shrunk while the host read other buffers',
    )
    const more = resizable(4)
    const [outp, others] = [new Float32Array(more), new Float32Array(3)]
    const grow = (): unknown => [more.resize(65536), outp.fill(9)]
    expect(reading(outp, others, grow)).toBe('none')
    expect([...outp.subarray(0, 3), ...others]).toEqual([7, 9, 9, 1, 0, 0])
  })

  it('is refused by bind, before a call meets it', () => {
    const m = loadSync(compile('RWStructuredBuffer<float> o; public void f() { o[0] = 1; }'))
    for (const o of [detached(), Object.freeze([0]), 5])
      expect(message(() => m.bind({ buffers: { o: o as BufferData } }))).toMatch(
        /^BufferError: buffer o of float: expected /,
      )
  })
})

describe('numbers of groups', () => {
  const program = compile(`RWStructuredBuffer<uint2> outp;
    [shader("compute")] [numthreads(1, 1, 1)] void k(uint2 id : SV_DispatchThreadID) { outp[id.y * 5 + id.x] = id + 1; }`)

  it('are those of the call, whatever becomes of their list while the kernel runs', async () => {
    const m = loadSync(program)
    const outp = new Uint32Array(30)
    const groups: [number, number, number] = [5, 3, 1]
    const done = m.kernel('k').dispatchAsync(groups, { buffers: { outp } })
    groups[0] = 2
    await done
    expect([...outp]).toEqual(Array.from({ length: 15 }, (_, i) => [(i % 5) + 1, Math.floor(i / 5) + 1]).flat())
  })

  it('are three, without holes, and bigints are shown as such', () => {
    const said = (groups: unknown): string =>
      message(() =>
        loadSync(program)
          .kernel('k')
          .dispatch(groups as [number, number, number], { buffers: { outp: [] } }),
      )
    const expected = 'ShapeError: dispatch of k: expected three whole numbers of workgroups, none below 0, but'
    // oxlint-disable-next-line no-sparse-arrays -- that is what the test is about
    expect(said([1, , 1])).toBe(`${expected} [1, undefined, 1] came`)
    expect(said([1n, 1, 1])).toBe(`${expected} [1n, 1, 1] came`)
  })
})

describe('arguments of another kind', () => {
  const program = compile(
    '[Differentiable] public float f(float x) { return x * x; } [shader("compute")] [numthreads(1, 1, 1)] void k() {}',
  )
  type Loose = Record<string, (...given: unknown[]) => unknown>
  const asLoose = (x: unknown): Loose => x as Loose
  it('of load are named', () => {
    const loose = loadSync as unknown as (...given: unknown[]) => unknown
    expect(message(() => loose(`${'x'.repeat(100)}`))).toBe(
      `ShapeError: load: expected a program that compile made, but the text "${'x'.repeat(60)}…" came`,
    )
    expect(message(() => loose(null))).toBe('ShapeError: load: expected a program that compile made, but null came')
    for (const options of [null, 5])
      expect(message(() => loose(program, options))).toMatch(
        /^NameError: load takes no option (null|5): expected an object/,
      )
    expect(message(() => loose(program, { print: 5 }))).toMatch(/^ShapeError: print: expected a function/)
  })

  it('for textures and samplers are named', () => {
    const m = loadSync(
      compile(
        'Texture2D<float4> t; SamplerState s; RWStructuredBuffer<float> o; [shader("compute")] [numthreads(1, 1, 1)] void k() { o[0] = t.SampleLevel(s, float2(0.5), 0).x; }',
      ),
    )
    const size = [1, 1]
    const textures = (t: unknown): unknown => ({ textures: { t } })
    const samplers = (s: unknown): unknown => ({ textures: { t: { size } }, samplers: { s } })
    const rows: readonly (readonly [given: unknown, wanted: string])[] = [
      [textures(null), 'texture t: expected { size, format, data }, but null came'],
      [textures(5), 'texture t: expected { size, format, data }, but 5 came'],
      [textures({ width: 1 }), 'texture t has no width; there are size, format, data'],
      [
        textures({}),
        'size of texture t: expected a list of at most a width and a height, each a whole number above 0, but undefined came',
      ],
      [
        textures({ size: 4 }),
        'size of texture t: expected a list of at most a width and a height, each a whole number above 0, but 4 came',
      ],
      [
        textures({ size: [1, '1'] }),
        'size of texture t: expected a list of at most a width and a height, each a whole number above 0, but [1, "1"] came',
      ],
      [textures({ size, format: 7 }), 'format of texture t: expected the name of a format, but 7 came'],
      [textures({ size, data: [1, 2] }), 'data of texture t: expected a typed array or a DataView, but an Array came'],
      [samplers('linear'), 'sampler s: expected { addressModeU, magFilter, … }, but "linear" came'],
      [samplers({ filter: 'linear' }), 'sampler s has no filter; there are '],
      [samplers({ magFilter: 'cubic' }), 'magFilter of sampler s: expected one of nearest, linear, but "cubic" came'],
      [{ textures: null }, 'takes no textures null: expected an object of values by name'],
    ]
    const buffers = { o: new Float32Array(1) }
    for (const [given, wanted] of rows) {
      expect(
        message(() => asLoose(m.kernel('k'))['dispatch']!([1, 1, 1], { buffers, ...(given as object) })),
      ).toContain(wanted)
      expect(message(() => (m.bind as (given: unknown) => void)(given))).toContain(wanted)
    }
  })

  it('for tensors are named', () => {
    const m = loadSync(
      compile(
        '[Differentiable] [shader("compute")] [numthreads(1, 1, 1)] void k(DiffTensorView a, DiffTensorView b) { b.store(0, a.load(0) * 2); }',
      ),
    )
    const k = asLoose(m.kernel('k'))
    const data = new Float32Array(2)
    const tensor = (a: unknown, method = 'dispatch'): string =>
      message(() =>
        k[method]!([1, 1, 1], {
          tensors: { a, b: { data: [1], shape: [1] } },
          ...(method === 'grad' ? { cotangents: { b: 1 } } : {}),
        }),
      )
    const shape = 'BufferError: tensor a: its shape is one to five whole numbers, and '
    for (const method of ['dispatch', 'grad']) {
      expect(tensor({ data, shape: 4 }, method)).toBe(`${shape}4 came`)
      expect(tensor({ data }, method)).toBe(`${shape}undefined came`)
      expect(tensor({ data, shape: [2n] }, method)).toBe(`${shape}[2n] came`)
    }
    expect(tensor({ data: ['x'], shape: [1] })).toBe('ShapeError: a[0]: expected a number, but the text "x" came')
    expect(tensor({ data: new Uint8Array(5), shape: [1] })).toBe(
      'BufferError: buffer a: expected a typed array of float, 4 bytes an element, but 5 bytes came',
    )
    expect(tensor({ data, shape: [1], grad: ['x'] }, 'grad')).toMatch(
      /^ShapeError: gradient of a\[0\]: expected a number/,
    )
  })

  it('of interfaces are named', () => {
    const m = loadSync(
      compile(
        `interface IShape { float area(); } struct Square : IShape { float side; float area() { return side * side; } }
         StructuredBuffer<IShape> s; RWStructuredBuffer<float> o;
         [shader("compute")] [numthreads(1, 1, 1)] void k() { o[0] = s[0].area(); }`,
        { conformances: ['Square:IShape'] },
      ),
    )
    const o = [0]
    const given = (s: unknown): string => message(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { s: [s], o } }))
    expect([given({ type: 'Square', value: { side: 3 } }), o[0]]).toEqual(['none', 9])
    const wanted = 'ShapeError: s[0]: expected an object with fields type, value for a IShape, but '
    expect(given(5)).toBe(`${wanted}number 5 came`)
    expect(given({ type: 'Square', value: { side: 3 }, more: 1 })).toMatch(
      /type, value, more came; there is no field more$/,
    )
    expect(given({ type: 1, value: {} })).toBe('ShapeError: s[0].type: expected Square, but number 1 came')
  })

  it('of a module are named', () => {
    const m = loadSync(program)
    const [k, f] = [asLoose(m.kernel('k')), asLoose(m.fn['f'])]
    for (const given of [null, 5]) {
      expect(message(() => k['dispatch']!([1, 1, 1], given))).toMatch(
        /^NameError: dispatch of k takes no (null|5): expected an object/,
      )
      expect(message(() => k['dispatch']!([1, 1, 1], { buffers: given }))).toMatch(
        /^BufferError: dispatch of k takes no buffers (null|5): expected an object/,
      )
      expect(message(() => (m.bind as (given: unknown) => void)(given))).toMatch(/^NameError: bind takes no /)
    }
    expect(message(() => f['jvp']!())).toMatch(/^ShapeError: primals of f: expected a list/)
    expect(message(() => f['jvp']!([1]))).toMatch(/^ShapeError: tangents of f: expected a list/)
    expect(message(() => f['vjp']!())).toMatch(/^ShapeError: primals of f: expected a list/)
    expect(message(() => (m.kernel as (name: unknown) => unknown)(Symbol('s')))).toBe(
      'NameError: there is no kernel Symbol(s); there is k',
    )
    for (const [n, text] of [
      [Symbol('s'), 'Symbol(s)'],
      [Object.create(null), 'an Object'],
    ] as const)
      expect(message(() => k['dispatch']!([1, n, 1]))).toContain(`but [1, ${text}, 1] came`)
  })
})
