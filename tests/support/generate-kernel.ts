/**
 * Random kernels whose threads go different ways: nested loops that some threads leave, go on with or return from, choices, switches,
 * variables and arrays with indices that differ, rows of neighbours in buffers, calls, memory of the workgroup and barriers. Each thread
 * has numbers of its own, and writes only what no other thread reads before the next barrier.
 */
import { random } from './generate-ir.ts'

/** Floats that each thread reads, and that it writes. */
export const threadReads = 8
export const threadWrites = 24
/** Floats of the row that each thread has in `rows`. */
export const threadRow = 8

/** How many workgroups run of so many threads. */
export const groupsOf = (threads: number): number => Math.max(2, Math.ceil(40 / threads))

/** The text of a kernel named `computeMain`. */
export function generateKernel(seed: number, threads: readonly [number, number, number], size: number): string {
  return new Generator(random(seed * 104729 + 71), threads, size).kernel()
}

/** What may stand where a statement does. */
interface Around {
  readonly loops: number
  readonly canBreak: boolean
  readonly canContinue: boolean
  readonly returns: 'no' | 'nothing' | 'float'
  readonly depth: number
}

class Generator {
  readonly #rand: (n: number) => number
  readonly #threads: readonly [number, number, number]
  #left: number
  #names = 0
  readonly #helpers: string[] = []
  readonly #counters: string[] = []
  #inHelper = false

  constructor(rand: (n: number) => number, threads: readonly [number, number, number], size: number) {
    this.#rand = rand
    this.#threads = threads
    this.#left = size
  }

