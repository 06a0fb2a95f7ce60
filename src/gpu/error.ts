export type GpuErrorName =
  | 'NoSuchKernel' | 'BufferError' | 'UnknownOption' | 'DeviceLost' | 'MissingBuffer' | 'UnknownBuffer' | 'WrongBuffer' | 'MissingFeature' | 'MissingTexture' | 'WrongTexture' | 'WrongUniform' | 'WrongTensor' | 'NoDerivative' | 'WrongGroups' | 'DeviceError' | 'CompileError'

/** What a caller of the GPU runtime did wrong, or what the device refused. `name` says which. */
export class GpuError extends Error {
  constructor(name: GpuErrorName, message: string) {
    super(message)
    this.name = name
  }
}
