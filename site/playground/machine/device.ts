/** The device of this worker: asked for once, and again after it is lost. Other modules that need one take this one. */
import { tell } from './server.ts'
import { lost } from './run-protocol.ts'

/** How long a browser may take to give a device, in milliseconds. A process that hangs never gives one. */
const patience = 4000

/**
 * Whether pictures reach the canvas by a copy through memory. Adapters in software do not all share textures with canvases: some lose the device. To them a
 * copy costs no more.
 */
export let copiesPictures = false

/** Whether the device is one in software, which no watchdog of the system watches. */
export let isSoftware = false

let current: Promise<GPUDevice> | undefined
const losses = new Set<() => void>()

/** The device. Fails with a reason for people where there is none. */
export function theDevice(): Promise<GPUDevice> {
  current ??= asked().catch((cause: unknown) => {
    current = undefined
    throw cause
  })
  return current
}

/** Hears when the device is lost: everything made by it is gone. */
export function onLoss(listener: () => void): void {
  losses.add(listener)
}

async function asked(): Promise<GPUDevice> {
  if (!('gpu' in navigator)) throw new Error('this browser has no WebGPU')
  const adapter = await within(navigator.gpu.requestAdapter())
  if (adapter === null) throw new Error('this browser offers no WebGPU adapter')
  const { info } = adapter
  isSoftware = info.isFallbackAdapter || info.architecture === 'swiftshader'
  copiesPictures ||= isSoftware
  const wanted = ['shader-f16', 'subgroups', 'bgra8unorm-storage', 'float32-filterable'] as const
  const {
    maxBufferSize,
    maxStorageBufferBindingSize,
    maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX,
    maxComputeWorkgroupSizeY,
  } = adapter.limits
  const device = await within(
    adapter.requestDevice({
      requiredFeatures: wanted.filter(f => adapter.features.has(f)),
      requiredLimits: {
        maxBufferSize,
        maxStorageBufferBindingSize,
        maxComputeWorkgroupStorageSize,
        maxComputeInvocationsPerWorkgroup,
        maxComputeWorkgroupSizeX,
        maxComputeWorkgroupSizeY,
      },
    }),
  )
  // Nothing here destroys a device, though some browsers call a loss that.
  void device.lost.then(({ message }) => {
    current = undefined
    // It may have been lost by showing a picture; the next one takes no such risk.
    copiesPictures = true
    for (const listener of losses) listener()
    tell(lost, { message: message === '' ? 'the device was lost' : message })
  })
  return device
}

function within<T>(work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const timer = setTimeout(
      () => failed(new Error(`the browser gave no WebGPU device within ${patience / 1000} s`)),
      patience,
    )
    work.then(done, failed).finally(() => clearTimeout(timer))
  })
}
