/** Kernels on several threads of Node, as the package runs them: its worker is a file of the build. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { zeroOf } from '../../src/cpu/constant.ts'
import { word } from '../../src/cpu/job.ts'
import { compile, type Program, type WasmBuffer } from '../../src/index.ts'

type Groups = readonly [number, number, number]

const url = (name: string): string =>
  pathToFileURL(fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url))).href
const { load, loadSync } = (await import(/* @vite-ignore */ url('cpu'))) as typeof import('../../src/cpu/index.ts')

const compiled = (source: string): Program => {
  const program = compile(source, { verify: true })
  expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return program
}

const mixed = compiled(`
RWStructuredBuffer<float> data;
RWStructuredBuffer<int> counts;
uniform float scale;
uniform int trips;
static int calls = 1;
groupshared float sums[8];
[Differentiable] float walk(float x, no_diff int n) {
  float s = x;
  for (int i = 0; i < n; i++) s = sin(s) * 1.5 + 0.01 * x;
  return s;
}
[shader("compute")] [numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) {
  for (int k = 0; k < trips; k++) calls += k;
  sums[i] = data[id.x] * scale;
  GroupMemoryBarrierWithGroupSync();
  float total = 0;
  for (int k = 0; k < 8; k++) total += sums[(i + k) % 8] * calls;
  data[id.x] = total;
  InterlockedAdd(counts[0], int(id.x));
  InterlockedMax(counts[1], int(id.x));
}
[Differentiable] [shader("compute")] [numthreads(1, 1, 1)]
void slopes(uint3 id : SV_DispatchThreadID) {
  var p = diffPair(data[id.x], 0.0);
  bwd_diff(walk)(p, int(id.x % 50), 1.0);
  data[id.x] = p.d;
}
`)

/** The first group of each two waits until the second comes: alone on a thread, until its patience ends. It writes 2 or more if somebody came. */
const meeting = compiled(`
RWStructuredBuffer<uint> arrived;
RWStructuredBuffer<uint> met;
uniform uint patience;
[shader("compute")] [numthreads(1, 1, 1)]
void meet(uint3 group : SV_GroupID) {
  uint first;
  uint count;
  InterlockedAdd(arrived[0], 1u, first);
  for (uint i = 0; i < patience; i++) {
    InterlockedAdd(arrived[0], 0u, count);
    if (count > first + 1u || (first % 2u == 1u)) break;
  }
  met[group.x] = count - first;
}
`)

const numbers = (n: number): Float32Array => Float32Array.from({ length: n }, (_, k) => Math.sin(k) + 0.1)

