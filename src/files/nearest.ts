/** Finds the project file of a folder. */
import { dirname, join, resolve } from 'node:path'
import { projectFileName } from '../project/name.ts'
import type { Inputs } from './inputs.ts'

/** The nearest project file upwards from a folder. */
export function nearestProject(folder: string, inputs: Inputs): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, projectFileName)
    if (inputs.has(path)) return path
    if (dirname(at) === at) return undefined
  }
}
