import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { LimitReached } from '../../src/base/limits.ts'
import { renderDiagnostics } from '../../src/base/render.ts'
import { SourceFile } from '../../src/base/source.ts'
import type { Expr, Module } from '../../src/syntax/ast.ts'
import { core } from '../../src/check/core.generated.ts'
import { lex } from '../../src/syntax/lex.ts'
import { macroTable } from '../../src/syntax/macro.ts'
import { parse, parseRange } from '../../src/syntax/parse.ts'
import { preprocess } from '../../src/syntax/preprocess.ts'
import { printModule } from '../../src/syntax/print.ts'

const here = join(import.meta.dirname, '..')
const text = (path: string): string => readFileSync(join(here, path), 'utf8')
const folder = (path: string): string[] => readdirSync(join(here, path)).sort()

function parsed(source: string, name = 'test.slang'): { module: Module; sink: Sink } {
  const sink = new Sink()
  return { module: parse(new SourceFile(name, source), {}, sink), sink }
}

/** A tree as JSON without places. */
function shape(node: unknown): string {
  const places = ['span', 'nameSpan', 'file']
  return JSON.stringify(node, (key, value: unknown) =>
    places.includes(key) ? undefined : typeof value === 'bigint' ? String(value) : value,
  )
}

const programs = ['lang/syntax', 'grad', 'target', '../core', '../bench/programs']
  .flatMap(path => folder(path).map(f => `${path}/${f}`))
  .filter(f => f.endsWith('.slang'))

describe('the parser', () => {
  for (const path of programs) {
    it(`reads ${path} without a diagnostic, and again what it prints`, () => {
      const { module, sink } = parsed(text(path), path)
      expect(renderDiagnostics(sink.list)).toBe('')
      const again = parsed(printModule(module))
      expect(renderDiagnostics(again.sink.list)).toBe('')
      expect(shape(again.module.decls)).toBe(shape(module.decls))
    })
  }

  for (const line of text('lang/expressions.txt').split('\n')) {
    const [source, grouped] = line.split(' ==> ')
    if (source === undefined || grouped === undefined || line.startsWith('//')) continue
    it(`groups ${source}`, () => {
      const { module, sink } = parsed(`void f() { return ${source}; }`)
      expect(renderDiagnostics(sink.list)).toBe('')
      const func = module.decls[0]
      const stmt = func?.kind === 'func' ? func.body?.stmts[0] : undefined
      expect(stmt?.kind === 'return' && stmt.value !== undefined ? group(stmt.value) : undefined).toBe(grouped)
    })
  }

  it('reads the core library alike in stretches, as its index lists them, and as a whole', () => {
    const files = core.files.map(f => new SourceFile(f.name, f.text))
    const sink = new Sink()
    const stretches = new Map<string, string>()
    for (const table of [core.names, core.extensions, core.derivatives]) {
      for (const triples of Object.values(table)) {
        for (let i = 0; i < triples.length; i += 3) {
          const decls = parseRange(files[triples[i]!]!, triples[i + 1]!, triples[i + 2]!, sink)
          stretches.set(triples.slice(i, i + 2).join(), shape(decls))
        }
      }
    }
    const whole = files.flatMap(f => parse(f, {}, sink).decls.map(d => shape([d])))
    expect(renderDiagnostics(sink.list)).toBe('')
    expect([...stretches.values()].sort()).toEqual(whole.sort())
  })

  it('keeps places: each name lies where its span says', () => {
    const source = text('lang/syntax/functions.slang')
    const { module } = parsed(source)
    let count = 0
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const name = node as { text?: unknown; span?: { start: number; end: number } }
      if (typeof name.text === 'string' && name.span !== undefined && !name.text.startsWith('operator')) {
        expect(source.slice(name.span.start, name.span.end)).toBe(name.text)
        count++
      }
      for (const [key, value] of Object.entries(node)) if (key !== 'file' && key !== 'span') visit(value)
    }
    visit(module.decls)
    expect(count).toBeGreaterThan(60)
  })

  it('reads long chains in little stack', () => {
    const long = 'x + '.repeat(5000)
    const stmts = 'x = x * 2; '.repeat(5000) + 'if (x > 1) x = 1; else '.repeat(400)
    const { sink, module } = parsed(`float f(float x) { ${stmts} return ${long} x; }`)
    expect(sink.list).toEqual([])
    expect(printModule(module)).toContain('x + x')
  })

  it('goes on after an error, and says one thing about each', () => {
    const lines = [
      'float f(float x) { float y = ; return x }',
      'int 3 g;',
      'struct S { float a float b; }',
      'float h() { return 1; }',
    ]
    const { module, sink } = parsed(lines.join('\n'))
    expect(sink.list.map(d => `${d.code} ${d.span?.start}`)).toEqual([
      'E20002 29',
      'E20001 40',
      'E20007 46',
      'E20001 70',
    ])
    expect(module.decls.some(d => d.kind === 'func' && d.name.text === 'h')).toBe(true)
  })
})

