/**
 * Every constant by which passes, derivatives and targets weigh one code against another. None changes what a program means. A byte, an
 * instruction and an operation are counted in each other: 1 is one arithmetic operation on a scalar.
 *
 * Beside each stands what half of it and double of it change, as this measures it for one of them:
 *
 *     npm run bench:costs -- byteInGpuLoop
 *
 * Percentages compare the code of the programs of bench, examples and tests at -O2 with the code of the present value, and the bytes that their
 * gradients store on a GPU; -O3 differs little where it is not named. `gradients 1.09 (one 1.47)`: the gradients of bench and examples take 1.09
 * times as long on a CPU, and one of them 1.47 times. What is not named changed by less than the noise: 2 % of the mean time of gradients, 15 % of
 * the time of one, 10 % of the time to compile. `npm run bench:gradients` measures gradients on a device.
 */

// ── What a reverse pass stores, and what it computes again ──────────────────────────────────────────────────────

/**
 * A stored byte at the top level of a function: a register or a private variable.
 * Half: WGSL −0.28 %, WebAssembly +0.27 %; double: WGSL −0.68 %, WebAssembly −0.47 %, gradients 0.98 (one 0.78).
 */
export const byteAtTop = 2
/**
 * A stored byte in a loop: memory traffic in each trip.
 * Half: WebAssembly +0.18 %, gradients 0.96 (one 0.73); double: WebAssembly −0.65 %, gradients 1.05 (one 1.44).
 */
export const byteInLoop = 4
/**
 * A stored byte in a loop on a GPU, where an array that is indexed at run time lives in slow local memory, and WGSL clears it before use.
 * Half: WGSL +0.36 %, stored +28 %; double: the same code.
 */
export const byteInGpuLoop = 16
/**
 * A stored byte while a budget is not met: more than any computation.
 * Half and double: the same code; none of these programs has a budget.
 */
export const byteUnderPressure = 1e6
/**
 * A call of a library function: about a dozen multiplications.
 * Half: WGSL −0.63 %, WebAssembly −1.1 %, gradients 1.10 (one 1.45); double: WGSL +0.36 %, WebAssembly +0.02 %, stored +28 %, gradients 0.94 (one 0.76).
 */
export const libraryCall = 16
/**
 * A load: what it reads may lie in slow memory.
 * Half and double: the same code.
 */
export const load = 4
/**
 * A division or remainder, for each lane.
 * Half: WebAssembly −0.01 %; double: WGSL −0.29 %, WebAssembly +0.47 %.
 */
export const division = 4
/**
 * The first value of a counter, from which its last one follows, and a load of what nothing writes any more.
 * Half and double: the same code.
 */
export const cheap = 1
/**
 * The cost of a call nested too deeply to follow: as expensive as any.
 * Half and double: the same code.
 */
export const deepCall = 100_000
/**
 * The trips of a loop whose bound is unknown.
 * Half: the same code; double: WebAssembly −0.04 %, gradients 0.98 (one 0.79).
 */
export const assumedTrips = 16
/**
 * Slots of more bytes grow with the trips if the trips are only bounded, so that a generous bound costs nothing.
 * Half: WebAssembly +0.17 %, gradients 1.05 (one 1.78); double: the same code.
 */
export const reservedBytes = 1024
/**
 * Slots of more bytes always grow as they are filled: the trips may end early, or run out of memory with a message.
 * Half and double: the same code.
 */
export const hugeBytes = 16_777_216
/**
 * A context of more scalars is passed as a struct.
 * Half: WGSL −0.72 %, WebAssembly of the same length; double: WGSL of the same length, WebAssembly +0.2 %, 1 refused.
 */
export const looseScalars = 100
/**
 * A function of at most this cost, without loops and arrays, is inlined before its caller is differentiated.
 * Half: WGSL −0.13 %, WebAssembly +0.01 %; double: WGSL +0.05 %, WebAssembly +0.02 %, gradients 0.98 (one 0.83).
 */
