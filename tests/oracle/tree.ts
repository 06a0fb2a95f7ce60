/** Programs as trees: made by the generator, given a meaning by `meaning.ts` and a text by `text.ts`. Nothing here knows the compiler. */

export interface Field {
  readonly name: string
  readonly type: Type
  readonly noDiff: boolean
}

export type Type =
  | { readonly kind: 'void' | 'real' | 'int' | 'uint' | 'bool' }
  | { readonly kind: 'vec'; readonly n: number }
  | { readonly kind: 'mat'; readonly rows: number; readonly cols: number }
  | { readonly kind: 'array'; readonly of: Type; readonly n: number }
  | StructType
  | { readonly kind: 'pair'; readonly of: Type }
  | Interface

export interface StructType {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly Field[]
  /** Whether it has a differential at all. */
  readonly differentiable: boolean
  /** Of a struct that a program declares: its methods, and what it conforms to. */
  methods: Func[]
  conforms: Interface[]
  /** The differential, once it was asked for; or the one that the program gives. */
  differential?: Type
  /** Of a struct that names its differential: the fields with derivatives, in the order in which they stand there, and who says what zero and a sum are. */
  given?: { readonly fields: readonly Field[]; readonly adds: boolean }
}

/** An interface whose values are held by what does not know their type. */
export interface Interface {
  readonly kind: 'interface'
  readonly name: string
  /** Whether its values have derivatives. */
  readonly differentiable: boolean
  requirements: Func[]
  structs: StructType[]
}

export const nothing: Type = { kind: 'void' }
export const real: Type = { kind: 'real' }
export const int: Type = { kind: 'int' }
export const uint: Type = { kind: 'uint' }
export const bool: Type = { kind: 'bool' }
export const vec = (n: number): Type => ({ kind: 'vec', n })
export const mat = (rows: number, cols: number): Type => ({ kind: 'mat', rows, cols })
export const array = (of: Type, n: number): Type => ({ kind: 'array', of, n })
export const pair = (of: Type): Type => ({ kind: 'pair', of })

/** The parts of a type: lanes, rows, elements, fields. */
export function partsOf(type: Type): readonly { readonly type: Type; readonly noDiff: boolean }[] {
  switch (type.kind) {
    case 'vec':
      return Array.from({ length: type.n }, () => ({ type: real, noDiff: false }))
    case 'mat':
      return Array.from({ length: type.rows }, () => ({ type: vec(type.cols), noDiff: false }))
    case 'array':
      return Array.from({ length: type.n }, () => ({ type: type.of, noDiff: false }))
    case 'struct':
      return type.fields
    case 'pair':
      return [
        { type: type.of, noDiff: false },
        { type: differentialOf(type.of)!, noDiff: false },
      ]
    default:
      return []
  }
}

/** The fields of a struct that have derivatives, in the order of its differential. */
export const derivativeFields = (type: StructType): readonly Field[] =>
  type.given?.fields ?? type.fields.filter(f => isActive(f))

export function same(x: Type, y: Type): boolean {
  if (x === y) return true
  if (x.kind !== y.kind) return false
  switch (x.kind) {
    case 'vec':
      return x.n === (y as typeof x).n
    case 'mat':
      return x.rows === (y as typeof x).rows && x.cols === (y as typeof x).cols
    case 'array':
      return x.n === (y as typeof x).n && same(x.of, (y as typeof x).of)
    case 'pair':
      return same(x.of, (y as typeof x).of)
    case 'struct':
    case 'interface':
      return false
    default:
      return true
  }
}

/** The type of a derivative; undefined where there is none. */
export function differentialOf(type: Type): Type | undefined {
  switch (type.kind) {
    case 'real':
    case 'vec':
    case 'mat':
      return type
    case 'array': {
      const of = differentialOf(type.of)
      return of === undefined ? undefined : same(of, type.of) ? type : array(of, type.n)
    }
    case 'pair': {
      const of = differentialOf(type.of)!
      return same(of, type.of) ? type : pair(of)
    }
    case 'struct': {
      if (!type.differentiable) return undefined
      if (type.differential !== undefined) return type.differential
      const kept = type.fields.filter(f => isActive(f))
      const fields = kept.map(f => ({ name: f.name, type: differentialOf(f.type)!, noDiff: false }))
      if (kept.length === type.fields.length && fields.every((f, i) => same(f.type, kept[i]!.type)))
        return (type.differential = type)
      const made: StructType = {
        kind: 'struct',
        name: `${type.name}.Differential`,
        fields,
        differentiable: true,
        methods: [],
        conforms: [],
      }
      made.differential = made
      return (type.differential = made)
    }
    case 'interface':
      return type.differentiable ? type : undefined
    default:
      return undefined
  }
}

/** Whether derivatives flow through a field or parameter. */
export const isActive = (of: { readonly type: Type; readonly noDiff: boolean }): boolean =>
  !of.noDiff && differentialOf(of.type) !== undefined

export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|'
  | '^'
  | '<<'
  | '>>'
  | '<'
  | '>'
  | '<='
  | '>='
  | '=='
  | '!='
  | '&&'
  | '||'

