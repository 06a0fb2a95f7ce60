// Options of esbuild that spell the longest and most frequent property names of the compiler's own structures (syntax, terms of
// the checker, instructions) shorter in bundles. None of them may be one that users or platforms see: of options, reflection,
// diagnostics, WebGPU or WebAssembly. tests/bundle.test.ts holds such a bundle against the sources.
const names = [
  'accept', 'accessors', 'activity', 'adjoint', 'adjointStart', 'advance', 'aliases', 'answers', 'asserts', 'attr', 'base',
  'baseType', 'blockMembers', 'breaks', 'candidate', 'candidates', 'carried', 'carriesContext', 'cases', 'circles', 'columnsOf',
  'conditionals', 'constraints', 'continues', 'convergent', 'counters', 'decl', 'decls', 'defers', 'derivativeOfs',
  'differentials', 'distance', 'duals', 'emit1', 'enumTags', 'enumValues', 'equalities', 'expect', 'extensionInfos',
  'extensionParams', 'extensions', 'extensionsByTarget', 'falls', 'fieldDefaults', 'fieldSigs', 'forceUnroll', 'globalInfos',
  'globalInits', 'grads', 'hasDefault', 'homes', 'iface', 'infix', 'inlined', 'insts', 'intrinsic', 'isBase', 'isClass',
  'isLinear', 'isPath', 'isStatic', 'kindAt', 'linearMap', 'linearMaps', 'links', 'loads', 'localInits', 'mirrors', 'modifiers',
  'nameSpan', 'nestedSelf', 'nextValue', 'noDiffThis', 'optionals', 'origins', 'otherwise', 'owner', 'packed', 'paramDefaults',
  'paramLists', 'passing', 'pending', 'pendingGenerics', 'piece', 'placeholders', 'plainOf', 'region', 'regions', 'requests',
  'reruns', 'resultNoDiff', 'resultTangents', 'results', 'sawElse', 'scope', 'selfFixed', 'selfNoDiff', 'separator',
  'serving', 'sig', 'sink', 'spanFrom', 'spanOf', 'splitOfMap', 'stmts', 'structDiffs', 'subst', 'synthesized', 'templates',
  'tokens', 'truncated', 'turned', 'unmet', 'userDecls', 'usings', 'variadic', 'variants', 'varyings', 'windows', 'within',
  'writtenOut',
]

export const shortNames = { mangleProps: new RegExp(`^(?:${names.join('|')})$`) }
