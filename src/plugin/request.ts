/** What an import asks for: a shader, and which of its modules. */
import { nearest } from '../base/near.ts'

/** What stands behind the name of a shader: nothing, or what is imported of it. */
export type Query = '' | 'cpu' | 'runtime'

/** An import of a shader. */
export interface Request {
  readonly file: string
  readonly query: Query
}

/**
 * Ids of shaders. Other queries (Vite's `?raw`, `?url`) belong to the bundler, but those with which bundlers mark a version (`?t=1`,
 * `?v=1`) or write an empty value (`?cpu=`) do not matter.
 */
export const requests: RegExp = /^[^?\0]*\.slang(?:\?(?:cpu|runtime|[tv]=[^&]*)=?(?:&[tv]=[^&]*)*)?$/

/** The import that an id stands for; undefined if it is no shader's. */
export function requestOf(id: string): Request | undefined {
  if (!requests.test(id)) return undefined
  const [file = '', query = ''] = id.split('?')
  const asked = query.split('&')[0]!.replace(/=$/, '')
  return { file, query: asked === 'cpu' || asked === 'runtime' ? asked : '' }
}

/** Ids of shaders with any query. */
export const shaders: RegExp = /^[^?\0]*\.slang(?:\?|$)/

/** What is wrong with an id whose query is nearly one of ours; undefined for all others, whose queries belong to the bundler or to another plugin. */
export function mistakeIn(id: string): string | undefined {
  if (!shaders.test(id) || requests.test(id)) return undefined
  const [, query = ''] = id.split('?')
  const [name = ''] = query.split(/[&=]/)
  const near = nearest(name, ['cpu', 'runtime'])
  if (near === null) return undefined
  const meant = name === 'gpu' ? '' : ` (did you mean ?${near}?)`
  return `a shader has no import ?${name}${meant}: there are ?cpu, ?runtime, and for a GPU no query`
}
