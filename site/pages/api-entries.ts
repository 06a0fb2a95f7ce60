/** The entries of the package, as people import them; each has a page in the reference, which `api.mjs` makes. */
import { exports } from '../../package.json'

export const entries: readonly string[] = Object.keys(exports)
  .filter(path => path !== './package.json')
  .map(path => `cotangent${path.slice(1)}`)
