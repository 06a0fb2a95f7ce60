// Options of esbuild that spell the longest and most frequent property names of the compiler's own structures (syntax, terms of
// the checker, instructions) shorter in bundles. None of them may be one that users or platforms see: of options, reflection,
// diagnostics, WebGPU or WebAssembly. tests/bundle.test.ts holds such a bundle against the sources.
const names = [
  'accept', 'acceptWord', 'accessors', 'activeResults', 'activity', 'adjoint', 'adjointStart', 'advance', 'afterBracket',
  'aliases', 'answers', 'asserts', 'attr', 'base', 'baseType', 'binds', 'blockMembers', 'breaks', 'candidate', 'candidates',
  'carried', 'carriesContext', 'cases', 'changed', 'circles', 'columnsOf', 'condition', 'conditionals', 'constraints',
  'continues', 'convergent', 'counters', 'decl', 'decls', 'defers', 'derivativeOfs', 'differentials', 'distance', 'duals',
  'emit1', 'enumTags', 'enumValues', 'equalities', 'escapes', 'expect', 'extensionInfos', 'extensionParams', 'extensions',
  'extensionsByTarget', 'fallback', 'falls', 'fieldDefaults', 'fieldSigs', 'forceUnroll', 'globalInfos', 'globalInits',
  'globalText', 'grads', 'hasBody', 'hasDefault', 'homes', 'iface', 'inAngles', 'infix', 'inlined', 'insts',
  'intrinsic', 'isAt', 'isBase', 'isClass', 'isDefault', 'isLinear', 'isPath', 'isStatic', 'kindAt', 'linearMap', 'linearMaps',
  'links', 'loads', 'localInits', 'memberAlign', 'mirrors', 'modifiers', 'nameSpan', 'nestedSelf', 'nextValue', 'noDiffThis',
  'optionals', 'origins', 'otherwise', 'owner', 'packed', 'paramDefaults', 'paramLists', 'passing', 'pending',
  'pendingGenerics', 'piece', 'placeholders', 'plainOf', 'pressure', 'recovered', 'region', 'regions', 'requests',
  'requirement', 'reruns', 'resultNoDiff', 'resultTangents', 'results', 'sawElse', 'scope', 'selfFixed', 'selfNoDiff',
  'separator', 'serving', 'sig', 'sink', 'spanFrom', 'spanOf', 'splitOfMap', 'splits', 'stmts', 'structDiffs', 'subst',
  'synthesized', 'templates', 'tokens', 'truncated', 'turned', 'typeText', 'unmet', 'userDecls', 'usings', 'variadic',
  'variants', 'varyings', 'windows', 'within', 'writtenOut',
]

export const shortNames = { mangleProps: new RegExp(`^(?:${names.join('|')})$`) }
