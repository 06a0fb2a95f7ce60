/** Whether an engine threw something because its stack ended: Firefox has a class of its own for that; other errors of those classes are no such thing. */
export function isStackEnd(error: unknown): boolean {
  return error instanceof Error && (error instanceof RangeError || error.name === 'InternalError') && /call stack|too much recursion/i.test(error.message)
}