describe('the preprocessor', () => {
  for (const name of folder('lang/preprocess')) {
    it(`expands ${name} as written`, () => {
      const [source, expected] = text(`lang/preprocess/${name}`).split('// ==>\n')
      const files: Record<string, SourceFile> = {
        'inc.h': new SourceFile('inc.h', 'included\n'),
        'once.h': new SourceFile('once.h', '#pragma once\nonce\n'),
      }
      const sink = new Sink()
      const tokens = preprocess(new SourceFile(name, source!), { include: path => files[path] }, sink)
      const words = Array.from({ length: tokens.count - 1 }, (_, i) => tokens.text(i))
      expect(renderDiagnostics(sink.list)).toBe('')
      expect(words.join(' ')).toBe(expected!.trim().replace(/\n/g, ' '))
    })
  }

  it('hands definitions on to the next file through the table', () => {
    const macros = macroTable({ N: '3' })
    const sink = new Sink()
    parse(new SourceFile('a', '#define M N + 1\n'), { macros }, sink)
    const { decls } = parse(new SourceFile('b', 'static const int k = M;'), { macros }, sink)
    expect(sink.list).toEqual([])
    expect(shape(decls)).toContain('"op":"+"')
  })

  it('reports what a macro made at the place of its use', () => {
    const { sink } = parsed('#define BROKEN float f( {\nint a;\nBROKEN\n')
    expect(sink.list[0]?.span?.file.position(sink.list[0].span.start).line).toBe(3)
  })
})

describe('any text', () => {
  it('is read to its end without an exception, and every mistake stands inside of it', () => {
    const seeds = programs.filter(f => !f.startsWith('../core')).map(text)
    const random = generator(1)
    const pick = (n: number): number => Math.floor(random() * n)
    const scraps = [
      ...'(){}[]<>;,:=#"\'\\é\u0000',
      '\n#if ',
      '\n#define ',
      '/*',
      'struct ',
      'if (',
      '->',
      '=>',
      '0x',
      '1e',
      '__generic<',
      'operator',
      '::',
    ]
    let wrong = 0
    let unbounded = 0
    for (let i = 0; i < 3000; i++) {
      let source = seeds[i % seeds.length]!
      if (pick(3) === 0) source = source.slice(0, pick(source.length))
      for (let k = pick(5); k >= 0; k--) {
        const at = pick(source.length)
        const kind = pick(4)
        if (kind === 0) source = source.slice(0, at) + source.slice(at + 1 + pick(20))
        else if (kind === 1) source = source.slice(0, at) + scraps[pick(scraps.length)]! + source.slice(at)
        else if (kind === 2) source = source.slice(0, at) + source.slice(at, at + pick(60)).repeat(2) + source.slice(at)
        else source = source.slice(0, at) + source.slice(pick(source.length), pick(source.length)) + source.slice(at)
      }
      const sink = new Sink()
      try {
        printModule(parse(new SourceFile('test.slang', source.slice(0, 20_000)), {}, sink))
      } catch (cause) {
        // A macro that a change made to grow without end: `compile` turns this into a diagnostic.
        if (!(cause instanceof LimitReached)) throw cause
        unbounded++
      }
      if (sink.errors > 0) wrong++
      for (const { span } of sink.list) {
        expect(span).toBeDefined()
        expect([span!.start >= 0, span!.start <= span!.end, span!.end <= span!.file.text.length]).toEqual([
          true,
          true,
          true,
        ])
      }
    }
    // Most of what is changed is no program any more.
    expect(wrong).toBeGreaterThan(1500)
    expect(unbounded).toBeLessThan(10)
  })

  for (const [name, make] of Object.entries(nests())) {
    it(`may nest ${name} as deep as it likes`, () => {
      const { sink, module } = parsed(make(5000))
      expect(sink.list.length).toBeLessThan(201)
      printModule(module)
      lex(new SourceFile('t', make(100)))
    })
  }
})

