/** The statement tree that languages are printed from: what a language can do decides its shape, and nothing else does. */
import { describe, expect, test } from 'vitest'
import { parseModule } from '../../src/ir/parse.ts'
import * as t from '../../src/ir/type.ts'
import { nameLabels } from '../../src/target/code/labels.ts'
import { Names } from '../../src/target/code/names.ts'
import { structure } from '../../src/target/code/structure.ts'
import { branchTails } from '../../src/target/code/tails.ts'
import { negate, tidy } from '../../src/target/code/tidy.ts'
import {
  Local,
  expr,
  nameOf,
  type Capabilities,
  type Expr,
  type If,
  type Once,
  type Stmt,
} from '../../src/target/code/tree.ts'

/** A language with all that the tree has. */
const all: Capabilities = {
  labels: nameLabels,
  continuing: true,
  lazyChoice: true,
  distinctBuffers: true,
  isFree: () => true,
  initial: undefined,
  keepsNames: true,
  isConvergent: () => false,
}

/** A statement in one line, with what is in it. */
function shown(s: Stmt): string {
  const list = (stmts: readonly Stmt[]): string => `{ ${stmts.map(shown).join('; ')} }`
  const label = 'label' in s && s.label !== '' ? `${s.label}: ` : ''
  switch (s.kind) {
    case 'let':
      return `let ${s.locals.map(l => l?.name ?? '_').join(', ')} = ${text(s.value)}`
    case 'var':
      return `var ${s.local.name}${s.init === undefined ? '' : ` = ${text(s.init)}`}`
    case 'assign':
      return `${text(s.place)} = ${text(s.value)}`
    case 'do':
      return text(s.value)
    case 'if':
      return `${label}if ${text(s.cond)} ${list(s.yes)}${s.no.length === 0 ? '' : ` else ${list(s.no)}`}`
    case 'switch':
      return `${label}switch ${text(s.value)} { ${s.cases.map(c => `${[...c.labels, ...(c.isDefault ? ['default'] : [])].join()} ${list(c.body)}`).join(' ')} }`
    case 'loop': {
      const head =
        s.start === undefined && s.step === undefined
          ? s.cond === undefined
            ? 'loop'
            : `while ${text(s.cond)}`
          : `for ${s.start === undefined ? '' : shown(s.start)}; ${s.cond === undefined ? '' : text(s.cond)}; ${s.step === undefined ? '' : shown(s.step)}`
      return `${label}${head} ${list(s.body)}${s.continuing.length === 0 ? '' : ` continuing ${list(s.continuing)}`}`
    }
    case 'once':
      return `${label}once ${list(s.body)}`
    case 'break':
      return s.of.label === '' ? 'break' : `break ${s.of.label}`
    case 'return':
      return `return ${s.values.map(text).join(', ')}`
    default:
      return s.kind
  }
}

function text(e: Expr): string {
  if (e.op === 'name' || e.op === 'global') return e.attr.name
  if (e.op === 'const') return String(e.attr)
  return `${e.op}(${e.args.map(text).join(', ')})`
}

/** The statements of the first function of a module, one to a line. */
function code(ir: string, can: Partial<Capabilities> = {}, tails = false): string[] {
  const func = parseModule(ir).funcs[0]!
  const having = { ...all, ...can }
  if (tails) branchTails(func, having)
  return structure(func, having, new Names(() => false)).body.map(shown)
}

/** Sums up to n, but leaves both loops at once where the sum is above the limit. */
const leavingTwo = `func @f(%n: i32, %limit: i32) -> i32 {
  %zero: i32 = const 0
  %one: i32 = const 1
  %out: i32 = block ^out {
    %sum: i32 = loop ^rows %zero, %zero (%i: i32, %s: i32) {
      %more: bool = lt %i, %n
      test %more, %s
    } {
      %inner: i32 = loop ^cols %zero, %s (%j: i32, %r: i32) {
        %go: bool = lt %j, %i
        test %go, %r
      } {
        %r2: i32 = add %r, %j
        %over: bool = gt %r2, %limit
        if %over {
          leave ^out %r2
        } {
          yield
        }
        %j2: i32 = add %j, %one
        next %j2, %r2
      }
      %i2: i32 = add %i, %one
      next %i2, %inner
    }
    yield %sum
  }
  ret %out
}`

