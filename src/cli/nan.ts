/** The output of `--trace-nan`. */
import type { NonFinite } from '../index.ts'

/** The first instruction that made a NaN or an infinity, for people. */
export function nonFiniteLines(found: NonFinite): string[] {
  const { value, operation, operands, file, line, column, text } = found
  const where = found.in === 'primal' ? '' : 'in the derivative of this, '
  const place = file === '' ? '' : `${file}:${line}:${column}: `
  const lines = [`${place}${where}${operation} makes ${shown(value)}${text === '' ? '' : `: ${text}`}`]
  const given = operands.map(o => (o.name === '' ? shown(o.value) : `${o.name} = ${shown(o.value)}`))
  if (given.length > 0) lines.push(`  of ${given.join(', ')}`)
  return lines
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : String(value)
  return typeof value === 'object' && value !== null ? 'memory' : String(value)
}
