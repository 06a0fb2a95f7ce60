/**
 * The verifier: checks what holds for every function, and what each stage promises further. A failure is a bug of the compiler, so
 * it throws an InternalError that names the pass and carries the text of the function.
 */
import { InternalError } from '../base/diag.ts'
import type { AtomicOp, Immediates, OpName, OwnerOp, Terminator } from './op.ts'
import { baseOf } from './pointer.ts'
import { printFunc, printInst, typeText } from './print.ts'
import * as t from './type.ts'
import type { Type } from './type.ts'
import { Func, Inst, inputs, type Module, type Region, type Value } from './value.ts'
import { walk } from './walk.ts'

/** Checks all functions of a program; `pass` is the pass that has just run. */
export function verifyModule(module: Module, pass: string): void {
  for (const func of module.funcs) verify(func, pass)
}

/** Checks structure, types and scope of a function; `pass` is the pass that has just run. */
export function verify(func: Func, pass: string): void {
  if (func.body !== undefined) new Verifier(func, pass).run()
}

/** The promise of a stage. `surface`: the function is sound, with exits from anywhere. The others promise more. */
export type Form = 'surface' | 'ssa' | 'reversible' | 'linear'

/** Checks that a function has the form that the pass promises. */
export function verifyForm(func: Func, form: Form, pass: string): void {
  forms[form](func, pass)
}

const forms: Readonly<Record<Form, (func: Func, pass: string) => void>> = {
  surface: verify,
  ssa,
  reversible,
  // A linear tree takes residuals from the primal tree, so by itself it is no sound function.
  linear: (func, pass) => linear(func, func.body!, func.body!.params, pass),
}

/** The promise of `opt/ssa`: every local variable has accesses other than plain loads and stores. */
function ssa(func: Func, pass: string): void {
  verify(func, pass)
  if (func.body === undefined) return
  const pinned = new Uint8Array(func.nextValue)
  const locals: Inst[] = []
  walk(func.body, inst => {
    if (inst.op === 'var' && !holdsArray(inst.results[0]!.type.elem!)) locals.push(inst)
    inst.args.forEach((arg, i) => {
      const plain = inst.op === 'load' || (inst.op === 'store' && i === 0)
      if (!plain) pinned[arg.id] = 1
    })
  })
  const left = locals.find(inst => pinned[inst.results[0]!.id] === 0)
  if (left !== undefined) fail(func, pass, 'this variable should have been promoted', left)
}

/** The promise of `ad/prepare`: one `ret`, at the end, and nothing leaves a region early. */
function reversible(func: Func, pass: string): void {
  verify(func, pass)
  const body = func.body
  if (body === undefined) return
  if (body.end.op !== 'ret') fail(func, pass, 'the function must end in a ret', body.end)
  walk(body, (inst, region) => {
    if (inst.op === 'leave') fail(func, pass, 'nothing may leave a region early', inst)
    if (inst.op === 'ret' && region !== body) fail(func, pass, 'only the end of the function returns', inst)
    if (inst.op === 'block') fail(func, pass, 'nothing may leave a region early', inst)
  })
}

/**
 * Checks that a region is linear in the given values: what depends on them does so by linear operations only. A value that is stored
 * is followed into every load from the same memory.
 */
function linear(func: Func, region: Region, tangents: Iterable<Value>, pass: string): void {
  const depends = new Uint8Array(func.nextValue)
  for (const v of tangents) depends[v.id] = 1
  const mark = (values: readonly Value[]): boolean => {
    let changed = false
    for (const v of values) {
      if (depends[v.id] === 0 && t.differential(v.type) !== null) {
        depends[v.id] = 1
        changed = true
      }
    }
    return changed
  }
  const step = (r: Region): boolean => {
    let changed = false
    for (const inst of r.insts) {
      if (inst.op === 'load' || inst.op === 'store') {
        const memory = baseOf(inst.args[0]!)
        if (inst.op === 'load') {
          if (depends[memory.id] === 1) changed = mark(inst.results) || changed
        } else if (depends[inst.args[1]!.id] === 1 && depends[memory.id] === 0) {
          depends[memory.id] = 1
          changed = true
        }
        continue
      }
      const hot = inst.args.map((a, i) => (depends[a.id] === 1 ? i : -1)).filter(i => i >= 0)
      if (inst.regions.length > 0) {
        for (const inner of inst.regions) {
          if (hot.length > 0) changed = mark(inner.params) || changed
          changed = step(inner) || changed
          if (inner.end.args.some(a => depends[a.id] === 1)) changed = mark(inst.results) || changed
        }
        continue
      }
      if (hot.length === 0) continue
      const { ad } = inst.row
      const linearIn = ad.is === 'smooth' ? ad.linearIn?.operand : undefined
      if (ad.is === 'flat' || (ad.is === 'smooth' && hot.some(i => i !== linearIn)))
        fail(func, pass, 'this is not linear in its operands', inst)
      if (ad.is === 'multilinear' && hot.length > 1)
        fail(func, pass, 'this is linear in each operand, but not in both', inst)
      changed = mark(inst.results) || changed
    }
    return changed
  }
  while (step(region)) {
    /* loops carry dependence around until nothing changes */
  }
}

