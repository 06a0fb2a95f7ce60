/** Builds with Rolldown. */
import { rolldown, watch } from 'rolldown'
import { entry, job, once, out, plugin, say, thrown } from './driver.mjs'

let warnings = []
const input = {
  input: entry,
  platform: 'node',
  plugins: [await plugin('rolldown')],
  onLog: (level, log) => {
    if (level === 'warn') warnings.push(thrown(log))
  },
}
const output = {
  dir: out,
  entryFileNames: 'main.mjs',
  format: 'es',
  sourcemap: true,
  minify: job.minify,
  codeSplitting: false,
}
/** What a build throws holds the errors. */
const errorsOf = cause => (cause.errors ?? [cause]).map(thrown)

if (job.watch)
  watch({ ...input, output }).on('event', event => {
    if (event.code === 'ERROR') say({ errors: errorsOf(event.error), warnings })
    if (event.code === 'BUNDLE_END') say({ warnings })
    if (event.code === 'BUNDLE_END' || event.code === 'ERROR') {
      warnings = []
      void event.result?.close()
    }
  })
else
  await once(async () => {
    try {
      const bundle = await rolldown(input)
      await bundle.write(output)
      await bundle.close()
      return { warnings }
    } catch (cause) {
      return { errors: errorsOf(cause), warnings }
    }
  })
