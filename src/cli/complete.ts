/** What may stand at the cursor of a command line, by commander's own table of commands. Shells ask for it; `completion.ts` has their scripts. */
import type { Command, Option } from 'commander'
import { compile, stages } from '../index.ts'
import { counted } from '../base/limits.ts'
import { CommandInputs } from './inputs.ts'
import { Projects } from './project.ts'
import type { Shell } from './values.ts'

/** What a shell itself adds to the words: files, of one kind perhaps, or folders. */
type Files = 'none' | 'slang' | 'any' | 'folders'

interface Completions {
  /** Words with what they mean. */
  readonly words: readonly (readonly [word: string, about: string])[]
  readonly files: Files
}

const nothing: Completions = { words: [], files: 'none' }

const of = (words: readonly string[], files: Files = 'none'): Completions => ({ words: words.map(w => [w, '']), files })

/**
 * One line for each word that begins as the one at the cursor does: the word, a tab, and what it means. The last line says what the shell adds:
 * `:none`, `:slang`, `:any` or `:folders`. The last of `words` is the one at the cursor.
 */
export async function completionLines(program: Command, shell: Shell, words: readonly string[]): Promise<string> {
  // bash takes `--target=js` apart; PowerShell would lose an empty word, so its script writes a colon before the last.
  const given =
    shell === 'bash'
      ? joined(words)
      : shell === 'powershell'
        ? [...words.slice(0, -1), (words.at(-1) ?? '').replace(/^:/, '')]
        : words
  const before = given.slice(0, -1)
  const current = given.at(-1) ?? ''
  const [, name = '', value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? []
  const found = await completionsOf(program, before, current, name)
  const prefix = value ?? current
  // What bash replaces is only what stands behind the `=`.
  const whole = value === undefined || shell === 'bash' ? '' : `${name}=`
  const lines = found.words
    .filter(([word]) => word.startsWith(prefix))
    .map(([word, about]) => `${whole}${word}\t${about.replace(/\s+/g, ' ')}`)
  return [...lines, `:${found.files}`, ''].join('\n')
}

/** The words with each `--option`, `=`, `value` as one. */
function joined(words: readonly string[]): string[] {
  const out: string[] = []
  for (const [i, word] of words.entries()) {
    const last = out.at(-1)
    const continues = last !== undefined && i > 0 && (word === '=' || /^--[\w-]+=$/.test(last))
    if (continues) out[out.length - 1] = `${last}${word}`
    else out.push(word)
  }
  return out
}

async function completionsOf(
  program: Command,
  before: readonly string[],
  current: string,
  assigned: string,
): Promise<Completions> {
  const help = program.createHelp()
  const name = before.find(word => !word.startsWith('-'))
  if (name === 'help') return of(help.visibleCommands(program).map(c => c.name()))
  const command = program.commands.find(c => c.name() === name)
  if (command === undefined) {
    if (name !== undefined) return nothing
    return current.startsWith('-')
      ? optionsOf(program)
      : { words: help.visibleCommands(program).map(c => [c.name(), c.description()]), files: 'none' }
  }
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const find = (word: string | undefined): Option | undefined => options.find(o => o.long === word || o.short === word)
  const operands: string[] = []
  let awaiting: Option | undefined
  for (const word of before.slice(before.indexOf(name!) + 1)) {
    if (awaiting !== undefined) awaiting = undefined
    else if (word.startsWith('-') && word !== '-') {
      const option = find(word)
      if (option?.required === true) awaiting = option
    } else operands.push(unquoted(word))
  }
  const option = assigned === '' ? awaiting : find(assigned)
  if (option !== undefined) return await valuesOf(option, operands[0])
  if (assigned !== '') return nothing
  if (current.startsWith('-')) return optionsOf(command)
  const list = command.registeredArguments
  const argument = list[operands.length] ?? (list.at(-1)?.variadic === true ? list.at(-1) : undefined)
  if (argument === undefined) return nothing
  if (argument.argChoices !== undefined) return of(argument.argChoices)
  if (argument.name() === 'file' || argument.name() === 'glob') return { words: [], files: 'slang' }
  if (argument.name() === 'dir') return { words: [], files: 'folders' }
  // Arguments of functions: the file behind an @ is not for a shell to find.
  return nothing
}

function optionsOf(command: Command): Completions {
  const help = command.createHelp()
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  return {
    words: options.flatMap(o => (typeof o.long === 'string' ? [[o.long, o.description] as const] : [])),
    files: 'none',
  }
}

/** What an option takes, by its words or by the name of its value. */
async function valuesOf(option: Option, source: string | undefined): Promise<Completions> {
  if (option.argChoices !== undefined) return of(option.argChoices)
  const kind = /[<[]([^\]]+?)[>\]]$/.exec(option.flags)?.[1]
  switch (kind) {
    case 'name':
      return of(await namesOf(source, option.long === '--entry'))
    case 'name=count':
      return of(Object.keys(counted).map(n => `${n}=`))
    case 'stages':
      return of(stages)
    case 'file':
      return { words: [], files: 'any' }
    case 'dir':
      return { words: [], files: 'folders' }
    default:
      return nothing
  }
}

/** The functions of a source that have a name for the command line, or its entry points. */
async function namesOf(source: string | undefined, entries: boolean): Promise<string[]> {
  if (source === undefined || source === '-') return []
  const inputs = new CommandInputs()
  try {
    const project = await new Projects(inputs).optionsFor(source, {})
    const { searchPaths, defines } = project
    const program = compile(inputs.text(source), { fileName: source, resolve: inputs.sourceAt, searchPaths, defines })
    if (entries) return program.entries.map(e => e.name)
    return [...new Set([...program.functions, ...program.subjects].map(f => f.name))]
  } catch {
    // While someone types, there is nobody to tell.
    return []
  }
}

/** A word without the quotes and backslashes of a shell. */
function unquoted(word: string): string {
  return word.replace(/\\(.)|["']/gs, '$1')
}
