/** `printf` for hosts: formats the output of a program on any target. */

const directive = /%(%|([-+ 0#]*)(\d*)(?:\.(\d+))?(?:hh|h|ll|l)?([diufFeEgGxXocs]))/g

/** A program may ask for any width and precision; no number needs more than these. */
const [widest, mostDigits] = [1000, 100]

/**
 * Fills the arguments into a format of C's `printf`; missing arguments leave the directive as it stands. A width of more than 1000 counts as that,
 * and a precision of more than 100 digits.
 */
export function formatPrint(format: string, args: readonly (number | bigint | boolean)[]): string {
  let next = 0
  return format.replace(
    directive,
    (
      all: string,
      what: string,
      flags: string | undefined,
      width: string | undefined,
      digits: string | undefined,
      kind: string,
    ) => {
      if (what === '%') return '%'
      const arg = args[next++]
      if (arg === undefined) return all
      const text = signed(
        convert(kind, arg, digits === undefined ? undefined : Math.min(Number(digits), mostDigits)),
        flags ?? '',
        kind,
      )
      return pad(text, Math.min(Number(width ?? 0), widest), flags ?? '')
    },
  )
}

function convert(kind: string, arg: number | bigint | boolean, digits: number | undefined): string {
  const number = Number(arg)
  const whole = typeof arg === 'bigint' ? arg : Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n
  switch (kind) {
    case 'd':
    case 'i':
    case 's':
      return String(whole)
    case 'u':
      return String(typeof arg === 'bigint' ? BigInt.asUintN(64, whole) : BigInt.asUintN(32, whole))
    case 'x':
      return BigInt.asUintN(typeof arg === 'bigint' ? 64 : 32, whole).toString(16)
    case 'X':
      return BigInt.asUintN(typeof arg === 'bigint' ? 64 : 32, whole)
        .toString(16)
        .toUpperCase()
    case 'o':
      return BigInt.asUintN(typeof arg === 'bigint' ? 64 : 32, whole).toString(8)
    case 'c':
      return character(Number(BigInt.asUintN(32, whole)))
    default:
  }
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf'
  switch (kind) {
    case 'e':
    case 'E': {
      const text = exponential(number, digits ?? 6)
      return kind === 'E' ? text.toUpperCase() : text
    }
    case 'g':
    case 'G': {
      const text = general(number, digits === 0 ? 1 : (digits ?? 6))
      return kind === 'G' ? text.toUpperCase() : text
    }
    default:
      return number.toFixed(digits ?? 6)
  }
}

/** The character of a number, or what Unicode has in place of one that is none. */
function character(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)
}

/** With an exponent of at least two digits, as C has it. */
function exponential(x: number, digits: number): string {
  return x.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2')
}

function general(x: number, digits: number): string {
  if (x === 0) return '0'
  const exponent = Number(x.toExponential(digits - 1).split('e')[1])
  if (exponent < -4 || exponent >= digits) return exponential(x, digits - 1).replace(/\.?0+e/, 'e')
  const text = x.toFixed(Math.min(digits - 1 - exponent, mostDigits))
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function signed(text: string, flags: string, kind: string): string {
  if (text.startsWith('-') || 'uxXoc'.includes(kind)) return text
  return flags.includes('+') ? `+${text}` : flags.includes(' ') ? ` ${text}` : text
}

function pad(text: string, width: number, flags: string): string {
  if (text.length >= width) return text
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0')) return text.padStart(width)
  const sign = /^[-+ ]/.test(text) ? text[0]! : ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}