export type Expr =
  | { kind: 'lit'; type: Type; value: number }
  | { kind: 'var'; type: Type; name: string }
  /** A static variable of the program. */
  | { kind: 'static'; type: Type; name: string }
  | { kind: 'neg'; type: Type; x: Expr }
  | { kind: 'not'; type: Type; x: Expr }
  /** Lane by lane; a scalar beside a vector counts for each lane. */
  | { kind: 'bin'; type: Type; op: BinaryOp; x: Expr; y: Expr }
  | { kind: 'cond'; type: Type; c: Expr; x: Expr; y: Expr }
  /** A function of the library. */
  | { kind: 'prim'; type: Type; name: string; args: Expr[] }
  /** All parts of an aggregate. */
  | { kind: 'make'; type: Type; args: Expr[] }
  | { kind: 'part'; type: Type; of: Expr; at: number }
  | { kind: 'elem'; type: Type; of: Expr; at: Expr }
  | { kind: 'lanes'; type: Type; of: Expr; lanes: readonly number[] }
  | { kind: 'cast'; type: Type; x: Expr }
  | { kind: 'detach'; type: Type; x: Expr }
  | { kind: 'call'; type: Type; of: Callable; args: Expr[]; noDiff: boolean }
  /** A struct as a value of an interface. */
  | { kind: 'up'; type: Interface; x: Expr }
  /** A requirement of an interface, on whatever its value is; the value comes first. */
  | { kind: 'dispatch'; type: Type; of: Func; args: Expr[] }
  /** A lambda of one number, called where it stands. */
  | { kind: 'lambda'; type: Type; name: string; body: Expr; x: Expr }

export type Stmt =
  | { kind: 'decl'; name: string; type: Type; init: Expr | undefined }
  | { kind: 'set'; to: Expr; op: '=' | '+=' | '-=' | '*='; value: Expr }
  | { kind: 'if'; c: Expr; yes: Stmt[]; no: Stmt[] }
  | {
      kind: 'for'
      name: string
      from: number
      to: Expr
      step: number
      max: number | undefined
      unroll: boolean
      label: string | undefined
      body: Stmt[]
    }
  | {
      kind: 'while'
      form: 'while' | 'do'
      counter: string
      c: Expr | undefined
      max: number
      label: string | undefined
      body: Stmt[]
    }
  | { kind: 'switch'; x: Expr; label: string | undefined; cases: { values: number[]; body: Stmt[]; falls: boolean }[] }
  | { kind: 'block'; body: Stmt[] }
  | { kind: 'defer'; body: Stmt[] }
  | { kind: 'break'; label: string | undefined }
  | { kind: 'continue' }
  | { kind: 'return'; value: Expr | undefined }
  | { kind: 'expr'; x: Expr }
  /** A number to compare. */
  | { kind: 'show'; x: Expr }

export interface Param {
  name: string
  type: Type
  dir: 'in' | 'out' | 'inout'
  noDiff: boolean
}

export interface Signature {
  readonly params: readonly Param[]
  readonly result: Type
  /** Whether derivatives of the result are dropped. */
  readonly noDiffResult: boolean
}

export interface Func extends Signature {
  name: string
  params: Param[]
  body: Stmt[]
  /** Whether it is marked as differentiable. */
  differentiable: boolean
  /** A method: its first parameter is `this`. */
  method: boolean
  /** Derivatives of the user. */
  forward: Func | undefined
  backward: Func | undefined
  /** Whether the attribute stands at the derivative rather than at the function. */
  ruleOf: boolean
  /** Its derivative is zero, whatever its body says. */
  treated: boolean
  /** What to do in reverse with what is computed. */
  prefer: 'none' | 'recompute' | 'checkpoint'
  /** What is called in its place where derivatives are taken. */
  substitute: Func | undefined
  /** A requirement of an interface: it has no body, and is called by what the value is. */
  requirement: boolean
  /** The interface that its first parameter's type, a parameter itself, is bound by. */
  generic: Interface | undefined
}

/** A function, or a derivative of one. */
export type Callable = Func | { readonly op: 'fwd' | 'bwd'; readonly of: Callable }

export const isDerived = (of: Callable): of is Exclude<Callable, Func> => 'op' in of

const signatures = new WeakMap<Callable, Signature>()

/** The signature of a function or derivative, by the rules of Slang's guide. */
export function signatureOf(of: Callable): Signature {
  if (!isDerived(of)) return of
  const known = signatures.get(of)
  if (known !== undefined) return known
  const made = of.op === 'fwd' ? forwardSignature(signatureOf(of.of)) : backwardSignature(signatureOf(of.of))
  signatures.set(of, made)
  return made
}

export const hasActiveResult = (s: Signature): boolean => !s.noDiffResult && differentialOf(s.result) !== undefined

function forwardSignature(s: Signature): Signature {
  const params = s.params.map(p => (isActive(p) ? { ...p, type: pair(p.type) } : p))
  return { params, result: hasActiveResult(s) ? pair(s.result) : s.result, noDiffResult: s.noDiffResult }
}

function backwardSignature(s: Signature): Signature {
  const params = s.params.flatMap((p): Param[] => {
    if (!isActive(p)) return p.dir === 'out' ? [] : [{ ...p, dir: 'in' }]
    if (p.dir === 'out') return [{ ...p, dir: 'in', type: differentialOf(p.type)! }]
    return [{ ...p, dir: 'inout', type: pair(p.type) }]
  })
  if (hasActiveResult(s)) params.push({ name: 'dresult', type: differentialOf(s.result)!, dir: 'in', noDiff: false })
  return { params, result: nothing, noDiffResult: false }
}

export interface Static {
  readonly name: string
  readonly type: Type
  readonly init: number
}

export interface Program {
  structs: StructType[]
  interfaces: Interface[]
  statics: Static[]
  /** In the order in which they are declared; the last is called with inputs and shows numbers. */
  funcs: Func[]
  test: Func
  /** How many numbers the test takes. */
  inputs: number
}
