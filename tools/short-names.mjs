// Options of esbuild that spell the longest and most frequent property names of the compiler's own structures (syntax, terms of
// the checker, instructions) shorter in bundles. None of them may be one that users or platforms see: of options, reflection,
// diagnostics, WebGPU or WebAssembly. tests/bundle.test.ts holds such a bundle against the sources.
const names = [
  'advance', 'attr', 'candidate', 'candidates', 'emit1', 'extensionParams', 'insts', 'intrinsic', 'modifiers', 'nextValue',
  'regions', 'resultNoDiff', 'results', 'sig', 'sink', 'spanFrom', 'subst', 'within',
]

export const shortNames = { mangleProps: new RegExp(`^(?:${names.join('|')})$`) }
