/** Tests of the rows that own regions or end them. */
import type { Builder } from '../../src/ir/build.ts'
import { region } from '../../src/ir/build.ts'
import type { Attr, Hint, OpName } from '../../src/ir/op.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import type { Inst, Value } from '../../src/ir/value.ts'
import type { Maker } from './op-maker.ts'
import { combinations, smooth, spread, type Point } from './op-values.ts'

/** The kinds of values that leave regions. */
function carried(m: Maker): readonly Type[] {
  const item = m.struct(
    'Item',
    [
      ['a', t.f32],
      ['w', t.array(t.f32, 3)],
    ],
    true,
  )
  return [t.f32, t.vec(t.f32, 3), t.mat(t.f32, 2, 2), t.array(t.f32, 3), item, t.i32, t.bool, t.f64, t.array(t.f64, 20)]
}

const isSmooth = (type: Type): boolean =>
  type.kind === 'array' ? isSmooth(type.elem!) : type.kind === 'struct' || type.scalar === 'f32'

/** An instruction with regions, each ended by what `ends` appends to it. */
function control(
  b: Builder,
  op: OpName,
  args: Value[],
  attr: Attr,
  types: readonly Type[],
  ends: readonly ((inst: Inst) => void)[],
): readonly Value[] {
  const inst = b.emit(
    op,
    args,
    attr,
    types,
    ends.map(() => region()),
  )
  ends.forEach((end, i) => b.within(inst.regions[i]!, () => end(inst)))
  return inst.results
}

/** `if (c) … else …`, each side giving its results. */
function choice(b: Builder, c: Value, types: readonly Type[], yes: () => Value[], no: () => Value[]): readonly Value[] {
  return control(
    b,
    'if',
    [c],
    null,
    types,
    [yes, no].map(side => () => {
      b.emit('yield', side())
    }),
  )
}

/** Counts `i` from 0 to `n`, carrying values. */
function counted(
  b: Builder,
  n: Value,
  start: readonly Value[],
  hint: Hint,
  body: (i: Value, values: readonly Value[], loop: Inst) => readonly Value[],
): readonly Value[] {
  const inst = b.emit(
    'loop',
    [b.const(t.i32, 0), ...start],
    hint,
    start.map(v => v.type),
    [region(), region()],
  )
  const [head, inner] = [inst.regions[0]!, inst.regions[1]!]
  const i = b.param(t.i32, 'i', head)
  const values = start.map((v, k) => b.param(v.type, `c${k}`, head))
  b.within(head, () => b.emit('test', [b.emit1('lt', [i, n]), ...values]))
  b.within(inner, () => b.emit('next', [b.emit1('add', [i, b.const(t.i32, 1)]), ...body(i, values, inst)]))
  return inst.results
}

const mixed = (b: Builder, x: Value, y: Value): Value =>
  t.differential(x.type) === null ? y : x.type.scalar === undefined ? b.emit1('add', [x, y]) : b.emit1('mul', [x, y])

const below = (b: Builder, x: Value, y: number): Value => b.emit1('lt', [x, b.const(x.type, y)])

function ifs(m: Maker): void {
  for (const type of carried(m)) {
    m.func(
      `of ${type.name}`,
      [t.bool, type, type],
      (b, c, x, y) =>
        choice(
          b,
          c,
          [type],
          () => [mixed(b, x, y)],
          () => [y],
        ),
      { points: spread([t.bool, type, type], 6), ...(isSmooth(type) ? { smooth: true } : {}) },
    )
  }
  m.func(
    'without results',
    [t.f32, t.f32],
    (b, x, y) => {
      const v = b.variable(t.f32)
      b.store(v, x)
      choice(
        b,
        b.emit1('lt', [x, y]),
        [],
        () => {
          b.store(v, b.emit1('mul', [x, y]))
          return []
        },
        () => [],
      )
      return b.load(v)
    },
    { smooth: true },
  )
  m.func(
    'inside an if',
    [t.f32, t.f32],
    (b, x, y) =>
      choice(
        b,
        below(b, x, 1),
        [t.f32, t.f32],
        () => [
          ...choice(
            b,
            below(b, y, 0),
            [t.f32],
            () => [b.neg(y)],
            () => [y],
          ),
          x,
        ],
        () => [x, b.emit1('mul', [x, y])],
      ),
    { smooth: true },
  )
}

