/** Constants as WGSL text that means exactly the number. */
import type { ScalarName } from '../../ir/type.ts'

const maxF32 = 3.4028234663852886e38
/** From here on a number rounds to infinity in 16 bits. */
const maxF16 = 65520

/** A cache of texts: programs repeat most numbers. */
const texts = new Map<number, string>()
/** How many are kept. */
const textLimit = 1000

/** The shortest decimal text that rounds to the float32; finite numbers only. */
export function float32Text(value: number): string {
  let text = texts.get(value)
  if (text !== undefined) return text
  text = shortest(value)
  if (texts.size >= textLimit) texts.clear()
  texts.set(value, text)
  return text
}

function shortest(value: number): string {
  // Decimals of at most six digits differ as floats, so none that is shorter means the same.
  const short = String(value)
  const plain = /^-?\d{1,3}(\.\d{1,3})?$/.exec(short)
  if (plain !== null) return plain[1] === undefined ? `${short}.0` : short
  const x = Math.fround(value)
  for (let digits = 1; digits <= 9; digits++) {
    const text = x.toPrecision(digits)
    const back = Number(text)
    if (Math.fround(back) === x && Math.abs(back) <= maxF32) return tidy(text)
  }
  return tidy(String(x))
}

/** A decimal point or exponent always, no `+` and no trailing zeros. */
function tidy(text: string): string {
  const [mantissa, exponent] = text.split('e')
  let m = mantissa!
  if (m.includes('.')) m = m.replace(/0+$/, '').replace(/\.$/, '.0')
  if (exponent === undefined) return m.includes('.') ? m : `${m}.0`
  const e = Number(exponent)
  const plain = Number(`${m}e${e}`)
  if (e >= 0 && e < 10) return `${plain}.0`.replace(/(\.\d+)\.0$/, '$1')
  return `${m.replace(/\.0$/, '')}e${e}`
}

/** True where the number is a value that no WGSL constant can have: infinities and NaN. */
export function isInexpressible(scalar: ScalarName, value: number | boolean | bigint): boolean {
  if (typeof value !== 'number') return false
  return scalar === 'f32' ? !Number.isFinite(Math.fround(value)) : scalar === 'f16' && !(Math.abs(value) < maxF16)
}

/** The bits of a float32. */
export function float32Bits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0]!
}

/** True where the text of a constant begins with a minus. */
export function isNegative(scalar: ScalarName, value: number | boolean | bigint): boolean {
  if (scalar === 'bool' || scalar === 'u32') return false
  return scalar === 'i32' ? (Number(value) | 0) < 0 : Number(value) < 0 || Object.is(value, -0)
}

/** A finite constant of the scalar type. */
export function literal(scalar: ScalarName, value: number | boolean | bigint): string {
  switch (scalar) {
    case 'bool':
      return value === true || value === 1 ? 'true' : 'false'
    case 'i32':
      return String(Number(value) | 0)
    case 'u32':
      return `${Number(value) >>> 0}u`
    case 'f16':
      return `${tidy(String(Number(value)))}h`
    default:
      return Object.is(value, -0) ? '-0.0' : float32Text(Number(value))
  }
}
