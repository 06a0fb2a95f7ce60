/** The machine of the page. The first module that the page runs imports this one first: the compiler loads while everything else is still evaluated. */
import type { Machine } from './machine.ts'
import { startMachine } from './start.ts'

export const machine: Machine = startMachine()
