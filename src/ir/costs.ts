/**
 * Every constant by which passes, derivatives and targets weigh one code against another. None changes what a program means. A byte, an
 * instruction and an operation are counted in each other: 1 is one arithmetic operation on a scalar.
 *
 *     npm run bench:costs -- byteInGpuLoop 4 16 64
 *
 * measures one of them over all programs of the bench: bytes of code, bytes that gradients store, compile time. `npm run bench:gradients` then
 * measures the time of gradients on a device.
 */
export const costs = {
  // ── What a reverse pass stores, and what it computes again ──────────────────────────────────────────────────────

  /** A stored byte at the top level of a function: a register or a private variable. */
  byteAtTop: 2,
  /** A stored byte in a loop: memory traffic in each trip. */
  byteInLoop: 4,
  /** A stored byte in a loop on a GPU, where an array that is indexed at run time lives in slow local memory, and WGSL clears it before use. */
  byteInGpuLoop: 16,
  /** A stored byte while a budget is not met: more than any computation. */
  byteUnderPressure: 1e6,
  /** A call of a library function: about a dozen multiplications. */
  libraryCall: 16,
  /** A load: what it reads may lie in slow memory. */
  load: 4,
  /** A division or remainder, for each lane. */
  division: 4,
  /** The first value of a counter, from which its last one follows, and a load of what nothing writes any more. */
  cheap: 1,
  /** The cost of a call nested too deeply to follow: as expensive as any. */
  deepCall: 100_000,
  /** The trips of a loop whose bound is unknown. */
  assumedTrips: 16,
  /** Slots of more bytes grow with the trips if the trips are only bounded, so that a generous bound costs nothing. */
  reservedBytes: 1024,
  /** Slots of more bytes always grow as they are filled: the trips may end early, or run out of memory with a message. */
  hugeBytes: 16_777_216,
  /** A context of more scalars is passed as a struct. */
  looseScalars: 100,
  /** A function of at most this cost, without loops and arrays, is inlined before its caller is differentiated. */
  inlinedCost: 120,
  /** How often that is asked again of what inlining brought along. */
  inlineRounds: 8,

  // ── Loops that are run again ─────────────────────────────────────────────────────────────────────────────────────

  /** Bytes of states that a loop may keep where its number of trips is known. A loop that keeps more is cut into segments. */
  stateBytesExact: 2048,
  /** The same where the number is only bounded, so that most slots may stay unused. */
  stateBytesBounded: 512,
  /** Bytes of slots that a loop which works on arrays may keep for each byte of an array, since a window copies those. */
  slotsPerArrayByte: 128,
  /** And no more bytes than this. */
  slotBytesMost: 32_768,
  /** A loop of fewer trips, all loops around it counted, is not cut. */
  segmentTripsFewest: 4,
  /** How many levels of segments within segments a loop is cut into. */
  segmentLevels: 5,
  /** Bytes of a window of states. */
  windowBytes: 384,
  /** The fewest and the most trips of a window. */
  windowTripsFewest: 8,
  windowTripsMost: 32,
  /** Bits of a digit of the numbers by which windows are kept. */
  windowDigitBits: 3,
  /**
   * A budget first cuts loops with this many limits, each half of the one before; then, with as many limits again, loops keep few
   * of their states.
   */
  budgetHalvings: 5,

  // ── Code that grows ──────────────────────────────────────────────────────────────────────────────────────────────

  /** A body of at most this many instructions is inlined wherever it is called. */
  smallBody: 12,
  /** How many instructions a function may grow to by inlining that is not forced. */
  inlineGrowth: 20_000,
  /** How many instructions a program may grow by, for each function with a context that is inlined. */
  contextGrowth: 1500,
  /** A longer chain of calls is not inlined. */
  inlineDepth: 256,
  /** How deep regions may nest by inlining that is not forced: WGSL allows no more than 127 braces. */
  inlineNesting: 64,
  /** Trips of a loop that is unrolled before it is differentiated, and the instructions that it may become. */
  unrollTrips: 8,
  unrollInstructions: 300,
  /** Trips of a loop that is unrolled after that, and its instructions, on levels below 3 and on level 3. */
  smallLoopTrips: 4,
  smallLoopInstructions: 64,
  smallLoopTripsFast: 16,
  smallLoopInstructionsFast: 256,
  /** How many times these instructions all loops of a function may become: of those that are unrolled before differentiation, and after it. */
  unrollAll: 4,
  smallLoopAll: 8,
  /** An array of at most this many elements is added without a loop; one in memory only if it is this short. */
  flatSum: 8,
  flatSumInMemory: 2,
  /** An array of more elements stays an array, and so do arrays of arrays that would become more pieces. */
  splitArray: 64,
  splitPieces: 4096,

  // ── Branches ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** An `if` of at most this many instructions and results becomes `select`s. */
  selectInstructions: 3,
  selectResults: 4,
  /** Two branches on one condition become one where at most so many instructions stand between them, and the first holds at most so many. */
  branchReach: 16,
  branchSize: 200,
  /** Deeper nests of guards would be worse to read, and targets bound the depth. */
  guardNest: 4,
  /** A branch that has lost instructions is looked at again where it has at most this many. */
  emptiedBranch: 8,

  // ── How much a pass looks at ─────────────────────────────────────────────────────────────────────────────────────

  /** Rounds of the passes over a function: after these they change little more. */
  passRounds: 4,
  /** Known values of one variable or buffer. */
  knownValues: 32,
  /** Overwritten paths of one variable or buffer. */
  overwrittenPaths: 16,
  /** Stores of a variable that is compared with others. */
  duplicateStores: 8,
  /** The least number of places in a table of instructions that are compared. */
  numberedPlaces: 32,
  /** Different results of a branch that are compared. */
  comparedResults: 64,
  /** Instructions of the head of a loop that is looked through for carried values. */
  carriedHead: 100,
  /** Steps of a chain of `insert`s, and components of a composite that is put together from one. */
  insertReach: 64,
  insertWidest: 16,
  /** Definitions that are followed for the range of a value, and for a bound of trips; and values that are looked at. */
  rangeSteps: 12,
  boundSteps: 8,
  /** Sums of a value and a constant that are followed to the value. */
  offsetSteps: 16,
  rangeValues: 300,
  /** Instructions that are followed to know the test of a loop before its first trip. */
  firstTestSteps: 8,
  /** How many nested regions, of callees too, are followed to estimate a cost. What is deeper counts as expensive. */
  followedRegions: 80,
  /** How many nested callees are searched for effects: each level uses stack. */
  followedCalls: 500,
  /** How many nested callees are searched for memory that a derivative writes. */
  followedDerivatives: 120,

  // ── How targets write code ───────────────────────────────────────────────────────────────────────────────────────

  /** An expression of more characters gets a name. */
  namedWidth: 100,
  /** A region of more instructions is not written as an expression: it would nest deeply. */
  expressionRegion: 100,
  /** The code after an exit moves into the other branch up to this depth: compilers limit how deep branches nest. */
  movedTailDepth: 12,
  /** A `switch` of at most this many cases is written as a chain of `if`s if control must leave it from inside. */
  switchOfIfs: 32,
  /** WGSL: statements nested at least this deep become a function where the limit of compilers is met. */
  cutNesting: 50,
  /** WGSL: one element of a longer array is replaced in memory. */
  replacedElements: 16,
  /** WGSL: more values than this are passed to a function that nesting makes as one struct. */
  nestedParams: 100,
  /** WGSL: an array of more elements is converted by a loop. */
  convertedElements: 8,
  /** JavaScript: a reset of module variables of at least so many characters is written once. */
  sharedReset: 400,
  /** JavaScript: fewer numbers than this are copied one by one. */
  copiedNumbers: 17,
  /** WebAssembly: a `switch` whose labels span less than this is a jump table. */
  switchTable: 256,
  /** WebAssembly: at most so many bytes are copied, or cleared, by single instructions. */
  copiedBytes: 128,
  clearedBytes: 128,
  /** WebAssembly: a deeper expression is cut by a local, so that recursion stays bounded. */
  expressionHeight: 60,
  /** WebAssembly: array values of more scalars are in memory, and so are values of every larger type. */
  flatArray: 4,
  flatScalars: 128,
  /** WebAssembly: values of at most so many scalars are added in registers. */
  summedScalars: 16,
  /** WebAssembly: longer constants are not compared with others. */
  comparedBytes: 4096,
  /** WebAssembly: between two pieces of constants, so many zeros are left out of the output. */
  zerosApart: 64,
  /** WebAssembly: so many variables are initialised in each function that the host calls; more get a function of their own. */
  privatesInPlace: 16,

  // ── What work counts before it is done: docs/limits.md ───────────────────────────────────────────────────────────

  /** The instructions that a function counts for besides its own. */
  functionInstructions: 10,
  /** Bytes of output that each value in WGSL counts for: an instruction may become one for each part of a struct. */
  valueOutput: 16,
  /** Bytes of output that each leaf of a result or operand counts for in JavaScript. */
  leafOutput: 24,
  /** Bytes of output that each operation and statement of WebAssembly counts for. */
  nodeOutput: 20,
} as const
