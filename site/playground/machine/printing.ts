/** Text of the module `printing`: a program appends words to a buffer, and this reads them. `modules/printing.slang` writes the same. */

/** The most characters of printed text that the page shows at a time. */
const mostShown = 100_000

/** The beginning of a text, as much as the page can show. */
export function shortened(text: string): string {
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}\n(more was printed than is shown)`
}

/** The name of the buffer, whose first word counts the others. */
export const printedWords = 'printedWords'

const kinds = { int: 1, uint: 2, float: 3, text: 4 } as const

/** Slang's hash of a text, which stands for it on every target. */
export function hashOf(text: string): number {
  let sum = 0
  for (const byte of new TextEncoder().encode(text)) sum = (Math.imul(sum, 65599) + ((byte << 24) >> 24)) | 0
  return sum >>> 0
}

/** The text that words say, where the strings of the program are these. */
export function textOfWords(words: Uint32Array, strings: ReadonlyMap<number, string>): string {
  const view = new DataView(words.buffer, words.byteOffset, words.byteLength)
  const used = Math.min(words[0] ?? 0, words.length - 1) + 1
  let text = ''
  let at = 1
  while (at + 2 <= used) {
    const format = strings.get(words[at]!)
    const count = words[at + 1]!
    const end = at + 2 + 2 * count
    // What did not fit was not written.
    if (format === undefined || end > used) break
    const values = Array.from({ length: count }, (_, i) => {
      const [kind, bits] = [words[at + 2 + 2 * i]!, words[at + 3 + 2 * i]!]
      if (kind === kinds.text) return strings.get(bits) ?? '?'
      if (kind === kinds.float) return view.getFloat32((at + 3 + 2 * i) * 4, true)
      return kind === kinds.int ? bits | 0 : bits
    })
    text += formatted(format, values)
    at = end
  }
  return (words[0] ?? 0) > words.length - 1 ? `${text}\n(more was printed than fits)` : text
}

const conversion = /%(?<flags>[-+ 0#]*)(?<width>\d*)(?:\.(?<precision>\d+))?(?:hh?|ll?|[zjt])?(?<kind>[a-zA-Z%])/g

/** A program may ask for any width and precision; no number needs more than these. */
const [widest, mostDigits] = [1000, 100]

/** A text by C's rules of `printf`. What has no value stays as it is written. A width of more than 1000 counts as that, and a precision of more than 100 digits. */
export function formatted(format: string, values: readonly (number | string)[]): string {
  let next = 0
  return format.replace(conversion, (whole: string, ...rest: unknown[]) => {
    const { flags, width, precision, kind } = rest.at(-1) as Record<'flags' | 'width' | 'kind', string> & {
      readonly precision?: string
    }
    if (kind === '%') return '%'
    if (next >= values.length) return whole
    const digits = precision === undefined ? undefined : Math.min(Number(precision), mostDigits)
    const text = converted(kind, values[next++]!, digits, flags)
    if (text === undefined) return whole
    const signed =
      /[dieEfFgG]/.test(kind) && !text.startsWith('-')
        ? flags.includes('+')
          ? `+${text}`
          : flags.includes(' ')
            ? ` ${text}`
            : text
        : text
    const room = Math.min(Number(width), widest)
    if (flags.includes('-')) return signed.padEnd(room)
    const zeros = flags.includes('0') && kind !== 's' && kind !== 'c'
    if (!zeros) return signed.padStart(room)
    const sign = /^[-+ ]/.exec(signed)?.[0] ?? ''
    return sign + signed.slice(sign.length).padStart(room - sign.length, '0')
  })
}

function converted(
  kind: string,
  value: number | string,
  digits: number | undefined,
  flags: string,
): string | undefined {
  const n = Number(value)
  const whole = (text: string): string =>
    text.startsWith('-') ? `-${text.slice(1).padStart(digits ?? 0, '0')}` : text.padStart(digits ?? 0, '0')
  const prefix = (text: string): string => (flags.includes('#') ? text : '')
  switch (kind) {
    case 'd':
    case 'i':
      return whole(String(Math.trunc(n)))
    case 'u':
      return whole(String(Math.trunc(n) >>> 0))
    case 'x':
    case 'X': {
      const text = prefix('0x') + whole((Math.trunc(n) >>> 0).toString(16))
      return kind === 'X' ? text.toUpperCase() : text
    }
    case 'o':
      return prefix('0') + whole((Math.trunc(n) >>> 0).toString(8))
    case 'c':
      return character(Math.trunc(n) >>> 0)
    case 's':
      return digits === undefined ? String(value) : String(value).slice(0, digits)
    case 'f':
    case 'F':
      return Number.isFinite(n) ? n.toFixed(digits ?? 6) : special(n)
    case 'e':
    case 'E': {
      if (!Number.isFinite(n)) return special(n)
      const text = n.toExponential(digits ?? 6).replace(/e([+-])(\d)$/, 'e$10$2')
      return kind === 'E' ? text.toUpperCase() : text
    }
    case 'g':
    case 'G': {
      if (!Number.isFinite(n)) return special(n)
      const text = Number(n.toPrecision(Math.max(1, digits ?? 6)))
        .toString()
        .replace(/e([+-])(\d)$/, 'e$10$2')
      return kind === 'G' ? text.toUpperCase() : text
    }
    default:
      return undefined
  }
}

/** The character of a number, or what Unicode has in place of one that is none. */
function character(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)
}

function special(n: number): string {
  return Number.isNaN(n) ? 'nan' : n < 0 ? '-inf' : 'inf'
}
