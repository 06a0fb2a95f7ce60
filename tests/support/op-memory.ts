/** Tests of the rows that deal with memory and with the world outside. */
import type { Builder } from '../../src/ir/build.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Global, type Value } from '../../src/ir/value.ts'
import { declare, type CaseOptions, type Maker } from './op-maker.ts'
import { combinations, scalarsOf, smooth, spread } from './op-values.ts'

/** A struct whose parts have derivatives, one whose parts have not all, and arrays of both. */
function places(m: Maker): { readonly item: Type; readonly all: readonly Type[] } {
  const item = m.struct(
    'Item',
    [
      ['a', t.f32],
      ['v', t.vec(t.f32, 3)],
      ['w', t.array(t.f32, 3)],
    ],
    true,
  )
  const mixed = m.struct('Mixed', [
    ['flag', t.bool],
    ['n', t.vec(t.i32, 2)],
    ['item', item],
  ])
  return {
    item,
    all: [
      t.f32,
      t.i32,
      t.u32,
      t.bool,
      t.f64,
      t.i64,
      t.vec(t.f32, 3),
      t.vec(t.bool, 2),
      t.mat(t.f32, 2, 3),
      t.mat(t.i32, 2, 2),
      t.mat(t.f32, 3, 1),
      t.array(t.f32, 4),
      t.array(t.bool, 3),
      t.array(t.vec(t.f32, 3), 2),
      t.array(t.array(t.f32, 2), 3),
      t.array(item, 2),
      t.array(t.f64, 3),
      item,
      mixed,
    ],
  }
}

const isSmooth = (type: Type): boolean =>
  type.kind === 'array' ? isSmooth(type.elem!) : type.kind === 'struct' ? type.diff !== null : type.scalar === 'f32'
const isSmall = (type: Type): boolean => isSmooth(type) && scalarsOf(type).length <= 12
const smoothly = (type: Type): CaseOptions => (isSmall(type) ? { smooth: true } : {})

/** Variables that are written, read, and written again. */
function variables(m: Maker): void {
  for (const type of places(m).all) {
    m.func(
      `of ${type.name}`,
      [type, type],
      (b, x, y) => {
        const [v, w] = [b.variable(type, 'v'), b.variable(type, 'w')]
        b.store(v, x)
        b.store(w, b.load(v))
        b.store(v, y)
        return [b.load(v), b.load(w)]
      },
      { ...smoothly(type), points: spread([type, type], 5) },
    )
  }
  m.func('before it is written', [], b => {
    const v = b.variable(t.vec(t.i32, 2))
    const before = b.load(v)
    b.store(v, before)
    return [b.load(b.variable(t.array(t.f32, 3))), b.load(v)]
  })
}

