/** Builds with Rollup. */
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup, watch } from 'rollup'
import { entry, job, once, out, plugin, say, thrown } from './driver.mjs'

let warnings = []
const input = {
  input: entry,
  plugins: [await plugin('rollup'), nodeResolve()],
  onwarn: warning => warnings.push(thrown(warning)),
}
const output = { dir: out, entryFileNames: 'main.mjs', format: 'es', sourcemap: true, inlineDynamicImports: true }

if (job.watch)
  watch({ ...input, output }).on('event', event => {
    if (event.code === 'ERROR') say({ errors: [thrown(event.error)], warnings })
    if (event.code === 'BUNDLE_END') say({ warnings, files: event.result.watchFiles })
    if (event.code === 'BUNDLE_END' || event.code === 'ERROR') {
      warnings = []
      void event.result?.close()
    }
  })
else
  await once(async () => {
    const bundle = await rollup(input)
    await bundle.write(output)
    return { warnings }
  })
