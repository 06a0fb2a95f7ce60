/** Options on top of those of a project file. */
import type { ProjectOptions } from './options.ts'

/** The part of a conformance that says which type conforms to what. */
const pairOf = (conformance: string): string => conformance.replace(/=\d+$/, '').replaceAll(' ', '')

/**
 * Options from two places. Where both say something, `over` wins: a macro by its name, a conformance by its type and interface, any other
 * option as a whole. Folders of `over` are searched before those of `under`.
 */
export function mergeOptions(under: ProjectOptions, over: ProjectOptions): ProjectOptions {
  const given = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)) as ProjectOptions
  const replaced = new Set(over.conformances?.map(pairOf))
  return {
    ...under,
    ...given,
    searchPaths: [...(over.searchPaths ?? []), ...(under.searchPaths ?? [])],
    defines: { ...under.defines, ...over.defines },
    conformances: [...(under.conformances ?? []).filter(c => !replaced.has(pairOf(c))), ...(over.conformances ?? [])],
  }
}