function switches(m: Maker): void {
  for (const type of [t.i32, t.u32, t.i64, t.u8]) {
    const big = type === t.i64
    const labels = [0, 1, 7]
    const points: Point[] = combinations([[0, 1, 2, 7, 200].map(n => (big ? BigInt(n) : n)), [0.5, -3]])
    m.func(
      `on ${type.name}`,
      [type, t.f32],
      (b, n, x) =>
        control(
          b,
          'switch',
          [n],
          labels.map((label, i) => [label, i === 2 ? 0 : i]).flat(),
          [t.f32],
          [
            () => {
              b.emit('yield', [b.emit1('mul', [x, x])])
            },
            () => {
              b.emit('yield', [b.neg(x)])
            },
            () => {
              b.emit('yield', [x])
            },
          ],
        ),
      {
        points,
        ...(type === t.i32
          ? {
              smooth: [
                [0, 0.5],
                [7, -1.5],
                [1, 0.25],
                [5, 2],
              ],
            }
          : {}),
      },
    )
  }
  m.func('on negative labels', [t.i32], (b, n) =>
    control(
      b,
      'switch',
      [n],
      [-1, 0, -(2 ** 31), 1],
      [t.i32],
      [
        () => {
          b.emit('yield', [b.const(t.i32, 10)])
        },
        () => {
          b.emit('yield', [b.const(t.i32, 20)])
        },
        () => {
          b.emit('yield', [b.const(t.i32, 30)])
        },
      ],
    ),
  )
  m.func('on large unsigned labels', [t.u32], (b, n) =>
    control(
      b,
      'switch',
      [n],
      [2 ** 32 - 1, 0, 2 ** 31, 1],
      [t.i32],
      [
        () => {
          b.emit('yield', [b.const(t.i32, 10)])
        },
        () => {
          b.emit('yield', [b.const(t.i32, 20)])
        },
        () => {
          b.emit('yield', [b.const(t.i32, 30)])
        },
      ],
    ),
  )
  m.func('with a default alone', [t.i32], (b, n) =>
    control(
      b,
      'switch',
      [n],
      [],
      [t.i32],
      [
        () => {
          b.emit('yield', [n])
        },
      ],
    ),
  )
}

const trips = [0, 1, 2, 5]

function loops(m: Maker): void {
  for (const type of carried(m)) {
    const points = combinations([trips, spread([type, type], 2)]).map(([n, p]) => [n, ...p])
    m.func(
      `of ${type.name}`,
      [t.i32, type, type],
      (b, n, x, y) => counted(b, n, [x], null, (_i, [v]) => [mixed(b, v!, y)]),
      { points, ...(isSmooth(type) ? { smooth: [0, 3].map(n => [n, ...smooth([type, type], 1)[0]!]) } : {}) },
    )
  }
  // Each trip exchanges what is carried.
  m.func(
    'that swaps',
    [t.i32, t.f32, t.f32],
    (b, n, x, y) => counted(b, n, [x, y], null, (_i, [v, w]) => [w!, b.emit1('mul', [v!, w!])]),
    { points: combinations([trips, [1.5], [-0.5]]), smooth: [[3, 1.5, -0.5]] },
  )
  m.func('with a bound', [t.i32, t.f32], (b, n, x) => counted(b, n, [x], 8, (_i, [v]) => [b.emit1('mul', [v!, x])]), {
    points: combinations([trips, [1.5, -0.5]]),
    smooth: [[4, 1.25]],
  })
  m.func(
    'to be unrolled',
    [t.f32],
    (b, x) =>
      counted(b, b.const(t.i32, 4), [x], 'unroll', (i, [v]) => [
        b.emit1('add', [v!, b.emit1('mul', [x, b.convert(i, t.f32)])]),
      ]),
    { smooth: true },
  )
  m.func(
    'inside a loop',
    [t.i32, t.f32],
    (b, n, x) =>
      counted(b, n, [x], null, (i, [v]) => counted(b, i, [v!], null, (_j, [w]) => [b.emit1('mul', [w!, x])])),
    { points: combinations([trips, [1.25, -0.5]]), smooth: [[4, 1.125]] },
  )
  m.func(
    'that writes an array',
    [t.i32, t.vec(t.f32, 4)],
    (b, n, x) => {
      const memory = b.variable(t.array(t.f32, 4))
      counted(b, n, [], null, i => {
        const place = b.elem(memory, b.emit1('and', [i, b.const(t.i32, 3)]))
        b.store(
          place,
          b.emit1('add', [
            b.emit1('mul', [b.load(place), b.const(t.f32, 0.5)]),
            b.emit1('index', [x, b.emit1('and', [i, b.const(t.i32, 3)])]),
          ]),
        )
        return []
      })
      return b.load(memory)
    },
    { points: combinations([trips, [[1, 2, -3, 4]]]), smooth: [[6, [0.5, 1.5, -2, 1]]] },
  )
}

