/** How parameters follow their gradients: pure functions over flat arrays. */

/** Gradient descent, or Adam; `rate` is the learning rate. */
export type Optimizer =
  | { readonly kind: 'sgd'; readonly rate: number; readonly momentum?: number | undefined }
  | { readonly kind: 'adam'; readonly rate: number }

/** What an optimiser remembers between steps: for SGD `first` is the velocity, for Adam the two moments. */
export interface Memory {
  /** Steps so far. */
  readonly step: number
  readonly first: Float32Array
  readonly second: Float32Array
}

/** Parameters after a step, and what the optimiser remembers then. */
export interface Stepped {
  readonly parameters: Float32Array
  readonly memory: Memory
}

/** What an optimiser remembers before the first step. */
export function emptyMemory(count: number): Memory {
  return { step: 0, first: new Float32Array(count), second: new Float32Array(count) }
}

/** One step of an optimiser. It changes no argument. */
export function optimize(
  optimizer: Optimizer,
  parameters: Float32Array,
  gradients: Float32Array,
  memory: Memory,
): Stepped {
  switch (optimizer.kind) {
    case 'sgd':
      return sgd(parameters, gradients, memory, optimizer.rate, optimizer.momentum ?? 0)
    case 'adam':
      return adam(parameters, gradients, memory, optimizer.rate)
  }
}

/**
 * Gradient descent with momentum: v ← μ v + g, then p ← p − rate · v. This is the form of Sutskever, Martens, Dahl and Hinton, "On the
 * importance of initialization and momentum in deep learning" (ICML 2013), as PyTorch writes it. With μ = 0 it is p ← p − rate · g.
 */
export function sgd(
  parameters: Float32Array,
  gradients: Float32Array,
  memory: Memory,
  rate: number,
  momentum: number,
): Stepped {
  const first = memory.first.map((v, i) => momentum * v + gradients[i]!)
  return {
    parameters: parameters.map((p, i) => p - rate * first[i]!),
    memory: { step: memory.step + 1, first, second: memory.second },
  }
}

/** The decay of Adam's two moments, and what keeps it from dividing by zero: the values that its paper proposes. */
const beta1 = 0.9
const beta2 = 0.999
const epsilon = 1e-8

/**
 * Adam, algorithm 1 of Kingma and Ba, "Adam: A Method for Stochastic Optimization" (ICLR 2015, https://arxiv.org/abs/1412.6980):
 * m ← β₁ m + (1 − β₁) g and v ← β₂ v + (1 − β₂) g², then p ← p − rate · m̂ / (√v̂ + ε) with m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).
 */
export function adam(parameters: Float32Array, gradients: Float32Array, memory: Memory, rate: number): Stepped {
  const step = memory.step + 1
  const first = memory.first.map((m, i) => beta1 * m + (1 - beta1) * gradients[i]!)
  const second = memory.second.map((v, i) => beta2 * v + (1 - beta2) * gradients[i]! ** 2)
  const unbias1 = 1 - beta1 ** step
  const unbias2 = 1 - beta2 ** step
  return {
    parameters: parameters.map(
      (p, i) => p - (rate * (first[i]! / unbias1)) / (Math.sqrt(second[i]! / unbias2) + epsilon),
    ),
    memory: { step, first, second },
  }
}