function elements(m: Maker): void {
  const { all, item } = places(m)
  const types = [
    ...all.filter(type => type.kind === 'array' || type.kind === 'vec' || type.kind === 'mat'),
    t.vec(t.f32, 1),
    t.mat(t.f32, 1, 3),
  ]
  for (const type of types) {
    const inside = Array.from({ length: type.count }, (_, i) => i)
    for (const by of [t.i32, t.u32]) {
      const points = combinations([
        spread([type, type.elem!], 2),
        [...inside, ...(by === t.i32 ? [-1] : []), type.count, 100_000],
      ]).map(([p, i]) => [...p, i])
      m.func(
        `of ${type.name} by ${by.name}`,
        [type, type.elem!, by],
        (b, x, part, i) => {
          const [before, v, after] = [b.variable(t.i32), b.variable(type), b.variable(t.i32)]
          b.store(before, b.const(t.i32, 5))
          b.store(after, b.const(t.i32, 6))
          b.store(v, x)
          const old = b.load(b.elem(v, i))
          b.store(b.elem(v, i), part)
          return [old, b.load(v), b.load(before), b.load(after)]
        },
        {
          points,
          promised: args => (args[2] as number) >= 0 && (args[2] as number) < type.count,
          ...(isSmall(type) && by === t.i32
            ? { smooth: [0, type.count - 1].flatMap(i => smooth([type, type.elem!], 1).map(p => [...p, i])) }
            : {}),
        },
      )
    }
  }
  // An index past the end must not reach what lies beside.
  m.func(
    'past the end',
    [t.i32],
    (b, i) => {
      const [before, v, after] = [b.variable(t.i32), b.variable(t.array(t.i32, 4)), b.variable(t.array(t.i32, 4))]
      b.store(before, b.const(t.i32, 5))
      b.store(after, b.zero(t.array(t.i32, 4)))
      b.store(b.elem(v, i), b.const(t.i32, 7))
      return [b.load(before), b.load(after)]
    },
    { points: [-1, 4, 5, 8, 2 ** 31 - 1, -(2 ** 31)].map(i => [i]) },
  )
  for (const type of [t.f32, t.i64, t.bool, t.vec(t.f32, 3), t.array(t.f32, 3), item]) {
    m.func(
      `of a list of ${type.name}, which grows`,
      [t.i32, type, type],
      (b, i, x, y) => {
        const v = b.variable(t.list(type))
        b.store(b.elem(v, i), x)
        b.store(b.elem(v, b.const(t.i32, 1)), y)
        const copy = b.variable(t.list(type))
        b.store(copy, b.load(v))
        b.store(b.elem(v, i), y)
        return [0, 1, 2, 9].map(k => b.load(b.elem(copy, b.const(t.i32, k))))
      },
      { points: combinations([[0, 1, 2, 5], spread([type, type], 2)]).map(([i, p]) => [i, ...p]) },
    )
  }
  m.func(
    'of a list of lists',
    [t.i32, t.f32],
    (b, i, x) => {
      const v = b.variable(t.list(t.list(t.f32)))
      const place = b.elem(b.elem(v, i), b.const(t.i32, 1))
      b.store(place, b.emit1('add', [b.load(place), x]))
      const copy = b.variable(t.list(t.list(t.f32)))
      b.store(copy, b.load(v))
      return [0, 1, 2].flatMap(k => [0, 1].map(n => b.load(b.elem(b.elem(copy, b.const(t.i32, k)), b.const(t.i32, n)))))
    },
    { points: combinations([[0, 1, 2], [0.5]]) },
  )
  m.func(
    'of an element of a field',
    [item, t.i32, t.f32],
    (b, x, i, y) => {
      const v = b.variable(t.array(item, 2))
      b.store(b.elem(v, b.const(t.i32, 1)), x)
      const place = b.elem(b.field(b.elem(v, b.const(t.i32, 1)), 2), i)
      b.store(place, b.emit1('mul', [b.load(place), y]))
      return b.load(v)
    },
    {
      smooth: [0, 2].map(i => [smooth([item], 1)[0]![0]!, i, 0.75]),
      points: spread([item, t.i32, t.f32]),
      promised: args => (args[1] as number) >= 0 && (args[1] as number) < 3,
    },
  )
}

function fields(m: Maker): void {
  const { item, all } = places(m)
  for (const type of [item, all.at(-1)!]) {
    for (let i = 0; i < type.count; i++) {
      const part = t.component(type, i)
      m.func(
        `${i} of ${type.name}`,
        [type, part],
        (b, x, y) => {
          const v = b.variable(type)
          b.store(v, x)
          const old = b.load(b.field(v, i))
          b.store(b.field(v, i), y)
          return [old, b.load(v)]
        },
        { ...smoothly(type), points: spread([type, part]) },
      )
    }
  }
}