describe('threads', () => {
  it('give the numbers of one, bit for bit', async () => {
    const [one, three] = [await load(mixed, { threads: 1 }), await load(mixed, { threads: 3 })]
    expect(one.threads).toEqual({ count: 1, reason: undefined })
    expect(three.threads).toEqual({ count: 3, reason: undefined })
    for (const groups of [0, 1, 2, 3, 7, 300]) {
      const ways = [
        [one, 'dispatch'],
        [one, 'dispatchAsync'],
        [three, 'dispatch'],
        [three, 'dispatchAsync'],
      ] as const
      const results: object[] = []
      for (const [m, way] of ways) {
        const buffers = { data: numbers(groups * 8), counts: new Int32Array(2) }
        for (const trips of [3, 5])
          await m.kernel('main')[way]([groups, 1, 1], { buffers, uniforms: { scale: 0.25, trips } })
        await m.kernel('slopes')[way]([groups * 8, 1, 1], { buffers })
        results.push(buffers)
      }
      for (const result of results) expect(result).toEqual(results[0])
    }
    one.close()
    three.close()
  })

  it.each([{ threads: 2 }, {}])('run at once: groups that wait for each other meet, by %o', async options => {
    const m = await load(meeting, options)
    // One thread would come to the end of its patience.
    for (let k = 0; k < 3; k++) {
      const buffers = { arrived: new Uint32Array(1), met: new Uint32Array(2) }
      await m.kernel('meet').dispatchAsync([2, 1, 1], { buffers, uniforms: { patience: 2_000_000_000 } })
      if (m.threads.count > 1) expect(Math.max(...buffers.met)).toBeGreaterThan(1)
    }
    m.close()
  })

  it('join a dispatch that takes long, also by themselves, where there is more than one core', async () => {
    for (const options of [{ threads: 2 }, {}]) {
      const m = await load(meeting, options)
      const [arrived, met] = [new Uint32Array(1), new Uint32Array(300)]
      // Each waits for a second one, which comes only with a worker; 20 ms or so, and then the next does.
      m.kernel('meet').dispatch([300, 1, 1], { buffers: { arrived, met }, uniforms: { patience: 2_000_000 } })
      if (m.threads.count > 1) expect(Math.max(...met)).toBeGreaterThan(1)
      m.close()
    }
  })

  it('leave the caller its thread, and refuse a second call until they are done', async () => {
    for (const threads of [1, 2]) {
      const m = await load(mixed, { threads })
      const buffers = { data: numbers(80000), counts: new Int32Array(2) }
      const before = buffers.data.slice(0, 4)
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const running = m.kernel('slopes').dispatchAsync([80000, 1, 1], { buffers })
      expect(buffers.data.slice(0, 4)).toEqual(before)
      await expect(m.kernel('slopes').dispatchAsync([1, 1, 1], { buffers })).rejects.toThrow(/slopes runs.*await/)
      expect(() => m.kernel('slopes').dispatch([1, 1, 1], { buffers })).toThrow(/slopes is called while slopes runs/)
      expect(() => m.close()).toThrow(/close is called while slopes runs/)
      await running
      clearInterval(timer)
      expect(turns, `${threads}`).toBeGreaterThan(1)
      const again = { data: numbers(80000), counts: new Int32Array(2) }
      m.kernel('slopes').dispatch([80000, 1, 1], { buffers: again })
      expect(buffers.data).toEqual(again.data)
      m.close()
    }
  })

  it('serve several programs that run at once', async () => {
    const loaded = await Promise.all([1, 2, 3].map(() => load(mixed, { threads: 2 })))
    const all = loaded.map(async (m, k) => {
      const buffers = { data: numbers(4000).map(x => x * (k + 1)), counts: new Int32Array(2) }
      for (let n = 0; n < 3; n++) await m.kernel('slopes').dispatchAsync([4000, 1, 1], { buffers })
      return buffers.data
    })
    const results = await Promise.all(all)
    loaded.forEach((m, k) => {
      const data = numbers(4000).map(x => x * (k + 1))
      for (let n = 0; n < 3; n++)
        m.kernel('slopes').dispatch([4000, 1, 1], { buffers: { data, counts: new Int32Array(2) } })
      expect(results[k]).toEqual(data)
      m.close()
    })
  })

  it('work on buffers of the program where they lie, and on two programs at once', async () => {
    const both = await Promise.all([load(mixed, { threads: 2 }), load(mixed, { threads: 2 })])
    const results = both.map(m => {
      const [data, counts] = [m.buffer('data', 800) as Float32Array, m.buffer('counts', 2)]
      data.set(numbers(800))
      m.kernel('main').dispatch([100, 1, 1], { buffers: { data, counts }, uniforms: { scale: 2, trips: 4 } })
      return [...data]
    })
    expect(results[0]).toEqual(results[1])
    expect(results[0]!.some(x => x !== 0)).toBe(true)
    for (const m of both) m.close()
  })

  it('stop together, with the error of the one that stopped', async () => {
    const m = await load(
      compiled(`
        RWStructuredBuffer<int> data;
        int deep(int n) { if (n == 0) return 0; return deep(n + data[0]) + 1; }
        [shader("compute")] [numthreads(1, 1, 1)] void fine(uint3 id : SV_DispatchThreadID) { data[id.x] += 1; }
        [shader("compute")] [numthreads(1, 1, 1)] void worse(uint3 id : SV_DispatchThreadID) { if (id.x == 70) data[id.x] = deep(data[0]); }
      `),
      { threads: 2 },
    )
    const data = new Int32Array(100).fill(1)
    for (let k = 0; k < 20; k++) {
      expect(() => m.kernel('worse').dispatch([100, 1, 1], { buffers: { data } })).toThrow(
        /worse calls itself too deeply/,
      )
      await expect(m.kernel('worse').dispatchAsync([100, 1, 1], { buffers: { data } })).rejects.toThrow(
        /worse calls itself too deeply/,
      )
      await m.kernel('fine').dispatchAsync([100, 1, 1], { buffers: { data } })
    }
    expect([...data]).toEqual(Array.from({ length: 100 }, () => 21))
    m.close()
    expect(() => m.kernel('fine').dispatch([100, 1, 1], { buffers: { data } })).toThrow(/close/)
    await expect(m.kernel('fine').dispatchAsync([100, 1, 1], { buffers: { data } })).rejects.toThrow(/close/)
  })

  it('print in the order of workgroups', async () => {
    const lines: string[] = []
    const print = (text: string): void => void lines.push(text.trim())
    const m = await load(
      compiled(
        '[shader("compute")] [numthreads(1, 1, 1)] void say(uint3 id : SV_DispatchThreadID) { printf("%u\\n", id.x); }',
      ),
      { threads: 2, print },
    )
    m.kernel('say').dispatch([40, 1, 1])
    expect(lines).toEqual(Array.from({ length: 40 }, (_, k) => String(k)))
    m.close()
  })

  it('are some, and only of load', async () => {
    for (const threads of [0, 1.5, 1e9, Number.NaN])
      await expect(load(mixed, { threads }), String(threads)).rejects.toThrow(
        /threads: expected a whole number from 1 to 256, but/,
      )
    expect(() => loadSync(mixed, { threads: 2 } as object)).toThrow(/load takes no option/)
  })

  it('keep no process alive', () => {
    const script = `
      import { compile } from '${url('index')}'
      import { load } from '${url('cpu')}'
      const m = await load(compile('RWStructuredBuffer<int> d; [shader("compute")] [numthreads(1, 1, 1)] void k(uint3 i : SV_DispatchThreadID) { d[i.x] = 3; }'), { threads: 2 })
      const d = new Int32Array(50)
      await m.kernel('k').dispatchAsync([50, 1, 1], { buffers: { d } })
      console.log(d.every(x => x === 3))`
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(out).toBe('true\n')
  })

  it('keep no process alive that closes a program while one of them starts', () => {
    const script = `
      import { compile } from '${url('index')}'
      import { load } from '${url('cpu')}'
      const m = await load(compile('RWStructuredBuffer<int> d; [shader("compute")] [numthreads(1, 1, 1)] void k(uint3 i : SV_DispatchThreadID) { d[i.x] = 3; }'), { threads: 2 })
      await m.kernel('k').dispatchAsync([5000, 1, 1], { buffers: { d: new Int32Array(5000) } })
      m.close()`
    const start = performance.now()
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 })
    // The timer of a worker that does not start waits for ten.
    expect(performance.now() - start).toBeLessThan(9_000)
  })
})