function fail(func: Func, pass: string, message: string, inst: Inst | undefined): never {
  let at = ''
  if (inst !== undefined) at = `\n  at: ${printInst(func, inst).split('\n')[0]}`
  throw new InternalError(pass, `${message}${at}\n${printFunc(func)}`)
}

const holdsArray = t.holding('array', 'list', 'opaque')

function sameTypes(values: readonly Value[], types: readonly Type[]): boolean {
  return values.length === types.length && values.every((v, i) => v.type === types[i])
}

const list = (types: readonly Type[]): string => `(${types.map(typeText).join(', ')})`
const typesOf = (values: readonly Value[]): readonly Type[] => values.map(v => v.type)

/** What owns no regions and ends none. */
type Plain = Exclude<OpName, OwnerOp | Terminator>

class Verifier {
  readonly #func: Func
  readonly #pass: string
  readonly #visible: Uint8Array
  readonly #defined: Uint8Array
  /** The control instructions around the place, outermost first. */
  readonly #around: Inst[] = []

  constructor(func: Func, pass: string) {
    this.#func = func
    this.#pass = pass
    this.#visible = new Uint8Array(func.nextValue)
    this.#defined = new Uint8Array(func.nextValue)
  }

  run(): void {
    const body = this.#func.body!
    const types = inputs(this.#func.sig).map(p => p.type)
    if (!sameTypes(body.params, types))
      this.#fail(`parameters should be ${list(types)}, but are ${list(typesOf(body.params))}`)
    this.#region(body, undefined, 0)
  }

  #fail(message: string, inst?: Inst): never {
    return fail(this.#func, this.#pass, message, inst)
  }

  #define(values: readonly Value[], def: Inst | Region, added: Value[], inst?: Inst): void {
    for (let i = 0; i < values.length; i++) {
      const v = values[i]!
      if (v.id >= this.#func.nextValue)
        this.#fail(`a value has id ${v.id}, but ids end at ${this.#func.nextValue}`, inst)
      if (this.#defined[v.id] === 1) this.#fail(`two values have id ${v.id}`, inst)
      if (v.def !== def || v.index !== i) this.#fail('a value does not know who defines it', inst)
      if (v.type.kind === 'void') this.#fail('a value may not be void', inst)
      this.#defined[v.id] = 1
      this.#visible[v.id] = 1
      added.push(v)
    }
  }

  #hide(values: readonly Value[]): void {
    for (let i = 0; i < values.length; i++) this.#visible[values[i]!.id] = 0
  }

  /** Checks a region and gives the values that it defines, which the caller hides again. */
  #region(region: Region, owner: Inst | undefined, which: number): Value[] {
    const added: Value[] = []
    this.#define(region.params, region, added, owner)
    if (region.insts.length === 0) this.#fail('a region is empty', owner)
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      const last = i === region.insts.length - 1
      if (inst.row.ends !== last)
        this.#fail(last ? 'a region ends without a terminator' : 'a terminator stands before the end', inst)
      for (const arg of inst.args) {
        if (arg.id >= this.#func.nextValue || this.#visible[arg.id] === 0)
          this.#fail('an operand is not visible here', inst)
      }
      switch (inst.op) {
        case 'yield':
        case 'test':
        case 'next':
        case 'leave':
        case 'ret':
        case 'unreachable':
          this.#terminator(inst, owner, which)
          break
        case 'if':
        case 'switch':
        case 'loop':
        case 'block':
          this.#control(inst)
          break
        default:
          this.#plain(inst)
      }
      this.#define(inst.results, inst, added, inst)
    }
    return added
  }

