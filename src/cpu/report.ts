/** What `checkDerivatives` found, in sentences: for the command line, and for editors. */
import type { Disagreement } from './check.ts'

/** Along what the derivatives of a function disagree, and their numbers. */
export function alongText(d: Disagreement): string {
  const along = d.parameter === '' ? '(all together)' : d.parameter
  return `along parameter ${along}: reverse ${d.reverse ?? 'none'}, forward ${d.forward}, finite differences ${d.differences}`
}

/** Which derivative is wrong, and by how much. */
export function blameText({ name, derivative, mode, given, slope }: NonNullable<Disagreement['blame']>): string {
  const what =
    derivative === '' ? `the ${mode} derivative of ${name}` : `${derivative}, the ${mode} derivative of ${name},`
  return `${what} is wrong${Number.isNaN(given) ? '' : `: it gives ${given}, finite differences ${slope}`}`
}