export const inlinedCost = 120
/**
 * How often that is asked again of what inlining brought along.
 * Half and double: the same code.
 */
export const inlineRounds = 8

// ── Loops that are run again ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Bytes of states that a loop may keep where its number of trips is known. A loop that keeps more is cut into segments.
 * Half: WGSL +0.6 %, stored −20 %; double: WGSL −0.34 %, stored +71 %.
 */
export const stateBytesExact = 2048
/**
 * The same where the number is only bounded, so that most slots may stay unused.
 * Half: WGSL +0.68 %, stored −9.3 %; double: the same code.
 */
export const stateBytesBounded = 512
/**
 * Bytes of slots that a loop which works on arrays may keep for each byte of an array, since a window copies those.
 * Half and double: the same code.
 */
export const slotsPerArrayByte = 128
/**
 * And no more bytes than this.
 * Half and double: the same code.
 */
export const slotBytesMost = 32_768
/**
 * A loop of fewer trips, all loops around it counted, is not cut.
 * Half and double: the same code.
 */
export const segmentTripsFewest = 4
/**
 * How many levels of segments within segments a loop is cut into.
 * Half and double: the same code.
 */
export const segmentLevels = 5
/**
 * Bytes of a window of states.
 * Half and double: the same code.
 */
export const windowBytes = 384
/**
 * The fewest and the most trips of a window.
 * Half and double: the same code.
 */
export const windowTripsFewest = 8
/** Half: WGSL of the same length, stored −1.2 %; double: WGSL of the same length, stored +3.1 %. */
export const windowTripsMost = 32
/**
 * Bits of a digit of the numbers by which windows are kept.
 * Half: WGSL +0.18 %, stored −0.52 %; double: WGSL −0.06 %, stored +2.2 %.
 */
export const windowDigitBits = 3
/**
 * A budget first cuts loops with this many limits, each half of the one before; then, with as many limits again, loops keep few
 * of their states.
 * Half and double: the same code; none of these programs has a budget.
 */
export const budgetHalvings = 5

// ── Code that grows ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A body of at most this many instructions is inlined wherever it is called.
 * Half: WGSL +0.52 %, WebAssembly +0.07 %; double: WGSL −4.1 %, WebAssembly −0.54 %.
 */
export const smallBody = 12
/**
 * The same in WebAssembly and JavaScript: engines inline little of the first, where a call costs some nanoseconds. With 80,
 * functions would be inlined that are called once for four threads, since their arguments are the same for all.
 * Half: JavaScript −2.6 %, gradients 1.02 (one 1.21); double: JavaScript +2.6 %, gradients 0.99 (one 0.84).
 */
export const smallBodyOnCpu = 64
/**
 * How many instructions a function may grow to by inlining that is not forced.
 * Half and double: the same code.
 */
export const inlineGrowth = 20_000
/**
 * A function that takes or returns a value of more words is inlined as one with a context is.
 * Half: WGSL −0.07 %; double: WGSL −0.17 %.
 */
export const copiedWords = 64
/**
 * A variable of more words, at the beginning of an entry point, is a module-level variable in WGSL.
 * Creating a pipeline with three of 4,096 words takes 7 s instead of 41 s in SwiftShader, with three of 512 words 0.4 s instead of 0.9 s.
 */
export const functionWords = 256
/**
 * How many instructions a program may grow by, for each function with a context that is inlined.
 * Half and double: the same code.
 */
export const contextGrowth = 1500
/**
 * A longer chain of calls is not inlined.
 * Half and double: the same code.
 */
export const inlineDepth = 256
/**
 * How deep regions may nest by inlining that is not forced: WGSL allows no more than 127 braces.
 * Half and double: the same code.
 */
export const inlineNesting = 64
/**
 * Trips of a loop that is unrolled before it is differentiated, and the instructions that it may become.
 * Half: WGSL −0.11 %, WebAssembly −0.02 %, stored +2.4 %; double: WGSL +1.5 %, WebAssembly +13 %, stored −4.9 %, gradients 1.03 (one 1.44).
 */
