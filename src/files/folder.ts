/** Makes folders. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder and those around it, one by one: in some places, /proc for one, Node tries for ever to make several at once. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  const around = dirname(path)
  if (around !== path) makeFolder(around)
  mkdirSync(path)
}
