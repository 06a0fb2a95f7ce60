export type Target = 'wgsl' | 'wasm' | 'js'

/** What lowering must know of the target. */
export interface TargetTraits {
  /** Whose names for functions of the library stand in for their bodies; undefined where bodies are needed too. */
  readonly names: 'wgsl' | 'js' | undefined
  /** Which case of a `__target_switch` is its own. */
  readonly processor: 'gpu' | 'cpu'
  /** Threads run in waves; elsewhere a wave has one lane. */
  readonly waves: boolean
  /** Loads of shared memory tell that all threads get one value. */
  readonly uniformLoads: boolean
  /** Half floats have bits of their own; elsewhere they are packed in pairs. */
  readonly halfBits: boolean
}

/** Of IR that any target can take. */
export const anyTarget: TargetTraits = { names: undefined, processor: 'cpu', waves: false, uniformLoads: false, halfBits: true }

/** Of each target. WebAssembly has names for functions on some types only. */
export const targets: Readonly<Record<Target, TargetTraits>> = {
  wgsl: { names: 'wgsl', processor: 'gpu', waves: true, uniformLoads: true, halfBits: false },
  js: { ...anyTarget, names: 'js' },
  wasm: anyTarget,
}
