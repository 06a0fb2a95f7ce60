/** What a session asks of a place to run: the loss with its gradients, and a picture. */

export interface Evaluation {
  readonly loss: number
  /** As many as there are parameters, in their order. */
  readonly gradients: Float32Array
}

export interface Evaluator {
  readonly evaluate: (parameters: Float32Array) => Promise<Evaluation>
  /** The picture as four floats a pixel, row by row from the top. */
  readonly draw: (kernel: string, parameters: Float32Array, size: readonly [number, number]) => Promise<Float32Array>
  readonly close: () => void
}

/**
 * Does everything by one evaluator before the other, whose answers count. A step that never ends then hangs where its thread can be ended. What goes wrong in
 * the first may go right in the second, which says so otherwise.
 */
export function rehearsed(first: Evaluator, then: Evaluator): Evaluator {
  const both = async <T>(work: (by: Evaluator) => Promise<T>): Promise<T> => {
    try {
      await work(first)
    } catch {}
    return await work(then)
  }
  return {
    evaluate: parameters => both(by => by.evaluate(parameters)),
    draw: (...given) => both(by => by.draw(...given)),
    close: () => {
      first.close()
      then.close()
    },
  }
}

/** The loss of all threads. */
export function summed(losses: ArrayLike<number>): number {
  return Array.from(losses).reduce((sum, l) => sum + l, 0)
}

/** How many groups cover a picture. */
export function coverOf(
  size: readonly [number, number],
  workgroup: readonly [number, number, number],
): readonly [number, number, number] {
  return [Math.ceil(size[0] / workgroup[0]), Math.ceil(size[1] / workgroup[1]), 1]
}
