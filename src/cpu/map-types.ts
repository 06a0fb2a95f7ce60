/** What `map` takes and gives, by the types of functions where they are known. */
import type { FunctionTypes, ProgramTypes, Unchecked, UnknownFunction } from '../index.ts'
import type { Given, Tangent } from './call-types.ts'
import type { MapOptions } from './map-arguments.ts'

/** The typed arrays of numbers. */
export type NumberArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array

/** Whether nothing is known of a type. */
type IsUnchecked<V> = 0 extends 1 & V ? true : false

/**
 * A list of values: all components of all values one after the other, such as a typed array; an array with a value for each element; or
 * of structs an object with a list for each field.
 */
export type ListOf<V> =
  | readonly V[]
  | ArrayLike<number>
  | ArrayLike<bigint>
  | ArrayLike<boolean>
  | (V extends number | bigint | boolean | ArrayLike<unknown> ? never : { readonly [K in keyof V]: ListOf<V[K]> })

/** A list of values as `map` gives it: a typed array with all components, or of structs an object with a list for each field. */
export type ColumnsOf<V> =
  IsUnchecked<V> extends true
    ? Unchecked
    : V extends void
      ? undefined
      : V extends null
        ? null
        : V extends boolean
          ? Uint8Array
          : V extends number
            ? NumberArray
            : V extends bigint
              ? BigInt64Array | BigUint64Array
              : V extends readonly (infer E)[]
                ? ColumnsOf<E>
                : { readonly [K in keyof V]: ColumnsOf<V[K]> }

/** The function of that name. */
export type FunctionOf<T extends ProgramTypes, N> = unknown extends T['functions']
  ? UnknownFunction
  : N extends keyof T['functions']
    ? T['functions'][N] extends FunctionTypes
      ? T['functions'][N]
      : UnknownFunction
    : UnknownFunction

/** The names of the parameters of a function, where they are known. */
type NamesOf<F> = F extends { readonly names: infer N extends readonly string[] } ? N : undefined

/** An object with the entries of a tuple by the names of arguments; nothing is known where these are not. */
type ByName<N, L> = N extends readonly string[]
  ? { readonly [K in N[number]]: { [I in keyof N]: N[I] extends K ? L[I & keyof L] : never }[number] }
  : Unchecked

/** The arguments of a call by name. */
type PrimalsByName<F extends FunctionTypes> = ByName<NamesOf<F>, F['params']>
/** The gradients of a call by the names of its arguments. */
type GradientsByName<F extends FunctionTypes> = F extends { readonly gradients: infer G } ? ByName<NamesOf<F>, G> : {}

/** The arguments of a map by name: a value for all elements, or a list with a value for each. */
export type MapArguments<F extends FunctionTypes> =
  IsUnchecked<PrimalsByName<F>> extends true
    ? Readonly<Record<string, unknown>>
    : { readonly [K in keyof PrimalsByName<F>]: PrimalsByName<F>[K] | ListOf<PrimalsByName<F>[K]> }

/** The options of a map of a function. */
export type MapOptionsOf<F extends FunctionTypes, D> = Omit<
  MapOptions,
  'derivative' | 'tangents' | 'mapped' | 'held'
> & {
  readonly derivative?: D
  readonly tangents?:
    | (IsUnchecked<GradientsByName<F>> extends true
        ? Readonly<Record<string, unknown>>
        : {
            readonly [K in keyof GradientsByName<F>]?:
              | GradientsByName<F>[K]
              | ListOf<GradientsByName<F>[K]>
              | null
              | undefined
          })
    | undefined
  readonly mapped?: readonly (keyof MapArguments<F> & string)[] | undefined
  readonly held?: readonly (keyof MapArguments<F> & string)[] | undefined
}

/** The lists that declarations name under `K`; of older ones, or where nothing is known, those that fit `V`. */
type Listed<F, K extends string, V> = F extends { readonly [P in K]: infer C } ? C : ColumnsOf<V>

/** The lists of gradients of a call by the names of its arguments. */
type ListsByName<F extends FunctionTypes> = F extends { readonly gradientColumns: infer C } ? ByName<NamesOf<F>, C> : {}

/** Whether values of a type are objects with fields. */
type IsStruct<V> = V extends number | bigint | boolean | ArrayLike<unknown> ? false : true

/**
 * A gradient `G` for what was given as `A` where a call takes a `P`: of a value for all elements as a call gives it, else the list `C`, or of an
 * array of structs such an array. A typed array may be one vector or a list of them, so both are possible.
 */
type GradientOf<A, P, G, C> = G extends null
  ? null
  : A extends number | bigint | boolean
    ? G
    : G extends number | bigint | boolean
      ? C
      : IsStruct<P> extends false
        ? G | C
        : A extends readonly unknown[]
          ? readonly G[]
          : A extends P
            ? true extends { [K in keyof P]: P[K] extends ArrayLike<unknown> ? never : true }[keyof P]
              ? G
              : G | C
            : C

/** What a map gives. */
export type MapResult<F extends FunctionTypes, A, D> = D extends 'valueAndGrad'
  ? {
      readonly value: Listed<F, 'columns', Given<F>>
      readonly grad: IsUnchecked<GradientsByName<F>> extends true
        ? Unchecked
        : {
            readonly [K in keyof GradientsByName<F>]: GradientOf<
              K extends keyof A ? A[K] : never,
              PrimalsByName<F>[K & keyof PrimalsByName<F>],
              GradientsByName<F>[K],
              K extends keyof ListsByName<F> ? ListsByName<F>[K] : ColumnsOf<GradientsByName<F>[K]>
            >
          }
    }
  : D extends 'jvp'
    ? { readonly value: Listed<F, 'columns', Given<F>>; readonly tangent: Listed<F, 'tangentColumns', Tangent<F>> }
    : Listed<F, 'columns', Given<F>>
