/** Pieces of JavaScript with their precedence, which decides where parentheses are needed. */

/** The text of an expression. Greater binds tighter. */
export interface Text {
  readonly text: string
  readonly level: number
}

const binaryLevel: Readonly<Record<string, number>> = {
  '*': 13,
  '/': 13,
  '%': 13,
  '+': 12,
  '-': 12,
  '<<': 11,
  '>>': 11,
  '>>>': 11,
  '<': 10,
  '<=': 10,
  '>': 10,
  '>=': 10,
  '===': 9,
  '!==': 9,
  '&': 8,
  '^': 7,
  '|': 6,
  '&&': 5,
  '||': 4,
}

const levels = { yield: 1, cond: 2, unary: 15, number: 17, call: 18, name: 20 } as const

/** The least that an argument of a call binds. */
export const argument = 2

/** A piece with parentheses where it binds less than it must. */
export function at({ text, level }: Text, least: number): string {
  return level < least ? `(${text})` : text
}

export const name = (text: string): Text => ({ text, level: levels.name })
/** What stands alone. */
export const statement = (text: string): Text => ({ text, level: 0 })
export const number = (text: string): Text => ({ text, level: levels.number })
export const negative = (text: string): Text => ({ text, level: levels.unary })
export const unary = (op: '-' | '~' | '!', x: Text): Text => ({
  text: `${op}${at(x, levels.unary + (op === '-' ? 1 : 0))}`,
  level: levels.unary,
})

export function binary(op: string, x: Text, y: Text): Text {
  const level = binaryLevel[op]!
  // Mixed bitwise and arithmetic operators read better with brackets than by precedence.
  const loose = level <= 8 && level >= 6 ? 12 : level
  return { text: `${at(x, loose)} ${op} ${at(y, loose === level ? level + 1 : loose + 1)}`, level }
}

export const cond = (c: Text, x: Text, y: Text): Text => ({
  text: `${at(c, levels.cond + 1)} ? ${at(x, levels.cond)} : ${at(y, levels.cond)}`,
  level: levels.cond,
})
const list = (items: readonly Text[]): string => items.map(i => at(i, argument)).join(', ')
export const call = (callee: string, ...args: readonly Text[]): Text => ({
  text: `${callee}(${list(args)})`,
  level: levels.call,
})
/** A call of a generator that the caller waits for. */
export const delegate = (callee: string, ...args: readonly Text[]): Text => ({
  text: `yield* ${callee}(${list(args)})`,
  level: levels.yield,
})
export const method = (of: Text, name: string, ...args: readonly Text[]): Text => ({
  text: `${at(of, levels.call)}.${name}(${list(args)})`,
  level: levels.call,
})
export const index = (of: Text, i: Text): Text => ({ text: `${at(of, levels.call)}[${i.text}]`, level: levels.call })
export const array = (items: readonly Text[]): Text => ({ text: `[${list(items)}]`, level: levels.name })
