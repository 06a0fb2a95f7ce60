/** Which function is meant, and its signature. */
import type { FuncDecl } from './decl.ts'
import type { Direction, InterfaceType, Subst, Type } from './type.ts'

/** Which function is meant. */
export type FuncRef =
  /**
   * A declared function. `subst` gives every generic parameter in scope of it: its own and those of the types and
   * extension around it; `subst.self` is what `This` is in a default method of an interface.
   */
  | { readonly kind: 'direct'; readonly decl: FuncDecl; readonly subst: Subst }
  /**
   * What `type` has for a requirement of `iface`; `type` is not concrete yet (else the checker resolves it). `subst` gives
   * the requirement's own generic parameters. `CheckedProgram.resolve` finds the function once `type` is concrete.
   */
  | {
      readonly kind: 'requirement'
      readonly type: Type
      readonly iface: InterfaceType
      readonly decl: FuncDecl
      readonly subst: Subst
    }
  /** `fwd_diff(of)` or `bwd_diff(of)`. Where `of` is a method, `this` is the first parameter of the derivative. */
  | { readonly kind: 'derivative'; readonly mode: 'forward' | 'backward'; readonly of: FuncRef }
  /** A dispatch at run time on a value of interface type, which is the `object` of the call also where the requirement is static. */
  | {
      readonly kind: 'dynamic'
      readonly iface: InterfaceType
      readonly decl: FuncDecl
      readonly subst: Subst
      /** The interface that the object is a value of, where it inherits or joins `iface`. Lowering knows it. */
      readonly over?: InterfaceType
    }

export interface SigParam {
  readonly name: string
  readonly type: Type
  readonly dir: Direction
  readonly noDiff: boolean
  /** It takes what the function throws; no argument stands for it. */
  readonly thrown?: true
}

/** A signature with the types of one `FuncRef` put in. */
export interface Signature {
  /** Without `this`; but a derivative of a method has it first. */
  readonly params: readonly SigParam[]
  readonly result: Type
  readonly resultNoDiff: boolean
  /** The type of `this`: null for functions, static methods, constructors and derivatives. */
  readonly self: Type | null
  /** `this` is `inout`: `[mutating]` methods and setters. */
  readonly mutating: boolean
  /** `this` carries no derivative: `[NoDiffThis]`, or its type has no differential. */
  readonly selfNoDiff: boolean
}

/** A signature that overload resolution can work with: declared, or that of a derivative. */
export interface Template extends Signature {
  readonly defaults: readonly boolean[]
}
