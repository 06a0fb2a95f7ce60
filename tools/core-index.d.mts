/** What stands in the generated files, by name; `samples`: with the arguments at which tests compare functions of the library. */
export function coreSources(samples: boolean): Readonly<Record<string, string>>