/** What a loop leaves early, when its number passes a limit. */
function leaves(m: Maker): void {
  m.func(
    'of a loop',
    [t.i32, t.f32],
    (b, n, x) =>
      counted(b, n, [x], null, (i, [v], loop) => {
        const next = b.emit1('mul', [v!, x])
        control(
          b,
          'if',
          [b.emit1('gt', [i, b.const(t.i32, 2)])],
          null,
          [],
          [
            () => {
              b.emit('leave', [b.neg(next)], loop)
            },
            () => {
              b.emit('yield', [])
            },
          ],
        )
        return [next]
      }),
    {
      points: combinations([trips, [1.25, -0.5]]),
      smooth: [
        [2, 1.25],
        [6, 1.25],
      ],
    },
  )
  m.func(
    'of two loops',
    [t.i32, t.f32],
    (b, n, x) =>
      counted(b, n, [x], null, (_i, [v], outer) =>
        counted(b, n, [v!], null, (j, [w]) => {
          control(
            b,
            'if',
            [b.emit1('gt', [j, b.const(t.i32, 2)])],
            null,
            [],
            [
              () => {
                b.emit('leave', [b.neg(w!)], outer)
              },
              () => {
                b.emit('yield', [])
              },
            ],
          )
          return [b.emit1('mul', [w!, x])]
        }),
      ),
    {
      points: combinations([trips, [1.25, -0.5]]),
      smooth: [
        [2, 1.25],
        [5, 1.25],
      ],
    },
  )
  m.func(
    'of a block',
    [t.f32, t.f32],
    (b, x, y) =>
      control(
        b,
        'block',
        [],
        null,
        [t.f32, t.bool],
        [
          block => {
            control(
              b,
              'if',
              [b.emit1('lt', [x, y])],
              null,
              [],
              [
                () => {
                  b.emit('leave', [b.emit1('mul', [x, y]), b.const(t.bool, true)], block)
                },
                () => {
                  b.emit('yield', [])
                },
              ],
            )
            b.emit('yield', [y, b.const(t.bool, false)])
          },
        ],
      ),
    { smooth: true },
  )
  m.func(
    'of an if',
    [t.bool, t.f32],
    (b, c, x) =>
      control(
        b,
        'if',
        [c],
        null,
        [t.f32],
        [
          inst => {
            control(
              b,
              'if',
              [below(b, x, 0)],
              null,
              [],
              [
                () => {
                  b.emit('leave', [b.neg(x)], inst)
                },
                () => {
                  b.emit('yield', [])
                },
              ],
            )
            b.emit('yield', [b.emit1('mul', [x, x])])
          },
          () => {
            b.emit('yield', [x])
          },
        ],
      ),
    {
      points: combinations([
        [true, false],
        [1.5, -2],
      ]),
      smooth: combinations([
        [true, false],
        [1.5, -2],
      ]),
    },
  )
  m.func(
    'of a switch, from a loop in it',
    [t.i32, t.f32],
    (b, n, x) =>
      control(
        b,
        'switch',
        [n],
        [1, 0, 3, 1],
        [t.f32],
        [
          () => {
            b.emit('yield', [x])
          },
          inst => {
            const [sum] = counted(b, n, [x], null, (i, [v]) => {
              control(
                b,
                'if',
                [b.emit1('eq', [i, b.const(t.i32, 1)])],
                null,
                [],
                [
                  () => {
                    b.emit('leave', [b.emit1('mul', [v!, v!])], inst)
                  },
                  () => {
                    b.emit('yield', [])
                  },
                ],
              )
              return [b.emit1('mul', [v!, x])]
            })
            b.emit('yield', [sum!])
          },
          () => {
            b.emit('yield', [b.neg(x)])
          },
        ],
      ),
    {
      points: combinations([
        [0, 1, 3],
        [1.25, -0.5],
      ]),
      smooth: [
        [3, 1.25],
        [1, 1.25],
        [0, 1.25],
      ],
    },
  )
}

