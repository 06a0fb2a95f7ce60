/** WebGPU's flags by number: outside of browsers a device may come without the globals that name them. */
export const usage = {
  MAP_READ: 0x1,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
} as const

export const computeStage = 0x4
export const readMode = 0x1
