/** Compiles WGSL on a device. */
import type { Wgsl } from '../index.ts'
import type { Device } from './device.ts'

/** Loads what says why a device refuses a module. */
export type RefusalLoader = () => Promise<{
  readonly refuseFeatures: (missing: readonly string[]) => never
  readonly refuseModule: (device: Device, wgsl: Wgsl, module: GPUShaderModule, refusal: unknown) => Promise<never>
}>

/** Throws a `GpuError` where the device lacks a feature or refuses the code. */
export async function compileModule(device: Device, wgsl: Wgsl, loadRefusal: RefusalLoader): Promise<GPUShaderModule> {
  const missing = wgsl.reflection.features.filter(f => !device.gpu.features.has(f))
  if (missing.length > 0) (await loadRefusal()).refuseFeatures(missing)
  const { result: module, accepted } = device.watched('the WGSL', () =>
    device.gpu.createShaderModule({ code: wgsl.code }),
  )
  try {
    await accepted
  } catch (refusal) {
    device.check()
    const { refuseModule } = await loadRefusal()
    await refuseModule(device, wgsl, module, refusal)
  }
  return module
}
