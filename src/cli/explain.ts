/** `cotangent explain`: the values that the reverse pass of a function keeps, recomputes and stores, as a table or as JSON. */
import { CompileError, safeJson, type Change, type Explanation, type Residual } from '../index.ts'
import { Run, type SharedOptions } from './host.ts'
import { report } from './report.ts'
import { Failed, UsageError } from './usage.ts'
import { tell } from './output.ts'

interface ExplainOptions extends SharedOptions {
  readonly fn?: string
  readonly all?: boolean
  readonly json?: boolean
}

/** Prints the tables; status 1 where the function has no reverse derivative. */
export async function explainCommand(file: string, raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as ExplainOptions
  const program = await new Run().compile(file, options)
  let found: readonly Explanation[]
  try {
    found = program.explain(options.fn)
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    report(error.diagnostics)
    throw new Failed()
  }
  if (options.json === true) {
    tell(`${safeJson({ functions: found })}\n`)
    return
  }
  if (found.length === 0)
    throw new UsageError(`nothing in ${file} takes a reverse derivative (bwd_diff); name a function with --fn`, 1)
  const shown = new Set<Explanation>()
  for (const e of found) print(e, options.all === true, shown)
}

function print(e: Explanation, all: boolean, shown: Set<Explanation>): void {
  if (shown.has(e)) return
  const first = shown.size === 0
  shown.add(e)
  const lines = [`${first ? '' : '\n'}${e.name}${e.file === '' ? '' : `  ${e.file}:${e.line}`}`]
  if (e.custom) lines.push('  its reverse derivative is written by hand: nothing is stored for it')
  else lines.push(...table(e, all))
  tell(`${lines.join('\n')}\n`)
  for (const callee of e.callees) print(callee, all, shown)
}

/** Rows that read alike as one. */
interface Row extends Residual {
  count: number
}

function table(e: Explanation, all: boolean): string[] {
  const rows = new Map<string, Row>()
  let hidden = 0
  for (const r of e.residuals) {
    if (!all && !r.used && r.decision !== 'stored') {
      hidden++
      continue
    }
    const key = `${r.file}:${r.line} ${r.value} ${r.decision} ${r.bytes} ${r.trips}`
    const same = rows.get(key)
    if (same === undefined) rows.set(key, { ...r, count: 1 })
    else
      rows.set(key, {
        ...same,
        count: same.count + 1,
        stored: same.stored + r.stored,
        operations: same.operations + r.operations,
        change: same.change ?? r.change,
      })
  }
  const other = (r: Residual): string => (r.file === e.file ? String(r.line) : `${r.file}:${r.line}`)
  const cells = [...rows.values()].map(r => [
    other(r),
    r.count === 1 ? r.value : `${r.value} (${r.count})`,
    r.decision,
    r.trips === 1 ? `${r.bytes}` : `${r.bytes} × ${r.trips ?? 'trips'}`,
    r.decision !== 'stored' ? '' : r.trips === null ? `${r.stored} a trip` : String(r.stored),
    r.operations === 0 ? '' : String(r.operations),
    r.reason,
    changeOf(r.change),
  ])
  const head = ['line', 'value', '', 'bytes', 'stored', 'operations', 'why', 'instead']
  const width = head.map((h, k) => Math.max(h.length, ...cells.map(c => c[k]!.length)))
  const right = new Set([0, 3, 4, 5])
  const line = (c: readonly string[]): string =>
    `  ${c.map((text, k) => (right.has(k) ? text.padStart(width[k]!) : text.padEnd(width[k]!))).join('  ')}`.trimEnd()
  const out = cells.length === 0 ? [] : [line(head), ...cells.map(line)]
  const kept = e.residuals.filter(r => r.decision === 'kept').length
  const inCallees = e.memory - e.bytes
  const unbounded = e.residuals.some(r => r.trips === null && r.decision === 'stored')
    ? ' and more with each trip of a loop without a bound'
    : ''
  out.push(
    `  ${bytes(e.bytes)} stored a call${unbounded}${inCallees === 0 ? '' : `, ${bytes(inCallees)} more while callees are done again`}, ` +
      `${e.operations} operations done again, ${kept} ${kept === 1 ? 'value' : 'values'} at hand anyway`,
  )
  if (hidden > 0)
    out.push(
      `  ${hidden} more ${hidden === 1 ? 'value only serves' : 'values only serve'} to compute these (--all shows them)`,
    )
  return out
}

function changeOf(change: Change | undefined): string {
  if (change === undefined) return ''
  const sign = (n: number): string => (n < 0 ? `−${-n}` : `+${n}`)
  return `[${change.attribute}]${change.on === '' ? '' : ` on ${change.on}`}: ${sign(change.bytes)} B, ${sign(change.operations)} operations`
}

function bytes(n: number): string {
  return n === 1 ? '1 byte' : `${n} bytes`
}
