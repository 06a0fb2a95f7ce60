/** Helper functions of emitted code. Each is written once, and only if something calls it. */

/** Source of each helper by name; a helper may call others. */
export const helpers: Readonly<Record<string, string>> = {
  fround: 'const fround = Math.fround',
  at: `function at(i, count) {
  return i >= 0 && i < count ? i : Math.max(count - 1, 0)
}`,
  toI32: `function toI32(x) {
  return x >= 2147483647 ? 2147483647 : x <= -2147483648 ? -2147483648 : x | 0
}`,
  toU32: `function toU32(x) {
  return x >= 4294967295 ? 4294967295 : x > 0 ? Math.trunc(x) : 0
}`,
  exp2: `function exp2(x) {
  return 2 ** x
}`,
  toI64: `function toI64(x) {
  return x >= 9223372036854775808 ? 9223372036854775807n : x <= -9223372036854775808 ? -9223372036854775808n : BigInt(Math.trunc(x) || 0)
}`,
  toU64: `function toU64(x) {
  return x >= 18446744073709551616 ? 18446744073709551615n : x > 0 ? BigInt(Math.trunc(x)) : 0n
}`,
  half: `function half(x) {
  const size = Math.abs(x)
  if (!(size < Infinity) || size === 0) return x
  const quantum = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10)
  const floor = Math.floor(size / quantum)
  const rest = size / quantum - floor
  const rounded = (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor) * quantum
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded)
}`,
  halfBits: `function halfBits(x) {
  const rounded = half(x)
  if (Number.isNaN(rounded)) return 0x7e00
  const sign = rounded < 0 || Object.is(rounded, -0) ? 0x8000 : 0
  const size = Math.abs(rounded)
  if (size === Infinity) return sign | 0x7c00
  if (size < 2 ** -14) return sign | size * 2 ** 24
  const exponent = Math.floor(Math.log2(size))
  return sign | (exponent + 15) << 10 | size * 2 ** (10 - exponent) - 1024
}`,
  halfOf: `function halfOf(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = bits >> 10 & 31
  const rest = bits & 1023
  if (exponent === 31) return rest === 0 ? sign * Infinity : NaN
  return sign * (exponent === 0 ? rest * 2 ** -24 : (1024 + rest) * 2 ** (exponent - 25))
}`,
  bits: 'const bits = new DataView(new ArrayBuffer(8))',
  cast: `function cast(set, get, x) {
  bits[set](0, x)
  return bits[get](0)
}`,
  added: `function added(x, y) {
  return x.map((v, i) => v + y[i])
}`,
  replaced: `function replaced(array, at, part) {
  const copy = array.slice()
  copy.set(part, at)
  return copy
}`,
  joined: `function joined(parts) {
  const whole = new parts[0].constructor(parts.length * parts[0].length)
  parts.forEach((part, i) => whole.set(part, i * part.length))
  return whole
}`,
  orZero: `function orZero(x) {
  return x ?? 0
}`,
  orZeroBig: `function orZeroBig(x) {
  return x ?? 0n
}`,
  /** An index of a list, as long as engines have lists so long. */
  room: `function room(at) {
  if (at >= 33554432) throw new RangeError('out of memory: a reverse derivative stores more trips of loops without [Checkpoints] than memory holds')
  return at
}`,
  /** The plain array in a plain array, made where it is missing. */
  inner: `function inner(list, at) {
  return list[room(at)] ??= []
}`,
  copied: `function copied(list) {
  return list.length > 0 && Array.isArray(list.find(x => x !== undefined)) ? list.map(x => x === undefined ? x : copied(x)) : list.slice()
}`,
  taken: `function taken(list, at, whole) {
  for (let i = 0; i < whole.length; i++) whole[i] = list[at + i] ?? whole[i]
  return whole
}`,
  given: `function given(list, at, part) {
  room(at + part.length)
  for (let i = 0; i < part.length; i++) list[at + i] = part[i]
}`,
  addedLists: `function addedLists(x, y) {
  return Array.from({ length: Math.max(x.length, y.length) }, (_, i) => x[i] === undefined ? y[i] : y[i] === undefined ? x[i] : Array.isArray(x[i]) ? addedLists(x[i], y[i]) : x[i] + y[i])
}`,
  replacedList: `function replacedList(list, at, part) {
  const copy = list.slice()
  copy[at] = part
  return copy
}`,
  /** Refuses names that nothing has. */
  known: `function known(given, names, owner) {
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) throw new TypeError(\`\${owner} has no \${name}: expected \${names.join(', ')}\`)
  }
}`,
  /** Refuses values of a block that do not have its fields. */
  whole: `function whole(value, names, block) {
  known(value, names, block)
  for (const name of names) if (value[name] === undefined) throw new TypeError(\`\${block}.\${name} is missing\`)
}`,
  /** What a buffer without elements is read from: zeros, as many as one element has. */
  words: `function words(data, stride, name, view, offset = 0) {
  const isView = ArrayBuffer.isView(data)
  const kind = Object.prototype.toString.call(data).slice(8, -1)
  if (kind !== view && !(view === 'any' && isView) && !['Uint8Array', 'Uint8ClampedArray', 'DataView', 'ArrayBuffer', 'SharedArrayBuffer'].includes(kind)) {
    throw new TypeError(\`buffer \${name}: expected \${/^$|any/.test(view) ? '' : \`a \${view} or \`}bytes, but a \${kind} came\`)
  }
  const { byteLength } = data
  if (offset > 0 && byteLength < offset + stride) throw new RangeError(\`buffer \${name}: expected at least \${offset + stride} bytes, but \${byteLength} came\`)
  if (byteLength < stride) return { buffer: new ArrayBuffer(stride + 7 & -8), byteOffset: 0, byteLength, bytes: stride }
  return { buffer: isView ? data.buffer : data, byteOffset: isView ? data.byteOffset : 0, byteLength, bytes: byteLength }
}`,
  counted: counting(''),
  /** Guards against calls of the module from a call that still runs: its state is in the module's variables. */
  turn: `let running
function turn(name, call) {
  return (...args) => {
    if (running !== undefined) throw new Error(\`\${name} is called while \${running} runs: a module does one thing at a time\`)
    running = name
    try {
      return call(...args)
    } finally {
      running = undefined
    }
  }
}`,
  /** Ends a call that takes more than limits allow. */
  stopped: `function stopped(text) {
  throw Object.assign(new Error(text), { name: 'TrapError' })
}`,
  printf: `function printf(format, ...args) {
  let next = 0
  host.print(format.replace(/%(%|[-+ 0#]*\\d*(?:\\.(\\d+))?[hl]*([diufFeEgGxXcs]))/g, (all, what, digits, kind) => {
    if (what === '%') return '%'
    const x = args[next++]
    // JavaScript takes no more digits than these.
    const most = digits === undefined ? 6 : Math.min(Number(digits), 100)
    if (kind === 'f' || kind === 'F') return Number(x).toFixed(most)
    if (kind === 'e' || kind === 'E') return Number(x).toExponential(most)
    if (kind === 'c') return x >= 0 && x <= 0x10ffff ? String.fromCodePoint(Number(x)) : '\\ufffd'
    const hex = typeof x === 'bigint' ? BigInt.asUintN(64, x).toString(16) : (x >>> 0).toString(16)
    return kind === 'x' ? hex : kind === 'X' ? hex.toUpperCase() : String(x)
  }))
}`,
  host: `/** What the host provides; \`print\` takes the lines of \`printf\`. */
export const host = {
  print(text) {
    console.log(text)
  },
}`,
}