export const unrollTrips = 8
/** Half: WGSL +0.04 %, WebAssembly −3.1 %, stored +0.81 %, gradients 1.07 (one 2.08); double: WGSL +0.16 %, WebAssembly +0.33 %. */
export const unrollInstructions = 300
/**
 * Trips of a loop that is unrolled after that, and its instructions, on levels below 3 and on level 3.
 * Half: WGSL +0.11 %, WebAssembly −0.09 %, at -O2 alone; double: WGSL +0.48 %, WebAssembly +0.89 %, at -O2 alone.
 */
export const smallLoopTrips = 4
/** Half: WGSL −0.001 %, WebAssembly −0.09 %, at -O2 alone; double: WGSL +0.14 %, WebAssembly +0.85 %, at -O2 alone. */
export const smallLoopInstructions = 64
/** Half: at -O3 alone WGSL −1.4 %, WebAssembly −0.49 %; double: at -O3 alone WGSL +0.16 %, WebAssembly +0.45 %. */
export const smallLoopTripsFast = 16
/** Half: at -O3 alone WGSL −2.4 %, WebAssembly −2.4 %; double: at -O3 alone WGSL +1.8 %, WebAssembly +25 %. */
export const smallLoopInstructionsFast = 256
/**
 * How many times these instructions all loops of a function may become in one run of the pass: of those that are unrolled before differentiation, and after it.
 * Half and double: the same code.
 */
export const unrollAll = 4
/** Half: at -O3 alone WGSL −0.51 %; double: at -O3 alone WGSL +0.02 %. */
export const smallLoopAll = 8
/**
 * Trips of a loop that is unrolled to keep an array in registers on a GPU: as many as such an array may have elements.
 * Half: WGSL −1.8 %; double: the same code.
 */
export const arrayLoopTrips = 64
/** The instructions that a function may grow by for that. Half: the same code; double: WGSL +0.14 %. */
export const arrayLoopGrowth = 1500
/** The instructions that it may grow by for each access of such an array. Half: at -O3 alone WGSL −0.49 %; double: the same code. */
export const arrayLoopWork = 16
/**
 * A loop that stays in one that is written out counts as so many instructions more: drivers take long for many loops.
 * Half and double: the same code.
 */
export const keptLoop = 100
/**
 * Arrays of a function that are looked at for that.
 * Half and double: the same code.
 */
export const arrayLoopGroups = 64
/**
 * The elements of an array that is split have names if they are at most so many.
 * Half: WGSL −0.46 %; double: WGSL +1.7 %.
 */
export const namedElements = 4
/**
 * An array of at most this many elements is added without a loop; one in memory only if it is this short.
 * Half and double: the same code.
 */
export const flatSum = 8
/** Half and double: the same code. */
export const flatSumInMemory = 2
/**
 * An array of more elements stays an array, and so do arrays of arrays that would become more pieces.
 * Half: WebAssembly of the same length; double: the same code.
 */
export const splitArray = 64
/** Half and double: the same code. */
export const splitPieces = 4096

// ── Branches ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * An `if` of at most this many instructions and results becomes `select`s.
 * Half: WGSL +0.1 %, WebAssembly +0.19 %, gradients 1.01 (one 1.17); double: WGSL −0.08 %, WebAssembly −0.03 %.
 */
export const selectInstructions = 3
/** Half: WGSL +0.28 %, WebAssembly +0.05 %, stored +1.2 %; double: the same code. */
export const selectResults = 4
/**
 * Two branches on one condition become one where at most so many instructions stand between them, and the first holds at most so many.
 * Half and double: the same code.
 */
export const branchReach = 16
/** Half and double: the same code. */
export const branchSize = 200
/**
 * Deeper nests of guards would be worse to read, and targets bound the depth.
 * Half: WGSL +0.02 %, WebAssembly of the same length; double: WebAssembly +0.02 %.
 */
