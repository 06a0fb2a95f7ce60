/** `cotangent demo`: runs a bundled example from end to end. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compile } from '../index.ts'
import type { DemoName } from './values.ts'
import type { DemoContext } from './demos/context.ts'
import { makeFolder } from '../files/folder.ts'
import { report } from './report.ts'
import { Failed, OutputError, UsageError, packageRoot } from './usage.ts'
import { tell } from './output.ts'

interface Demo {
  readonly about: string
  /** What `--large` makes of it; undefined where there is no such thing. */
  readonly large?: string
  readonly load: () => Promise<{ readonly run: (cx: DemoContext) => Promise<void> }>
}

const demos: Readonly<Record<DemoName, Demo>> = {
  splat2d: {
    about: 'draw a photograph with 2D Gaussians that gradient descent places',
    large: '256x256 pixels, 2,000 Gaussians',
    load: () => import('./demos/splat2d.ts'),
  },
  brdf: {
    about: 'recover the colour and roughness of a surface from what a camera saw of it',
    load: () => import('./demos/brdf.ts'),
  },
  spring: {
    about: 'find the throw that hits a goal, through 200 steps of a simulation',
    load: () => import('./demos/spring.ts'),
  },
}

/** `cotangent demo`: runs an example of the package. */
export async function demoCommand(name: DemoName | undefined, raw: Record<string, unknown>): Promise<void> {
  const options = raw as {
    readonly gpu?: boolean
    readonly large?: boolean
    readonly steps?: number
    readonly output?: string
  }
  if (name === undefined) {
    for (const [key, demo] of Object.entries(demos)) tell(`${key.padEnd(10)}${demo.about}\n`)
    return
  }
  const demo = demos[name]
  if (options.large === true && demo.large === undefined) {
    const having = Object.entries(demos).flatMap(([key, { large }]) => (large === undefined ? [] : `${key} (${large})`))
    throw new UsageError(`${name} has one size only; --large is for ${having.join(', ')}`)
  }
  const dir = join(packageRoot(), 'examples', name)
  const output = resolve(options.output ?? join('out', name))
  const { run } = await demo.load()
  try {
    makeFolder(output)
    await run({
      dir,
      output,
      steps: options.steps,
      gpu: options.gpu === true,
      large: options.large === true,
      compile: file => {
        const text = (name: string): string => readFileSync(join(dir, name), 'utf8')
        const files = Object.fromEntries(
          readdirSync(dir)
            .filter(name => name.endsWith('.slang'))
            .map(name => [join(dir, name), text(name)]),
        )
        const program = compile(text(file), { fileName: join(dir, file), files })
        if (!program.ok) {
          report(program.diagnostics)
          throw new Failed()
        }
        return program
      },
      say: text => {
        tell(`${text}\n`)
      },
    })
  } catch (cause) {
    const { syscall, path, code } = cause as NodeJS.ErrnoException
    if (syscall !== 'mkdir' && path?.startsWith(output) !== true) throw cause
    throw new OutputError(`${path} cannot be written (${code}); -o names another folder`, path ?? output)
  }
}
