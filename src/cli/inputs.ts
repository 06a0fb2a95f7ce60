/** What one run of a command reads: files, and standard input. `--watch` looks at the files again. */
import { Inputs } from '../files/inputs.ts'
import { SourceProblem, readInput } from '../files/read.ts'
import { InputError } from './usage.ts'

/** Names of standard input among files, which is no regular file. */
const standardInput = /^\/(dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/

/** The inputs of a command. */
export class CommandInputs extends Inputs {
  /** The text of a file that the command line names; `-` is standard input. Throws an `InputError`. */
  text(file: string): string {
    try {
      return file === '-' ? readInput() : this.source(file)
    } catch (cause) {
      if (!(cause instanceof SourceProblem)) throw cause
      throw new InputError(
        `${file === '-' ? 'standard input' : file}: ${cause.message}${standardInput.test(file) ? '; - reads standard input' : ''}`,
        file,
      )
    }
  }
}
