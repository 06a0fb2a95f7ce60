// Options of esbuild that spell the longest and most frequent property names of the compiler's own structures (syntax, terms of
// the checker, instructions) shorter in bundles. None of them may be one that users or platforms see: of options, reflection,
// diagnostics, WebGPU or WebAssembly. tests/bundle.test.ts holds such a bundle against the sources.
const names = [
  'accept', 'accessors', 'adjoint', 'adjointStart', 'advance', 'attr', 'base', 'blockMembers', 'candidate', 'candidates', 'cases',
  'circles', 'columnsOf', 'conditionals', 'constraints', 'convergent', 'decl', 'decls', 'derivativeOfs', 'differentials',
  'distance', 'emit1', 'enumTags', 'enumValues', 'equalities', 'expect', 'extensionInfos', 'extensionParams', 'extensions',
  'extensionsByTarget', 'falls', 'fieldDefaults', 'fieldSigs', 'forceUnroll', 'globalInfos', 'globalInits', 'hasDefault', 'iface',
  'insts', 'intrinsic', 'isBase', 'isStatic', 'kindAt', 'linearMaps', 'localInits', 'mirrors', 'modifiers', 'nestedSelf',
  'nextValue', 'noDiffThis', 'optionals', 'otherwise', 'owner', 'packed', 'paramDefaults', 'paramLists', 'pendingGenerics',
  'placeholders', 'region', 'regions', 'resultNoDiff', 'resultTangents', 'results', 'scope', 'selfNoDiff', 'sig', 'sink',
  'spanFrom', 'spanOf', 'splitOfMap', 'stmts', 'structDiffs', 'subst', 'synthesized', 'templates', 'tokens', 'turned', 'userDecls',
  'usings', 'variadic', 'within', 'writtenOut',
]

export const shortNames = { mangleProps: new RegExp(`^(?:${names.join('|')})$`) }
