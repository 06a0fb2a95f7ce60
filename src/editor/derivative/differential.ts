/** The derivative of a type as text: the type of its differential, with the fields that carry something. */
import type { CheckedProgram } from '../../check/model/tree.ts'
import { show, type StructType, type Type } from '../../check/model/type.ts'

/**
 * What the differential of a type is, in the words of the language. A struct's is written out: `struct Ray.Differential { float3 origin; }`, and what
 * it leaves out is said in comments. Of a type without one it says so.
 */
export function differentialText(program: CheckedProgram, type: Type): string {
  const name = show(type)
  const differential = program.differentialOf(type)
  if (differential === null) {
    const shadow = program.shadowOf(type)
    return shadow === null
      ? `// ${name} carries no derivative`
      : `// ${name} is differentiated as a pointer, with a shadow\n${typealias(name, show(shadow))}`
  }
  if (differential.kind !== 'struct') return typealias(name, show(differential))
  if (differential.decl.module.isCore && type.kind === 'struct' && type.decl.module.isCore)
    return typealias(name, show(differential))
  const own = type.kind === 'struct' ? program.structDiff(type) : null
  const rest = own === null || type.kind !== 'struct' ? [] : leftOut(program, type, own.fields)
  const fields = program.fields(differential).map(f => `    ${show(f.type)} ${f.name};`)
  const head =
    differential.key === type.key ? `${typealias(name, name)}\nstruct ${name}` : `struct ${name}.Differential`
  return [head, '{', ...fields, ...rest.map(line => `    // ${line}`), '}'].join('\n')
}

function typealias(name: string, differential: string): string {
  return `typealias ${name}.Differential = ${differential};`
}

/** The fields without a counterpart, each with the reason. */
function leftOut(program: CheckedProgram, type: StructType, counterparts: readonly number[]): readonly string[] {
  return program
    .fields(type)
    .filter((_, i) => counterparts[i] === -1)
    .map(f => (f.noDiff ? `without ${f.name}: no_diff` : `without ${f.name}: ${show(f.type)} carries no derivative`))
}
