/** The keywords of the language, each with a sentence that hovers and completions show. */

/** Where completion offers a keyword. */
export type Spot = 'top' | 'member' | 'statement' | 'expression' | 'type' | 'parameter'

interface Keyword {
  readonly text: string
  readonly at: readonly Spot[]
}

const decl: readonly Spot[] = ['top', 'member', 'statement']
const types: readonly Spot[] = ['top', 'member']
const nowhere: readonly Spot[] = []

const keywords: Readonly<Record<string, Keyword>> = {
  struct: { text: 'Declares a type with fields and methods.', at: decl },
  enum: { text: 'Declares a type with named integer values.', at: decl },
  interface: { text: 'Declares what types have to have that conform to it.', at: ['top'] },
  extension: { text: 'Adds members, or conformances to interfaces, to a type.', at: ['top'] },
  namespace: { text: 'Groups declarations under a name.', at: ['top'] },
  using: { text: 'Lets the names of a namespace be used without it.', at: ['top', 'statement'] },
  import: { text: 'Imports a module: `import a.b;` reads `a/b.slang`.', at: ['top'] },
  module: { text: 'Names the module. What it declares is seen elsewhere if it is `public`.', at: ['top'] },
  implementing: { text: 'Makes the file a part of a module.', at: ['top'] },
  __include: { text: 'Reads another file of the same module.', at: ['top'] },
  __exported: { text: 'Modules that import this one see what it imports here.', at: ['top'] },
  typealias: { text: 'Gives a type another name.', at: types },
  typedef: { text: 'Gives a type another name.', at: types },
  associatedtype: { text: 'A type that each conforming type chooses.', at: ['member'] },
  property: { text: 'A member that is read and written by functions.', at: ['member'] },
  get: { text: 'Reads the property or subscript.', at: nowhere },
  set: { text: 'Writes the property or subscript; `newValue` is what is written.', at: nowhere },
  __init: { text: 'Declares a constructor.', at: ['member'] },
  __subscript: { text: 'Declares what `object[index]` means.', at: ['member'] },
  __generic: { text: 'Declares generic parameters before a declaration.', at: ['top'] },
  cbuffer: { text: 'A constant buffer whose members are seen as if they stood outside.', at: ['top'] },
  func: { text: 'Declares a function: `func f(x : float) -> float`.', at: types },
  let: { text: 'Declares a constant; its type may be left out.', at: ['statement'] },
  var: { text: 'Declares a variable; its type may be left out.', at: ['statement'] },
  const: { text: 'The variable keeps its first value.', at: [...decl, 'parameter'] },
  static: {
    text: 'In a type: a member without an object. At module level: a variable of each invocation, and with `const` a constant.',
    at: decl,
  },
  groupshared: { text: 'One variable for all threads of a group.', at: ['top'] },
  uniform: { text: 'The parameter has the same value for all invocations.', at: ['top', 'parameter'] },
  public: { text: 'Seen by every module that imports this one.', at: types },
  internal: { text: 'Seen in this module.', at: types },
  private: { text: 'Seen in the type around it.', at: ['member'] },
  override: { text: 'The member replaces the default of an interface.', at: ['member'] },
  export: { text: 'Other modules may refer to it by `extern`.', at: ['top'] },
  extern: { text: 'Another module defines it, by `export`.', at: ['top'] },
  in: { text: 'The argument is passed by value. This is so without the word too.', at: ['parameter'] },
  out: { text: 'The function writes the argument, and does not read it before.', at: ['parameter'] },
  inout: { text: 'The function may read and write the argument.', at: ['parameter'] },
  no_diff: {
    text: 'Derivatives do not flow through this parameter, field, result or call.',
    at: ['member', 'statement', 'expression', 'parameter'],
  },
  fwd_diff: {
    text: 'The forward derivative of a function: it takes pairs of values and tangents (`DifferentialPair`), and gives such a pair.',
    at: ['expression'],
  },
  bwd_diff: {
    text: 'The backward derivative of a function: it takes the gradient of the result last, and adds up gradients of the arguments in `DifferentialPair`s.',
    at: ['expression'],
  },
  __fwd_diff: { text: 'The same as `fwd_diff`.', at: nowhere },
  __func_extension: {
    text: 'A derivative of a function that stands elsewhere: `__func_extension bwd_diff(f)(inout DifferentialPair<float> x, float d) { … }`.',
    at: ['top'],
  },
  __apply: {
    text: 'The first half of a reverse derivative, which gives the result of the function and a context.',
    at: nowhere,
  },
  __bwd_diff: { text: 'The same as `bwd_diff`.', at: nowhere },
  this: { text: 'The object of the method.', at: ['expression'] },
  This: { text: 'The type around; in an interface the type that conforms to it.', at: ['type'] },
  true: { text: 'The boolean value.', at: ['expression'] },
  false: { text: 'The boolean value.', at: ['expression'] },
  none: { text: 'The `Optional` without a value.', at: ['expression'] },
  if: {
    text: 'Runs a statement if a condition holds. `if (let x = optional)` runs it if there is a value.',
    at: ['statement'],
  },
  else: { text: 'Runs a statement if the condition does not hold.', at: ['statement'] },
  for: { text: 'A loop with a start, a condition and a step.', at: ['statement'] },
  while: { text: 'Runs a statement as long as a condition holds.', at: ['statement'] },
  do: { text: 'Runs a statement, and again as long as a condition holds.', at: ['statement'] },
  switch: { text: 'Chooses a case by an integer or enum value.', at: ['statement'] },
  case: { text: 'A value of the `switch`.', at: ['statement'] },
  default: { text: 'Taken where no case of the `switch` is.', at: ['statement'] },
  break: { text: 'Leaves the loop or `switch`; `break name` leaves the one with that label.', at: ['statement'] },
  continue: { text: 'Goes on with the next trip of the loop.', at: ['statement'] },
  return: { text: 'Leaves the function, with its result.', at: ['statement'] },
  discard: { text: 'The fragment is not written.', at: ['statement'] },
  defer: { text: 'Runs a statement when the block is left.', at: ['statement'] },
  throw: { text: 'Leaves for the `catch` that takes the error, or the function.', at: ['statement'] },
  try: {
    text: 'A call of a function that may throw; what it throws leaves the function or is caught.',
    at: ['expression'],
  },
  catch: { text: 'What to do with an error of a type, behind `do { … }`.', at: nowhere },
  throws: { text: 'The type of the errors that a function may throw.', at: nowhere },
  is: { text: 'Whether a value of an interface type is of a type.', at: nowhere },
  as: { text: 'A value of an interface type as one of a type, as an `Optional`.', at: nowhere },
  where: { text: 'What generic arguments have to fulfil: `where T : IFoo`, `where T.A == float`.', at: nowhere },
  each: { text: 'A pack of types, or each part of a pack.', at: nowhere },
  expand: { text: 'As many expressions as the pack in it has parts.', at: ['expression'] },
  sizeof: { text: 'The size of a type in bytes.', at: ['expression'] },
  alignof: { text: 'The alignment of a type in bytes.', at: ['expression'] },
  countof: { text: 'The number of parts of a pack, or of elements of an array.', at: ['expression'] },
  static_assert: {
    text: 'An error where a condition does not hold that is known at compile time.',
    at: ['top', 'statement'],
  },
  __target_switch: {
    text: 'Chooses a statement by the target: `case wgsl:`, `case cpp:`, `default:`.',
    at: ['statement'],
  },
  column_major: { text: 'The columns of the matrix lie one after the other in memory.', at: nowhere },
  row_major: { text: 'The rows of the matrix lie one after the other in memory.', at: nowhere },
  nointerpolation: { text: 'The value is that of one vertex, without interpolation.', at: nowhere },
}

/** What a keyword means; undefined for what is none. */
export function keywordText(word: string): string | undefined {
  return Object.hasOwn(keywords, word) ? keywords[word]!.text : undefined
}

/** The keywords that may stand at a spot. */
export function keywordsAt(spot: Spot): readonly string[] {
  return Object.keys(keywords).filter(word => keywords[word]!.at.includes(spot))
}
