import { describe, expect, it } from 'vitest'
import { run } from '../../src/ir/run.ts'
import type { Func, Inst } from '../../src/ir/value.ts'
import { walk } from '../../src/ir/walk.ts'
import { inductions, tripBound } from '../../src/opt/loops.ts'
import { random } from '../support/generate-ir.ts'
import { soundModule } from '../support/ir-run.ts'

function loopIn(func: Func): Inst<'loop'> {
  const found: Inst<'loop'>[] = []
  walk(func.body!, inst => {
    if (inst.op === 'loop') found.push(inst)
  })
  return found[0]!
}

interface Shape {
  readonly type: 'i32' | 'u32'
  readonly start: number
  readonly limit: number
  readonly step: number
  readonly op: string
  readonly turned: boolean
}

/** Counts the trips of `for (i = start; i op limit; i += step)`. With `constant`, start and limit are constants. */
function counting(s: Shape, constant: boolean): Func {
  const { type } = s
  const compare = s.turned
    ? `${{ lt: 'gt', le: 'ge', gt: 'lt', ge: 'le', ne: 'ne' }[s.op]!} %limit, %i`
    : `${s.op} %i, %limit`
  return soundModule(`func @f(%a: ${type}, %b: ${type}) -> i32 {
  %ca: ${type} = const ${s.start}
  %cb: ${type} = const ${s.limit}
  %zero: ${type} = const 0
  %start: ${type} = add ${constant ? '%ca, %zero' : '%a, %zero'}
  %limit: ${type} = add ${constant ? '%cb, %zero' : '%b, %zero'}
  %n0: i32 = const 0
  %r: i32 = loop ${constant ? '%ca' : '%a'}, %n0 (%i: ${type}, %n: i32) {
    %go: bool = ${compare.replace('%limit', constant ? '%cb' : '%b')}
    test %go, %n
  } {
    %one: i32 = const 1
    %m: i32 = add %n, %one
    %step: ${type} = const ${Math.abs(s.step)}
    %j: ${type} = ${s.step < 0 ? 'sub' : 'add'} %i, %step
    next %j, %m
  }
  ret %r
}`).funcs[0]!
}

describe('trip counts', () => {
  it('agree with runs where start and limit are constants', () => {
    const rand = random(7)
    let exact = 0
    for (let k = 0; k < 400; k++) {
      const type = rand(2) === 0 ? 'i32' : 'u32'
      const low = type === 'u32' ? 0 : -6
      const s: Shape = {
        type,
        start: low + rand(12),
        limit: low + rand(12),
        step: [1, -1, 2, -3][rand(4)]!,
        op: ['lt', 'le', 'gt', 'ge', 'ne'][rand(5)]!,
        turned: rand(2) === 0,
      }
      const what = JSON.stringify(s)
      const trips = (): number | undefined => {
        try {
          return run(counting(s, true), [0, 0], { steps: 2000 })[0] as number
        } catch (error) {
          expect((error as Error).message).toBe('the run takes too many steps')
          return undefined
        }
      }
      const bound = tripBound(loopIn(counting(s, true)))
      if (bound !== undefined) {
        expect(bound, what).toEqual({ exact: trips(), max: trips(), early: false })
        exact++
      }
    }
    expect(exact).toBeGreaterThan(150)
  })

  const bound = (loop: string): unknown => {
    const constants = '%z: i32 = const 0 %one: i32 = const 1 %ten: i32 = const 10 %t: bool = const true'
    return tripBound(loopIn(soundModule(`func @f(%n: i32, %x: u32, %c: bool) { ${constants} ${loop} ret }`).funcs[0]!))
  }
  const step = '%j: i32 = add %i, %one'

  it('are bounded where the loop is left early', () => {
    const exit = 'if %c { leave ^l } { yield }'
    expect(bound(`loop ^l %z (%i: i32) { %g: bool = lt %i, %ten test %g } { ${exit} ${step} next %j }`)).toEqual({
      max: 10,
      early: true,
    })
  })

  it('are bounded by a break that tests the counter', () => {
    const exit = '%g: bool = lt %j, %ten if %g { yield } { leave ^l }'
    expect(bound(`loop ^l %z (%i: i32) { test %t } { ${step} ${exit} next %j }`)).toEqual({ max: 10, early: true })
  })

  it('are bounded by a limit that is a minimum', () => {
    const least = '%k: bool = lt %n, %ten %m: i32 = select %k, %n, %ten'
    expect(bound(`${least} loop %z (%i: i32) { %g: bool = lt %i, %m test %g } { ${step} next %j }`)).toEqual({
      max: 10,
      early: false,
    })
  })

  it('start no lower than zero where numbers have no sign, and anywhere else where they have one', () => {
    expect(bound(`loop %n (%i: i32) { %g: bool = lt %i, %ten test %g } { ${step} next %j }`)).toBeUndefined()
    const unsigned = '%last: u32 = const 10 %u: u32 = const 1'
    expect(
      bound(`${unsigned} loop %x (%i: u32) { %g: bool = lt %i, %last test %g } { %j: u32 = add %i, %u next %j }`),
    ).toEqual({ max: 10, early: false })
  })

  it('take a hint where nothing tells', () => {
    expect(bound(`loop %z (%i: i32) { %g: bool = lt %i, %n test %g } { ${step} next %j }`)).toBeUndefined()
    expect(bound(`loop 5 %z (%i: i32) { %g: bool = lt %i, %n test %g } { ${step} next %j }`)).toEqual({
      max: 5,
      early: false,
    })
  })

  it('know the steps', () => {
    const func = soundModule(`func @f(%n: i32) {
      loop %n, %n (%i: i32, %k: i32) { %g: bool = lt %i, %k test %g } { %two: i32 = const 2 %j: i32 = sub %i, %two next %j, %i }
      ret
    }`).funcs[0]!
    expect(inductions(loopIn(func)).map(i => [i.index, i.step])).toEqual([[0, -2]])
  })
})
