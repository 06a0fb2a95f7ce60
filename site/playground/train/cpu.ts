/** Training on the CPU. */
import type { KernelResources } from 'cotangent/cpu'
import { loadThreaded } from '../machine/threads.ts'
import { canvasFor, target } from './canvas.ts'
import { coverOf, summed, type Evaluator } from './evaluate.ts'
import { numbersOf, valueOf } from './layout.ts'
import { argumentsOf, namedValues, uniformsOf, type Task } from './task.ts'
import { isGradient, ownerOf } from './trainable.ts'

/** Runs a task by WebAssembly. */
export async function onCpu(task: Task): Promise<Evaluator> {
  const { program, plan, trainable, slices, contents } = task
  const hasKernels = trainable.kind === 'kernel' || plan.picture !== undefined
  const { loaded: m } = await loadThreaded(program, { threads: hasKernels ? undefined : 1 })
  const data = new Map([...contents].map(([name, c]) => [name, c.data.slice()]))

  /** What a kernel is given, with the parameters as they are now. */
  const resources = (buffers: readonly string[], parameters: Float32Array): KernelResources => {
    for (const { pick, at, length } of slices) data.get(pick.name)?.set(parameters.subarray(at, at + length))
    const own = buffers.filter(b => !isGradient(b))
    const isTensor = (name: string): boolean => name.endsWith('_primal_data')
    return {
      buffers: Object.fromEntries(own.filter(b => !isTensor(b)).map(b => [b, data.get(ownerOf(b))!])),
      tensors: Object.fromEntries(
        own.filter(isTensor).map(b => {
          const name = ownerOf(b)
          return [name, { data: data.get(name)!, shape: contents.get(name)!.shape }]
        }),
      ),
      uniforms: uniformsOf(task, namedValues(task, parameters, valueOf)),
    }
  }

  const evaluateKernel: Evaluator['evaluate'] = parameters => {
    const kernel = m.kernel(task.plan.subject)
    const given = resources(kernel.buffers, parameters)
    data.get('loss')!.fill(0)
    const isReversible = trainable.kind === 'kernel' && trainable.reversible
    if (isReversible) kernel.dispatch(task.groups, given)
    const loss = isReversible ? summed(data.get('loss')!) : 0
    const grads = kernel.grad(task.groups, { ...given, ...(isReversible && { cotangents: { loss: 1 } }) })
    const gradients = new Float32Array(parameters.length)
    for (const { pick, at } of slices) gradients.set(grads[pick.name] as Float32Array, at)
    return Promise.resolve({ loss: isReversible ? loss : summed(data.get('loss')!), gradients })
  }

  const evaluateFunction: Evaluator['evaluate'] = parameters => {
    if (trainable.kind !== 'function') return Promise.reject(new Error('a kernel is no function'))
    const { params, gradients: types } = trainable.of
    const args = argumentsOf(task, parameters).map((numbers, i) => valueOf(params[i]!.type, numbers))
    const { value, grad } = m.fn[task.plan.subject]!.valueAndGrad(...args)
    const gradients = new Float32Array(parameters.length)
    for (const { pick, at } of slices) {
      const i = params.findIndex(p => p.name === pick.name)
      gradients.set(numbersOf(types[i]!, grad[i]), at)
    }
    return Promise.resolve({ loss: value as number, gradients })
  }

  if (trainable.kind === 'function' && (task.plan.buffers ?? task.plan.uniforms) !== undefined) {
    m.bind({ buffers: Object.fromEntries(data), uniforms: uniformsOf(task, {}) })
  }
  return {
    evaluate: trainable.kind === 'function' ? evaluateFunction : evaluateKernel,
    draw: (name, parameters, size) => {
      const kernel = m.kernel(name)
      const canvas = canvasFor(task.reflection ?? program.wgsl().reflection, size)
      kernel.dispatch(coverOf(size, kernel.workgroupSize), {
        ...resources(kernel.buffers, parameters),
        textures: { [target]: canvas.texture },
      })
      return Promise.resolve(canvas.floats())
    },
    close: () => m.close(),
  }
}