export const guardNest = 4
/**
 * A branch that has lost instructions is looked at again where it has at most this many.
 * Half: WGSL of the same length, WebAssembly of the same length; double: the same code.
 */
export const emptiedBranch = 8

// ── How much a pass looks at ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Rounds of the passes over a function: after these they change little more.
 * Half and double: the same code.
 */
export const passRounds = 4
/**
 * Known values of one variable or buffer.
 * Half: WGSL +1.2 %, WebAssembly +0.18 %; double: the same code.
 */
export const knownValues = 32
/**
 * Overwritten paths of one variable or buffer.
 * Half and double: the same code.
 */
export const overwrittenPaths = 16
/**
 * The least number of places in a table of instructions that are compared.
 * Half and double: the same code.
 */
export const numberedPlaces = 32
/**
 * Different results of a branch that are compared.
 * Half and double: the same code.
 */
export const comparedResults = 64
/**
 * Instructions that an element by an index may take to write.
 * Half and double: the same code.
 */
export const seriesSteps = 64
/**
 * Instructions of the head of a loop that is looked through for carried values.
 * Half and double: the same code.
 */
export const carriedHead = 100
/**
 * Steps of a chain of `insert`s, and components of a composite that is put together from one.
 * Half and double: the same code.
 */
export const insertReach = 64
/** Half and double: the same code. */
export const insertWidest = 16
/**
 * Definitions that are followed for the range of a value, and for a bound of trips; and values that are looked at.
 * Half and double: the same code.
 */
export const rangeSteps = 12
/** Half and double: the same code. */
export const boundSteps = 8
/**
 * Sums of a value and a constant that are followed to the value.
 * Half and double: the same code.
 */
export const offsetSteps = 16
/** Half and double: the same code. */
export const rangeValues = 300
/**
 * Instructions that are followed to know the test of a loop before its first trip.
 * Half and double: the same code.
 */
export const firstTestSteps = 8
/**
 * How many nested regions, of callees too, are followed to estimate a cost. What is deeper counts as expensive.
 * Half and double: the same code.
 */
export const followedRegions = 80
/**
 * How many nested callees are searched for effects: each level uses stack.
 * Half and double: the same code.
 */
export const followedCalls = 500
/** How many nested callees are searched for memory that a derivative writes. */
export const followedDerivatives = 120

// ── How targets write code ───────────────────────────────────────────────────────────────────────────────────────

/**
 * An expression of more characters gets a name.
 * Half: WGSL +1.9 %; double: WGSL −0.27 %.
 */
export const namedWidth = 100
/**
 * A region of more instructions is not written as an expression: it would nest deeply.
 * Half and double: the same code.
 */
export const expressionRegion = 100
/**
 * The code after an exit moves into the other branch up to this depth: compilers limit how deep branches nest.
 * Half and double: the same code.
 */
export const movedTailDepth = 12
/**
 * A `switch` of at most this many cases is written as a chain of `if`s if control must leave it from inside.
 * Half and double: the same code.
 */
export const switchOfIfs = 32
/**
 * WGSL: statements nested at least this deep become a function where the limit of compilers is met.
 * Half and double: the same code.
 */
export const cutNesting = 50
/**
 * WGSL: one element of a longer array is replaced in memory.
 * Half and double: the same code.
 */
export const replacedElements = 16
/**
 * WGSL: more values than this are passed to a function that nesting makes as one struct.
 * Half and double: the same code.
 */
export const nestedParams = 100
/**
 * WGSL: an array of more elements is converted by a loop.
 * Half and double: the same code.
 */
export const convertedElements = 8
/**
 * JavaScript: a reset of module variables of at least so many characters is written once.
 * Half and double: the same code.
 */
export const sharedReset = 400
/**
 * JavaScript: fewer numbers than this are copied one by one.
 * Half: JavaScript −0.03 %; double: the same code.
 */
