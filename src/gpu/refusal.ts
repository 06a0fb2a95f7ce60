/** Says why a device refuses a module, and where in the source. Loads only then. */
import type { Wgsl } from '../index.ts'
import { sourceOf } from '../host/origin.ts'
import { errorOf, refuse, type Device } from './core.ts'

/** Throws a `GpuError` that names the features that a device lacks. */
export function refuseFeatures(missing: readonly string[]): never {
  refuse(
    'MissingFeature',
    `the program needs ${missing.join(' and ')}; ask for it by requestDevice({ requiredFeatures })`,
  )
}

/** Throws a `GpuError` with what the device says of a module that it refused. */
export async function refuseModule(
  device: Device,
  wgsl: Wgsl,
  module: GPUShaderModule,
  refusal: unknown,
): Promise<never> {
  const info = await device.until(module.getCompilationInfo())
  const message = info.messages.find(m => m.type === 'error')
  if (message === undefined) refuse('CompileError', errorOf(refusal).message)
  const place = sourceOf(wgsl, message.lineNum)
  const origin = place === undefined ? '' : ` (${place.file}:${place.line})`
  refuse('CompileError', `line ${message.lineNum} of the WGSL${origin}: ${message.message}`)
}
