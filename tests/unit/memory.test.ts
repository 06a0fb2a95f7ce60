/** The memory of a loaded program: buffers of the host in it, which nothing copies, beside variables, tapes and other instances. */
import { describe, expect, it } from 'vitest'
import { load, loadSync, Machine, type CpuModule } from '../../src/cpu/index.ts'
import { ProgramMemory, align } from '../../src/cpu/memory.ts'
import { compile, type Program } from '../../src/index.ts'

function compiled(source: string): Program {
  const program = compile(source, { verify: true })
  expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return program
}

function message(run: () => unknown): string {
  try {
    run()
    return 'none'
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`
  }
}

/** Doubles elements; sums by groups; squares the first element of `data` times `x`, by a tape of `n` trips. */
const program = compiled(`
RWStructuredBuffer<float> data;
StructuredBuffer<float> inp;
struct Mixed { float a; uint b; }
RWStructuredBuffer<Mixed> mixed;
RWByteAddressBuffer raw;
RWStructuredBuffer<bool> flags;
static float table[40];
groupshared float sums[4];
[shader("compute")] [numthreads(4, 1, 1)] void twice(uint3 id : SV_DispatchThreadID) { data[id.x] = inp[id.x] * 2.0; }
[shader("compute")] [numthreads(4, 1, 1)] void total(uint i : SV_GroupIndex) {
  for (int k = 0; k < 40; k++) table[k] = 1.0;
  sums[i] = inp[i] * table[i * 3];
  GroupMemoryBarrierWithGroupSync();
  if (i == 0) { data[0] = sums[0] + sums[1] + sums[2] + sums[3]; printf("%.1f %u\\n", data[0], mixed[1].b); }
  if (i == 1) { raw.Store(4, 7u); flags[0] = !flags[0]; }
}
[Differentiable] public float scaled(float x) { return x * no_diff(data[1]); }
[Differentiable] public float other(float x) { return x * x * no_diff(inp[2]); }
[Differentiable] public float tape(float x, int n) {
  float s = x;
  for (int i = 0; i < n; i++) s = sin(s) + x * no_diff(data[i % 4]);
  return s;
}
public void put(int i, float x) { data[i] = x; }
`)

const numbers = (n: number): Float32Array => Float32Array.from({ length: n }, (_, i) => i + 1)

/** The addresses of a program's memory that show in its views. */
const bytesOf = (view: ArrayBufferView): number => view.buffer.byteLength

describe('a buffer in the memory of its program', () => {
  it('is read and written by a dispatch where it lies', () => {
    const m = loadSync(program)
    const [data, inp] = [m.buffer('data', 8), m.buffer('inp', 8)]
    expect(data).toEqual(new Float32Array(8))
    expect(data.buffer).toBe(inp.buffer)
    inp.set(numbers(8))
    m.kernel('twice').dispatch([2, 1, 1], { buffers: { data, inp } })
    expect([...data]).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
    expect([...inp]).toEqual([...numbers(8)])
    expect(m.buffer('data')).toBe(data)
    expect(m.buffer('data', 8)).toBe(data)
  })

  it('is not copied: memory does not grow by what is bound, and other arrays do', () => {
    const m = loadSync(program)
    const n = 1 << 20
    let [data, inp] = [m.buffer('data', n), m.buffer('inp', n)]
    ;[data, inp] = [m.buffer('data'), m.buffer('inp')]
    const before = bytesOf(data)
    expect(before).toBeLessThan(8 * n + 4 * 65536)
    inp[n - 1] = 3
    m.kernel('twice').dispatch([n / 4, 1, 1], { buffers: { data, inp } })
    expect(data[n - 1]).toBe(6)
    expect(bytesOf(data)).toBe(before)
    m.bind({ buffers: { data, inp } })
    m.fn.put(n - 2, 5)
    expect(data[n - 2]).toBe(5)
    expect(bytesOf(data)).toBe(before)
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: new Float32Array(n), inp } })
    expect(bytesOf(m.buffer('data'))).toBeGreaterThan(before + 4 * n - 65536)
    expect(m.buffer('data')[n - 1]).toBe(6)
  })

  it('may be given in part, beside arrays that are copied, and for another name', () => {
    const m = loadSync(program)
    const data = m.buffer('data', 8)
    const inp = numbers(4)
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: data.subarray(4), inp } })
    expect([...data]).toEqual([0, 0, 0, 0, 2, 4, 6, 8])
    const out = new Float32Array(4)
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: out, inp: data.subarray(2, 6) } })
    expect([...out]).toEqual([0, 0, 4, 8])
    // Writes past the end of a part are dropped.
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: data.subarray(0, 1), inp } })
    expect([...data]).toEqual([2, 0, 0, 0, 2, 4, 6, 8])
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: data.subarray(4, 4), inp } })
    expect([...data]).toEqual([2, 0, 0, 0, 2, 4, 6, 8])
    const bytes = new Uint8Array(data.buffer, data.byteOffset, 16)
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: bytes, inp: data.subarray(4) } })
    expect([...data.subarray(0, 4)]).toEqual([4, 8, 12, 16])
  })

  it('may be given for two buffers only if neither is written', () => {
    const m = loadSync(program)
    const data = m.buffer('data', 8)
    const twice = (out: unknown, inp: unknown): unknown =>
      m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: out as never, inp: inp as never } })
    const shared =
      'BufferError: buffers data and inp share memory, and the program writes data: pass a copy for one of them'
    expect(message(() => twice(data, data))).toBe(shared)
    expect(message(() => twice(data.subarray(0, 5), data.subarray(4)))).toBe(shared)
    expect(message(() => twice(data.subarray(0, 4), data.subarray(4)))).toBe('none')
    const copied = numbers(4)
    expect(message(() => twice(copied, copied))).toBe(shared)
    expect(message(() => twice(copied.subarray(0, 3), copied.subarray(2)))).toBe(shared)
    expect(message(() => twice(copied, copied.buffer))).toBe(shared)
    expect(message(() => twice(numbers(8).subarray(0, 4), numbers(8).subarray(4)))).toBe('none')
    const halves = numbers(8)
    expect(message(() => twice(halves.subarray(0, 4), halves.subarray(4)))).toBe('none')
    const reader = loadSync(
      compiled(
        'StructuredBuffer<float> a, b; [shader("compute")] [numthreads(1, 1, 1)] void both() { printf("%.0f", a[1] + b[1]); }',
      ),
    )
    const both = reader.buffer('a', 2)
    both[1] = 3
    expect(message(() => reader.kernel('both').dispatch([1, 1, 1], { buffers: { a: both, b: both } }))).toBe('none')
  })

  it('has the kind of its numbers, and bytes where they are of several kinds', () => {
    const m = loadSync(program)
    expect(m.buffer('mixed', 3)).toEqual(new Uint8Array(24))
    expect(m.buffer('raw', 5)).toEqual(new Uint32Array(5))
    expect(m.buffer('flags', 2)).toEqual(new Uint32Array(2))
    const wide = loadSync(
      compiled(
        'RWStructuredBuffer<double> d; RWStructuredBuffer<int64_t> l; RWStructuredBuffer<int3> v; StructuredBuffer<half> h; public void f() { d[0] = double(h[1]); l[1] = int64_t(5); v[1] = int3(1, 2, 3); }',
      ),
    )
    const [d, l, v, h] = [wide.buffer('d', 2), wide.buffer('l', 2), wide.buffer('v', 2), wide.buffer('h', 2)]
    h[1] = 0x3c00
    wide.bind({ buffers: { d, l, v, h } })
    wide.fn.f()
    expect([d, l, v]).toEqual([Float64Array.of(1, 0), BigInt64Array.of(0n, 5n), Int32Array.of(0, 0, 0, 0, 1, 2, 3, 0)])
  })

  it('lies beside variables, groupshared memory and what is printed', () => {
    const printed: string[] = []
    const m = loadSync(program, { print: text => printed.push(text) })
    const given = (): Record<string, ArrayBufferView> => ({
      data: m.buffer('data', 1),
      inp: m.buffer('inp', 4),
      mixed: m.buffer('mixed', 2),
      raw: m.buffer('raw', 2),
      flags: m.buffer('flags', 1),
    })
    given()
    new Uint32Array(given()['mixed']!.buffer, given()['mixed']!.byteOffset, 4)[3] = 9
    m.buffer('inp').set(numbers(4))
    for (let i = 1; i <= 3; i++) {
      m.kernel('total').dispatch([1, 1, 1], { buffers: given() })
      expect([...m.buffer('data'), ...m.buffer('inp'), ...m.buffer('raw'), ...m.buffer('flags')]).toEqual([
        10,
        ...numbers(4),
        0,
        7,
        i % 2,
      ])
    }
    expect(printed).toEqual(['10.0 9\n', '10.0 9\n', '10.0 9\n'])
  })

  it('is one for a function and its derivatives, each of which is an instance', () => {
    const m = loadSync(program)
    m.buffer('data', 4)
    m.buffer('inp', 4)
    m.bind({ buffers: { data: m.buffer('data'), inp: m.buffer('inp') } })
    for (let i = 1; i <= 3; i++) {
      m.buffer('data').fill(i)
      m.buffer('inp').fill(10 * i)
      expect(m.fn.scaled.valueAndGrad(2)).toEqual({ value: 2 * i, grad: [i] })
      expect(m.fn.other.valueAndGrad(3)).toEqual({ value: 90 * i, grad: [60 * i] })
      expect(m.fn.scaled.jvp([2], [1]).tangent).toBe(i)
    }
  })

  it('may be one that only a derivative uses', () => {
    const m = loadSync(
      compiled(`
RWStructuredBuffer<float> gradients; RWStructuredBuffer<float> idle;
[BackwardDerivative(back)] float square(float x) { return x * x; }
void back(inout DifferentialPair<float> x, float d) { gradients[1] += d; x = diffPair(x.p, 2.0 * x.p * d); }
[Differentiable] public float plain(float x) { return x; }
[Differentiable] public float f(float x) { return 3.0 * square(x); }`),
    )
    m.bind({ buffers: { gradients: m.buffer('gradients', 2) } })
    for (let i = 1; i <= 2; i++) {
      expect(m.fn.f.valueAndGrad(2)).toEqual({ value: 12, grad: [12] })
      expect([...m.buffer('gradients')]).toEqual([0, 3 * i])
    }
    expect(message(() => m.buffer('idle', 2))).toBe(
      'NameError: no function or kernel of the program uses a buffer idle',
    )
  })

  it('is left alone by tapes, which grow behind it', () => {
    const m = loadSync(program)
    const n = 100_000
    m.buffer('data', n).set(numbers(n).map(x => x / 1e6))
    const expected = loadSync(program)
    expected.bind({ buffers: { data: m.buffer('data').slice() } })
    m.bind({ buffers: { data: m.buffer('data') } })
    for (const trips of [10, 100_000, 300_000, 1000])
      expect(m.fn.tape.valueAndGrad(0.5, trips)).toEqual(expected.fn.tape.valueAndGrad(0.5, trips))
    // Made in memory that tapes have used, and zeros all the same.
    expect(m.buffer('inp', 200_000).every((x: number) => x === 0)).toBe(true)
    m.buffer('inp').fill(7)
    expect(m.fn.tape.valueAndGrad(0.5, 50_000)).toEqual(expected.fn.tape.valueAndGrad(0.5, 50_000))
    expect(m.buffer('inp').every((x: number) => x === 7)).toBe(true)
    expect(m.buffer('data')).toEqual(numbers(n).map(x => x / 1e6))
    // The constants of a module that is made later lie in clean memory too.
    expect(m.fn.other.vjp([1], 1)).toEqual([0])
  })

  it('holds the elements of tensors and their gradients', () => {
    const m = loadSync(
      compiled(`
[shader("compute")] [numthreads(4, 1, 1)] [Differentiable]
void square(uint3 id : SV_DispatchThreadID, uniform DiffTensorView<float> x, uniform DiffTensorView<float> y) {
  float v = x.load(id.x);
  y.store(id.x, v * v);
}`),
    )
    // The rest of a page, but for what the kernel itself takes.
    const x = m.buffer('x', 16_100)
    x.set([1, 2, 3, 4])
    const y = new Float32Array(4)
    m.kernel('square').dispatch([1, 1, 1], { tensors: { x: { data: x, shape: [4] }, y: { data: y, shape: [4] } } })
    expect([...y]).toEqual([1, 4, 9, 16])
    // Making the reverse kernel lets memory grow in the midst of a call that is given views.
    for (let i = 0; i < 3; i++) {
      const grad = new Float32Array(4)
      const { x: own } = m
        .kernel('square')
        .grad([1, 1, 1], {
          tensors: { x: { data: m.buffer('x'), shape: [4], grad }, y: { data: y, shape: [4] } },
          cotangents: { y: 1 },
        })
      expect(own).toBe(grad)
      expect([...grad]).toEqual([2, 4, 6, 8])
      expect(x.length).toBe(0)
    }
    const given = (view: ArrayBufferView): unknown =>
      m
        .kernel('square')
        .grad([1, 1, 1], {
          tensors: { x: { data: view, shape: [4] }, y: { data: y, shape: [4] } },
          cotangents: { y: 1 },
        })
    expect(message(() => given(x))).toMatch(/^BufferError: buffer x: the memory of the program has grown/)
    for (const [wrong, came] of [
      ['1234', 'cotangent of y[0]: expected a number, but the text "1" came'],
      [[1, undefined, 3, 4], 'cotangent of y[1]: expected a number, but undefined came'],
      [[1, 2, 3, 4n], 'cotangent of y[3]: expected a number, but bigint 4 came'],
      [null, 'cotangent of y: expected 4 numbers, but null came'],
    ] as const) {
      const cotangents = { y: wrong as never }
      const tensors = { x: { data: m.buffer('x'), shape: [4] }, y: { data: y, shape: [4] } }
      expect(message(() => m.kernel('square').grad([1, 1, 1], { tensors, cotangents }))).toBe(`ShapeError: ${came}`)
    }
    // The reverse kernel is made once, however often it is asked for.
    const bytes = bytesOf(m.buffer('x'))
    for (let i = 0; i < 150; i++)
      m.kernel('square').grad([1, 1, 1], {
        tensors: { x: { data: m.buffer('x'), shape: [4] }, y: { data: y, shape: [4] } },
        cotangents: { y: 1 },
      })
    expect(bytesOf(m.buffer('x'))).toBe(bytes)
  })
})

describe('a view from before memory has grown', () => {
  const grown = (): { readonly m: CpuModule; readonly data: Float32Array } => {
    const m = loadSync(program)
    const data: Float32Array = m.buffer('data', 4)
    data.set(numbers(4))
    m.buffer('inp', 100_000)
    return { m, data }
  }
  const stale =
    "BufferError: buffer data: the memory of the program has grown since this view was made, so the view is detached and has length 0; m.buffer('data') gives a new view of the same numbers"

  it('is empty, is refused, and has a successor', () => {
    const { m, data } = grown()
    const inp = m.buffer('inp')
    expect(data.length).toBe(0)
    expect(message(() => m.kernel('twice').dispatch([1, 1, 1], { buffers: { data, inp } }))).toBe(stale)
    expect(message(() => m.bind({ buffers: { data } }))).toBe(stale)
    // The name is that of the buffer that was asked for.
    expect(message(() => m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: inp, inp: data } }))).toBe(
      stale.replace('buffer data:', 'buffer inp:'),
    )
    const again = m.buffer('data')
    expect([...again]).toEqual([...numbers(4)])
    m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: again, inp: again.slice() } })
    expect([...again]).toEqual([2, 4, 6, 8])
  })

  it('stays bound to functions', () => {
    const m = loadSync(program)
    const data = m.buffer('data', 4)
    data.fill(3)
    m.bind({ buffers: { data } })
    m.buffer('inp', 100_000)
    expect(data.length).toBe(0)
    expect(m.fn.scaled(2)).toBe(6)
    expect(m.fn.scaled.valueAndGrad(2)).toEqual({ value: 6, grad: [3] })
    m.fn.put(0, 8)
    expect([...m.buffer('data')]).toEqual([8, 3, 3, 3])
  })
})

describe('mistakes with buffers in memory', () => {
  const m = loadSync(program)
  it.each([
    ['dat', 4, /^NameError: the program has no buffer dat: did you mean data\?; there are data, inp, /],
    [Symbol('x'), 4, /^NameError: the program has no buffer Symbol\(x\)/],
    [
      'flags',
      -1,
      /^ShapeError: n of buffer flags: expected a whole number of elements, not below 0, but number -1 came$/,
    ],
    ['flags', NaN, /^ShapeError: n of buffer flags: expected a whole number/],
    ['flags', 1.5, /^ShapeError: n of buffer flags: expected a whole number/],
    ['flags', '4', /^ShapeError: n of buffer flags: expected a whole number/],
    ['flags', 2 ** 31, /^BufferError: \d+ bytes of memory are needed, more than WebAssembly can have/],
    ['flags', 2 ** 52, /^BufferError: \d+ bytes of memory are needed, more than WebAssembly can have/],
    ['flags', undefined, /^BufferError: buffer flags has no memory yet: .*m\.buffer\('flags', n\)/],
  ])('m.buffer(%o, %o)', (name, n, expected) => {
    expect(message(() => m.buffer(name as string, n as number))).toMatch(expected)
  })

  it('are another size, more of memory than one buffer, and numbers of another kind', () => {
    const data = m.buffer('data', 4)
    expect(message(() => m.buffer('data', 5))).toMatch(/^BufferError: buffer data has 4 elements already, and 5 were/)
    const inp = m.buffer('inp', 4)
    const all = new Float32Array(data.buffer)
    for (const wrong of [all, data.buffer, all.subarray(0, 4)])
      expect(message(() => m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: wrong, inp } }))).toMatch(
        /^BufferError: buffer data: \d+ bytes at \d+ of the program's memory belong to more than one buffer/,
      )
    expect(
      message(() => m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: m.buffer('raw', 4), inp } })),
    ).toMatch(/^BufferError: buffer data of float: expected a Float32Array/)
    const none = m.buffer('mixed', 0)
    expect(none.length).toBe(0)
  })

  it('are made while the program runs', () => {
    const said: string[] = []
    const busy: CpuModule = loadSync(program, {
      print: () =>
        said.push(
          ...[
            () => busy.buffer('raw', 9),
            () => busy.close(),
            () => busy.fn.other.vjp([1], 1),
            () => busy.buffer('data'),
          ].map(message),
        ),
    })
    const all = { data: 1, inp: 4, mixed: 2, raw: 2, flags: 1 }
    for (const [name, n] of Object.entries(all)) if (name !== 'raw') busy.buffer(name, n)
    const buffers = Object.fromEntries(
      Object.keys(all).map(name => [name, name === 'raw' ? new Uint32Array(2) : busy.buffer(name)]),
    )
    busy.kernel('total').dispatch([1, 1, 1], { buffers })
    expect(said).toEqual([
      expect.stringMatching(/^BusyError: buffer is called while total runs/),
      expect.stringMatching(/^BusyError: close is called while total runs/),
      expect.stringMatching(/^BusyError: other is called while total runs/),
      'none',
    ])
  })

  it('are views of another program only in so far as they are copied', () => {
    const [one, two] = [loadSync(program), loadSync(program)]
    const [data, inp] = [one.buffer('data', 4), two.buffer('inp', 4)]
    expect(data.buffer).not.toBe(inp.buffer)
    inp.set(numbers(4))
    const own = two.buffer('data', 4)
    two.kernel('twice').dispatch([1, 1, 1], { buffers: { data, inp } })
    expect([...data]).toEqual([2, 4, 6, 8])
    expect([...own]).toEqual([0, 0, 0, 0])
  })
})

describe('close', () => {
  it('gives memory back: views are empty, and each call says so', async () => {
    const m = await load(program, { threads: 1 })
    const data = m.buffer('data', 4)
    const kernel = m.kernel('twice')
    m.bind({ buffers: { data } })
    m.fn.scaled.vjp([1], 1)
    m.close()
    m.close()
    expect(data.length).toBe(0)
    for (const call of [
      () => m.fn.scaled(1),
      () => m.fn.scaled.vjp([1], 1),
      () => m.fn.other.jvp([1], [1]),
      () => kernel.dispatch([1, 1, 1], { buffers: { data, inp: new Float32Array(4) } }),
      () => m.buffer('data'),
      () => m.bind({}),
    ])
      expect(message(call)).toMatch(/^ClosedError: .* is called after close.*: load the program again$/)
  })
})

describe('limits.bytes', () => {
  it('bounds all that the program has in memory together', () => {
    const m = loadSync(program, { limits: { bytes: 2 ** 20 } })
    expect(message(() => m.buffer('data', 2 ** 18))).toMatch(
      /^TrapError: \d+ bytes of memory are needed for what is bound, and limits\.bytes allows 1048576$/,
    )
    m.buffer('data', 2 ** 17).fill(1)
    m.bind({ buffers: { data: m.buffer('data') } })
    expect(m.fn.tape.valueAndGrad(0.5, 100).value).toBe(m.fn.tape(0.5, 100))
    expect(message(() => m.fn.tape.valueAndGrad(0.5, 1_000_000))).toMatch(/^TrapError: the loop at .*: out of memory/)
    expect([...new Set(m.buffer('data'))]).toEqual([1])
    expect(
      message(() =>
        m.kernel('twice').dispatch([1, 1, 1], { buffers: { data: m.buffer('data'), inp: new Float32Array(2 ** 17) } }),
      ),
    ).toMatch(/^TrapError: \d+ bytes of memory are needed for what is bound/)
  })
  it('bounds what instances take that are made later', () => {
    const large = compiled(
      'static float t[8000]; [Differentiable] public float f(float x, int i) { t[i] = detach(x); return x * x; } [Differentiable] public float g(float x, int i) { t[i] = detach(x); return x; }',
    )
    const m = loadSync(large, { limits: { bytes: 2 ** 16 } })
    m.fn.f(1, 2)
    expect(message(() => [m.fn.f.vjp([1, 2], 1), m.fn.g.vjp([1, 2], 1)])).toMatch(
      /^TrapError: the program has \d+ bytes of variables and tables, and limits\.bytes allows 65536$/,
    )
    expect(m.fn.f(3, 2)).toBe(9)
  })
})

it('several instances lie in one memory, each in a region of its own, wherever that begins', () => {
  const output = program.wasm({ derivatives: false })
  const memory = new ProgramMemory(undefined)
  const module = new WebAssembly.Module(output.bytes)
  const printed: string[] = []
  const machines = [0, 1, 2].map(() => {
    memory.region(48)
    return new Machine(module, output.host, { print: text => printed.push(text) }, memory)
  })
  const buffers = { inp: numbers(4), mixed: new Uint8Array(16), raw: new Uint32Array(2), flags: new Uint32Array(1) }
  machines.forEach((machine, i) => {
    const data = new Float32Array(1)
    machine.dispatch('total', [1, 1, 1], { buffers: { ...buffers, data } })
    expect([...data]).toEqual([10])
    expect(printed[i]).toBe('10.0 0\n')
    expect(buffers.flags[0]).toBe((i + 1) % 2)
  })
})

it('runs under a host of its own, which says where in memory it lies', () => {
  const own = compiled(`
static const float table[6] = { 1, 2, 4, 8, 16, 32 };
[Differentiable] public float f(float x, int n) { float s = x; for (int i = 0; i < n; i++) s = sin(s) + x * table[i % 6]; return s; }`)
  const { bytes, host } = own.wasm()
  const [expected] = loadSync(own).fn.f.vjp([0.5, 50_000], 1) as number[]
  const memory = new WebAssembly.Memory({ initial: 1 })
  const made = [64, 64 + align(host.heap)].map(
    base =>
      [
        base,
        new WebAssembly.Instance(new WebAssembly.Module(bytes), {
          host: {
            memory,
            base,
            trap: (id: number) => {
              throw new Error(host.traps[id])
            },
          },
        }),
      ] as const,
  )
  const top = 64 + 2 * align(host.heap)
  for (let round = 0; round < 2; round++)
    for (const [base, { exports }] of made) {
      new DataView(memory.buffer).setUint32(base + host.tapeAt, top, true)
      const run = exports['bwd_diff(f)'] as (...args: number[]) => number[]
      expect(run(0.5, 0, 50_000, 1)).toContain(expected)
    }
  expect(memory.buffer.byteLength).toBeGreaterThan(65536)
  const [base, { exports }] = made[0]!
  new DataView(memory.buffer).setUint32(base + host.tapeAt + 4, top + 4096, true)
  expect(message(() => (exports['bwd_diff(f)'] as (...args: number[]) => number[])(0.5, 0, 50_000, 1))).toMatch(
    /^Error: out of memory/,
  )
  expect(new Uint8Array(memory.buffer, 0, 64).every(x => x === 0)).toBe(true)
})