it('stops where macros grow without end', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `#define A${i + 1} A${i}, A${i}`)
  expect(() => parsed(`#define A0 1,1\n${lines.join('\n')}\nint a[] = { A40 };`)).toThrow(LimitReached)
})

function nests(): Record<string, (n: number) => string> {
  return {
    parentheses: n => `int a = ${'('.repeat(n)}1${')'.repeat(n)};`,
    'open parentheses': n => `int a = ${'('.repeat(n)}`,
    casts: n => `int a = ${'(int)'.repeat(n)}1;`,
    operators: n => `int a = ${'(1||1&&1|1^1&1==1<1<<1+1*'.repeat(n)}`,
    signs: n => `int a = ${'- '.repeat(n)}1;`,
    blocks: n => `void f() ${'{'.repeat(n)}`,
    ifs: n => `void f() { ${'if (x) '.repeat(n)}; }`,
    'else ifs': n => `void f() { ${'if (x) y; else '.repeat(n)}; }`,
    generics: n => `${'A<'.repeat(n)}int${'>'.repeat(n)} x;`,
    comparisons: n => `int a = b ${'< c '.repeat(n)};`,
    indices: n => `int a = ${'b['.repeat(n)}1${']'.repeat(n)};`,
    members: n => `int a = b${'.c'.repeat(n)};`,
    lambdas: n => `int a = ${'(x) => '.repeat(n)}1;`,
    structs: n => 'struct S {'.repeat(n),
    switches: n => `void f() { ${'switch (x) { case 1: '.repeat(n)}`,
    pointers: n => `int${'*'.repeat(n)} p;`,
    prefixes: n => '__generic<T> '.repeat(n),
    conditionals: n => '#if 1\n'.repeat(n),
    conditions: n => `#if ${'('.repeat(n)}\n#endif`,
    macros: n => `#define F(x) x x\nint a = ${'F('.repeat(n)}1${')'.repeat(n)};`,
    garbage: n => `\\ \` # ' " ) ] } `.repeat(n),
  }
}

/** A small random generator, so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** An expression with all its parentheses. */
function group(expr: Expr): string {
  const list = (items: readonly Expr[]): string => items.map(group).join(', ')
  switch (expr.kind) {
    case 'int':
      return `${expr.value}${expr.suffix}`
    case 'float':
      return `${Number.isInteger(expr.value) ? `${expr.value}.0` : expr.value}${expr.suffix}`
    case 'bool':
      return String(expr.value)
    case 'string':
      return JSON.stringify(expr.value)
    case 'name':
      return (expr.global ? '::' : '') + expr.name
    case 'this':
      return 'this'
    case 'thisType':
      return 'This'
    case 'none':
      return 'none'
    case 'member':
      return `${group(expr.base)}${expr.separator}${expr.name.text}`
    case 'generic':
      return `${group(expr.base)}<${list(expr.args)}>`
    case 'index':
      return `${group(expr.base)}[${list(expr.args)}]`
    case 'call':
      return `${group(expr.callee)}(${list(expr.args)})`
    case 'prefix':
      return `(${expr.op}${group(expr.operand)})`
    case 'postfix':
      return `(${group(expr.operand)}${expr.op})`
    case 'binary':
      return `(${group(expr.left)} ${expr.op} ${group(expr.right)})`
    case 'assign':
      return `(${group(expr.target)} ${expr.op} ${group(expr.value)})`
    case 'conditional':
      return `(${group(expr.condition)} ? ${group(expr.then)} : ${group(expr.else)})`
    case 'cast':
      return `cast ${group(expr.type)} ${group(expr.value)}`
    case 'list':
      return `{${list(expr.items)}}`
    case 'lambda':
      return `lambda(${expr.params.map(p => p.name?.text).join(', ')})`
    case 'differentiate':
      return `${expr.mode === 'forward' ? 'fwd' : 'bwd'}_diff(${group(expr.func)})`
    case 'noDiff':
      return `no_diff ${group(expr.operand)}`
    case 'is':
      return `is ${group(expr.value)} ${group(expr.type)}`
    case 'as':
      return `as ${group(expr.value)} ${group(expr.type)}`
    case 'each':
      return `each ${group(expr.operand)}`
    case 'expand':
      return `expand ${group(expr.operand)}`
    case 'sizeof':
      return `${expr.which}(${group(expr.operand)})`
    case 'pointer':
      return `${group(expr.target)}*`
    default:
      return expr.kind
  }
}
