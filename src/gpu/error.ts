/** The errors of `cotangent/gpu`. */
export type GpuErrorName =
  | 'NoSuchKernel'
  | 'BufferError'
  | 'UnknownOption'
  | 'DeviceLost'
  | 'MissingBuffer'
  | 'UnknownBuffer'
  | 'WrongBuffer'
  | 'MissingFeature'
  | 'MissingTexture'
  | 'WrongTexture'
  | 'WrongUniform'
  | 'WrongTensor'
  | 'NoDerivative'
  | 'WrongGroups'
  | 'WrongPass'
  | 'Destroyed'
  | 'TooManyUniforms'
  | 'DeviceError'
  | 'CompileError'

/** A mistake of a caller of the GPU runtime, or an error of the device. `name` says which. */
export class GpuError extends Error {
  constructor(name: GpuErrorName, message: string) {
    super(message)
    this.name = name
  }
}

/** Throws a mistake of a caller, or what the device refuses. */
export function refuse(name: GpuErrorName, message: string): never {
  throw new GpuError(name, message)
}

/** The same where a check found a mistake. */
export function refuseIf(name: GpuErrorName, mistake: string | undefined): void {
  if (mistake !== undefined) refuse(name, mistake)
}

/** What was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new GpuError('DeviceError', String(thrown))
}
