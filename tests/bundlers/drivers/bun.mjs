/** Builds with Bun, which runs this file. */
import { entry, job, once, out, plugin } from './driver.mjs'

await once(async () => {
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    outdir: out,
    naming: 'main.mjs',
    target: 'node',
    sourcemap: 'linked',
    minify: job.minify,
    plugins: [await plugin('bun')],
    throw: false,
  })
  const texts = level => logs.filter(log => log.level === level).map(log => ({ text: log.message }))
  return { errors: success ? [] : texts('error'), warnings: texts('warning') }
})
