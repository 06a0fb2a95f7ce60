/**
 * Types of the imports with a query. Name them once in a project: `/// <reference types="cotangent/client" />`, or
 * `"types": ["cotangent/client"]` in `tsconfig.json`.
 */

/** WebAssembly of a shader's functions and kernels: `load<typeof program>(cpu)`. */
declare module '*.slang?cpu' {
  const cpu: import('cotangent').LoadableProgram
  export default cpu
}

/** The source of a shader, and the compiler. */
declare module '*.slang?runtime' {
  const live: {
    /** The name of the shader, relative to the root of the project. */
    readonly fileName: string
    /** The text of the shader. */
    readonly source: string
    /** The texts of the shader and of what it imports, by name. */
    readonly files: Readonly<Record<string, string>>
    /** Compiles the shader, or another text in its place, with the options of the project. */
    readonly compile: (source?: string, options?: import('cotangent').CompileOptions) => import('cotangent').Program
  }
  export default live
}