  kernel(): string {
    const count = this.#threads.reduce((a, b) => a * b, 1)
    const [nx, ny] = this.#threads
    const meets = this.#rand(3) === 0
    for (let k = this.#rand(3); k > 0; k--) this.#helper()
    const top: Around = { loops: 0, canBreak: false, canContinue: false, returns: meets ? 'no' : 'nothing', depth: 0 }
    const parts = [this.#block(top, '    ')]
    if (meets) {
      const other = 1 + this.#rand(5)
      parts.push(`    common[local] = f1 + float(n1);
    GroupMemoryBarrierWithGroupSync();
    f0 += common[(local + ${other}) % ${count}];
    n0 ^= int(local);
    GroupMemoryBarrierWithGroupSync();`)
      parts.push(this.#block(top, '    '))
    }
    const early = !meets && this.#rand(3) === 0 ? `    if (own % 7 == ${this.#rand(7)}) return;\n` : ''
    return `StructuredBuffer<float> inp;
StructuredBuffer<float> all;
RWStructuredBuffer<float> outp;
RWStructuredBuffer<float> rows;
RWStructuredBuffer<float4> quads;
RWStructuredBuffer<int> sums;
groupshared float common[${count}];
struct Item { float x; int n; float2 p[2]; }
static int kept = 2;
static float keptToo[2] = { float(kept), 0.5 };
${this.#helpers.join('')}
[shader("compute")]
[numthreads(${this.#threads.join(', ')})]
void computeMain(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint local : SV_GroupIndex)
{
    uint own = group.x * ${count} + local;
    uint row = ${this.#one(['own', '(own ^ 1u)', '(own ^ 3u)', `(${count * groupsOf(count) - 1}u - own)`])} * ${threadRow}u;
    float f0 = inp[own * ${threadReads}], f1 = inp[own * ${threadReads} + 1], f2 = all[3], f3 = 0.5;
    int n0 = int(inp[own * ${threadReads} + 2] * 4.0), n1 = int(own), n2 = int(id.x + ${nx} * id.y + ${nx * ny} * id.z), n3 = 3;
    float3 v = float3(f0, f1, 1.0);
    float a[4] = { 0.0, 1.0, f0, 3.0 };
    int b[3] = { 1, n0, 2 };
    Item item = { 1.0, n1, { float2(0.25, f1), float2(1.0, 2.0) } };
${early}    ${this.#row()}
    ${this.#row()}
${parts.join('\n')}
    ${this.#row()}
    ${this.#row()}
    f3 += keptToo[n1 & 1] + float(kept & 63);
    uint at = own * ${threadWrites};
    outp[at] = f0; outp[at + 1] = f1; outp[at + 2] = f2; outp[at + 3] = f3;
    outp[at + 4] = float(n0 & 0xffff); outp[at + 5] = float(n1 & 0xffff); outp[at + 6] = float(n2 & 0xffff); outp[at + 7] = float(n3 & 0xffff);
    for (int k = 0; k < 4; k++) outp[at + 8 + k] = a[k];
    for (int k = 0; k < 3; k++) outp[at + 12 + k] = float(b[k] & 0xffff);
    outp[at + 15] = v.x; outp[at + 16] = v.y; outp[at + 17] = v.z;
    outp[at + 18] = item.x; outp[at + 19] = float(item.n & 0xffff);
    outp[at + 20] = item.p[0].x; outp[at + 21] = item.p[1].y;
}
`
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#rand(list.length)]!
  }

  #name(): string {
    return `k${this.#names++}`
  }

  // ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────

  #float(depth: number): string {
    const f = (): string => this.#float(depth - 1)
    const n = (): string => this.#int(depth - 1)
    if (depth <= 0) {
      const plain = ['f0', 'f1', 'f2', 'f3', `${(this.#rand(41) - 20) / 8}`.replace(/^(-?\d+)$/, '$1.0')]
      return this.#inHelper ? this.#one(plain) : this.#one([...plain, `v.${this.#one(['x', 'y', 'z'])}`, 'item.x'])
    }
    const choices = [
      () => `(${f()} + ${f()})`,
      () => `(${f()} - ${f()})`,
      () => `(${f()} * ${f()})`,
      () => `(${f()} / (abs(${f()}) + 0.5))`,
      () => `${this.#one(['sin', 'cos', 'tanh', 'abs', 'floor', 'frac'])}(${f()})`,
      () => `exp(min(${f()}, 3.0))`,
      () => `log(abs(${f()}) + 0.25)`,
      () => `sqrt(abs(${f()}))`,
      () => `pow(abs(${f()}) + 0.1, 1.5)`,
      () => `${this.#one(['min', 'max'])}(${f()}, ${f()})`,
      () => `(${this.#cond(depth - 1)} ? ${f()} : ${f()})`,
      () => `float(${n()} & 255)`,
      () => `all[${n()}]`,
      () => `fmod(${f()}, 2.5)`,
      () => `clamp(${f()}, -8.0, 8.0)`,
    ]
    if (!this.#inHelper) {
      choices.push(
        () => `a[n1 + ${n()}]`,
        () => `a[${n()} & 3]`,
        () => `inp[own * ${threadReads} + uint(${n()} & 7)]`,
        () => `item.p[${n()} & 1].${this.#one(['x', 'y'])}`,
        () => `dot(v, float3(${f()}, 1.0, ${f()}))`,
      )
      for (const [k] of this.#helpers.entries()) choices.push(() => `h${k}(${f()}, ${this.#one(['n0', 'n1', 'n2'])})`)
    }
    return this.#one(choices)()
  }

  #int(depth: number): string {
    const n = (): string => this.#int(depth - 1)
    if (depth <= 0)
      return this.#one([
        'n0',
        'n1',
        'n2',
        'n3',
        `${this.#rand(9) - 2}`,
        ...(this.#inHelper ? [] : ['int(local)', 'int(id.x)', ...this.#counters]),
      ])
    const choices = [
      () => `(${n()} + ${n()})`,
      () => `(${n()} - ${n()})`,
      () => `(${n()} * ${n()})`,
      () => `(${n()} & ${n()})`,
      () => `(${n()} | ${n()})`,
      () => `(${n()} ^ ${n()})`,
      () => `(${n()} << (${n()} & 7))`,
      () => `(${n()} >> (${n()} & 7))`,
      () => `(${n()} / ${this.#one([n(), '4', '8', '3', '-2'])})`,
      () => `(${n()} % ${this.#one([n(), '4', '8', '5'])})`,
      () => `${this.#one(['min', 'max'])}(${n()}, ${n()})`,
      () => `abs(${n()})`,
      () => `(${this.#cond(depth - 1)} ? ${n()} : ${n()})`,
      () => `int(clamp(${this.#float(depth - 1)}, -99.0, 99.0))`,
      () => `int(${this.#cond(depth - 1)})`,
      () => `(0 - ${n()})`,
      () => `(~${n()})`,
      () => `int(uint(${n()}) / 4u)`,
      () => `int(uint(${n()}) % 8u)`,
      () => `countbits(${n()})`,
    ]
    if (!this.#inHelper)
      choices.push(
        () => `b[n0 ^ ${n()}]`,
        () => '(kept & 255)',
        () => `int(own / 4u)`,
        () => `int(id.x % 8u)`,
        () => 'item.n',
      )
    return this.#one(choices)()
  }

  #cond(depth: number): string {
    const compare = (): string =>
      this.#rand(2) === 0
        ? `${this.#float(depth - 1)} ${this.#one(['<', '>', '<=', '>='])} ${this.#float(depth - 1)}`
        : `${this.#int(depth - 1)} ${this.#one(['<', '>', '==', '!=', '<='])} ${this.#int(depth - 1)}`
    switch (this.#rand(5)) {
      case 0:
        return `(${compare()} && ${compare()})`
      case 1:
        return `(${compare()} || ${compare()})`
      case 2:
        return `(!(${compare()}))`
      default:
        return `(${compare()})`
    }
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────

  #block(around: Around, indent: string): string {
    const lines: string[] = []
    for (let k = 1 + this.#rand(4); k > 0 && this.#left > 0; k--) lines.push(this.#statement(around, indent))
    return lines.join('\n')
  }

  #statement(around: Around, indent: string): string {
    this.#left--
    const inner = { ...around, depth: around.depth + 1 }
    const more = `${indent}    `
    const nested = around.depth < 4 && this.#left > 0
    const body = (at: Around): string => `${indent}{\n${this.#block(at, more)}\n${indent}}`
    switch (this.#rand(nested ? 16 : 8)) {
      case 0:
      case 1:
        return `${indent}${this.#one(['f0', 'f1', 'f2', 'f3'])} ${this.#one(['=', '+=', '-=', '='])} ${this.#float(2)};`
      case 2:
      case 3:
        return `${indent}${this.#one(['n0', 'n1', 'n2', 'n3'])} ${this.#one(['=', '+=', '^=', '='])} ${this.#int(2)};`
      case 4:
      case 5:
        return `${indent}${this.#place()}`
      case 6:
        return this.#exit(around, indent)
      case 7:
        return this.#inHelper
          ? `${indent}${this.#one([`f3 = ${this.#float(1)};`, `kept += ${this.#int(1)};`])}`
          : `${indent}InterlockedAdd(sums[${this.#one(['0', '1', `${this.#int(1)} & 3`])}], ${this.#int(1)});`
      case 8:
      case 9:
        return `${indent}if ${this.#cond(2)}\n${body(inner)}${this.#rand(2) === 0 ? `\n${indent}else\n${body(inner)}` : ''}`
      case 10:
      case 11:
      case 12:
        return this.#loop(inner, indent, body)
      case 13: {
        const cases = [0, 1, 2].map(
          k =>
            `${indent}case ${k}:${this.#rand(5) === 0 ? ` case ${k + 5}:` : ''}\n${this.#block({ ...inner, canBreak: true }, more)}\n${more}break;`,
        )
        const last = `${indent}default:\n${this.#block({ ...inner, canBreak: true }, more)}\n${more}break;`
        return `${indent}switch (${this.#int(1)} & 7)\n${indent}{\n${cases.join('\n')}\n${last}\n${indent}}`
      }
      case 14: {
        const name = this.#name()
        const text = `${indent}float ${name}[3];\n${indent}${name}[${this.#int(1)} & 1] = ${this.#float(1)};`
        return `${indent}{\n${text}\n${this.#block(inner, indent)}\n${indent}f1 += ${name}[${this.#rand(3)}] + ${name}[n1 & 1];\n${indent}}`
      }
      default:
        return `${indent}{\n${this.#block(inner, more)}\n${indent}}`
    }
  }

  #place(): string {
    if (this.#inHelper) return `f1 = ${this.#float(2)};`
    if (this.#rand(3) === 0) return this.#row()
    return this.#one([
      () => `a[n2 + ${this.#int(1)}] = ${this.#float(2)};`,
      () => `a[${this.#int(1)} & 3] += ${this.#float(1)};`,
      () => `b[n1 - ${this.#int(1)}] = ${this.#int(1)};`,
      () => `v.${this.#one(['x', 'y', 'z'])} = ${this.#float(1)};`,
      () => `v = v * ${this.#float(1)} + float3(0.5, f0, f1);`,
      () => `item.p[${this.#int(1)} & 1].${this.#one(['x', 'y'])} = ${this.#float(1)};`,
      () => `item.n = ${this.#int(1)};`,
      () => `kept ^= ${this.#int(1)};`,
      () => `keptToo[${this.#int(1)} & 1] += ${this.#float(1)};`,
      () => `outp[own * ${threadWrites} + 22 + uint(${this.#int(1)} & 1)] = ${this.#float(1)};`,
    ])()
  }

  /** Reads or writes some of four neighbours in the row of the thread, or reads others; some lie out of bounds. */
  #row(): string {
    const f = (): string => this.#float(1)
    const left = [0, 1, 2, 3]
    const places = Array.from({ length: 1 + this.#rand(4) }, () => left.splice(this.#rand(left.length), 1)[0]!)
    const own = this.#one(['row', `row + ${1 + this.#rand(4)}u`, `row + uint(${this.#int(1)} & 3)`])
    const sum = (of: string): string => places.map(k => `${of}[r + ${k}u]`).join(this.#one([' + ', ' * ', ' - ']))
    const anywhere = this.#one([
      `own * ${threadReads}u`,
      'own',
      '(own ^ 5u) * 4u',
      '(40u - own) * 3u',
      `uint(${this.#int(1)})`,
      'own * 0x40000001u',
    ])
    const far = this.#one(['0u', '1u', '0xfffffffdu', '0x7ffffffeu', `${this.#rand(400)}u`])
    const writes = (by: string): string => places.map(k => `rows[r + ${k}u] ${by} ${f()};`).join(' ')
    const text = this.#one([
      () => `{ uint r = ${own}; ${writes('=')} }`,
      () => `{ uint r = ${own}; ${writes(this.#one(['+=', '-=']))} }`,
      () => `{ uint r = ${own}; f1 = ${sum('rows')}; ${writes('=')} f2 = ${sum('rows')}; }`,
      () =>
        `{ uint r = ${own}; rows[r] = ${f()}; f0 = rows[r + uint(${this.#int(1)} & 1)]; rows[r + 1u] = f0; rows[r] += f1; }`,
      () =>
        `{ uint r = ${own}; f1 = rows[r + ${places[0]!}u]; rows[row + uint(${this.#int(1)} & 7)] = ${f()}; f2 = ${sum('rows')}; }`,
      // Before the first element, where indices wrap around.
      () => `if (row == 0u) { uint r = row - 2u; ${writes('=')} }`,
      () => `{ uint r = ${anywhere} + ${far}; f3 = ${sum('inp')}; }`,
      () => `quads[own * ${this.#one(['1u', '0x40000001u'])}] = float4(${f()}, f0, ${f()}, f1);`,
      () =>
        `{ quads[own].${this.#one(['x', 'yz', 'xzw'])} += ${f()}; f2 = dot(quads[own], float4(1.0, f0, -1.0, 0.5)); }`,
      () => `f${this.#rand(4)} = quads[own].${this.#one(['x', 'w'])} - quads[own].y * ${f()};`,
    ])()
    if (this.#rand(3) > 0) return text
    // With signed indices.
    return text.replace(/uint r = ([^;]*);/, 'int r = int($1);').replaceAll(/\[r \+ (\d)u\]/g, '[r + $1]')
  }

