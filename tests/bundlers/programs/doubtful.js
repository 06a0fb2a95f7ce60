import { code } from './doubtful.slang'

globalThis.found = code