describe('gradAsync', () => {
  const layered = compiled(`[Differentiable] [shader("compute")] [numthreads(1, 1, 1)]
void layer(no_diff uint3 id : SV_DispatchThreadID, DiffTensorView<float> x, DiffTensorView<float> y) {
  y[id.x] = sin(x[id.x]) * x[id.x];
}`)
  const [shape, x] = [[3000], numbers(3000)]
  const given = () => ({
    tensors: { x: { data: x, shape }, y: { data: new Float32Array(3000), shape } },
    cotangents: { y: new Float32Array(3000).fill(2) },
  })

  it('gives what grad gives, with workers and without, and leaves the caller its thread', async () => {
    for (const threads of [1, 2]) {
      const m = await load(layered, { threads })
      const running = m.kernel('layer').gradAsync([3000, 1, 1], given())
      expect(() => m.kernel('layer').grad([3000, 1, 1], given())).toThrow(/a module does one thing at a time/)
      await expect(m.kernel('layer').gradAsync([3000, 1, 1], given())).rejects.toThrow(/await dispatchAsync, gradAsync/)
      const gradients = await running
      expect(gradients).toEqual(m.kernel('layer').grad([3000, 1, 1], given()))
      const slopes = Array.from(x, v => 2 * (Math.cos(v) * v + Math.sin(v)))
      expect(slopes.every((s, i) => Math.abs(s - Number((gradients['x'] as Float32Array)[i])) < 1e-5)).toBe(true)
      m.close()
    }
  })

  it('rejects with what grad throws', async () => {
    const m = await load(mixed, { threads: 2 })
    await expect(m.kernel('main').gradAsync([1, 1, 1], {})).rejects.toThrow(/main has no reverse derivative/)
    await expect(m.kernel('main').gradAsync([1, 1, 1], { wrong: 1 } as never)).rejects.toThrow(
      /gradAsync of main takes no/,
    )
    m.close()
  })
})

