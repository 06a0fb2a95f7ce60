import program, { code } from './wrong.slang'

globalThis.found = [program, code]
