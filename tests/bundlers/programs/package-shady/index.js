// A package whose JavaScript imports a shader of its own.
import program, { scale } from './scale.slang'
import cpu from './scale.slang?cpu'

export const packaged = { program, entry: scale, cpu }