export const copiedNumbers = 17
/**
 * WebAssembly: a `switch` whose labels span less than this is a jump table.
 * Half and double: the same code.
 */
export const switchTable = 256
/**
 * WebAssembly: at most so many bytes are copied, or cleared, by single instructions.
 * Half: WebAssembly −0.33 %; double: WebAssembly +1 %.
 */
export const copiedBytes = 128
/** Half: WebAssembly −0.24 %; double: WebAssembly +0.32 %. */
export const clearedBytes = 128
/**
 * WebAssembly: a deeper expression is cut by a local, so that recursion stays bounded.
 * Half: WebAssembly +0.01 %; double: WebAssembly of the same length.
 */
export const expressionHeight = 60
/**
 * WebAssembly: array values of more scalars are in memory, and so are values of every larger type.
 * Half: WebAssembly +0.36 %; double: WebAssembly +0.25 %.
 */
export const flatArray = 4
/** Half: the same code; double: WebAssembly +0.2 %. */
export const flatScalars = 128
/**
 * WebAssembly: values of at most so many scalars are added in registers.
 * Half and double: the same code.
 */
export const summedScalars = 16
/**
 * WebAssembly: longer constants are not compared with others.
 * Half and double: the same code.
 */
export const comparedBytes = 4096
/**
 * WebAssembly: between two pieces of constants, so many zeros are left out of the output.
 * Half and double: the same code.
 */
export const zerosApart = 64
/**
 * WebAssembly: so many variables are initialised in each function that the host calls; more get a function of their own.
 * Half and double: the same code.
 */
export const privatesInPlace = 16

/**
 * WebAssembly: a new list has room for so many elements, and twice as many as before when it is full.
 * Half and double: WebAssembly of the same length.
 */
export const listRoom = 8

// ── What work counts before it is done: docs/limits.md ───────────────────────────────────────────────────────────

/**
 * The instructions that a function counts for besides its own.
 * Half and double: the same code.
 */
export const functionInstructions = 10
/**
 * Bytes of output that each value in WGSL counts for: an instruction may become one for each part of a struct.
 * Half and double: the same code.
 */
export const valueOutput = 16
/**
 * Bytes of output that each leaf of a result or operand counts for in JavaScript.
 * Half and double: the same code.
 */
export const leafOutput = 24
/**
 * Bytes of output that each operation and statement of WebAssembly counts for.
 * Half and double: the same code.
 */
export const nodeOutput = 20

/** A kernel of more instructions, with all that it calls, runs one thread at a time: its code would be several times as large. */
export const wideKernel = 10_000

/** The same of all kernels of a program. */
export const wideProgram = 30_000

/** What a static variable counts as there, besides what makes its initial value. */
export const wideStatic = 4

/** What an atomic access counts as there: engines take long over many of them, with branches and locals for each thread. */
export const wideAtomic = 40

/**
 * A kernel that runs one thread at a time has static variables of its own where it grows to no more instructions by that.
 * Half and double: the same code.
 */
export const ownKernel = 2000

/**
 * All such kernels of a program have no more instructions than this.
 * Half and double: the same code.
 */
export const ownProgram = 20_000

/**
 * To take an operand out of a vector for one lane, or to put a result back.
 * Half: WebAssembly +2.7 %, since more kernels run four threads at once; double: WebAssembly −1.9 %.
 */
export const laneMove = 2

/**
 * To begin a way for the lanes that take it, and to let ways meet.
 * Half: the same code; double: WebAssembly −0.13 %.
 */
export const laneWay = 3

/**
 * By how much the trips of a loop grow that goes on until the last lane has left it.
 * Half: the same code; double: WebAssembly −2.7 %, gradients 1.04 (one 1.52).
 */
export const laneTrips = 1.75

/**
 * The probability that all lanes take the same of several ways, where nothing is known of the condition.
 * Half and double: the same code.
 */
export const laneAccord = 0.5
