/** Starts the worker of a machine. */
import { Machine } from './machine.ts'

export function startMachine(): Machine {
  return new Machine(() => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }))
}
