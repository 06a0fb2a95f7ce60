/** Checks that what a client sends has the shape that its request asks for: a mistake of a client gets an answer that names it, not an internal error. */
import { ErrorCodes, ResponseError } from 'vscode-languageserver'

/** Throws a `ResponseError` where a value is not what it must be. `path` is what messages call the value. */
export type Shape = (value: unknown, path: string) => void

function wrong(path: string, expected: string, value: unknown): never {
  const came = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
  throw new ResponseError(ErrorCodes.InvalidParams, `${path} must be ${expected}, but is ${came}`)
}

/** Any value. */
export const anything: Shape = () => {}

/** A string. */
export const text: Shape = (value, path) => {
  if (typeof value !== 'string') wrong(path, 'a string', value)
}

/** A number of the protocol: a whole one, none below 0. */
export const whole: Shape = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    wrong(path, 'a whole number, none below 0', value)
}

/** A whole number. */
export const integer: Shape = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) wrong(path, 'a whole number', value)
}

/** A boolean. */
export const flag: Shape = (value, path) => {
  if (typeof value !== 'boolean') wrong(path, 'true or false', value)
}

/** One of some words. */
export function oneOf(...words: readonly string[]): Shape {
  return (value, path) => {
    if (!words.includes(value as string)) wrong(path, words.map(w => `"${w}"`).join(' or '), value)
  }
}

/** What may be left out. */
export function optional(shape: Shape): Shape {
  return (value, path) => {
    if (value !== undefined && value !== null) shape(value, path)
  }
}

/** A list. */
export function listOf(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) wrong(path, 'a list', value)
    for (const [i, item] of (value as readonly unknown[]).entries()) shape(item, `${path}[${i}]`)
  }
}

/** An object with these fields, and perhaps others. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields)
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(path, 'an object', value)
    for (const [name, shape] of entries) shape((value as Readonly<Record<string, unknown>>)[name], `${path}.${name}`)
  }
}

/** An object from names to values of one shape. */
export function mapOf(shape: Shape): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(path, 'an object', value)
    for (const [name, item] of Object.entries(value)) shape(item, `${path}[${JSON.stringify(name)}]`)
  }
}

/** A place between two characters. */
export const position: Shape = object({ line: whole, character: whole })

/** From one place to another. */
export const range: Shape = object({ start: position, end: position })

const textDocument = object({ uri: text })

/** A request about a document. */
export const inDocument: Shape = object({ textDocument })

/** A request about a place of a document. */
export const atPosition: Shape = object({ textDocument, position })

/** A request about a part of a document. */
export const inRange: Shape = object({ textDocument, range })
