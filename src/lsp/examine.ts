/** Does a job of `check.ts`: compiles a program and tests its derivatives. The only file of the server that runs programs. */
import { checkDerivatives, type CheckOutcome } from '../cpu/index.ts'
import { CompileError, compile, type Diagnostic } from '../index.ts'
import { Cancelled } from './errors.ts'
import type { CheckJob, JobResult, PlainOutcome, Said } from './job.ts'

/** What comes of a job. `pause` is awaited between inputs, and may throw to end it. */
export async function examine(job: CheckJob, pause?: () => Promise<void>): Promise<JobResult> {
  const { source, fileName, files, options, functions, samples, seed } = job
  try {
    const program = compile(source, { fileName, files, debug: true, ...options })
    const errors = program.diagnostics.filter(d => d.severity === 'error')
    if (errors.length > 0) return { broken: errors.map(said) }
    const report = await checkDerivatives(program, { functions, samples, seed, pause })
    return { seed: report.seed, ok: report.ok, functions: report.functions.map(plain) }
  } catch (cause) {
    if (cause instanceof Cancelled) throw cause
    if (cause instanceof CompileError) return { broken: cause.diagnostics.map(said) }
    return { failed: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
  }
}

function plain({ disagreement, diagnostics, nonFinite: _, ...outcome }: CheckOutcome): PlainOutcome {
  if (disagreement === null) return { ...outcome, disagreement, diagnostics: diagnostics.map(said) }
  const { blame, inputs, ...numbers } = disagreement
  return {
    ...outcome,
    diagnostics: diagnostics.map(said),
    disagreement: {
      ...numbers,
      inputs: JSON.stringify(inputs, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
      blame:
        blame === null || blame.line === 0
          ? null
          : {
              name: blame.name,
              derivative: blame.derivative,
              file: blame.file,
              line: blame.line,
              column: blame.column,
            },
    },
  }
}

function said({ code, message, span }: Diagnostic): Said {
  return span === undefined ? { code, message } : { code, message, ...span.position }
}
