// Options of esbuild that spell the longest and most frequent property names of the compiler's own structures (syntax, terms of
// the checker, instructions) shorter in bundles. None of them may be one that users or platforms see: of options, reflection,
// diagnostics, WebGPU or WebAssembly. tests/bundle.test.ts holds such a bundle against the sources.
const names = [
  'accept', 'accessors', 'adjoint', 'advance', 'attr', 'base', 'candidate', 'candidates', 'cases', 'columnsOf', 'constraints',
  'decl', 'decls', 'derivativeOfs', 'differentials', 'emit1', 'enumTags', 'enumValues', 'expect', 'extensionInfos',
  'extensionParams', 'extensions', 'extensionsByTarget', 'fieldDefaults', 'fieldSigs', 'forceUnroll', 'globalInfos', 'globalInits',
  'iface', 'insts', 'intrinsic', 'kindAt', 'linearMaps', 'localInits', 'modifiers', 'nextValue', 'noDiffThis', 'otherwise',
  'owner', 'paramDefaults', 'region', 'regions', 'resultNoDiff', 'results', 'scope', 'sig', 'sink', 'spanFrom', 'splitOfMap',
  'stmts', 'structDiffs', 'subst', 'synthesized', 'tokens', 'turned', 'userDecls', 'within',
]

export const shortNames = { mangleProps: new RegExp(`^(?:${names.join('|')})$`) }
