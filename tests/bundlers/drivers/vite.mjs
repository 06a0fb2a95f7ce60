/** Builds with Vite, of the version that the job asks for. */
import { entry, job, once, out, plugin, root, say, thrown } from './driver.mjs'

const { build, createLogger } = await import(job.vite)
let warnings = []
const logger = createLogger('silent')
for (const kind of ['warn', 'warnOnce'])
  logger[kind] = text => {
    warnings.push({ text })
  }

const cotangent = await plugin('vite')
const forWorkers = await plugin('vite')
const bundler = job.vite === 'vite-8' ? 'rolldownOptions' : 'rollupOptions'
const page = entry.endsWith('.html')
const config = {
  root,
  configFile: false,
  customLogger: logger,
  plugins: [cotangent],
  ...job.config,
  ...(job.worker ? { worker: { format: 'es', plugins: () => [forWorkers] } } : {}),
  build: {
    outDir: out,
    minify: job.minify,
    sourcemap: true,
    emptyOutDir: true,
    ...(page ? {} : { ssr: true }),
    ...(job.watch ? { watch: {} } : {}),
    [bundler]: { input: entry, ...(page ? {} : { output: { format: 'es', entryFileNames: 'main.mjs' } }) },
    ...job.build,
  },
  // Everything is in the bundle, also what Node would find by itself.
  ssr: { noExternal: true },
}

const errorsOf = cause => (cause.errors ?? [cause]).map(thrown)
if (job.watch) {
  const watcher = await build(config)
  watcher.on('event', event => {
    if (event.code === 'ERROR') say({ errors: errorsOf(event.error), warnings })
    if (event.code === 'BUNDLE_END') say({ warnings })
    if (event.code === 'BUNDLE_END' || event.code === 'ERROR') {
      warnings = []
      void event.result?.close()
    }
  })
} else
  await once(async () => {
    try {
      await build(config)
      return { warnings }
    } catch (cause) {
      return { errors: errorsOf(cause), warnings }
    }
  })
