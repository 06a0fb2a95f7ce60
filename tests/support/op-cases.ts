/** What tests each row of the op table: functions over every type and shape that it takes. A row without an entry is a type error. */
import type { BareOp, CommonOp, OpName } from '../../src/ir/op.ts'
import type { Builder } from '../../src/ir/build.ts'
import type { Scalar } from '../../src/ir/scalar.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Value } from '../../src/ir/value.ts'
import type { Build, CaseOptions, Maker } from './op-maker.ts'
import { controlCases } from './op-control.ts'
import { memoryCases } from './op-memory.ts'
import { combinations, interesting, lanewise, scalarsOf, smooth, spread } from './op-values.ts'

/** The row, of those that have no immediate. */
const rowOf = (m: Maker): BareOp => m.row as BareOp

const floats = [t.f32, t.f64, t.f16]
const ints = [t.i32, t.u32, t.i64, t.u64, t.i16, t.u16, t.i8, t.u8]

/** Rows that are tested on every shape; the others of their kind go the same ways. */
const everyShape: ReadonlySet<OpName> = new Set(['add', 'mul', 'div', 'neg', 'not', 'xor', 'shl', 'lt', 'ne'])

/** Shapes of a scalar: those of GPUs in all their forms, also the degenerate ones; others by one. */
function shapes(scalar: Type, all: boolean): Type[] {
  const few = [scalar, t.vec(scalar, 3)]
  if (![t.f32, t.i32, t.u32, t.bool].includes(scalar)) return few
  return all
    ? [...few, t.vec(scalar, 1), t.mat(scalar, 2, 3), t.mat(scalar, 1, 2), t.mat(scalar, 3, 1)]
    : [...few, t.mat(scalar, 2, 2)]
}

/** An operation on one or two operands of one shape. */
function lanes(
  m: Maker,
  scalars: readonly Type[],
  arity: 1 | 2,
  options: (type: Type) => CaseOptions = () => ({}),
): void {
  for (const scalar of scalars) {
    for (const type of shapes(scalar, everyShape.has(m.row))) {
      const build: Build = (b, ...args) => b.emit1(rowOf(m), args)
      m.func(`of ${type.name}`, arity === 1 ? [type] : [type, type], build, options(type))
    }
  }
}

/** Derivatives where the operands are floats of at least single precision. */
const differentiable = (type: Type): CaseOptions =>
  type.scalar === 'f32' || type.scalar === 'f64' ? { smooth: true } : {}

/** What is compared: lists and operands without infinities, whose remainders GPUs get wrong by a multiple of the divisor at most where the quotient is small. */
function remainders(type: Type): CaseOptions {
  if (!t.isFloat(type)) return differentiable(type)
  const values = [
    [7.25, -7.25, 0.5, -3, 100.125],
    [2, -2, 3.5, 0.75],
  ]
  return { ...differentiable(type), points: lanewise([type, type], values), gpuError: 1e-5 }
}

const bits = (m: Maker, withBool: boolean): void => lanes(m, withBool ? [...ints, t.bool] : ints, 2)
const compare = (m: Maker, withBool: boolean): void =>
  lanes(m, withBool ? [...floats, ...ints, t.bool] : [...floats, ...ints], 2)

function shifts(m: Maker): void {
  for (const scalar of ints) {
    for (const type of shapes(scalar, everyShape.has(m.row)))
      m.func(`of ${type.name}`, [type, type], (b, x, y) => b.emit1(rowOf(m), [x, y]))
  }
  // The amount may be of another integer type.
  const amounts = [0, 1, 5, 31, 32, 40]
  for (const [type, by] of [
    [t.i32, t.u32],
    [t.u32, t.i32],
    [t.vec(t.i32, 3), t.vec(t.u32, 3)],
  ] as const) {
    m.func(`of ${type.name} by ${by.name}`, [type, by], (b, x, y) => b.emit1(rowOf(m), [x, y]), {
      points: lanewise([type, by], [interesting[type.scalar!], amounts]),
    })
  }
}

function conversions(m: Maker): void {
  const scalars = [...floats, ...ints, t.bool]
  for (const from of scalars) {
    for (const to of scalars) {
      if (from === to) continue
      const options: CaseOptions =
        t.isFloat(from) && t.isFloat(to) && from !== t.f16 && to !== t.f16 ? { smooth: true } : {}
      m.func(`of ${from.name} to ${to.name}`, [from], (b, x) => b.emit1('convert', [x], null, to), options)
      if (![from, to].every(s => [t.f32, t.i32, t.u32, t.bool].includes(s))) continue
      for (const shape of [t.vec(from, 3), t.mat(from, 2, 2), t.mat(from, 3, 1)]) {
        m.func(
          `of ${shape.name} to ${to.name}`,
          [shape],
          (b, x) => b.emit1('convert', [x], null, t.withScalar(shape, to)),
          options,
        )
      }
    }
  }
}

