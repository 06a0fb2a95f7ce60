/** Shaders as modules, in every bundler: `import program from './fit.slang'`. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { PluginBuild } from 'esbuild'
import { createUnplugin, type UnpluginInstance, type UnpluginOptions } from 'unplugin'
import { SourceProblem } from '../files/read.ts'
import { slashed } from '../files/types.ts'
import type { ProjectOptions } from '../project/options.ts'
import {
  esbuildMessage,
  plainMessage,
  rollupMessage,
  textMessage,
  type PlainMessage,
  type Reporter,
  type RollupMessage,
} from './messages.ts'
import type { Diagnostic } from '../base/diag.ts'
import { forFarm } from './farm-hooks.ts'
import { forVite } from './vite-hooks.ts'
import { mistakeIn, requestOf, shaders, type Request } from './request.ts'
import type { PluginOptions } from './types.ts'
import { PluginError, checkedOptions, importShader, type Loaded } from './shaders.ts'

/** Bundlers that take the place of a message, and stop at an error. */
const takesPlaces: ReadonlySet<string> = new Set(['vite', 'rollup', 'rolldown', 'unloader'])
/** Bundlers that find a file although there is a query behind its name. */
const knowsQueries: ReadonlySet<string> = new Set(['vite', 'webpack', 'rspack', 'rsbuild', 'esbuild'])

/** The plugin for each bundler; each entry of the package exports one of them. */
export const plugin: UnpluginInstance<PluginOptions | undefined, false> = createUnplugin(
  (given, { framework }): UnpluginOptions => {
    const own = checkedOptions(given)
    const surroundings = { root: process.cwd(), hot: false, serving: false, awaited: new Set<string>() }
    /** Shaders that were without errors at some time. */
    const loaded = new Set<string>()
    if (framework === 'esbuild')
      return { name: 'cotangent', esbuild: { setup: build => loadInEsbuild(build, own, surroundings) } }

    const load = (reporter: Reporter, request: Request, hot = false): Loaded => {
      const imported = asked(() => importShader(request, own, { root: surroundings.root, hot }))
      if (typeof imported === 'string') {
        reporter.addWatchFile(request.file)
        reporter.error(plainMessage(imported, request.file))
        return nothing
      }
      // Vite's server watches a module by itself; for it, a watched file is an import.
      const shader = resolve(request.file)
      for (const file of imported.files) if (!surroundings.serving || file !== shader) reporter.addWatchFile(file)
      // Rolldown sees files come only in folders that it watches.
      if (reporter.meta?.rolldownVersion !== undefined && !surroundings.serving)
        for (const folder of imported.folders ?? []) if (existsSync(folder)) reporter.addWatchFile(folder)
      // Vite's server knows no module that has never been loaded, so no edit would reach the page.
      if (imported.code === undefined && surroundings.serving && !loaded.has(request.file))
        for (const file of [request.file, ...imported.files]) surroundings.awaited.add(resolve(file))
      const errors = imported.diagnostics.filter(d => d.severity === 'error')
      const warnings = imported.diagnostics.filter(d => d.severity !== 'error')
      // Vite shows the text of a warning alone.
      const warning = (d: Diagnostic): RollupMessage | PlainMessage =>
        takesPlaces.has(framework) && framework !== 'vite'
          ? rollupMessage(d, [], request.file, surroundings.root, 0)
          : textMessage(d, request.file)
      for (const d of warnings) reporter.warn(warning(d))
      if (takesPlaces.has(framework)) {
        const [first, ...others] = errors
        const firstColumn = framework === 'vite' ? 1 : 0
        if (first !== undefined)
          reporter.error(rollupMessage(first, others, request.file, surroundings.root, firstColumn))
      } else {
        for (const d of errors) reporter.error(textMessage(d, request.file))
      }
      if (imported.code === undefined) return nothing
      loaded.add(request.file)
      return { code: imported.code, map: imported.map }
    }

    return {
      name: 'cotangent',
      enforce: 'pre',
      ...(knowsQueries.has(framework)
        ? {}
        : {
            resolveId: {
              filter: { id: shaders },
              handler(id, importer) {
                const request = requestOf(id)
                // Farm's hook that loads says it.
                if (framework !== 'farm') refuse(this, id)
                return request === undefined || request.query === ''
                  ? null
                  : resolved(this as Resolver, request, importer, surroundings.root)
              },
            },
          }),
      load: {
        filter: { id: shaders },
        // Vite says whether a module is for a server, which replaces nothing.
        handler(id, options?: { readonly ssr?: boolean }) {
          const request = requestOf(id)
          if (request === undefined) return refuse(this, id) ? nothing : null
          return load(this, request, surroundings.hot && options?.ssr !== true)
        },
      },
      vite: forVite(surroundings),
      webpack: ({ context }) => {
        surroundings.root = context
      },
      rspack: ({ context }) => {
        surroundings.root = context
      },
      farm: forFarm(surroundings, load),
      bun: { loader: 'js' },
    }
  },
)

