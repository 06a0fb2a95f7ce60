// Runs in a process of its own, bundled: integers of 8, 16 and 64 bits and emulated halves by `cotangent/gpu` on a device and by
// `cotangent/cpu`. Prints one JSON object.
import { load } from '../../src/cpu/index.ts'
import { attach } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

const source = `
struct Item { uint8_t tag; int64_t key; vector<int16_t, 3> at; half weight; }
uniform uint64_t seed;
uniform vector<int16_t, 2> shift;
uniform half rate;
ConstantBuffer<Item> first;
RWStructuredBuffer<uint64_t> keys;
RWStructuredBuffer<uint16_t> shorts;
RWStructuredBuffer<int8_t> signs;
RWStructuredBuffer<Item> items;
RWStructuredBuffer<half> halves;
[shader("compute")] [numthreads(1, 1, 1)]
void mix(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x;
    keys[i] = (keys[i] ^ seed) * 3ull;
    shorts[i] += uint16_t(shift.y);
    signs[i] = int8_t(signs[i] * int8_t(i) - int8_t(100));
    Item item = items[i];
    item.tag += first.tag;
    item.key -= first.key;
    item.at = item.at.zxy * first.at.x;
    item.weight = item.weight * rate + first.weight;
    items[i] = item;
    halves[i] = halves[i] / half(3);
    // A function that WGSL has is rounded too.
    half k = half(1.5009765625) * half(i);
    if (i == 1) printf("%lld %llu %d %u %f %f", item.key, keys[i], int(signs[i]), uint(item.tag), float(item.weight), float(lerp(k * half(0), k, k)));
}`

const item = (k: number): object => ({
  tag: 250 + k,
  key: -(2n ** 62n) + BigInt(k),
  at: [k, -2, 30000],
  weight: 0.1 * k,
})
const given = (): { buffers: Record<string, unknown[] | ArrayBufferView>; uniforms: Record<string, unknown> } => ({
  buffers: {
    keys: BigUint64Array.of(1n, 2n ** 64n - 1n, 5n),
    // A word and a half.
    shorts: Uint16Array.of(1, 65535, 3),
    signs: Int8Array.of(-128, 127, 3),
    items: [item(0), item(1), item(2)],
    halves: [1, 10, 65504],
  },
  uniforms: { seed: 2n ** 63n + 7n, shift: [-5, 7], rate: 2.5, first: item(5) },
})

const plain = (value: object): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, x: unknown) =>
      typeof x === 'bigint' ? `${x}n` : ArrayBuffer.isView(x) ? [...(x as unknown as Iterable<unknown>)] : x,
    ),
  )

const program = compile(source, { emulateHalf: true })
const printed: Record<'gpu' | 'cpu', string[]> = { gpu: [], cpu: [] }
const g = await attach(program, await openDevice(), { print: text => printed.gpu.push(text) })
const kernel = g.kernel('mix')
const onGpu = given()
const gpu = await kernel.dispatch([3, 1, 1], onGpu as never)
const cpu = await load(program, { print: text => printed.cpu.push(text) })
const onCpu = given()
cpu.kernel('mix').dispatch([3, 1, 1], onCpu)
const refusal = async (change: Record<string, unknown>): Promise<string> => {
  const { buffers, uniforms } = given()
  try {
    await kernel.dispatch([1, 1, 1], { buffers, uniforms: { ...uniforms, ...change } } as never)
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}
console.log(
  JSON.stringify({
    gpu: plain({ ...onGpu.buffers, ...gpu }),
    cpu: plain(onCpu.buffers),
    printed,
    refused: [
      await refusal({ seed: 2n ** 64n }),
      await refusal({ seed: 0.5 }),
      await refusal({ shift: [0, 65536] }),
      await refusal({ rate: 'x' }),
    ],
    features: program.wgsl().reflection.features,
  }),
)
process.exit(0)