const sameSize: readonly (readonly Type[])[] = [
  [t.f32, t.i32, t.u32],
  [t.f64, t.i64, t.u64],
  [t.f16, t.i16, t.u16],
  [t.i8, t.u8],
]

function bitcasts(m: Maker): void {
  for (const group of sameSize) {
    for (const from of group) {
      for (const to of group) {
        if (from === to) continue
        // Patterns that are numbers in both: a NaN keeps no payload everywhere.
        const patterns: readonly Scalar[] | undefined = t.isFloat(to)
          ? {
              f32: [0, 1065353216, 1078530011, 1325400064],
              f64: [0n, 4607182418800017408n, 2n ** 62n],
              f16: [0, 15360, 0x0400, 31743, 1],
            }[to.scalar as 'f32']
          : undefined
        const wrapped =
          patterns ??
          (t.isFloat(from) ? interesting[from.scalar!].filter(x => !Number.isNaN(x)) : interesting[from.scalar!])
        for (const shape of group === sameSize[0]
          ? [from, t.vec(from, 3), t.mat(from, 2, 2)]
          : [from, t.vec(from, 2)]) {
          m.func(
            `of ${shape.name} to ${to.name}`,
            [shape],
            (b, x) => b.emit1('bitcast', [x], null, t.withScalar(shape, to)),
            { points: lanewise([shape], [wrapped]) },
          )
        }
      }
    }
  }
}

interface Composites {
  readonly all: readonly Type[]
  readonly item: Type
}

/** Composites of every kind, with structs of this module. */
function composites(m: Maker): Composites {
  const item = m.struct(
    'Item',
    [
      ['a', t.f32],
      ['v', t.vec(t.f32, 3)],
      ['w', t.array(t.f32, 2)],
    ],
    true,
  )
  const mixed = m.struct('Mixed', [
    ['flag', t.bool],
    ['n', t.vec(t.i32, 2)],
    ['item', item],
    ['k', t.mat(t.u32, 2, 2)],
  ])
  const all = [
    t.vec(t.f32, 3),
    t.vec(t.i32, 2),
    t.vec(t.bool, 4),
    t.vec(t.u32, 1),
    t.vec(t.f64, 2),
    t.mat(t.f32, 2, 3),
    t.mat(t.i32, 2, 2),
    t.mat(t.bool, 2, 2),
    t.mat(t.f32, 1, 3),
    t.mat(t.f32, 3, 1),
    t.array(t.f32, 3),
    t.array(t.bool, 2),
    t.array(t.vec(t.f32, 2), 2),
    t.array(t.array(t.i32, 2), 2),
    t.array(item, 2),
    item,
    mixed,
  ]
  return { all, item }
}

const isFloating = (type: Type): boolean => scalarsOfFloat(type)

function scalarsOfFloat(type: Type): boolean {
  return type.kind === 'struct'
    ? type.diff !== null
    : type.kind === 'array'
      ? scalarsOfFloat(type.elem!)
      : type.scalar === 'f32'
}

/** Derivatives of small composites: those of large ones are no different, but slow to compile. */
const differentiableComposite = (type: Type): CaseOptions =>
  isFloating(type) && scalarsOf(type).length <= 12 ? { smooth: true } : {}

function components(m: Maker): void {
  // A long array is copied to memory for an insertion.
  for (const type of [...composites(m).all, t.array(t.f32, 20)]) {
    for (const i of new Set(type.kind === 'struct' ? [0, 1, type.count - 1] : [type.count - 1])) {
      const part = t.component(type, i)
      const options = differentiableComposite(type)
      if (m.row === 'extract') m.func(`${i} of ${type.name}`, [type], (b, x) => b.emit1('extract', [x], i), options)
      else
        m.func(`${i} of ${type.name}`, [type, part], (b, x, y) => b.emit1('insert', [x, y], i), {
          ...options,
          points: spread([type, part]),
        })
    }
  }
}

/** Shapes that meet in a product: `rows × n` and `n × columns`, where 0 stands for a vector. */
const meetings: readonly (readonly [rows: number, n: number, columns: number])[] = [
  [0, 2, 3],
  [3, 2, 0],
  [2, 3, 4],
  [4, 4, 4],
  [0, 1, 3],
  [0, 3, 1],
  [3, 1, 0],
  [1, 3, 0],
  [1, 3, 1],
  [2, 1, 2],
  [1, 2, 3],
  [3, 2, 1],
]

