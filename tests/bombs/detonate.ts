/** Runs a bomb in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Way } from './all.ts'
import type { Taken } from './child.ts'

/** The most that a bomb may take: milliseconds, megabytes. */
const mostTime = 2000
const mostMemory = 512
/** A bomb that takes more for a target is ended, in seconds of the processor. */
const patience = 8

/** The script that compiles a bomb, as one file, and how to remove it. */
export async function bundled(): Promise<{ readonly script: string; readonly remove: () => void }> {
  const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.bombs-', import.meta.url)))
  const script = `${folder}/child.mjs`
  await build({
    entryPoints: [fileURLToPath(new URL('./child.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
  return {
    script,
    remove: () => {
      rmSync(folder, { recursive: true })
    },
  }
}

/** What a bomb took; `failure` says why its process did not end well. */
export type Outcome = Taken & { readonly failure?: string }

/** What is wrong with how a bomb ended, however long it took; undefined where nothing is. */
export function harm(taken: Outcome): string | undefined {
  return taken.failure ?? (taken.memory > mostMemory ? 'too large' : undefined)
}

/** What is wrong with how a bomb ended, and with the time that it took. */
export function verdict(taken: Outcome): string | undefined {
  return taken.failure ?? (taken.time > mostTime ? 'too slow' : harm(taken))
}

/** How often a bomb is tried that took too long. */
const tries = 5
/** What the yardstick takes on the machine for which the bounds hold, in milliseconds. */
const yardstick = 400

/**
 * What a bomb took, and why it failed if it ended the process. Other work makes a machine slower: where a
 * bomb takes too long, work that is always the same runs beside it and tells by how much, and the best of several tries counts.
 */
export async function detonate(script: string, name: string, way: Way): Promise<Outcome> {
  let best = await once(script, name, way)
  for (let i = 1; i < tries && best.failure === undefined && best.time > mostTime; i++) {
    const next = await once(script, name, way)
    if (next.failure !== undefined) return next
    const beside = await once(script, 'yardstick', way)
    const time = Math.round(next.time / Math.max(1, beside.time / yardstick))
    if (time < best.time) best = { ...next, time }
  }
  return best
}

/** What a bomb does in one try. */
export async function once(script: string, name: string, way: Way): Promise<Outcome> {
  const [first] = await together(script, name, [way])
  return first!
}

/**
 * What a bomb does to several targets in one process, which starts and warms up once. The list ends early where the process did, or where
 * the other targets would refuse the bomb as well.
 */
export async function together(script: string, name: string, targets: readonly Way[]): Promise<readonly Outcome[]> {
  const limited = [
    '-c',
    `ulimit -t ${patience * targets.length}; exec "$@"`,
    'sh',
    process.execPath,
    `--max-old-space-size=${mostMemory}`,
    script,
    name,
    ...targets,
  ]
  const lines = (stdout: string): Taken[] =>
    stdout
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Taken)
  try {
    const { stdout } = await promisify(execFile)('sh', limited, { maxBuffer: 2 ** 26 })
    return lines(stdout)
  } catch (error) {
    const {
      killed,
      signal,
      stderr = '',
      stdout = '',
    } = error as Partial<Record<'stderr' | 'stdout', string>> & { killed?: boolean; signal?: string }
    const memory = /heap out of memory|invalid (array|string) length/i.test(stderr)
    const text = stderr
      .split('\n')
      .filter(line => /Error|error|^\s+at /.test(line))
      .slice(0, 3)
      .join(' ')
    const failure = memory
      ? 'out of memory'
      : killed === true || typeof signal === 'string'
        ? `ended by ${signal}`
        : 'threw'
    return [...lines(stdout), { outcome: text.slice(0, 400), refused: false, time: 0, memory: 0, failure }]
  }
}
