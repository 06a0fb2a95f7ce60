/**
 * Elements of arrays that are read where they came from (`reread`), and stored as soon as they are known (`storeEarly`): where that happens, and
 * where it would change what a program means.
 */
import { describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { printModule } from '../../src/ir/print.ts'
import { funcNamed, run, type Data } from '../../src/ir/run.ts'
import { soundModule } from '../support/ir-run.ts'
import { passes } from '../support/passes.ts'

type Edit = readonly [from: string, to: string]

/** Whether a pass changes a program. What it leaves must mean the same for all of the calls. */
function fires(pass: string, text: string, edits: readonly Edit[], calls: readonly (readonly Data[])[]): boolean {
  let source = text
  for (const [from, to] of edits) {
    expect(source).toContain(from)
    source = source.replaceAll(from, to)
  }
  const module = soundModule(source)
  const ran = (): unknown =>
    calls.map(args => {
      const globals = {
        inp: [1, 2, 3, 4, 5, 6, 7, 8, 9],
        outp: Array<Data>(12).fill(-1),
        more: Array<Data>(12).fill(-1),
      }
      return [run(funcNamed(module, 'main'), args, { globals }), globals]
    })
  const [before, printed] = [ran(), printModule(module)]
  passes.get(pass)!(module, { sink: new Sink(), level: 2 })
  const changed = printModule(module) !== printed
  for (const name of ['simplify', 'gvn', 'dce']) passes.get(name)!(module, { sink: new Sink(), level: 2 })
  expect(ran()).toEqual(before)
  return changed
}

describe('reread', () => {
  const copy = `
global @inp: storage array<f32, 0> structured at 0 0
global @outp: storage_rw array<f32, 0> structured at 0 1
global @more: storage_rw array<f32, 0> structured at 0 2

func @main(%i: i32, %t: u32) -> f32 {
  %inp: ptr<storage, array<f32, 0>> = global @inp
  %two: u32 = const 2
  %four: u32 = const 4
  %t1: u32 = add %t, %two
  %t2: u32 = add %t, %four
  %p0: ptr<storage, f32> = elem %inp, %t
  %p1: ptr<storage, f32> = elem %inp, %t1
  %p2: ptr<storage, f32> = elem %inp, %t2
  %x0: f32 = load %p0
  %x1: f32 = load %p1
  %x2: f32 = load %p2
  %whole: array<f32, 3> = construct %x0, %x1, %x2
  %a: ptr<function, array<f32, 3>> = var
  store %a, %whole
  %at: ptr<function, f32> = elem %a, %i
  %r: f32 = load %at
  ret %r
}
`
  const calls = [
    [0, 0],
    [1, 1],
    [2, 3],
  ]

  test('an array that copies a buffer is read there', () => {
    expect(fires('reread', copy, [], calls)).toBe(true)
  })

  test.each<[string, ...Edit[]]>([
    ['a buffer that the program may write', ['storage,', 'storage_rw,'], ['@inp: storage ', '@inp: storage_rw ']],
    ['places that follow no rule', ['%four: u32 = const 4', '%four: u32 = const 3']],
    ['elements in another order', ['construct %x0, %x1, %x2', 'construct %x0, %x2, %x1']],
    [
      'an element that is no copy',
      ['construct %x0, %x1, %x2', 'construct %x0, %x1, %y'],
      ['  %whole', '  %y: f32 = mul %x2, %x2\n  %whole'],
    ],
    ['an element that is written', ['  %r: f32', '  store %at, %x0\n  %r: f32']],
    ['an array that is read whole', ['  ret %r', '  %w: array<f32, 3> = load %a\n  %s: f32 = extract 1 %w\n  ret %s']],
    [
      'a read before the copy',
      [
        '  store %a, %whole\n  %at: ptr<function, f32> = elem %a, %i\n  %r: f32 = load %at',
        '  %at: ptr<function, f32> = elem %a, %i\n  %r: f32 = load %at\n  store %a, %whole',
      ],
    ],
    [
      'a copy in a branch',
      [
        '  store %a, %whole\n',
        '  %zero: i32 = const 0\n  %first: bool = eq %i, %zero\n  if %first {\n    store %a, %whole\n    yield\n  } {\n    yield\n  }\n',
      ],
    ],
  ])('not %s', (_, ...edits) => {
    expect(fires('reread', copy, edits, calls)).toBe(false)
  })

  test('work that computes is not done again for each read', () => {
    const heavy: Edit[] = [0, 1, 2].map(k => [
      `  %x${k}: f32 = load %p${k}`,
      `  %l${k}: f32 = load %p${k}\n  %x${k}: f32 = mul %l${k}, %l${k}`,
    ])
    expect(fires('reread', copy, heavy, calls)).toBe(false)
  })

  test('a part of a struct is read alone, at a place that goes down', () => {
    const text = copy
      .replace('global @inp', 'struct S { x: f32, y: f32 }\nglobal @inp')
      .replace('construct %x0, %x1, %x2', 'construct %s0, %s1, %s2')
      .replace(
        '  %whole: array<f32, 3>',
        ['2', '1', '0'].map((k, i) => `  %s${i}: S = construct %x${k}, %x0\n`).join('') + '  %whole: array<S, 3>',
      )
      .replace('%a: ptr<function, array<f32, 3>>', '%a: ptr<function, array<S, 3>>')
      .replace(
        '%at: ptr<function, f32> = elem %a, %i',
        '%e: ptr<function, S> = elem %a, %i\n  %at: ptr<function, f32> = field 0 %e',
      )
    expect(fires('reread', text, [], calls)).toBe(true)
  })
})

describe('storeEarly', () => {
  const gradient = `
struct S { x: f32, y: f32 }
global @inp: storage array<f32, 0> structured at 0 0
global @outp: storage_rw array<f32, 0> structured at 0 1
global @more: storage_rw array<f32, 0> structured at 0 2

func @main(%n: i32, %t: u32) -> f32 {
  %inp: ptr<storage, array<f32, 0>> = global @inp
  %outp: ptr<storage_rw, array<f32, 0>> = global @outp
  %more: ptr<storage_rw, array<f32, 0>> = global @more
  %zero: i32 = const 0
  %one: i32 = const 1
  %a: ptr<function, array<S, 3>> = var
  %none: array<S, 3> = zero
  store %a, %none
  %start: f32 = const 0
  %sum: f32 = loop 3 %n, %start (%v: i32, %s: f32) {
    %go: bool = gt %v, %zero
    test %go, %s
  } {
    %i: i32 = sub %v, %one
    %in: ptr<storage, f32> = elem %inp, %i
    %x: f32 = load %in
    %s.2: f32 = add %s, %x
    %e: ptr<function, S> = elem %a, %i
    %old: S = load %e
    %old.x: f32 = extract 0 %old
    %old.y: f32 = extract 1 %old
    %new.x: f32 = add %old.x, %x
    %new.y: f32 = add %old.y, %s.2
    %new: S = construct %new.x, %new.y
    store %e, %new
    next %i, %s.2
  }
  %w: array<S, 3> = load %a
  %u1: u32 = const 1
  %u2: u32 = const 2
  %u3: u32 = const 3
  %u4: u32 = const 4
  %u5: u32 = const 5
  %t1: u32 = add %t, %u1
  %t2: u32 = add %t, %u2
  %t3: u32 = add %t, %u3
  %t4: u32 = add %t, %u4
  %t5: u32 = add %t, %u5
  %p0: ptr<storage_rw, f32> = elem %outp, %t
  %p1: ptr<storage_rw, f32> = elem %outp, %t1
  %p2: ptr<storage_rw, f32> = elem %outp, %t2
  %p3: ptr<storage_rw, f32> = elem %outp, %t3
  %p4: ptr<storage_rw, f32> = elem %outp, %t4
  %p5: ptr<storage_rw, f32> = elem %outp, %t5
  %w0: S = extract 0 %w
  %w1: S = extract 1 %w
  %w2: S = extract 2 %w
  %d0: f32 = extract 0 %w0
  %d1: f32 = extract 1 %w0
  %d2: f32 = extract 0 %w1
  %d3: f32 = extract 1 %w1
  %d4: f32 = extract 0 %w2
  %d5: f32 = extract 1 %w2
  store %p0, %d0
  store %p1, %d1
  store %p2, %d2
  store %p3, %d3
  store %p4, %d4
  store %p5, %d5
  ret %sum
}
`
  // Also loops that do not reach all elements, or none.
  const calls = [
    [3, 0],
    [2, 4],
    [1, 1],
    [0, 2],
    [-2, 3],
  ]

  test('the loop that makes the elements stores them', () => {
    expect(fires('storeEarly', gradient, [], calls)).toBe(true)
  })

  test('so it does with what is made of each element', () => {
    const half: Edit[] = [0, 2, 4].flatMap((k): Edit[] => [
      [
        `store %p${k}, %d${k}`,
        `%h${k}: f32 = mul %d${k}, %d${k}\n  %q${k}: ptr<storage, f32> = elem %inp, ${k === 0 ? '%t' : `%t${k}`}\n  %l${k}: f32 = load %q${k}\n  %m${k}: f32 = sub %l${k}, %h${k}\n  store %p${k}, %m${k}`,
      ],
    ])
    expect(fires('storeEarly', gradient, half, calls.slice(0, 4))).toBe(true)
  })

  test.each<[string, ...Edit[]]>([
    ['places that overlap', ['%t, %u2', '%t, %u1']],
    ['places that follow no rule', ['%u4: u32 = const 4', '%u4: u32 = const 6']],
    ['a part that is not stored', ['  store %p3, %d3\n', '']],
    [
      'elements in another order',
      ['%w1: S = extract 1', '%w1: S = extract 2'],
      ['%w2: S = extract 2 %w', '%w2: S = extract 1 %w'],
    ],
    ['two buffers', ['%p3: ptr<storage_rw, f32> = elem %outp', '%p3: ptr<storage_rw, f32> = elem %more']],
    ['an array that is used otherwise', ['ret %sum', 'ret %d3']],
    [
      'an array that begins with other elements',
      ['%none: array<S, 3> = zero', '%c: S = construct %f, %f\n  %none: array<S, 3> = construct %c, %c, %c'],
      ['  %one: i32', '  %f: f32 = const 2\n  %one: i32'],
    ],
    [
      'a loop that counts up',
      ['%n, %start (', '%zero, %start ('],
      ['gt %v, %zero', 'lt %v, %n'],
      ['sub %v, %one', 'add %v, %one'],
      ['elem %a, %i', 'elem %a, %v'],
    ],
    ['a loop that may make too many trips', ['loop 3 ', 'loop 4 ']],
    ['a loop that ends above zero', ['gt %v, %zero', 'gt %v, %one']],
    [
      'a loop that leaves early',
      [
        '    store %e, %new\n',
        '    %big: bool = gt %x, %limit\n    if %big {\n      leave ^1 %s\n    } {\n      yield\n    }\n    store %e, %new\n',
      ],
      ['loop 3 ', 'loop ^1 3 '],
      ['  %one: i32', '  %limit: f32 = const 1.5\n  %one: i32'],
    ],
    [
      'a trip that may store nothing',
      [
        '    store %e, %new\n',
        '    %big: bool = gt %x, %limit\n    if %big {\n      store %e, %new\n      yield\n    } {\n      yield\n    }\n',
      ],
      ['  %one: i32', '  %limit: f32 = const 1.5\n  %one: i32'],
    ],
    [
      'a read of the buffer in the loop',
      ['elem %inp, %i', 'elem %outp, %i'],
      ['%in: ptr<storage,', '%in: ptr<storage_rw,'],
    ],
    [
      'a read of the buffer before the stores',
      ['  store %p5', '  %seen: f32 = load %p0\n  store %p5'],
      ['ret %sum', 'ret %seen'],
    ],
    ['another store between', ['  store %p5', '  store %p0, %sum\n  store %p5']],
    ['a barrier between', ['  %w: array', '  barrier "workgroup"\n  %w: array']],
    [
      'a return between',
      [
        '  %w: array',
        '  %stop: bool = gt %sum, %limit\n  if %stop {\n    ret %sum\n  } {\n    yield\n  }\n  %w: array',
      ],
      ['  %one: i32', '  %limit: f32 = const 2.5\n  %one: i32'],
    ],
    [
      'what only the end of the loop knows',
      ['store %p0, %d0', '%m0: f32 = mul %d0, %sum\n  store %p0, %m0'],
      ['store %p2, %d2', '%m2: f32 = mul %d2, %sum\n  store %p2, %m2'],
      ['store %p4, %d4', '%m4: f32 = mul %d4, %sum\n  store %p4, %m4'],
    ],
  ])('not %s', (_, ...edits) => {
    expect(fires('storeEarly', gradient, edits, calls)).toBe(false)
  })
})