function products(m: Maker): void {
  for (const scalar of [t.f32, t.i32, t.u32, t.f64]) {
    const func = (x: Type, y: Type): void => {
      const options: CaseOptions = t.isFloat(scalar)
        ? { smooth: true, points: smooth([x, y], 4) }
        : { points: spread([x, y]) }
      m.func(`of ${x.name} and ${y.name}`, [x, y], (b, p, q) => b.emit1(rowOf(m), [p, q]), options)
    }
    const isMain = scalar === t.f32 || scalar === t.i32
    if (m.row === 'dot') for (const n of isMain ? [1, 2, 3, 4] : [3]) func(t.vec(scalar, n), t.vec(scalar, n))
    else
      for (const [rows, n, columns] of isMain ? meetings : meetings.slice(0, 3)) {
        func(
          rows === 0 ? t.vec(scalar, n) : t.mat(scalar, rows, n),
          columns === 0 ? t.vec(scalar, n) : t.mat(scalar, n, columns),
        )
      }
  }
}

function selects(m: Maker): void {
  const { all } = composites(m)
  for (const type of [t.f32, t.i32, t.bool, t.f64, t.u64, ...all]) {
    const options = type === t.f32 ? { smooth: true as const } : differentiableComposite(type)
    m.func(`of ${type.name}`, [t.bool, type, type], (b, c, x, y) => b.emit1('select', [c, x, y]), {
      ...options,
      points: spread([t.bool, type, type], 6),
    })
    if (type.kind !== 'vec' && type.kind !== 'mat') continue
    const cond = t.withScalar(type, t.bool)
    m.func(`lane by lane of ${type.name}`, [cond, type, type], (b, c, x, y) => b.emit1('select', [c, x, y]), {
      ...options,
      points: spread([cond, type, type], 6),
    })
  }
  m.func('of what it chooses between', [t.f32, t.f32], (b, x, y) => b.emit1('select', [b.emit1('lt', [x, y]), x, y]), {
    smooth: true,
  })
}

function indexed(m: Maker): void {
  const lanesOf = (x: Type): readonly Scalar[] => Array.from({ length: x.count }, (_, i) => i)
  for (const x of [
    t.vec(t.f32, 3),
    t.vec(t.i32, 4),
    t.vec(t.bool, 2),
    t.vec(t.f64, 2),
    t.vec(t.f32, 1),
    t.mat(t.f32, 3, 2),
    t.mat(t.i32, 2, 2),
    t.mat(t.f32, 1, 3),
    t.mat(t.f32, 3, 1),
  ]) {
    for (const by of [t.i32, t.u32]) {
      const points = combinations([
        spread([x], 3).map(p => p[0]!),
        [...lanesOf(x), ...(by === t.i32 ? [-1] : []), x.count, 1000],
      ])
      m.func(`of ${x.name} by ${by.name}`, [x, by], (b, p, i) => b.emit1('index', [p, i]), {
        points,
        promised: ([, i]) => (i as number) >= 0 && (i as number) < x.count,
        ...(x.scalar === 'f32' ? { smooth: combinations([smooth([x], 1).map(p => p[0]!), lanesOf(x)]) } : {}),
      })
    }
  }
}

const literals: readonly (readonly [Type, readonly Scalar[]])[] = [t.bool, ...floats, ...ints].map(
  type => [type, interesting[type.scalar!]] as const,
)

/** The same value from each entry of a list of types. */
function nullary(m: Maker, types: readonly Type[], build: (b: Builder, type: Type) => Value | readonly Value[]): void {
  for (const type of types) m.func(`of ${type.name}`, [], b => build(b, type))
}

