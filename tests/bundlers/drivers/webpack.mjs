/** Builds with webpack, or with Rspack, which has the same interface. */
import { entry, job, out, plugin, root, say } from './driver.mjs'

const { default: webpack } = await import(job.rspack ? '@rspack/core' : 'webpack')
const compiler = webpack({
  context: root,
  entry,
  target: job.page ? 'web' : 'node',
  mode: job.minify ? 'production' : 'development',
  devtool: 'source-map',
  output: { path: out, filename: job.page ? 'main.js' : 'main.cjs' },
  plugins: [await plugin(job.rspack ? 'rspack' : 'webpack')],
  infrastructureLogging: { level: 'none' },
})

function told(error, stats) {
  if (error) return say({ errors: [{ text: error.message }] })
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true })
  const message = ({ message: text, moduleName: file }) => ({ text, file })
  say({ errors: errors.map(message), warnings: warnings.map(message), shown: stats.toString({ colors: false }) })
}

if (job.watch) compiler.watch({}, told)
else
  compiler.run((error, stats) => {
    told(error, stats)
    compiler.close(() => {})
  })
