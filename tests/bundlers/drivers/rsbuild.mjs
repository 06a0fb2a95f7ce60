/** Builds with Rsbuild. */
import { createRsbuild } from '@rsbuild/core'
import { entry, job, out, plugin, root, say } from './driver.mjs'

const rsbuild = await createRsbuild({
  cwd: root,
  rsbuildConfig: {
    mode: job.minify ? 'production' : 'development',
    source: { entry: { main: entry } },
    plugins: [await plugin('rsbuild')],
    output: {
      target: 'node',
      distPath: { root: out },
      filename: { js: '[name].cjs' },
      module: false,
      sourceMap: { js: 'source-map' },
      minify: job.minify,
    },
  },
})
let stats
rsbuild.onAfterBuild(done => {
  stats = done.stats
})
const message = ({ message: text, moduleName: file }) => ({ text, file })
try {
  const { close } = await rsbuild.build()
  await close()
} catch (cause) {
  if (stats === undefined) say({ errors: [{ text: cause.message }] })
}
if (stats !== undefined) {
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true })
  say({ errors: errors.map(message), warnings: warnings.map(message) })
}
