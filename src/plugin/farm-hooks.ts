/** How Farm loads shaders. unplugin would hand it messages that are no texts, which end its process, and no source maps. */
import type { Reporter } from './messages.ts'
import { mistakeIn, requestOf, type Request } from './request.ts'
import type { Loaded } from './shaders.ts'

/** What Farm gives to a hook that loads; `query` holds the names in a query, each with its value. */
interface FarmRequest {
  readonly moduleId: string
  readonly resolvedPath: string
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** What a hook can tell Farm. */
interface FarmContext {
  warn(message: string): void
  error(message: string): void
  addWatchFile(current: string, target: string): void
}

/** A module for Farm. */
interface FarmModule {
  readonly content: string
  readonly moduleType: 'js'
  readonly sourceMap?: string
}

/** Farm's own hooks. */
export interface FarmHooks {
  readonly configResolved: (config: { readonly root?: string }) => void
  readonly load: {
    readonly filters: { readonly resolvedPaths: readonly string[] }
    readonly executor: (request: FarmRequest, context: FarmContext) => Promise<FarmModule | null>
  }
}

/** Hooks that load with `load`, and tell `surroundings` what Farm's configuration says. */
export function forFarm(
  surroundings: { root: string },
  load: (reporter: Reporter, request: Request) => Loaded,
): FarmHooks {
  return {
    configResolved({ root }) {
      if (root !== undefined) surroundings.root = root
    },
    load: {
      filters: { resolvedPaths: [String.raw`\.slang(\?|$)`] },
      // What a hook throws at once ends Farm's process; what its promise is rejected with is shown.
      executor: (farmRequest, context) => Promise.resolve().then(() => moduleFor(farmRequest, context)),
    },
  }

  function moduleFor({ moduleId, resolvedPath, query }: FarmRequest, context: FarmContext): FarmModule | null {
    const asked = query.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
    const id = asked === '' ? resolvedPath : `${resolvedPath}?${asked}`
    const request = requestOf(id)
    const mistake = mistakeIn(id)
    if (mistake !== undefined) context.error(`${id}: ${mistake}`)
    if (request === undefined) return null
    const { code, map } = load(
      {
        error: ({ message }) => context.error(message),
        warn: ({ message }) => context.warn(message),
        addWatchFile: file => context.addWatchFile(moduleId, file),
      },
      request,
    )
    return { content: code, moduleType: 'js', ...(map === undefined ? {} : { sourceMap: JSON.stringify(map) }) }
  }
}