/** Every row of the op table, with what tests it, or the row whose cases use it too. */
export const opCases: Readonly<Record<CommonOp, ((m: Maker) => void) | CommonOp>> = {
  const: m => {
    for (const [type, values] of literals)
      m.func(`of ${type.name}`, [], b => values.map(x => b.emit1('const', [], x, type)))
    m.func('in a sum', [t.f32], (b, x) => b.emit1('mul', [x, b.const(t.f32, 1.5)]), { smooth: true })
  },
  zero: m =>
    nullary(m, [t.bool, t.f32, t.f64, t.f16, t.i64, t.i8, ...composites(m).all], (b, type) =>
      b.emit1('zero', [], null, type),
    ),
  undef: m =>
    nullary(m, [t.bool, t.f32, t.f64, t.i64, ...composites(m).all], (b, type) => [
      b.emit1('undef', [], null, type),
      b.emit1('select', [b.const(t.bool, false), b.emit1('undef', [], null, type), b.zero(type)]),
    ]),
  add: m => {
    lanes(m, [...floats, ...ints], 2, differentiable)
    const { all, item } = composites(m)
    for (const type of [item, ...all.filter(c => c.kind === 'array' && isFloating(c))]) {
      m.func(`of ${type.name}`, [type, type], (b, x, y) => b.emit1('add', [x, y]), {
        smooth: true,
        points: spread([type, type], 5),
      })
    }
    // Elements that neither list has are zeros.
    m.func(
      'of lists of lists',
      [t.i32, t.i32, t.f32],
      (b, i, k, x) => {
        const [v, w, sum] = [0, 1, 2].map(() => b.variable(t.list(t.list(t.f32))))
        b.store(b.elem(b.elem(v!, i), b.const(t.i32, 1)), x)
        b.store(b.elem(b.elem(w!, k), b.const(t.i32, 0)), x)
        b.store(sum!, b.emit1('add', [b.load(v!), b.load(w!)]))
        return [0, 1, 2].flatMap(n =>
          [0, 1].map(j => b.load(b.elem(b.elem(sum!, b.const(t.i32, n)), b.const(t.i32, j)))),
        )
      },
      { points: combinations([[0, 2], [1, 2], [0.5]]) },
    )
  },
  sub: m => lanes(m, [...floats, ...ints], 2, differentiable),
  mul: m => lanes(m, [...floats, ...ints], 2, differentiable),
  div: m => lanes(m, [...floats, ...ints], 2, differentiable),
  rem: m => lanes(m, [...floats, ...ints], 2, remainders),
  neg: m => lanes(m, [...floats, ...ints], 1, differentiable),
  and: m => bits(m, true),
  or: m => bits(m, true),
  xor: m => bits(m, true),
  not: m => lanes(m, [...ints, t.bool], 1),
  shl: shifts,
  shr: shifts,
  lt: m => compare(m, false),
  le: m => compare(m, false),
  gt: m => compare(m, false),
  ge: m => compare(m, false),
  eq: m => compare(m, true),
  ne: m => compare(m, true),
  select: selects,
  convert: conversions,
  bitcast: bitcasts,
  detach: m => {
    for (const type of [t.f32, t.vec(t.f32, 3), t.mat(t.f32, 2, 2), t.i32, ...composites(m).all])
      m.func(`of ${type.name}`, [type], (b, x) => b.emit1('detach', [x]))
    // The derivative of the square of its operand, of which one factor counts.
    m.func(
      'as a constant',
      [t.f32, t.f32],
      (b, x, y) => b.emit1('mul', [b.emit1('detach', [b.emit1('sub', [x, x])]), y]),
      { smooth: true },
    )
  },
  construct: m => {
    for (const type of composites(m).all) {
      const parts = Array.from({ length: type.count }, (_, i) => t.component(type, i))
      m.func(
        `of ${type.name}`,
        parts,
        (b, ...args) => b.emit1('construct', args, null, type),
        differentiableComposite(type),
      )
    }
    const empty = m.struct('Empty', [])
    m.func('of an empty struct', [t.f32], (b, x) => [b.emit1('construct', [], null, empty), x])
  },
  splat: m => {
    for (const scalar of [t.f32, t.i32, t.u32, t.bool, t.f64, t.i64]) {
      for (const type of shapes(scalar, true).filter(s => s.kind !== 'scalar')) {
        m.func(
          `of ${type.name}`,
          [scalar],
          (b, x) => b.emit1('splat', [x], null, type),
          scalar === t.f32 || scalar === t.f64 ? { smooth: true } : {},
        )
      }
    }
  },
  extract: components,
  insert: components,
  swizzle: m => {
    for (const scalar of [t.f32, t.i32, t.bool, t.f64, t.i64]) {
      for (const [count, chosen] of [
        [3, [2, 0, 0]],
        [4, [3, 2, 1, 0]],
        [2, [1]],
        [2, [0, 0, 1, 1]],
        [1, [0, 0]],
        [1, [0]],
        [3, [0, 1, 2]],
      ] as const) {
        const type = t.vec(scalar, count)
        m.func(
          `${chosen.join('')} of ${type.name}`,
          [type],
          (b, x) => b.emit1('swizzle', [x], chosen),
          scalar === t.f32 ? { smooth: true } : {},
        )
      }
    }
  },
  index: indexed,
  dot: products,
  matmul: products,
  transpose: m => {
    for (const type of [
      t.mat(t.f32, 2, 3),
      t.mat(t.f32, 4, 4),
      t.mat(t.f32, 1, 3),
      t.mat(t.f32, 3, 1),
      t.mat(t.f32, 1, 1),
      t.mat(t.i32, 2, 3),
      t.mat(t.bool, 3, 2),
      t.mat(t.f64, 2, 2),
    ]) {
      m.func(
        `of ${type.name}`,
        [type],
        (b, x) => b.emit1('transpose', [x]),
        type.scalar === 'f32' ? { smooth: true } : {},
      )
    }
  },
  ...memoryCases,
  ...controlCases,
}
