/** Builds with Farm. */
import { Logger, createCompiler, resolveConfig } from '@farmfe/core'
import { entry, job, once, out, plugin, root } from './driver.mjs'

await once(async () => {
  const logged = { errors: [], warnings: [] }
  const logger = new Logger()
  const config = await resolveConfig(
    {
      root,
      compilation: {
        input: { main: entry },
        output: { path: out, entryFilename: 'main.mjs', targetEnv: 'node', format: 'esm' },
        mode: job.minify ? 'production' : 'development',
        minify: job.minify,
        sourcemap: true,
        persistentCache: false,
        lazyCompilation: false,
        partialBundling: { enforceResources: [{ name: 'everything', test: ['.*'] }] },
      },
      plugins: [await plugin('farm')],
      configFile: false,
    },
    job.minify ? 'production' : 'development',
    logger,
    false,
  )
  const compiler = await createCompiler(config, logger)
  try {
    await compiler.compile()
    compiler.writeResourcesToDisk()
  } catch (cause) {
    logged.errors.push({ text: cause.message ?? String(cause) })
  }
  return logged
})