  #exit(around: Around, indent: string): string {
    const ways = [
      ...(around.canBreak ? ['break;'] : []),
      ...(around.canContinue ? ['continue;'] : []),
      ...(around.returns === 'nothing' && around.depth > 0 ? ['return;'] : []),
      ...(around.returns === 'float' && around.depth > 0 ? [`return ${this.#float(1)};`] : []),
    ]
    if (ways.length === 0) return `${indent}f2 = ${this.#float(2)};`
    return `${indent}if ${this.#cond(1)} ${this.#one(ways)}`
  }

  #loop(inner: Around, indent: string, body: (at: Around) => string): string {
    const at = { ...inner, loops: inner.loops + 1, canBreak: true, canContinue: true }
    const i = this.#name()
    const most = inner.loops > 1 ? 2 : 5
    const bound = this.#one([`${1 + this.#rand(most)}`, `(n0 & ${most - 1})`, `((${this.#int(1)}) & ${most - 1})`])
    switch (this.#rand(4)) {
      case 0: {
        this.#counters.push(i)
        const text = `${indent}for (int ${i} = ${bound}; ${i} > 0; ${i}--)\n${body(at)}`
        this.#counters.pop()
        return text
      }
      case 1:
        return `${indent}int ${i} = 0;\n${indent}while (${i}++ < ${most} && ${this.#cond(1)})\n${body(at)}`
      case 2:
        return `${indent}int ${i} = 0;\n${indent}do\n${body(at)}\n${indent}while (++${i} < ${bound});`
      default: {
        this.#counters.push(i)
        const text = `${indent}for (int ${i} = 0; ${i} < ${bound}; ${i}++)\n${body(at)}`
        this.#counters.pop()
        return text
      }
    }
  }

  #helper(): void {
    const left = this.#left
    this.#left = 6
    this.#inHelper = true
    const around: Around = { loops: 1, canBreak: false, canContinue: false, returns: 'float', depth: 1 }
    const body = this.#block(around, '    ')
    this.#inHelper = false
    this.#left = left
    this.#helpers.push(`float h${this.#helpers.length}(float f0, int n0)
{
    float f1 = 1.0, f2 = f0, f3 = 2.0;
    int n1 = 2, n2 = n0, n3 = 1;
${body}
    return f1 + f2 * f3 + float((n1 ^ n2 ^ n3) & 255);
}
`)
  }
}