  #nested(inst: Inst, which: number): Value[] {
    this.#around.push(inst)
    const added = this.#region(inst.regions[which]!, inst, which)
    this.#around.pop()
    return added
  }

  #control(inst: Inst<OwnerOp>): void {
    const { op } = inst
    const least =
      op === 'switch'
        ? inst.attr.reduce((n, r, i) => (i % 2 === 1 ? Math.max(n, r) : n), 0) + 1
        : op === 'block'
          ? 1
          : 2
    if (inst.regions.length < least || (op !== 'switch' && inst.regions.length > least))
      this.#fail(`there should be ${least} regions`, inst)
    if (op === 'loop') {
      const [head, body] = [inst.regions[0]!, inst.regions[1]!]
      if (!sameTypes(inst.args, typesOf(head.params))) this.#fail(`the head takes ${list(typesOf(head.params))}`, inst)
      if (body.params.length > 0) this.#fail('the body of a loop has no parameters', inst)
      const added = this.#nested(inst, 0)
      this.#hide(this.#nested(inst, 1))
      this.#hide(added)
      return
    }
    if (op === 'if' && !(inst.args.length === 1 && inst.args[0]!.type === t.bool))
      this.#fail('the condition is one bool', inst)
    if (
      op === 'switch' &&
      !(inst.args.length === 1 && inst.args[0]!.type.kind === 'scalar' && t.isInt(inst.args[0]!.type))
    )
      this.#fail('the selector is one integer', inst)
    if (op === 'block' && inst.args.length > 0) this.#fail('a block has no operands', inst)
    for (let k = 0; k < inst.regions.length; k++) {
      if (inst.regions[k]!.params.length > 0) this.#fail('only the head of a loop has parameters', inst)
      this.#hide(this.#nested(inst, k))
    }
  }

  #terminator(inst: Inst<Terminator>, owner: Inst | undefined, which: number): void {
    const op = inst.op
    const carries = (args: readonly Value[], types: readonly Type[]): void => {
      if (!sameTypes(args, types)) this.#fail(`operands should be ${list(types)}, but are ${list(typesOf(args))}`, inst)
    }
    if (inst.results.length > 0) this.#fail('a terminator has no results', inst)
    if (op === 'unreachable') return
    if (op === 'ret') return carries(inst.args, this.#func.results)
    if (op === 'leave') {
      if (!(inst.attr instanceof Inst) || !this.#around.includes(inst.attr))
        this.#fail('`leave` names no instruction around it', inst)
      if (this.#around[this.#around.length - 1] === inst.attr && inst.attr.op === 'loop' && which === 0)
        this.#fail('the head of a loop is left by `test`', inst)
      return carries(inst.args, typesOf(inst.attr.results))
    }
    if (owner === undefined) this.#fail('the body of a function ends in `ret`', inst)
    if (owner.op === 'loop') {
      if (op !== (which === 0 ? 'test' : 'next'))
        this.#fail(`the ${which === 0 ? 'head ends in `test`' : 'body ends in `next`'}`, inst)
      if (which === 1) return carries(inst.args, typesOf(owner.args))
      if (inst.args[0]?.type !== t.bool) this.#fail('the first operand of `test` is a bool', inst)
      return carries(inst.args.slice(1), typesOf(owner.results))
    }
    if (op !== 'yield') this.#fail(`a region of \`${owner.op}\` ends in \`yield\``, inst)
    carries(inst.args, typesOf(owner.results))
  }

  #plain(inst: Inst<Plain>): void {
    if (inst.regions.length > 0) this.#fail('this owns no regions', inst)
    const wrong = attrMistake(inst) ?? operandMistake(inst)
    if (wrong !== undefined) this.#fail(wrong, inst)
    const types = inst.row.type?.(inst.args, inst.attr)
    if (types !== undefined && !sameTypes(inst.results, types)) this.#fail(`results should be ${list(types)}`, inst)
    const said = alikeMistake(inst)
    if (said !== undefined) this.#fail(said, inst)
    if (types === undefined) {
      const stated = statedMistake(inst)
      if (stated !== undefined) this.#fail(stated, inst)
    }
  }
}

const atomics: Readonly<Record<AtomicOp, true>> = {
  add: true,
  min: true,
  max: true,
  and: true,
  or: true,
  xor: true,
  exchange: true,
  compare: true,
  load: true,
  store: true,
}

