/** Rows of milliseconds with their goals, and what missed its goal. Used by editing.ts and editor-server.ts. */

/** Milliseconds at the 95th percentile. */
export const goals = { diagnostics: 150, request: 50 } as const

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!

export class Report {
  /** What missed its goal. */
  readonly missed: string[] = []

  head(): void {
    console.log('| request | median | 95 % | longest | goal at 95 % |\n|---|--:|--:|--:|--:|')
  }

  row(name: string, times: readonly number[], goal?: number): void {
    const sorted = times.toSorted((a, b) => a - b)
    const [median, most, longest] = [0.5, 0.95, 1].map(part => share(sorted, part).toFixed(1))
    console.log(`| ${name} | ${median} | ${most} | ${longest} | ${goal ?? ''} |`)
    if (goal !== undefined && share(sorted, 0.95) > goal) this.missed.push(`${name}: ${most} ms`)
  }
}
