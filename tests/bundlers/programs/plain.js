// Imports a shader, and nothing else.
import program, { entryPoints } from './fit.slang'

globalThis.found = [program.code, entryPoints]
