/** What lowering must know of each target: the only place where it asks for one by name. */
export type Target = 'wgsl' | 'wasm' | 'js'

/** What lowering must know of the target. */
export interface TargetTraits {
  /** The target whose intrinsics replace the bodies of library functions; undefined if bodies are needed too. */
  readonly names: 'wgsl' | 'js' | undefined
  /** Which case of a `__target_switch` is its own. */
  readonly processor: 'gpu' | 'cpu'
  /** Threads run in waves; elsewhere a wave has one lane. */
  readonly waves: boolean
  /** A load of shared memory can tell WGSL that all threads get one value. */
  readonly uniformLoads: boolean
  /** Memory grows while a program runs: what a loop without a bound stores lies in lists. */
  readonly growingMemory: boolean
  /** Textures are part of the language; elsewhere structs of the library emulate them. */
  readonly textures: boolean
  /** Half floats have bits of their own; elsewhere they are packed in pairs. */
  readonly halfBits: boolean
}

/** Of IR that any target can take. */
export const anyTarget: TargetTraits = {
  names: undefined,
  processor: 'cpu',
  waves: false,
  uniformLoads: false,
  growingMemory: true,
  textures: false,
  halfBits: true,
}

/** The traits of each target. WebAssembly has intrinsics for some types only. */
export const targets: Readonly<Record<Target, TargetTraits>> = {
  wgsl: {
    names: 'wgsl',
    processor: 'gpu',
    waves: true,
    uniformLoads: true,
    growingMemory: false,
    textures: true,
    halfBits: false,
  },
  js: { ...anyTarget, names: 'js' },
  wasm: anyTarget,
}
