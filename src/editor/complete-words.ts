/** What completion offers besides names of the program: built-in types and pieces of programs to fill in. */

/** A piece of a program. `body` is a snippet: `${1:text}` is filled in first, and the cursor ends at `$0`. */
export interface Snippet {
  readonly label: string
  readonly detail: string
  readonly body: string
}

const vectors = ['float', 'int', 'uint', 'bool', 'half', 'double'].flatMap(t => [2, 3, 4].map(n => `${t}${n}`))
const matrices = [2, 3, 4].flatMap(r => [2, 3, 4].map(c => `float${r}x${c}`))

/** The names of types that no declaration has, the usual ones first. */
export const builtinTypes: readonly string[] = [
  ...'float int uint bool void half double String int8_t int16_t int64_t uint8_t uint16_t uint64_t'.split(' '),
  ...vectors,
  ...matrices,
  'vector',
  'matrix',
  'Array',
  'Tuple',
]

/** Integer types that an enum may have behind it. */
export const enumTypes: readonly string[] = builtinTypes.filter(name => /^u?int(?:\d+_t)?$/.test(name))

export const statementSnippets: readonly Snippet[] = [
  {
    label: 'for',
    detail: 'a loop that counts',
    body: 'for (int ${1:i} = 0; ${1:i} < ${2:count}; ${1:i}++)\n{\n\t$0\n}',
  },
  { label: 'if', detail: 'a condition', body: 'if (${1:condition})\n{\n\t$0\n}' },
  { label: 'if else', detail: 'a condition with two sides', body: 'if (${1:condition})\n{\n\t$2\n}\nelse\n{\n\t$0\n}' },
  { label: 'while', detail: 'a loop with a condition', body: 'while (${1:condition})\n{\n\t$0\n}' },
  { label: 'do while', detail: 'a loop with a condition at its end', body: 'do\n{\n\t$0\n} while (${1:condition});' },
  {
    label: 'switch',
    detail: 'a choice by value',
    body: 'switch (${1:value})\n{\ncase ${2:0}:\n\t$0\n\tbreak;\ndefault:\n\tbreak;\n}',
  },
  {
    label: 'bwd_diff call',
    detail: 'a gradient',
    body: 'var ${1:p} = diffPair(${2:x});\nbwd_diff(${3:f})(${1:p}, ${4:1.0});\nlet ${5:gradient} = ${1:p}.d;$0',
  },
]

const struct: Snippet = { label: 'struct', detail: 'a type with fields', body: 'struct ${1:Name}\n{\n\t$0\n}' }

export const topSnippets: readonly Snippet[] = [
  struct,
  {
    label: 'struct differentiable',
    detail: 'a type whose values carry derivatives',
    body: 'struct ${1:Name} : IDifferentiable\n{\n\tfloat ${2:x};\n\t$0\n}',
  },
  { label: 'interface', detail: 'what types have to have', body: 'interface ${1:IName}\n{\n\t$0\n}' },
  { label: 'extension', detail: 'further members of a type', body: 'extension ${1:Type}\n{\n\t$0\n}' },
  {
    label: 'differentiable function',
    detail: 'a function with derivatives',
    body: '[Differentiable]\nfloat ${1:name}(float ${2:x})\n{\n\treturn $0;\n}',
  },
  {
    label: 'compute kernel',
    detail: 'a compute entry point',
    body: '[shader("compute")]\n[numthreads(${1:64}, ${2:1}, ${3:1})]\nvoid ${4:main}(uint3 ${5:id} : SV_DispatchThreadID)\n{\n\t$0\n}',
  },
  {
    label: 'vertex shader',
    detail: 'a vertex entry point',
    body: '[shader("vertex")]\nfloat4 ${1:vertexMain}(uint ${2:id} : SV_VertexID) : SV_Position\n{\n\treturn $0;\n}',
  },
  {
    label: 'fragment shader',
    detail: 'a fragment entry point',
    body: '[shader("fragment")]\nfloat4 ${1:fragmentMain}(float4 ${2:position} : SV_Position) : SV_Target\n{\n\treturn $0;\n}',
  },
]

export const memberSnippets: readonly Snippet[] = [
  {
    label: 'differentiable method',
    detail: 'a method with derivatives',
    body: '[Differentiable]\nfloat ${1:name}(float ${2:x})\n{\n\treturn $0;\n}',
  },
  {
    label: 'property',
    detail: 'a member that is read by a function',
    body: 'property ${1:float} ${2:name}\n{\n\tget { return $0; }\n}',
  },
  { label: '__init', detail: 'a constructor', body: '__init($1)\n{\n\t$0\n}' },
  {
    label: '__subscript',
    detail: 'what an index means',
    body: '__subscript(${1:int i}) -> ${2:float}\n{\n\tget { return $0; }\n}',
  },
]

/** The directives of the preprocessor. */
export const directives: readonly string[] = [
  'define',
  'include',
  'if',
  'ifdef',
  'ifndef',
  'elif',
  'else',
  'endif',
  'undef',
  'error',
  'warning',
  'pragma',
  'line',
]
