/** `cotangent check`: tests every differentiable function of a file at random inputs. */
import { checkDerivatives, type CheckOutcome, type Disagreement } from '../cpu/index.ts'
import { alongText, blameText } from '../cpu/report.ts'
import { safeJson } from '../index.ts'
import { Run, type SharedOptions } from './host.ts'
import { report } from './report.ts'
import { Failed, UsageError } from './usage.ts'
import { tell } from './output.ts'
import { nonFiniteLines } from './nan.ts'
import { progress } from './progress.ts'

interface CheckOptions extends SharedOptions {
  readonly fn?: readonly string[]
  readonly samples: number
  readonly seed?: number
  readonly json?: boolean
  readonly traceNan?: boolean
  readonly watch?: boolean
}

/** Prints the outcome for each function; status 1 if a derivative disagrees. */
export async function checkCommand(file: string, raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CheckOptions
  const once = (run: Run): Promise<void> => checkOnce(run, file, options)
  if (options.watch !== true) await once(new Run())
  else await (await import('./watch.ts')).watch([file], once)
}

async function checkOnce(run: Run, file: string, options: CheckOptions): Promise<void> {
  const program = await run.compile(file, { ...options, debug: true })
  const names = program.subjects.filter(f => f.differentiable !== 'none').map(f => f.name)
  for (const fn of options.fn ?? []) {
    if (!names.includes(fn))
      throw new UsageError(
        `${file} has no differentiable function ${fn}${names.length === 0 ? '' : `; it has ${names.join(', ')}`}`,
        1,
      )
  }
  const bar = progress((options.fn ?? names).length)
  const { seed, ok, functions } = await checkDerivatives(program, {
    functions: options.fn,
    samples: options.samples,
    seed: options.seed,
    traceNan: options.traceNan,
    progress: (outcome, done) => bar.update(done, outcome.name),
  })
  bar.stop()
  for (const o of functions) report(o.diagnostics)
  if (options.json === true) {
    tell(`${safeJson({ seed, ok, functions: functions.map(({ diagnostics: _, ...rest }) => rest) })}\n`)
  } else {
    const lost = program.diagnostics.find(d => d.severity === 'warning' && lossy.has(d.code))
    for (const o of functions) tell(text(o, lost?.code))
    const agree = functions.filter(o => o.status === 'ok').length
    const skipped = functions.filter(o => o.status === 'skipped').length
    const said =
      functions.length === 0
        ? 'no differentiable function'
        : `${agree} of ${functions.length - skipped} agree${skipped > 0 ? `, ${skipped} skipped` : ''}`
    tell(`${said} (seed ${seed})\n`)
  }
  // A file in which there is nothing to compare is not wrong.
  if (!ok && functions.some(o => o.status === 'failed')) throw new Failed()
}

/** Warnings of derivatives that the program itself drops. */
const lossy: ReadonlySet<string> = new Set(['W31159', 'W41020', 'W41026', 'W41027'])

function text(o: CheckOutcome, lost: string | undefined): string {
  const counts = [
    `${o.compared + o.held} inputs`,
    ...(o.kinks > 0 ? [`${o.kinks} left out at kinks`] : []),
    ...(o.notFinite > 0 ? [`${o.notFinite} not finite`] : []),
    ...(o.stopped > 0 ? [`${o.stopped} stopped`] : []),
    ...(o.held > 0 ? [`${o.held} of them with what no_diff and the like fix held fixed`] : []),
  ]
  const head = [
    o.status.padEnd(7),
    [o.name, ...(o.status === 'ok' ? [counts.join(', ')] : []), ...(o.detail === '' ? [] : [o.detail])].join(': '),
  ].join(' ')
  const lines = [
    head,
    ...(o.disagreement === null ? [] : disagreement(o.disagreement, lost)),
    ...(o.nonFinite === null ? [] : nonFiniteLines(o.nonFinite).map(l => `        ${l}`)),
  ]
  return `${lines.join('\n')}\n`
}

function disagreement(d: Disagreement, lost: string | undefined): string[] {
  const lines = [alongText(d)]
  if (d.blame !== null) {
    const { derivative, file, line, column } = d.blame
    lines.push(`${file}:${line}:${column}: ${blameText(d.blame)}`)
    if (derivative === '') {
      lines.push(
        lost === undefined
          ? 'no derivative written by hand explains it: please report this program'
          : `the program drops a derivative, as warning ${lost} above says; finite differences see it all the same`,
      )
    }
  }
  lines.push(`inputs ${JSON.stringify(d.inputs, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v))}`)
  return lines.map(l => `        ${l}`)
}
