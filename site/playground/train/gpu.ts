/** Training on a WebGPU device. Buffers stay there; a step writes the parameters and reads the loss and the gradients. */
import type { BindingInfo, Program } from 'cotangent'
import { attach, type DeviceBuffer, type GpuProgram, type Tensor } from 'cotangent/gpu'
import { canvasFor, target } from './canvas.ts'
import { coverOf, summed, type Evaluator } from './evaluate.ts'
import { leavesOf, valueOf } from './layout.ts'
import { argumentsOf, arrayOf, namedValues, uniformsOf, type Contents, type Slice, type Task } from './task.ts'
import { isGradient, ownerOf } from './trainable.ts'
import { wrapped, wrapper } from './wrap.ts'

type Floats = DeviceBuffer<Float32Array>

/** Runs a task on a device. */
export function onGpu(task: Task, device: GPUDevice): Promise<Evaluator> {
  return task.trainable.kind === 'function' ? functionOn(task, device) : kernelOn(task, device)
}

/** The buffers of a program on a device, by the names of their bindings. */
class Buffers {
  readonly #g: GpuProgram
  readonly #task: Task
  readonly #made = new Map<string, DeviceBuffer>()

  constructor(g: GpuProgram, task: Task) {
    this.#g = g
    this.#task = task
  }

  /** The buffer of a binding; that of a gradient begins with zeros. */
  of(binding: string): DeviceBuffer {
    let made = this.#made.get(binding)
    if (made === undefined) {
      const { data } = this.#task.contents.get(ownerOf(binding))!
      const first: Contents['data'] = isGradient(binding) ? new Float32Array(data.length) : data
      made = this.#g.buffer(first)
      this.#made.set(binding, made)
    }
    return made
  }

  floats(binding: string): Floats {
    return this.of(binding) as Floats
  }

  /** Writes buffers that are trained. */
  write(slices: readonly Slice[], parameters: Float32Array): void {
    for (const { pick, at, length } of slices)
      this.floats(primalOf(pick.kind, pick.name)).write(parameters.subarray(at, at + length))
  }

  /** What bindings ask for, as `bind` and `dispatch` take it. */
  given(bindings: readonly string[]): { buffers: Record<string, DeviceBuffer>; tensors: Record<string, Tensor> } {
    const buffers: Record<string, DeviceBuffer> = {}
    const tensors: Record<string, Tensor> = {}
    for (const b of bindings) {
      if (!b.endsWith('_data')) buffers[b] = this.of(b)
      else if (b.endsWith('_primal_data')) {
        const name = ownerOf(b)
        const gradient = `${name}_diff_diff_data`
        const hasGradient = bindings.includes(gradient)
        tensors[name] = {
          data: this.of(b),
          shape: this.#task.contents.get(name)!.shape,
          ...(hasGradient && { grad: this.of(gradient) }),
        }
      }
    }
    return { buffers, tensors }
  }

