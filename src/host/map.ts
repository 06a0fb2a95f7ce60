/** What hosts and the compiler agree on about `map`, for those who run programs. */
export {
  blockOfSums,
  mapBuffers,
  mapGroup,
  mapKernels,
  mapUniforms,
  type Coming,
  type MapRequest,
} from '../base/map.ts'