/** What the immediate of an op is. */
const immediates: Immediates = {
  const: 'value',
  global: 'global',
  atomic: 'atomic',
  barrier: 'scope',
  printf: 'text',
  trap: 'text',
  'intrinsic.pure': 'text',
  'intrinsic.read': 'text',
  'intrinsic.write': 'text',
  call: 'func',
  switch: 'numbers',
  loop: 'hint',
  leave: 'label',
  extract: 'number',
  insert: 'number',
  swizzle: 'numbers',
  field: 'number',
}

function attrMistake(inst: Inst): string | undefined {
  const attr = inst.attr
  switch (inst.op in immediates ? immediates[inst.op as keyof Immediates] : 'none') {
    case 'none':
      return attr === null ? undefined : 'there is no immediate here'
    case 'number':
      return typeof attr === 'number' && Number.isInteger(attr) && attr >= 0 ? undefined : 'the immediate is an index'
    case 'value':
      return typeof attr === 'number' || typeof attr === 'boolean' || typeof attr === 'bigint'
        ? undefined
        : 'the immediate is a value'
    case 'text':
      return typeof attr === 'string' ? undefined : 'the immediate is text'
    case 'numbers':
      return Array.isArray(attr) ? undefined : 'the immediate is a list of numbers'
    case 'func':
      return attr instanceof Func ? undefined : 'the immediate is a function'
    case 'global':
      return attr !== null && typeof attr === 'object' && 'space' in attr ? undefined : 'the immediate is a global'
    case 'atomic':
      return typeof attr === 'string' && attr in atomics ? undefined : 'the immediate is what an atomic access does'
    case 'scope':
      return attr === 'workgroup' || attr === 'storage' || attr === 'all'
        ? undefined
        : 'the immediate is what memory a barrier orders'
    case 'label':
    case 'hint':
      return undefined
  }
}

/** How many operands an op takes; null if the number varies. */
const counts: Readonly<Record<Plain, number | null>> = {
  const: 0,
  zero: 0,
  undef: 0,
  neg: 1,
  not: 1,
  shl: 2,
  shr: 2,
  and: 2,
  or: 2,
  xor: 2,
  add: 2,
  sub: 2,
  mul: 2,
  div: 2,
  rem: 2,
  lt: 2,
  le: 2,
  gt: 2,
  ge: 2,
  eq: 2,
  ne: 2,
  select: 3,
  convert: 1,
  bitcast: 1,
  detach: 1,
  construct: null,
  splat: 1,
  extract: 1,
  insert: 2,
  swizzle: 1,
  index: 2,
  dot: 2,
  matmul: 2,
  transpose: 1,
  var: 0,
  global: 0,
  field: 1,
  elem: 2,
  load: 1,
  store: 2,
  length: 1,
  atomic: null,
  barrier: null,
  printf: null,
  trap: 1,
  call: null,
  'intrinsic.pure': null,
  'intrinsic.read': null,
  'intrinsic.write': null,
  'intrinsic.hide': 1,
}

/** A mistake in the number or the kind of the operands, which the row's own type rule takes for granted. */
function operandMistake(inst: Inst<Plain>): string | undefined {
  const op = inst.op
  const args = inst.args
  const count = counts[op]
  if (count !== null && args.length !== count) return `there should be ${count} operands`
  const [x, y] = [args[0]?.type, args[1]?.type]
  switch (op) {
    case 'extract':
    case 'insert': {
      if (x!.kind !== 'vec' && x!.kind !== 'mat' && x!.kind !== 'array' && x!.kind !== 'struct')
        return 'a composite is needed'
      if (inst.attr >= x!.count) return 'the index is past the end'
      return op === 'extract' || t.component(x!, inst.attr) === y
        ? undefined
        : 'the part differs in type from the component'
    }
    case 'swizzle': {
      const lanes = inst.attr
      return x!.kind === 'vec' && lanes.length >= 1 && lanes.length <= 4 && lanes.every(l => l < x!.count)
        ? undefined
        : 'lanes of a vector are needed'
    }
    case 'index':
      return (x!.kind === 'vec' || x!.kind === 'mat') && y!.kind === 'scalar' && t.isInt(y!)
        ? undefined
        : 'a vector or matrix and an integer are needed'
    case 'matmul':
      return x!.kind === 'mat' || y!.kind === 'mat' ? shapesMeet(x!, y!) : 'a matrix is needed'
    case 'transpose':
      return x!.kind === 'mat' ? undefined : 'a matrix is needed'
    case 'dot':
      return x!.kind === 'vec' ? undefined : 'vectors are needed'
    case 'field':
      return x!.kind === 'ptr' && x!.elem!.kind === 'struct' && inst.attr < x!.elem!.count
        ? undefined
        : 'a pointer to a struct with that field is needed'
    case 'elem':
      return x!.kind === 'ptr' &&
        ['array', 'list', 'vec', 'mat'].includes(x!.elem!.kind) &&
        y!.kind === 'scalar' &&
        t.isInt(y!)
        ? undefined
        : 'a pointer to an array, vector or matrix and an integer are needed'
    case 'store':
      return x!.kind === 'ptr' ? undefined : 'a pointer is needed'
    case 'length':
      return x!.kind === 'ptr' && x!.elem!.kind === 'array' ? undefined : 'a pointer to an array is needed'
    case 'barrier':
      return args.length === 0 || x!.kind === 'ptr' ? undefined : 'a pointer is needed'
    case 'trap':
      return x === t.bool ? undefined : 'a bool is needed'
    case 'call': {
      const ins = inputs(inst.attr.sig).map(p => p.type)
      return sameTypes(args, ins) ? undefined : `@${inst.attr.name} takes ${list(ins)}, not ${list(typesOf(args))}`
    }
    default:
      return undefined
  }
}

