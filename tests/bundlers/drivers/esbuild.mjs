/** Builds with esbuild. */
import { build, context, formatMessages } from 'esbuild'
import { entry, job, once, out, plugin, say } from './driver.mjs'

const options = {
  entryPoints: { main: entry },
  outdir: out,
  bundle: true,
  format: 'esm',
  platform: job.page ? 'browser' : 'node',
  outExtension: { '.js': '.mjs' },
  sourcemap: true,
  minify: job.minify,
  logLevel: 'silent',
  plugins: [await plugin('esbuild')],
}

/** A message with its place, and as esbuild shows it. */
async function messages(list, kind) {
  const shown = await formatMessages(list, { kind })
  return list.map(({ text, location, notes, id }, i) => ({ text, ...location, notes, code: id, shown: shown[i] }))
}
const result = async ({ errors, warnings }) => ({
  errors: await messages(errors, 'error'),
  warnings: await messages(warnings, 'warning'),
})

if (job.watch) {
  const ended = { name: 'ended', setup: ({ onEnd }) => onEnd(async done => say(await result(done))) }
  const running = await context({ ...options, plugins: [...options.plugins, ended] })
  await running.watch()
} else
  await once(async () => {
    try {
      return await result(await build(options))
    } catch (cause) {
      if (cause.errors === undefined) throw cause
      return result(cause)
    }
  })
