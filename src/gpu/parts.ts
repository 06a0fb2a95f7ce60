/** Parts of the runtime that only some programs need. `attach` loads those that a program's reflection asks for, so that a page downloads no others. */
import type { Reflection } from '../index.ts'

export interface Parts {
  /** For kernels with textures or samplers. */
  readonly textures: typeof import('./texture.ts') | undefined
  /** For programs that call `printf`. */
  readonly prints: typeof import('./print.ts') | undefined
  /** For programs with tensors, or with gradients beside resources. */
  readonly tensors: typeof import('./tensors.ts') | undefined
}

/** Loads the parts for some modules, such as that of a program and that of a kernel's reverse. */
export async function loadParts(...modules: readonly Reflection[]): Promise<Parts> {
  const has = (is: (module: Reflection) => boolean): boolean => modules.some(is)
  const [ofTextures, ofPrints, ofTensors] = await Promise.all([
    has(m => m.bindings.some(b => b.handle !== null)) ? import('./texture.ts') : undefined,
    has(m => m.prints !== null) ? import('./print.ts') : undefined,
    // Each tensor has a rank; what lies beside a resource for its gradient is `diff`.
    has(m => m.parameters.some(({ path }) => ['rank', 'diff'].includes(String(path.at(-1)))))
      ? import('./tensors.ts')
      : undefined,
  ])
  return { textures: ofTextures, prints: ofPrints, tensors: ofTensors }
}