/** A mistake in how the types of the operands go together. */
function alikeMistake({ op, args: [x, y, z] }: Inst<Plain>): string | undefined {
  const alike = x?.type === y?.type ? undefined : 'two operands of one type are needed'
  const isNumber = (v: Value | undefined): boolean => v?.type.scalar !== undefined && v.type.scalar !== 'bool'
  switch (op) {
    case 'sub':
    case 'mul':
    case 'div':
    case 'rem':
    case 'dot':
      return !isNumber(x) || !isNumber(y) ? 'numbers are needed' : alike
    case 'add':
    case 'and':
    case 'or':
    case 'xor':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
    case 'eq':
    case 'ne':
      return alike
    case 'select':
      return y!.type === z!.type && x!.type.scalar === 'bool'
        ? undefined
        : 'a condition and two operands of one type are needed'
    case 'load':
      return x!.type.kind === 'ptr' ? undefined : 'a pointer is needed'
    case 'store':
      return x!.type.elem === y!.type ? undefined : 'the pointee and the value differ in type'
    default:
      return undefined
  }
}

function shapesMeet(x: Type, y: Type): string | undefined {
  const inner = x.kind === 'vec' ? x.count : x.elem!.count
  return x.scalar === y.scalar && inner === y.count ? undefined : 'the shapes do not meet'
}

/** A mistake in the results of an instruction whose row cannot tell them. */
function statedMistake(inst: Inst): string | undefined {
  if (inst.results.length !== 1) return 'there should be one result'
  const type = inst.results[0]!.type
  const x = inst.args[0]?.type
  switch (inst.op) {
    case 'const': {
      if (type.kind !== 'scalar') return 'a constant is a scalar'
      const wants = type === t.bool ? 'boolean' : type === t.i64 || type === t.u64 ? 'bigint' : 'number'
      return typeof inst.attr === wants ? undefined : `a constant ${type.name} is a ${wants}`
    }
    case 'zero':
      return type.kind === 'ptr' || type.kind === 'opaque' ? 'there is no zero of this type' : undefined
    case 'convert':
    case 'bitcast':
      if (x!.scalar === undefined || type.scalar === undefined || t.withScalar(x!, t.scalars[type.scalar]) !== type)
        return 'the shapes differ'
      return inst.op === 'convert' || x!.scalar.slice(1) === type.scalar.slice(1) ? undefined : 'the sizes differ'
    case 'construct': {
      if (inst.args.length !== type.count) return `there should be ${type.count} components`
      return inst.args.every((a, i) => a.type === t.component(type, i)) ? undefined : 'a component has another type'
    }
    case 'splat':
      return (type.kind === 'vec' || type.kind === 'mat') && x === t.scalars[type.scalar!]
        ? undefined
        : "a scalar of the lanes' type is needed"
    case 'var':
      return type.kind === 'ptr' && type.space === 'function' ? undefined : 'a variable is a function pointer'
    case 'atomic':
      return x?.kind === 'ptr' && x.elem!.kind === 'scalar' && type === x.elem
        ? undefined
        : 'a pointer to a scalar is needed'
    default:
      return undefined
  }
}
