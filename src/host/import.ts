/**
 * Loads a module by address. A function of its own, since the command line runs as a script from V8's cache, where `import()` is lost: there
 * the build puts the function of the file that starts it in this one's place.
 */
export function importModule(address: string): Promise<unknown> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ address)
}