/** Module-level variables of one thread, with and without an initial value. */
function globals(m: Maker): void {
  const init = m.helper('initial', [], [t.array(t.f32, 3)], b =>
    b.emit('ret', [
      b.construct(
        t.array(t.f32, 3),
        [1, 2, 3].map(x => b.const(t.f32, x)),
      ),
    ]),
  )
  const table = new Global('table', t.array(t.f32, 3), 'private', 'none', undefined, init, null)
  const written = new Global('written', t.array(t.f32, 3), 'private', 'none', undefined, init, null)
  const state = new Global('state', t.vec(t.f32, 3), 'private', 'none', undefined, undefined, null)
  m.module.globals.push(table, written, state)
  const at = (b: Builder, g: Global): Value => b.emit1('global', [], g)
  m.func('that is never written', [t.i32], (b, i) => b.load(b.elem(at(b, table), i)), { points: [[0], [1], [2]] })
  m.func(
    'that is written',
    [t.i32, t.f32],
    (b, i, x) => {
      const place = b.elem(at(b, written), i)
      b.store(place, b.emit1('add', [b.load(place), x]))
      return [b.load(place), b.load(b.elem(at(b, written), b.const(t.i32, 0)))]
    },
    {
      points: [
        [0, 0.5],
        [1, 2],
        [2, -3],
      ],
      constants: false,
    },
  )
  m.func(
    'without an initial value',
    [t.vec(t.f32, 3)],
    (b, x) => {
      const before = b.load(at(b, state))
      b.store(at(b, state), x)
      return [before, b.load(at(b, state))]
    },
    { constants: false },
  )
  m.kernel(
    'of a buffer and a uniform',
    {
      threads: 4,
      groups: 2,
      uniforms: { scale: 1.5 },
      buffers: {
        inp: { scalar: 'f32', data: [1, 2, 3, 4, 5, 6, 7, 8], readonly: true },
        outp: { scalar: 'f32', data: [0, 0, 0, 0, 0, 0, 0, 0] },
      },
    },
    (b, id, g) => {
      b.store(b.elem(g('outp'), id), b.emit1('mul', [b.load(b.elem(g('inp'), id)), b.load(g('scale'))]))
    },
  )
  m.kernel(
    'of a workgroup',
    { threads: 4, buffers: { outp: { scalar: 'i32', data: [0, 0, 0, 0] } } },
    (b, id, g, module) => {
      const shared = new Global('shared', t.array(t.i32, 4), 'workgroup', 'none', undefined, undefined, null)
      module.globals.push(shared)
      const own = b.elem(at(b, shared), id)
      b.store(own, b.convert(b.emit1('mul', [id, id]), t.i32))
      b.store(b.elem(g('outp'), id), b.load(own))
    },
  )
}

const atomics = ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange', 'compare', 'load', 'store'] as const