/** How many workgroups a dispatch has; `check` is a statement about `counts`. */
function counting(check: string): string {
  return `function counted(name, groups) {
  const counts = Array.isArray(groups) ? [groups[0], groups[1] ?? 1, groups[2] ?? 1] : []
  if (counts.length === 0 || !counts.every(n => Number.isSafeInteger(n) && n >= 0)) throw new RangeError(\`\${name}: the numbers of groups are \${groups}: whole numbers are needed, none below 0\`)
${check}  return counts
}`
}

/** `counted` where the number of workgroups is bounded. */
export function countedWithin(groups: number): string {
  const all = 'counts[0] * counts[1] * counts[2]'
  return counting(
    `  if (${all} > ${groups}) stopped(\`\${name} is to run \${${all}} workgroups, and limits.groups allows ${groups}\`)\n`,
  )
}

/** `room` where the memory of lists is bounded: of each list, with eight bytes an element. */
export function roomWithin(bytes: number): string {
  return `function room(at) {
  if (at >= ${Math.min(33_554_432, Math.floor(bytes / 8))}) stopped(\`\${loopNow === '' ? '' : loopNow + ': '}out of memory: a reverse derivative stores more than limits.bytes allows (${bytes})\`)
  return at
}`
}

/** What each helper calls. */
export const helperNeeds: Readonly<Record<string, readonly string[]>> = {
  cast: ['bits'],
  inner: ['room'],
  given: ['room'],
  halfBits: ['half'],
  printf: ['host'],
}