  destroy(): void {
    for (const b of this.#made.values()) b.destroy()
  }
}

function primalOf(kind: Slice['pick']['kind'], name: string): string {
  return kind === 'tensor' ? `${name}_primal_data` : `${name}_primal`
}

function gradientOf(kind: Slice['pick']['kind'], name: string): string {
  return kind === 'tensor' ? `${name}_diff_diff_data` : `${name}_diff`
}

/** The bindings of an entry point that are buffers of elements. */
function buffersOf(bindings: readonly BindingInfo[], used: readonly string[]): string[] {
  return bindings.filter(b => used.includes(b.name) && arrayOf(b) !== undefined).map(b => b.name)
}

async function kernelOn(task: Task, device: GPUDevice): Promise<Evaluator> {
  const { program, plan, slices, groups, trainable } = task
  const g = await attach(program, device)
  const own = new Buffers(g, task)
  const uniforms = uniformsOf(task, {})
  const isReversible = trainable.kind === 'kernel' && trainable.reversible
  const bound = (of: GpuProgram, name: string) => {
    const { bindings, entries } = of.wgsl.reflection
    const used = entries.find(e => e.name === name)!.bindings
    return of.kernel(name).bind({ ...own.given(buffersOf(bindings, used)), uniforms })
  }
  const kernels = [bound(g, plan.subject)]
  if (isReversible) {
    const backwards = { wgsl: () => reversed(program, plan.subject), functions: program.functions }
    kernels.push(bound(await attach(backwards, device), `${plan.subject}_bwd`))
  }
  await Promise.all(kernels.map(k => k.ready))
  const { bindings } = trainable as Extract<typeof trainable, { kind: 'kernel' }>
  const lossName = bindings.find(b => /^loss(_primal(_data)?)?$/.test(b.name))!.name
  const losses = own.floats(lossName)
  const cotangent = bindings.find(b => /^loss_diff(_diff_data)?$/.test(b.name))
  const zeros = new Float32Array(losses.length)
  const ones = new Float32Array(losses.length).fill(1)
  return {
    evaluate: async parameters => {
      own.write(slices, parameters)
      losses.write(zeros)
      if (cotangent !== undefined) own.floats(cotangent.name).write(ones)
      const gradients = slices.map(s => own.floats(gradientOf(s.pick.kind, s.pick.name)))
      for (const b of gradients) b.write(new Float32Array(b.length))
      for (const k of kernels) k.dispatch(groups)
      const [loss, ...read] = await Promise.all([losses, ...gradients].map(b => b.read()))
      const all = new Float32Array(parameters.length)
      slices.forEach((s, i) => all.set(read[i]!, s.at))
      return { loss: summed(loss!), gradients: all }
    },
    draw: (name, parameters, size) => {
      own.write(slices, parameters)
      return drawOn(g, own, name, uniforms, size)
    },
    close: () => {
      for (const k of kernels) k.destroy()
      own.destroy()
    },
  }
}

/** The reverse derivative of a kernel as code of its own, whose kernel takes what that of the program takes. */
function reversed(program: Program, name: string): ReturnType<Program['wgsl']> {
  const wgsl = program.wgsl({ reverseOf: name })
  const parameters = wgsl.reflection.parameters.map(p => (p.entry === name ? { ...p, entry: `${name}_bwd` } : p))
  return { ...wgsl, reflection: { ...wgsl.reflection, parameters } }
}

async function functionOn(task: Task, device: GPUDevice): Promise<Evaluator> {
  const { trainable } = task
  if (trainable.kind !== 'function') throw new Error('a kernel is no function')
  const { of } = trainable
  const program = wrapped(task.program, of)
  const g = await attach(program, device)
  const own = new Buffers(g, task)
  const counts = of.gradients.map(type => (type === null ? 0 : leavesOf(type).length))
  const input = g.buffer(Float32Array.from([...argumentsOf(task, task.initial).flat(), 0]))
  const output = g.buffer(new Float32Array(1 + counts.reduce((a, b) => a + b, 0)))
  const { bindings, entries, globalParams } = g.wgsl.reflection
  const used = entries.find(e => e.name === wrapper.kernel)!.bindings
  const given = own.given(buffersOf(bindings, used).filter(b => b !== wrapper.input && b !== wrapper.output))
  const needsUniforms = used.includes('globalParams') && globalParams !== null
  const kernel = g
    .kernel(wrapper.kernel)
    .bind({
      ...given,
      buffers: { ...given.buffers, [wrapper.input]: input, [wrapper.output]: output },
      ...(needsUniforms && { uniforms: uniformsOf(task, {}) }),
    })
  await kernel.ready
  return {
    evaluate: async parameters => {
      input.write(Float32Array.from(argumentsOf(task, parameters).flat()))
      kernel.dispatch([1, 1, 1])
      const read = await output.read()
      const gradients = new Float32Array(parameters.length)
      for (const { pick, at, length } of task.slices) {
        const index = of.params.findIndex(p => p.name === pick.name)
        const from = 1 + counts.slice(0, index).reduce((a, b) => a + b, 0)
        gradients.set(read.subarray(from, from + length), at)
      }
      return { loss: read[0]!, gradients }
    },
    draw: (name, parameters, size) =>
      drawOn(g, own, name, uniformsOf(task, namedValues(task, parameters, valueOf)), size),
    close: () => {
      kernel.destroy()
      input.destroy()
      output.destroy()
      own.destroy()
    },
  }
}

async function drawOn(
  g: GpuProgram,
  own: Buffers,
  name: string,
  uniforms: ReturnType<typeof uniformsOf>,
  size: readonly [number, number],
): Promise<Float32Array> {
  const { bindings, entries } = g.wgsl.reflection
  const used = entries.find(e => e.name === name)!.bindings
  const canvas = canvasFor(g.wgsl.reflection, size)
  const kernel = g.kernel(name)
  await kernel.dispatch(coverOf(size, kernel.workgroupSize), {
    ...own.given(buffersOf(bindings, used)),
    uniforms,
    textures: { [target]: canvas.texture },
  })
  return canvas.floats()
}
