/** What the drivers share: each runs one bundler in the folder of a project, and says what came of each build in a line of JSON. */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

/** What to build: `{ entry, out, minify, watch, options, … }`. */
export const job = { out: 'out', minify: false, watch: false, ...JSON.parse(process.argv[2] ?? '{}') }
export const root = process.cwd()
export const entry = resolve(root, job.entry ?? 'report.js')
export const out = resolve(root, job.out)

/** The plugin, as the project has it installed, with the options of the job. */
export async function plugin(name) {
  const file = createRequire(join(root, '_')).resolve(`cotangent/${name}`)
  const { default: make } = await import(pathToFileURL(file).href)
  return job.options === undefined ? make() : make(job.options)
}

/** Says what came of a build: errors and warnings, each with its text, and a place where the bundler has one. */
export function say({ errors = [], warnings = [], ...rest }) {
  process.stdout.write(`\n@@${JSON.stringify({ errors, warnings, ...rest })}\n`)
}

/** Builds, and says what came of it. */
export async function once(build) {
  try {
    say(await build())
  } catch (cause) {
    say({ errors: [thrown(cause)] })
  }
}

/** An error of Rollup and those that are like it: what it says, and where. */
export function thrown(cause) {
  const { message, loc, frame, id, pluginCode } = cause
  return { text: message, file: loc?.file, line: loc?.line, column: loc?.column, frame, id, code: pluginCode }
}
