/** Bundlers that watch look at what a shader imports, too. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bundlers, mainOf, project, read, watch, type Outcome, type Watching } from './projects.ts'

const watching = bundlers.filter(b => !['rsbuild', 'bun', 'farm'].includes(b.driver))

/** The next outcome of which something holds: an edit may be seen in two steps, and a bundler may build once more. */
async function until(built: Watching, holds: (outcome: Outcome) => boolean): Promise<Outcome> {
  for (;;) {
    const outcome = await built.next()
    if (holds(outcome)) return outcome
  }
}

/**
 * The bundler's watcher loses a change of a file now and then on a busy machine: Vite's lost 7 of 240. Such a test fails where it fails twice.
 */
const slips = { retry: 1 }

it.each(watching)('$name builds again when a file that a shader imports changes, breaks, or comes', slips, async by => {
  const folder = project(by.driver)
  const built = watch(folder, by, { entry: 'plain.js' })
  const first = await built.next()
  expect(first.errors).toEqual([])
  const wave = join(folder, 'lib/wave.slang')
  const text = read(wave)
  // Some file systems tell times apart by the second, and watchers wait for a quiet moment.
  const edit = async (file: string, content: string): Promise<void> => {
    await new Promise(resolve => setTimeout(resolve, 1100))
    writeFileSync(file, content)
  }

  await edit(wave, text.replace('sin(wave', 'cos(wave'))
  await until(built, () => read(mainOf(folder)).includes('cos('))

  await edit(wave, text.replace('sin(wave', 'sine(wave'))
  const broken = await until(built, ({ errors }) => errors.length > 0)
  expect(broken.errors.map(e => e.text).join('\n')).toContain('sine')

  // A file that is missing is waited for.
  await edit(wave, `import later;\n${text.replace('sin(wave', 'later(wave')}`)
  await until(built, ({ errors }) => errors.some(e => e.text.includes('later')))
  await edit(join(folder, 'lib/later.slang'), '[Differentiable] public float later(float x) { return tanh(x); }\n')
  await until(built, ({ errors }) => errors.length === 0)
  expect(read(mainOf(folder))).toContain('tanh(')
})
