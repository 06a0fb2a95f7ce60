/** Exported functions, as types in TypeScript. */
import type { ExportedFunction } from '../program.ts'
import type { DataType } from '../target/data.ts'
import { isFree, key, objectType, type Values } from './value.ts'

/**
 * The declaration of `Functions`: for each exported function its parameters and its result; what it writes to `out` and `inout`
 * parameters; where it has a derivative, the types of gradients by parameter and of the tangent of what it gives; and what `map` gives
 * for all that.
 */
export function functionsType(functions: readonly ExportedFunction[], values: Values): string {
  return `export type Functions = {\n${functions.map(f => functionType(f, values)).join('')}}\n`
}

function functionType(func: ExportedFunction, values: Values): string {
  const inputs = func.params.flatMap((p, i) => (p.dir === 'out' ? [] : [{ ...p, gradient: func.gradients[i]! }]))
  const outputs = func.params.flatMap((p, i) => (p.dir === 'in' ? [] : [{ ...p, gradient: func.gradients[i]! }]))
  const derivative = (type: DataType | null): string => (type === null ? 'null' : values.text(type))
  const labelled = (types: readonly string[]): string =>
    `[${types.map((type, i) => `${label(inputs[i]!.name, i)}: ${type}`).join(', ')}]`
  const columns = (result: DataType | null, outs: readonly (DataType | null)[]): string =>
    outputs.length === 0
      ? values.columns(result)
      : `{ readonly result: ${values.columns(result)}; readonly out: ${objectType(outputs.map((p, i) => `readonly ${key(p.name)}: ${values.columns(outs[i]!)}`))} }`
  const lines = [
    `params: ${labelled(inputs.map(p => values.taken(p.type)))}`,
    `names: [${inputs.map(p => JSON.stringify(p.name).replace(/^"(.*)"$/, "'$1'")).join(', ')}]`,
    `result: ${values.text(func.result)}`,
    ...(outputs.length === 0 ? [] : [`out: ${objectType(outputs.map(p => `${key(p.name)}: ${values.text(p.type)}`))}`]),
    `columns: ${columns(
      func.result,
      outputs.map(p => p.type),
    )}`,
  ]
  if (func.differentiable !== 'none') {
    lines.push(
      `differentiable: '${func.differentiable}'`,
      `gradients: ${labelled(inputs.map(p => derivative(p.gradient)))}`,
      `gradientColumns: ${labelled(inputs.map(p => values.columns(p.gradient)))}`,
      `tangent: ${derivative(func.tangent)}`,
      `tangentColumns: ${columns(
        func.tangent,
        outputs.map(p => p.gradient),
      )}`,
    )
    if (outputs.length > 0)
      lines.push(`outTangent: ${objectType(outputs.map(p => `${key(p.name)}: ${derivative(p.gradient)}`))}`)
  }
  return `${comment(func.doc)}  ${key(func.name)}: {\n${lines.map(line => `    ${line}\n`).join('')}  }\n`
}

/** A label of a tuple: a name, or a number where the name cannot be one. */
function label(name: string, index: number): string {
  return isFree(name) ? name : `_${index}`
}

/** A doc comment before a member. */
function comment(doc: string): string {
  if (doc === '') return ''
  const lines = doc.replaceAll('*/', '*\\/').split('\n')
  return lines.length === 1
    ? `  /** ${lines[0]!} */\n`
    : `  /**\n${lines.map(line => `   *${line === '' ? '' : ` ${line}`}\n`).join('')}   */\n`
}
