/** The grammar, by what it calls parts of programs. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { IGrammar } from 'vscode-textmate'

const root = join(import.meta.dirname, '..')
// Both packages are CommonJS, whose names Node does not find.
const require = createRequire(import.meta.url)
const textmate = require('vscode-textmate') as typeof import('vscode-textmate')
const oniguruma = require('vscode-oniguruma') as typeof import('vscode-oniguruma')

let grammar: IGrammar
beforeAll(async () => {
  await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer)
  const path = join(root, 'syntaxes/slang.tmLanguage.json')
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
      createOnigString: text => new oniguruma.OnigString(text),
    }),
    loadGrammar: () => Promise.resolve(textmate.parseRawGrammar(readFileSync(path, 'utf8'), path)),
  })
  grammar = (await registry.loadGrammar('source.slang.cotangent'))!
})

/** The innermost scope of each token, without white space and without the ending `.slang`. */
function scopes(source: string): [text: string, scope: string][] {
  let stack = textmate.INITIAL
  return source.split('\n').flatMap(line => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack)
    stack = ruleStack
    return tokens.flatMap(({ startIndex, endIndex, scopes }): [string, string][] => {
      const text = line.slice(startIndex, endIndex)
      return text.trim() === '' ? [] : [[text.trim(), scopes.at(-1)!.replace(/\.slang$/, '')]]
    })
  })
}

/** The scope of a part of a source. */
function scopeOf(source: string, part: string): string | undefined {
  return scopes(source).find(([text]) => text === part)?.[1]
}

describe('the grammar knows', () => {
  it.each([
    ['// plain', '// plain'.slice(2).trim(), 'comment.line.double-slash'],
    ['/// of a function', 'of a function', 'comment.line.documentation'],
    ['/* 𝛿 */ float x;', 'float', 'storage.type.numeric'],
    ['float4x4 m;', 'float4x4', 'storage.type.numeric'],
    ['vector<float, 3> v;', 'vector', 'support.type'],
    ['uint16_t2 v;', 'uint16_t2', 'storage.type.numeric'],
    ['x = 1.5e-3f;', '1.5e-3f', 'constant.numeric.float'],
    ['x = .5h;', '.5h', 'constant.numeric.float'],
    ['x = 0xFFu;', '0xFFu', 'constant.numeric.integer.hexadecimal'],
    ["x = 1'000ull;", "1'000ull", 'constant.numeric.integer'],
    ['x = v.x1;', 'x1', 'variable.other.member'],
    ['printf("%d\\n", x);', '%d', 'constant.other.placeholder'],
    ['printf("%d\\n", x);', '\\n', 'constant.character.escape'],
    ['#define TWICE(a) ((a) + (a))', 'TWICE', 'entity.name.function.preprocessor'],
    ['  #if defined(X) && Y', 'defined', 'keyword.operator.preprocessor'],
    ['#include "a.slang"', 'a.slang', 'string.quoted.double'],
    ['import some.module;', 'some.module', 'entity.name.namespace'],
    ['struct Ball : IDifferentiable {', 'Ball', 'entity.name.type.struct'],
    ['struct Ball : IDifferentiable {', 'IDifferentiable', 'support.type.derivative'],
    ['interface IShape {', 'IShape', 'entity.name.type.interface'],
    ['[Differentiable]', 'Differentiable', 'entity.other.attribute-name.derivative'],
    ['[numthreads(8, 8, 1)]', 'numthreads', 'entity.other.attribute-name'],
    ['[shader("compute")] [numthreads(1, 1, 1)] void main()', 'numthreads', 'entity.other.attribute-name'],
    ['float f(no_diff float x)', 'no_diff', 'storage.modifier.derivative'],
    ['void f(inout float x)', 'inout', 'storage.modifier'],
    ['bwd_diff(loss)(p, 1.0);', 'bwd_diff', 'keyword.operator.derivative'],
    ['let y = detach(x);', 'detach', 'support.function.derivative'],
    ['let y = detach(x);', 'y', 'variable.other.readwrite'],
    ['uint3 id : SV_DispatchThreadID', 'SV_DispatchThreadID', 'support.variable.semantic'],
    ['RWStructuredBuffer<float> o;', 'RWStructuredBuffer', 'support.type.resource'],
    ['for (int i = 0; i < 3; i++)', 'for', 'keyword.control'],
    ['return this.a;', 'this', 'variable.language'],
    ['__init(float x) { }', '__init', 'storage.type.function'],
    ['func f<T : IFloat>(T x) -> T', 'f', 'entity.name.function'],
  ])('in %s that %s is %s', (source, part, scope) => {
    expect(scopeOf(source, part)).toBe(scope)
  })

  it('an index from an attribute', () => {
    expect(scopeOf('x = values[Differentiable];', 'Differentiable')).not.toContain('attribute')
    expect(scopeOf('o[id] = 1;', 'id')).not.toContain('attribute')
  })

  it('where comments, strings and directives end', () => {
    expect(scopeOf('/* a\nb */ if (x) {}', 'if')).toBe('keyword.control')
    expect(scopeOf('"open\nif (x) {}', 'if')).toBe('keyword.control')
    expect(scopeOf('#define A 1 \\\n  + 2\nif (x) {}', 'if')).toBe('keyword.control')
    expect(scopeOf('// a\nif (x) {}', 'if')).toBe('keyword.control')
  })

  it('every token of the examples', () => {
    for (const name of ['splat2d/splat2d', 'brdf/brdf', 'spring/spring']) {
      const found = scopes(readFileSync(join(root, `../../examples/${name}.slang`), 'utf8'))
      expect(found.length).toBeGreaterThan(300)
      // What has no scope of its own are names of variables and types.
      const bare = found.filter(([text, scope]) => scope === 'source.slang.cotangent' && !/^[\w\s]+$/.test(text))
      expect(bare).toEqual([])
    }
  })
})