/** Atomics of one thread, whose old values are known, on a buffer, on memory of the workgroup and on a local variable. */
function atomic(m: Maker): void {
  for (const scalar of ['i32', 'u32', 'f32'] as const) {
    const type = t.scalars[scalar]
    const kinds = atomics.filter(kind => scalar !== 'f32' || !['and', 'or', 'xor'].includes(kind))
    const emit = (b: Builder, kind: (typeof atomics)[number], p: Value, x: Value): Value => {
      const args = kind === 'load' ? [p] : kind === 'compare' ? [p, b.const(type, 12), x] : [p, x]
      const old = b.emit1('atomic', args, kind, type)
      return kind === 'store' ? x : old
    }
    const data = kinds.map((_, i) =>
      scalar === 'f32'
        ? i * 2.5 - 3
        : scalar === 'i32'
          ? [12, -7, 5, 99, -(2 ** 31), 3, 8, 12, 4, 1][i]!
          : [12, 2 ** 31, 5, 99, 2 ** 32 - 1, 3, 8, 12, 4, 1][i]!,
    )
    m.kernel(
      `of ${scalar} in a buffer`,
      { threads: 1, buffers: { memory: { scalar, data }, old: { scalar, data: data.map(() => 0) } } },
      (b, _id, g) => {
        kinds.forEach((kind, i) => {
          const k = b.const(t.u32, i)
          b.store(b.elem(g('old'), k), emit(b, kind, b.elem(g('memory'), k), b.const(type, 10)))
        })
      },
    )
    m.kernel(
      `of ${scalar} in a workgroup`,
      { threads: 1, buffers: { outp: { scalar, data: [...data, ...data] } } },
      (b, _id, g, module) => {
        const shared = new Global(
          'shared',
          t.array(type, kinds.length),
          'workgroup',
          'none',
          undefined,
          undefined,
          null,
        )
        module.globals.push(shared)
        kinds.forEach((kind, i) => {
          const p = b.elem(b.emit1('global', [], shared), b.const(t.u32, i))
          b.emit('atomic', [p, b.load(b.elem(g('outp'), b.const(t.u32, i)))], 'store', [type])
          b.store(b.elem(g('outp'), b.const(t.u32, i + kinds.length)), emit(b, kind, p, b.const(type, 10)))
          b.store(b.elem(g('outp'), b.const(t.u32, i)), emit(b, 'load', p, p))
        })
      },
    )
    m.func(
      `of ${scalar} in a variable`,
      [type, type],
      (b, x, y) =>
        kinds
          .filter(kind => kind !== 'store' && kind !== 'load')
          .flatMap(kind => {
            const p = b.variable(type)
            b.store(p, x)
            return [emit(b, kind, p, y), b.load(p)]
          }),
      {
        points: [
          [12, 3],
          [3, 12],
          [7, 7],
        ],
      },
    )
  }
  // Threads that meet at one place: sums do not depend on who comes first.
  m.kernel(
    'of many threads',
    { threads: 8, groups: 4, buffers: { sums: { scalar: 'i32', data: [0, 100, -100, 0] } } },
    (b, id, g) => {
      const x = b.convert(id, t.i32)
      ;(['add', 'min', 'max', 'or'] as const).forEach((kind, i) =>
        b.emit1('atomic', [b.elem(g('sums'), b.const(t.u32, i)), x], kind, t.i32),
      )
    },
  )
}

/** Each thread reads what another has written before they met. */
function barriers(m: Maker): void {
  for (const kind of ['workgroup', 'storage', 'all'] as const) {
    const data = [3, 1, 4, 1, 5, 9, 2, 6]
    m.kernel(kind, { threads: 8, buffers: { outp: { scalar: 'i32', data } } }, (b, id, g, module) => {
      const shared = new Global('shared', t.array(t.i32, 8), 'workgroup', 'none', undefined, undefined, null)
      module.globals.push(shared)
      const other = b.emit1('sub', [b.const(t.u32, 7), id])
      const memory = kind === 'storage' ? g('outp') : b.emit1('global', [], shared)
      const mine = b.load(b.elem(g('outp'), id))
      b.emit('barrier', [], 'all')
      b.store(b.elem(memory, id), b.emit1('mul', [mine, b.const(t.i32, 2)]))
      b.emit('barrier', [], kind)
      const theirs = b.load(b.elem(memory, other))
      b.emit('barrier', [], 'all')
      b.store(b.elem(g('outp'), id), theirs)
    })
  }
}

type Memory =
  | 'var'
  | 'load'
  | 'store'
  | 'field'
  | 'elem'
  | 'global'
  | 'length'
  | 'atomic'
  | 'barrier'
  | 'printf'
  | 'trap'
  | 'call'