describe('structure', () => {
  test('with labels leaves any construct by one break', () => {
    const lines = code(leavingTwo).join('\n')
    expect(lines).toContain('block: once')
    expect(lines).toContain('break block')
    expect(lines).not.toContain('left')
  })

  test('without labels sets a flag, which is tested after the loop around', () => {
    const lines = code(leavingTwo, { labels: undefined }).join('\n')
    expect(lines).toContain('var left = false')
    expect(lines).toMatch(/left = true; break/)
    expect(lines).toMatch(/if left \{ break \}/)
    expect(lines).not.toContain('break block')
  })

  test('names what is read before a write, and only then', () => {
    const ir = `global @x: storage_rw array<f32, 0> structured
global @y: storage_rw array<f32, 0> structured
func @f() {
  %zero: u32 = const 0
  %xs: ptr<storage_rw, array<f32, 0>> = global @x
  %ys: ptr<storage_rw, array<f32, 0>> = global @y
  %from: ptr<storage_rw, f32> = elem %xs, %zero
  %to: ptr<storage_rw, f32> = elem %ys, %zero
  %0: f32 = load %from
  %one: f32 = const 1
  store %to, %one
  store %from, %0
  ret
}`
    expect(code(ir)).toEqual(['elem(y, 0) = 1', 'elem(x, 0) = load(elem(x, 0))'])
    // Two names may be of one memory.
    expect(code(ir, { distinctBuffers: false })).toEqual([
      'let t = load(elem(x, 0))',
      'elem(y, 0) = 1',
      'elem(x, 0) = t',
    ])
  })

  test('rotates what a loop carries with one name more, however many there are', () => {
    const n = 2000
    const names = Array.from({ length: n }, (_, i) => `%v${i}`)
    const lines = code(`func @f(%c: bool, ${names.map(v => `${v}: i32`).join(', ')}) -> i32 {
  %out: i32 = loop ^l ${names.join(', ')} (${names.map(v => `${v}w: i32`).join(', ')}) {
    test %c, %v0w
  } {
    next ${names.map((_, i) => `%v${(i + 1) % n}w`).join(', ')}
  }
  ret %out
}`)
    const body = lines.find(line => line.startsWith('while'))!
    expect(body.match(/let /g)).toHaveLength(1)
    expect(body.match(/ = /g)).toHaveLength(n + 1)
  })

  test('chooses lazily only where the language does', () => {
    const ir = `func @f(%c: bool, %x: f32) -> f32 {
  %0: f32 = if %c {
    %1: f32 = mul %x, %x
    yield %1
  } {
    yield %x
  }
  ret %0
}`
    expect(code(ir)).toEqual(['return select(c, mul(x, x), x)'])
    expect(code(ir, { lazyChoice: false })).toEqual(['var result = x', 'if c { result = mul(x, x) }', 'return result'])
  })

  test('says that variables begin as zero where they do not by themselves', () => {
    const ir = `func @f(%i: i32) -> f32 {
  %v: ptr<function, array<f32, 4>> = var
  %e: ptr<function, f32> = elem %v, %i
  %0: f32 = load %e
  ret %0
}`
    expect(code(ir)[0]).toBe('var v')
    expect(code(ir, { initial: type => expr('zero', null, type, []) })[0]).toBe('var v = zero()')
  })

  test('needs no break for what only one branch goes on from', () => {
    const ir = `func @f(%c: bool, %x: f32) -> f32 {
  %0: f32 = block ^b {
    if %c {
      leave ^b %x
    } {
      yield
    }
    %1: f32 = mul %x, %x
    yield %1
  }
  ret %0
}`
    expect(code(ir, {}, true).join('\n')).not.toContain('break')
    expect(code(ir, {}, false).join('\n')).toContain('break')
  })
})

describe('tidying', () => {
  const [i, x, c] = [nameOf(new Local('i', t.i32)), nameOf(new Local('x', t.f32)), nameOf(new Local('c', t.bool))]
  const compare = (op: 'lt' | 'eq', of: Expr): Expr => expr(op, null, t.bool, [of, of])

  test('turns comparisons round, but no order of floats: with a NaN both are false', () => {
    expect(negate(compare('lt', i)).op).toBe('ge')
    expect(negate(compare('lt', x)).op).toBe('not')
    expect(negate(compare('eq', x)).op).toBe('ne')
    expect(negate(negate(c))).toBe(c)
  })

  test('drops what is empty and turns an if round that has only the other branch', () => {
    const stop: Stmt = { kind: 'return', values: [], span: null }
    const empty: If = { kind: 'if', cond: c, yes: [], no: [], span: null, label: '' }
    const other: If = { kind: 'if', cond: c, yes: [], no: [stop], span: null, label: '' }
    const once: Once = { kind: 'once', body: [], span: null, label: '' }
    once.body.push({ kind: 'break', of: once, span: null })
    const list: Stmt[] = [empty, other, once]
    tidy(list)
    expect(list.map(shown)).toEqual(['if not(c) { return  }'])
  })
})

test('a loop that steps a counter is a for', () => {
  const lines = code(`func @f(%n: i32) -> i32 {
  %zero: i32 = const 0
  %one: i32 = const 1
  %sum: i32 = loop ^l %zero, %zero (%i: i32, %s: i32) {
    %go: bool = lt %i, %n
    test %go, %s
  } {
    %s2: i32 = add %s, %i
    %i2: i32 = add %i, %one
    next %i2, %s2
  }
  ret %sum
}`)
  expect(lines).toEqual(['var s = 0', 'for var i = 0; lt(i, n); i = add(i, 1) { s = add(s, i) }', 'return s'])
})
