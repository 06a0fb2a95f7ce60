/** Wraps a WebGPU device, so that its loss is noticed, its resources are destroyed, and its error scopes are closed. */
import { GpuError, refuse, type GpuErrorName } from './error.ts'

/** What a device makes and its maker destroys. */
export interface Owned {
  destroy(): void
}

/** Takes what is to be destroyed when something is over. */
export type Own = <O extends Owned>(made: O) => O

/** Limits of which a program may need more. */
type Limit =
  | 'maxBufferSize'
  | 'maxDynamicUniformBuffersPerPipelineLayout'
  | 'maxStorageBufferBindingSize'
  | 'maxStorageBuffersPerShaderStage'

export class Device {
  readonly gpu: GPUDevice
  /** Kept, for a device makes another object of it at each question. */
  readonly queue: GPUQueue
  readonly limits: GPUSupportedLimits
  /** The most groups along each dimension. */
  readonly mostGroups: number
  #lost: GpuError | undefined
  /** The pending waits. One handler of the loss serves all: a handler for each wait would stay until the device is lost. */
  readonly #waiting = new Set<(reason: GpuError) => void>()

  constructor(gpu: GPUDevice) {
    this.gpu = gpu
    this.queue = gpu.queue
    this.limits = gpu.limits
    this.mostGroups = gpu.limits.maxComputeWorkgroupsPerDimension
    void gpu.lost.then(({ reason, message }) => {
      this.#lost = new GpuError(
        'DeviceLost',
        `the device is lost${reason === 'destroyed' ? ', for it was destroyed' : message === '' ? '' : `: ${message}`}; attach the program to another`,
      )
      for (const fail of this.#waiting) fail(this.#lost)
      this.#waiting.clear()
    })
  }

  /** Throws where the device is known to be lost. */
  check(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  /** Throws where the device grants less than is needed; `what` says what that is. */
  needs(limit: Limit, needed: number, what: string, name: GpuErrorName = 'DeviceError'): void {
    const granted = this.limits[limit]
    if (needed > granted)
      refuse(
        name,
        `${what}, and the device allows ${granted}: ask for more by requestDevice({ requiredLimits: { ${limit}: ${needed} } })`,
      )
  }

  /** The same as a promise; what is lost meanwhile fails, and says so. */
  async until<T>(work: Promise<T>): Promise<T> {
    this.check()
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiting.add(reject)
        work.then(resolve, reject).finally(() => this.#waiting.delete(reject))
      })
    } catch (cause) {
      // Some implementations refuse what is asked of a lost device before they say that it is lost.
      await new Promise(resolve => setTimeout(resolve))
      this.check()
      throw cause
    }
  }

  /**
   * Runs `work` under error scopes, which are closed before this returns. `accepted` waits for the device, and fails with what it
   * refuses; `what` names the work.
   */
  watched<T>(what: string, work: () => T): { readonly result: T; readonly accepted: Promise<void> } {
    this.check()
    this.gpu.pushErrorScope('out-of-memory')
    this.gpu.pushErrorScope('validation')
    let result: T
    let scopes: Promise<readonly (GPUError | null)[]>
    try {
      result = work()
    } finally {
      scopes = Promise.all([this.gpu.popErrorScope(), this.gpu.popErrorScope()])
      scopes.catch(() => undefined)
    }
    const accepted = this.until(scopes).then(errors => {
      const refused = errors.find(e => e !== null)
      if (refused) refuse('DeviceError', `${what}: ${refused.message}`)
    })
    return { result, accepted }
  }
}