/** A module in place of one that has errors. Importers may ask it for any name. */
const nothing: Loaded = { code: 'module.exports = {}\n', map: undefined }

/** Reports an id whose query is nearly one of ours. Says whether it was one. */
function refuse(reporter: Pick<Reporter, 'error'>, id: string): boolean {
  const mistake = mistakeIn(id)
  if (mistake === undefined) return false
  reporter.error(plainMessage(`${id}: ${mistake}`, id))
  return true
}

/** What `work` gives, or what keeps it from giving anything. */
function asked<T>(work: () => T): T | string {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof PluginError || cause instanceof SourceProblem) return cause.message
    throw cause
  }
}

/** A bundler that resolves an id as if it were imported. */
interface Resolver {
  resolve?(id: string, importer: string | undefined, options: object): Promise<{ readonly id: string } | null>
}

/** The id of a shader with a query. The bundler itself finds the file, if it can. */
async function resolved(
  bundler: Resolver,
  { file, query }: Request,
  importer: string | undefined,
  root: string,
): Promise<string | null> {
  const found = await bundler.resolve?.(file, importer, { skipSelf: true })
  if (found !== undefined) return found === null ? null : `${found.id}?${query}`
  if (file.startsWith('.') || isAbsolute(file))
    return `${resolve(importer === undefined ? root : dirname(importer), file)}?${query}`
  try {
    return `${createRequire(importer ?? resolve(root, '_')).resolve(file)}?${query}`
  } catch {
    // The bundler says that there is no such package.
    return null
  }
}

/** esbuild takes messages with notes, and the files to watch, from the function that loads. */
function loadInEsbuild(build: PluginBuild, own: ProjectOptions, { root: cwd }: { readonly root: string }): void {
  const root = build.initialOptions.absWorkingDir ?? cwd
  build.onLoad({ filter: /\.slang$/ }, ({ path, suffix }) => {
    const request = requestOf(`${path}${suffix}`)
    const mistake = mistakeIn(`${path}${suffix}`)
    if (mistake !== undefined) return { errors: [{ text: `${relative(root, path)}${suffix}: ${mistake}` }] }
    if (request === undefined) return undefined
    const imported = asked(() => importShader(request, own, { root, hot: false }))
    if (typeof imported === 'string') return { errors: [{ text: imported }], watchFiles: [path] }
    const { code, map, diagnostics, files } = imported
    const watchFiles = [...files]
    const warnings = diagnostics.filter(d => d.severity !== 'error').map(esbuildMessage)
    if (code === undefined)
      return { errors: diagnostics.filter(d => d.severity === 'error').map(esbuildMessage), warnings, watchFiles }
    // esbuild reads a map out of the text; names in it are relative to the file.
    const sources = map?.sources.map(s => (s === null ? null : slashed(relative(dirname(path), s))))
    const inline = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64')
    const contents = `${code}//# sourceMappingURL=data:application/json;base64,${inline}\n`
    return { contents, loader: 'js', resolveDir: dirname(path), warnings, watchFiles }
  })
}
