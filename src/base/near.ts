/** Finds similar names. */
import { note, type Note } from './diag.ts'

/**
 * How many letters must be changed, added, left out or swapped; `limit + 1` where it is more than `limit`. Of the table of distances
 * between beginnings only what lies within `limit` of the diagonal can matter.
 */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = []
    next[0] = i
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min((row[j] ?? limit) + 1, (next[j - 1] ?? limit) + 1, (row[j - 1] ?? limit) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? limit) + 1)
      next[j] = least
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** The name among some that is most like another; null where none is like it. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const limit = name.length <= 2 ? 0 : name.length <= 4 ? 1 : 2
  const lower = name.toLowerCase()
  let best: string | null = null
  let least = limit + 1
  for (const c of candidates) {
    if (c === name || Math.abs(c.length - name.length) > limit || c.startsWith('__')) continue
    // Letters that differ in case only are the likeliest slip of all.
    const d = c.length === name.length && c.toLowerCase() === lower ? 0 : distance(name, c, limit)
    if (d < least) {
      least = d
      best = c
    }
  }
  return best
}

/** A note with the name that was probably meant; if none is similar, it lists all. */
export function suggestAmong(name: string, names: readonly string[]): readonly Note[] {
  const best = nearest(name, names)
  if (best !== null) return [note(undefined, `did you mean ${best}?`)]
  const few = names.slice(0, 8).join(', ')
  return names.length === 0
    ? []
    : [note(undefined, `there ${names.length === 1 ? 'is' : 'are'} ${few}${names.length > 8 ? ', …' : ''}`)]
}