describe('a worker that does not start', () => {
  const folders: string[] = []
  afterEach(() => {
    vi.useRealTimers()
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })

  /** The package beside a worker of another text. */
  const beside = async (text: string): Promise<typeof import('../../src/cpu/index.ts')> => {
    const folder = mkdtempSync(join(tmpdir(), 'cotangent-threads-'))
    folders.push(folder)
    // Nobody is to look for the map of the source.
    const library = readFileSync(new URL(url('cpu')), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
    writeFileSync(join(folder, 'cpu.mjs'), library)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'cpu-worker.js'), text)
    return (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'cpu.mjs')).href)) as never
  }
  const dispatched = async (m: Awaited<ReturnType<typeof load>>): Promise<Int32Array> => {
    const counts = new Int32Array(2)
    const buffers = { data: numbers(800), counts }
    await m.kernel('main').dispatchAsync([100, 1, 1], { buffers, uniforms: { scale: 1, trips: 1 } })
    return counts
  }
  const whole = Int32Array.of((800 * 799) / 2, 799)

  it('is an error, though it says nothing, and then programs run on one thread', async () => {
    const other = await beside('setInterval(() => undefined, 1000)')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const failed = expect(other.load(mixed, { threads: 2 })).rejects.toThrow(/not start within 10 seconds/)
    // Until somebody waits for the worker.
    await vi.waitUntil(() => vi.getTimerCount() > 0)
    vi.advanceTimersByTime(9_900)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(100)
    await failed
    const m = await other.load(mixed)
    expect(m.threads).toEqual({ count: 1, reason: expect.stringMatching(/not start within 10 seconds/) })
    expect(await dispatched(m)).toEqual(whole)
    m.close()
  })

  it('is an error for those who wait for it when it is ended at work, and then programs run on one thread', async () => {
    const other = await beside(`
      import { parentPort } from 'node:worker_threads'
      let board
      parentPort.on('message', message => {
        if (message.kind === 'hello') board = new Int32Array(message.board)
        if (message.kind !== 'job') return
        Atomics.add(board, ${word.inside}, 1)
        process.exit()
      })
      parentPort.postMessage('ready')`)
    const m = await other.load(mixed, { threads: 2 })
    await expect(dispatched(m)).rejects.toThrow(/does not run: it was ended/)
    expect(m.threads).toEqual({ count: 1, reason: expect.stringMatching(/it was ended/) })
    expect(await dispatched(m)).toEqual(whole)
    const counts = new Int32Array(2)
    const buffers = { data: numbers(800), counts }
    m.kernel('main').dispatch([100, 1, 1], { buffers, uniforms: { scale: 1, trips: 10_000 } })
    expect(counts).toEqual(whole)
    m.close()
  })

  // A program that asks for no threads has one for each core.
  it.skipIf(availableParallelism() === 1)('leaves the work to those that run', async () => {
    // The second one finds the folder of the first one.
    const other = await beside(
      `import { mkdirSync } from 'node:fs'\nmkdirSync(new URL('./first', import.meta.url))\nawait import('${url('cpu-worker')}')\n`,
    )
    // Groups that meet nobody take long enough: the first one still works when the second one fails.
    const m = await other.load(meeting, { lanes: 1 })
    const [arrived, met] = [new Uint32Array(1), new Uint32Array(300)]
    const given = { buffers: { arrived, met }, uniforms: { patience: 1_000_000 } }
    await m.kernel('meet').dispatchAsync([300, 1, 1], given)
    expect(arrived[0]).toBe(300)
    expect(m.threads).toEqual({ count: 1, reason: expect.stringMatching(/EEXIST/) })
    await m.kernel('meet').dispatchAsync([2, 1, 1], { ...given, uniforms: { patience: 1 } })
    expect(arrived[0]).toBe(302)
    m.close()
  })
})

/** Programs of several workgroups, whose sums of floats are exact in any order. */
describe('threads run programs for all targets as one does', () => {
  const folder = new URL('../target/', import.meta.url)
  const elements = 512
  const programs = readdirSync(folder).flatMap(name => {
    if (!name.endsWith('.slang')) return []
    const source = readFileSync(new URL(name, folder), 'utf8')
    const groups = (/^\/\/! dispatch ([\d ]+)/.exec(source)?.[1] ?? '1').trim().split(' ').map(Number)
    return groups.some(n => n > 1)
      ? [{ name, source, groups: [groups[0]!, groups[1] ?? 1, groups[2] ?? 1] as Groups }]
      : []
  })

  /** Small numbers: floats where a buffer has some, whose sums are exact. */
  const contents = ({ elem, stride }: WasmBuffer): Uint8Array => {
    const bytes = stride === 0 ? elem.size : stride * elements
    const isFloat = JSON.stringify(elem).includes('"f32"')
    const values = Array.from({ length: Math.ceil(bytes / 4) }, (_, k) =>
      isFloat ? ((k * 37) % 64) / 64 : (k * 5) % 8,
    )
    return new Uint8Array((isFloat ? Float32Array : Uint32Array).from(values).buffer, 0, bytes)
  }

  it('are some', () => expect(programs.length).toBeGreaterThan(5))

  it.each(programs)('$name', async ({ name, source, groups }) => {
    const program = compiled(source)
    const { host } = program.wasm({ derivatives: false })
    const run = async (threads: number): Promise<object> => {
      const m = await load(program, { threads, print: () => undefined })
      const wrote: object[] = []
      for (const kernel of host.kernels) {
        const used = host.buffers.filter(b => kernel.buffers.includes(b.name))
        const buffers = Object.fromEntries(used.map(b => [b.name, contents(b)]))
        const uniforms = Object.fromEntries(
          host.uniforms.filter(u => kernel.uniforms.includes(u.name)).map(u => [u.name, zeroOf(u.type)]),
        )
        await m.kernel(kernel.name).dispatchAsync(groups, { buffers, uniforms })
        wrote.push(buffers)
      }
      m.close()
      return wrote
    }
    expect(await run(3), name).toEqual(await run(1))
  })
})
