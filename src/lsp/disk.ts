/** Files as the server on a desktop reads them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sourceAt } from '../files/read.ts'
import { slashed } from '../files/types.ts'
import type { Host } from '../editor/workspace.ts'

/** Sources on the file system. */
export const disk: Host = { read: path => sourceAt(path), list: (folder, endings) => filesBelow(folder, endings) }

/** How many files are listed at most, and in how many folders they are looked for: a workspace may be the root of a disk. */
const most = { files: 2000, folders: 4000 }

/** The files below a folder whose names end in one of these ways, the nearest first, without those of installed packages and of folders that are hidden. */
export function filesBelow(
  folder: string,
  endings: readonly string[],
  { files, folders }: typeof most = most,
): readonly string[] {
  const found: string[] = []
  const queue = [folder]
  // What is added on the way is visited too.
  for (const at of queue) {
    let entries
    try {
      entries = readdirSync(at, { withFileTypes: true })
    } catch {
      // A folder that may not be read has no files for us.
      continue
    }
    for (const entry of entries) {
      const path = join(at, entry.name)
      if (entry.isFile() && endings.some(e => entry.name.endsWith(e))) {
        if (found.push(slashed(path)) >= files) return found
      } else if (
        entry.isDirectory() &&
        queue.length < folders &&
        entry.name !== 'node_modules' &&
        !entry.name.startsWith('.')
      )
        queue.push(path)
    }
  }
  return found
}