function blocks(m: Maker): void {
  for (const type of carried(m)) {
    m.func(
      `of ${type.name}`,
      [type, type],
      (b, x, y) =>
        control(
          b,
          'block',
          [],
          null,
          [type, type],
          [
            () => {
              b.emit('yield', [y, mixed(b, x, y)])
            },
          ],
        ),
      { points: spread([type, type], 4), ...(isSmooth(type) ? { smooth: true } : {}) },
    )
  }
}

/** Returns from the midst of control. */
function returns(m: Maker): void {
  m.func('at the end', [t.f32], (_b, x) => x, { smooth: true })
  const inIf = m.helper('from an if', [t.f32, t.f32], [t.f32], (b, x, y) => {
    control(
      b,
      'if',
      [b.emit1('lt', [x, y])],
      null,
      [],
      [
        () => {
          b.emit('ret', [b.emit1('mul', [x, y])])
        },
        () => {
          b.emit('yield', [])
        },
      ],
    )
    b.emit('ret', [x])
  })
  m.func('from an if', [t.f32, t.f32], (b, x, y) => b.call(inIf, [x, y]), { smooth: true, elsewhere: true })
  const inLoop = m.helper('from a loop', [t.i32, t.f32], [t.f32, t.i32], (b, n, x) => {
    const [sum] = counted(b, n, [x], null, (i, [v]) => {
      control(
        b,
        'if',
        [b.emit1('gt', [i, b.const(t.i32, 2)])],
        null,
        [],
        [
          () => {
            b.emit('ret', [v!, i])
          },
          () => {
            b.emit('yield', [])
          },
        ],
      )
      return [b.emit1('mul', [v!, x])]
    })
    b.emit('ret', [b.neg(sum!), n])
  })
  m.func('from a loop', [t.i32, t.f32], (b, n, x) => b.call(inLoop, [n, x]), {
    points: combinations([trips, [1.25, -0.5]]),
    smooth: [
      [2, 1.25],
      [6, 1.25],
    ],
    elsewhere: true,
  })
  const inSwitch = m.helper('from every case', [t.i32, t.f32], [t.f32], (b, n, x) => {
    control(
      b,
      'switch',
      [n],
      [0, 0, 1, 1],
      [],
      [
        () => {
          b.emit('ret', [x])
        },
        () => {
          b.emit('ret', [b.emit1('mul', [x, x])])
        },
        () => {
          b.emit('ret', [b.neg(x)])
        },
      ],
    )
    b.emit('unreachable', [])
  })
  m.func('from every case', [t.i32, t.f32], (b, n, x) => b.call(inSwitch, [n, x]), {
    points: combinations([trips, [1.25, -0.5]]),
    smooth: [
      [0, 1.25],
      [1, 1.25],
      [2, 1.25],
    ],
    elsewhere: true,
  })
}

function unreachables(m: Maker): void {
  m.func(
    'in a switch',
    [t.i32, t.f32],
    (b, n, x) =>
      control(
        b,
        'switch',
        [b.emit1('and', [n, b.const(t.i32, 1)])],
        [0, 0, 1, 1],
        [t.f32],
        [
          () => {
            b.emit('yield', [x])
          },
          () => {
            b.emit('yield', [b.emit1('mul', [x, x])])
          },
          () => {
            b.emit('unreachable', [])
          },
        ],
      ),
    {
      points: combinations([
        [0, 1, 2, 3],
        [0.5, -2],
      ]),
      smooth: [
        [0, 0.75],
        [1, -1.5],
      ],
    },
  )
  m.func(
    'in an if',
    [t.i32, t.f32],
    (b, n, x) =>
      control(
        b,
        'if',
        [b.emit1('eq', [n, n])],
        null,
        [t.f32],
        [
          () => {
            b.emit('yield', [b.emit1('mul', [x, x])])
          },
          () => {
            b.emit('unreachable', [])
          },
        ],
      ),
    {
      points: combinations([
        [0, 1],
        [0.5, -2],
      ]),
      smooth: [[0, 0.75]],
    },
  )
}

/** Rows of control flow, and what tests them. */
export const controlCases: Readonly<
  Record<
    'if' | 'switch' | 'loop' | 'block' | 'yield' | 'test' | 'next' | 'leave' | 'ret' | 'unreachable',
    ((m: Maker) => void) | 'block' | 'loop'
  >
> = {
  if: ifs,
  switch: switches,
  loop: loops,
  block: blocks,
  yield: 'block',
  test: 'loop',
  next: 'loop',
  leave: leaves,
  ret: returns,
  unreachable: unreachables,
}
