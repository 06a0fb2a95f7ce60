/**
 * The core library, which is brought in piece by piece: the text of a declaration is parsed when its name is first looked
 * up. What the library is made of comes as data from a build step; this file says what that data must hold.
 *
 * What the checker expects of `core/*.slang`:
 * - Scalars, vectors, matrices and arrays are known without declaration (`float3`, `vector<T, N>`, `matrix<T, R, C>`,
 *   `T[N]`, `Array<T, N>`, `half`, `int64_t`, `float4x4` …); all other types are structs, `[__intrinsic("Name")]` where
 *   lowering knows them.
 * - Interfaces that the built-in types have (`IDifferentiable`, `IArithmetic`, `IFloat`, `__BuiltinFloatingPointType`,
 *   `__Lanewise` …) are declared as interfaces; which built-in types conform to them is a table in `builtin.ts`. A method
 *   that all those types should have (`T.getPi()`, `x.add(y)`) is a requirement with a default body, in which `This` is the
 *   built-in type and operators and `This(0.5)` work.
 * - `DifferentialPair<T : IDifferentiable>` has the fields `T p; T.Differential d;` and no others.
 * - Buffer elements are `__subscript(uint i) -> T { [__intrinsic("…")] ref; }`; read-only ones carry `[__readonly]` too.
 * - `[ForwardDerivativeOf(f)]` and its kin stand in the `derivatives` table under the name `f`.
 */
export interface LibraryData {
  readonly files: readonly { readonly name: string, readonly text: string }[]
  /** For each top-level name, triples (number of the file, start, end) of its declarations with their attributes. */
  readonly names: Readonly<Record<string, readonly number[]>>
  /** The same for extensions, by the first name in their target type (`Texture2D`, `vector`, `float`; `*` for a bare type parameter). */
  readonly extensions: Readonly<Record<string, readonly number[]>>
  /** The same for functions with `[ForwardDerivativeOf(f)]`, `[BackwardDerivativeOf(f)]`, `[PrimalSubstituteOf(f)]`, by `f`. */
  readonly derivatives: Readonly<Record<string, readonly number[]>>
}
