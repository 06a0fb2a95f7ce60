/** Says where in the source a device found a mistake. Loads only then. */
import type { Wgsl } from '../index.ts'
import { sourceOf } from '../host/origin.ts'
import { errorOf, refuse, type Device } from './core.ts'

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
