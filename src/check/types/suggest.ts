/** Suggests names for misspelt ones. */
import { note, type Note } from '../../base/diag.ts'
import { nearest, suggestAmong } from '../../base/near.ts'
import type { Cx } from '../model/context.ts'
import type { Decl } from '../model/decl.ts'
import { interfacesOf } from './member.ts'
import type { Scope } from '../model/scope.ts'
import type { Type } from '../model/type.ts'

/** What GLSL, WGSL and C++ call things. */
const elsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mix: 'lerp',
    mod: 'fmod',
    inversesqrt: 'rsqrt',
    f32: 'float',
    i32: 'int',
    u32: 'uint',
    auto: 'var',
  }),
)

const scalars = ['float', 'int', 'uint', 'bool', 'void', 'half', 'double', 'return', 'bwd_diff', 'fwd_diff', 'no_diff']

function abroad(name: string): string | null {
  const made =
    elsewhere.get(name) ??
    name
      .replace(/^(i|u|)vec(?=\d)/, (_, kind: string) => elsewhere.get(`${kind || 'f'}32`)!)
      .replace(/^mat(\d)$/, 'float$1x$1')
  return made === name ? null : made
}

function asNote(best: string | null, decl: Decl | undefined): readonly Note[] {
  if (best === null) return []
  const shown =
    decl !== undefined && 'span' in decl && !('module' in decl && decl.module.isCore)
      ? (decl.span ?? undefined)
      : undefined
  return [note(shown, `did you mean ${best}?`)]
}

/** About how many names the library has. */
const libraryNames = 1500

/** A note with the most similar name in a scope, or among others; none if nothing is similar. */
export function suggestName(
  cx: Cx,
  start: Scope | null,
  name: string,
  others: () => Iterable<string> = () => [...scalars, ...cx.library.names()],
): readonly Note[] {
  if (!cx.sink.suggests(libraryNames)) return []
  const known = new Map<string, Decl>()
  const add = (scope: Scope): void => {
    for (const [key, decls] of scope.names) if (!known.has(key) && decls[0] !== undefined) known.set(key, decls[0])
  }
  for (let scope = start; scope !== null; scope = scope.parent) {
    add(scope)
    if (scope.owner?.kind === 'module') for (const i of scope.owner.imports) add(i.module.inner)
  }
  if (!cx.sink.suggests(known.size)) return []
  const own = abroad(name) ?? nearest(name, known.keys())
  if (own !== null) return asNote(own, known.get(own))
  return asNote(nearest(name, others()), undefined)
}

/** The same for a member of a type. */
export function suggestMember(cx: Cx, type: Type, name: string): readonly Note[] {
  if (!cx.sink.suggests(0)) return []
  const known = new Map<string, Decl>()
  const add = (scope: Scope): void => {
    for (const [key, decls] of scope.names) if (!known.has(key) && decls[0] !== undefined) known.set(key, decls[0])
  }
  if (type.kind === 'struct' || type.kind === 'enum') add(type.decl.inner)
  if (type.kind !== 'scalar' && type.kind !== 'vector' && type.kind !== 'matrix')
    for (const i of interfacesOf(cx, type)) add(i.decl.inner)
  if (!cx.sink.suggests(known.size)) return []
  const best = nearest(name, known.keys())
  return best === null
    ? suggestAmong(
        name,
        [...known.keys()].filter(n => /^[a-z]/i.test(n)),
      )
    : asNote(best, known.get(best))
}
