/** Elementary functions in Slang: for targets that have none, and left out of bundles that only make WGSL. */
import { core, elementary } from './core.generated.ts'

/** Adds them to the library; at most once. */
export function addElementary(): void {
  if (!core.files.includes(elementary[0]!)) core.add(elementary)
}