/** Rows of memory, calls and effects, and what tests them. */
export const memoryCases: Readonly<Record<Memory, ((m: Maker) => void) | 'var'>> = {
  var: variables,
  load: 'var',
  store: 'var',
  field: fields,
  elem: elements,
  global: globals,
  length: (m: Maker): void => {
    m.kernel(
      'of buffers',
      {
        threads: 1,
        buffers: {
          three: { scalar: 'f32', data: [1, 2, 3] },
          one: { scalar: 'i32', data: [0], readonly: true },
          outp: { scalar: 'u32', data: [0, 0, 0] },
        },
      },
      (b, _id, g) => {
        ;['three', 'one', 'outp'].forEach((name, i) =>
          b.store(b.elem(g('outp'), b.const(t.u32, i)), b.emit1('length', [g(name)])),
        )
      },
    )
  },
  atomic,
  barrier: barriers,
  printf: (m: Maker): void => {
    const outp = { scalar: 'f32' as const, data: [0, 0] }
    m.kernel(
      'of numbers',
      { threads: 2, buffers: { outp }, prints: ['thread 0: 0.500000, -3 true\n', 'thread 1: 1.500000, -3 true\n'] },
      (b, id, g) => {
        const x = b.emit1('add', [b.convert(id, t.f32), b.const(t.f32, 0.5)])
        b.emit('printf', [id, x, b.const(t.i32, -3)], 'thread %u: %f, %d true\n')
        b.store(b.elem(g('outp'), id), x)
      },
    )
  },
  trap: (m: Maker): void => {
    m.func('that holds', [t.i32], (b, x) => {
      b.emit('trap', [b.emit1('eq', [x, x])], 'never')
      return x
    })
    m.kernel(
      'that does not hold',
      { threads: 1, buffers: { outp: { scalar: 'i32', data: [3] } }, trap: 'three is too much' },
      (b, id, g) => {
        const place = b.elem(g('outp'), id)
        b.emit('trap', [b.emit1('lt', [b.load(place), b.const(t.i32, 3)])], 'three is too much')
        b.store(place, b.const(t.i32, 4))
      },
    )
  },
  call: (m: Maker): void => {
    const pair = m.struct('Pair', [
      ['x', t.f32],
      ['n', t.i32],
    ])
    const types = [t.f32, t.vec(t.f32, 3), t.array(t.f32, 3), t.array(t.f32, 30)]
    for (const type of types) {
      const both = m.helper(`both of ${type.name}`, [type, type], [type, type], (b, x, y) =>
        b.emit('ret', [b.emit1('add', [x, y]), x]),
      )
      m.func(`of ${type.name}`, [type, type], (b, x, y) => b.call(both, b.call(both, [x, y])), {
        smooth: true,
        points: smooth([type, type], 3),
      })
    }
    const mixed = m.helper('of a struct', [pair, t.bool], [pair, t.vec(t.bool, 2)], (b, p, c) =>
      b.emit('ret', [p, b.emit1('splat', [c], null, t.vec(t.bool, 2))]),
    )
    m.func('of a struct', [pair, t.bool], (b, p, c) => b.call(mixed, [p, c]))
    const nothing = m.helper('nothing', [], [], b => b.emit('ret', []))
    m.func('of nothing', [t.f32], (b, x) => {
      b.call(nothing, [])
      return x
    })
    const big = m.helper('of 64 bits', [t.f64, t.i64], [t.i64, t.f64], (b, x, n) => b.emit('ret', [n, x]))
    m.func('of 64 bits', [t.f64, t.i64], (b, x, n) => b.call(big, [x, n]))
    const own = declare(m.module, 'factorial', [t.i32], [t.i32])
    own.func.info.noInline = true
    const {
      b,
      args: [n],
    } = own
    const recur = b.emit('if', [b.emit1('le', [n!, b.const(t.i32, 1)])], null, [t.i32], [m.region(), m.region()])
    b.within(recur.regions[0]!, () => b.emit('yield', [b.const(t.i32, 1)]))
    b.within(recur.regions[1]!, () =>
      b.emit('yield', [b.emit1('mul', [n!, b.call(own.func, [b.emit1('sub', [n!, b.const(t.i32, 1)])])[0]!])]),
    )
    b.emit('ret', [recur.results[0]!])
    m.func('of itself', [t.i32], (c, x) => c.call(own.func, [x]), { points: [[0], [1], [5], [10]], cpuOnly: true })
  },
}
