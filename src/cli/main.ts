/** The command line. Commands load what they need when they run, so that `compile` starts fast. */
import { Argument, Command, CommanderError, Option } from 'commander'
import { tellTimes } from './clock.ts'
import { asksForJson, slangcSpelling } from './spelling.ts'
import { failures, packageVersion } from './usage.ts'
import { escapeControls } from '../base/escape.ts'
import { nearest } from '../base/near.ts'
import { complain, diagnosticsAsJson, failed, tell, wantsJson, warn } from './output.ts'
import {
  block,
  collect,
  collectOf,
  demoNames,
  limit,
  positive,
  seconds,
  shells,
  targetNames,
  whole,
  type DemoName,
  type Shell,
} from './values.ts'

const levels = ['0', '1', '2', '3']

/** How mistakes are reported; which of the two it is stands fixed before the command line is parsed. */
function reporting(command: Command): Command {
  return command.addOption(
    new Option('--diagnostics <format>', 'how mistakes are reported on stderr: json is one object a line')
      .choices(['text', 'json'])
      .default('text'),
  )
}

function shared(command: Command): Command {
  return reporting(command)
    .option('--project <file>', 'the project file; default: the nearest cotangent.json upwards from the source')
    .option('--no-project', 'read no project file')
    .option('-I, --include <dir>', 'folder in which imports and includes are looked up (repeatable)', collect)
    .option('-D, --define <name[=value]>', 'define a macro (repeatable)', collect)
    .option('--conformance <T:I=ID>', 'add a conforming type for dynamic dispatch (repeatable)', collect)
    .addOption(new Option('-O, --optimize <level>', 'how hard to optimise').choices(levels).default('2'))
    .option(
      '-g, --debug',
      'on a CPU, stop a loop that makes more trips than its [MaxIters] allows, and name it; in WGSL, name the lines of the source',
    )
    .option(
      '--max-context <bytes>',
      'how many bytes a reverse pass may keep in memory; what does not fit is computed again',
      whole,
    )
    .option(
      '--limit <name=count>',
      'how much work a program may ask for, as a diagnostic names it: instructions=100000 (repeatable)',
      limit,
    )
    .option('--block <x,y,z>', 'threads of a group of [CUDAKernel]s that say nothing of it (default: 64,1,1)', block)
    .addOption(
      new Option(
        '--matrix-layout <order>',
        'how matrices lie in buffers and uniforms where the source does not say it; default: row-major',
      ).choices(['row-major', 'column-major']),
    )
    .option('--emulate-half', 'in WGSL, compute with half in float, for devices without shader-f16')
    .option('--time', 'print the milliseconds of each phase on stderr')
}

function timed(command: Command): Command {
  return command.option('--timeout <seconds>', 'end the command after so many seconds, with exit status 124', seconds)
}

const program = new Command('cotangent')
  .configureOutput({
    writeOut: tell,
    // What tools read as JSON gets the message alone, from `stopped`.
    writeErr: text => {
      if (!wantsJson()) warn(escapeControls(text))
    },
    outputError: (text, write) => {
      write(text.replace(/^error:/, 'cotangent:'))
    },
  })
  .description('The Slang shading language with automatic differentiation: WGSL, WebAssembly and JavaScript.')
  .showHelpAfterError('(cotangent --help lists the commands)')
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })

function watched(command: Command): Command {
  return command.option('-w, --watch', 'run again when a file that was read changes, until Ctrl-C')
}

watched(shared(program.command('compile').description('compile to the code of one or more targets')))
  .argument('<file...>', 'Slang files; - reads standard input')
  .addOption(
    new Option('--target <target>', 'what to make (repeatable, with -o DIR); default: wgsl')
      .choices(targetNames)
      .argParser(collectOf(targetNames)),
  )
  .option('--entry <name>', 'entry point (repeatable); default: every function with [shader("…")]', collect)
  .addOption(
    new Option('--stage <stage>', 'stage of entries without [shader]').choices(['compute', 'vertex', 'fragment']),
  )
  .option(
    '--export <name>',
    'function to export to wasm and js (repeatable); default: every public or export function',
    collect,
  )
  .option(
    '-o, --output <file>',
    'write there instead of to stdout; with several files or targets, a folder for files named after the sources',
  )
  .option(
    '--reflection [file]',
    'write bindings, layouts and entry points there, as JSON; as TypeScript types into a .ts file; default: beside the output',
  )
  .option(
    '--source-map [file]',
    'write where each line of WGSL comes from, as a source map; default: the name of -o with .map',
  )
  .option('--dump-ir <stages>', 'print the IR after these stages, separated by commas, instead of code')
  .addOption(
    new Option('--mode <mode>', 'floats in js: exact float32, or double precision')
      .choices(['f32', 'f64'])
      .default('f32'),
  )
  .addHelpText(
    'after',
    `
slangc's spellings -target, -entry, -stage, -reflection-json, -conformance and -O2 are accepted too.

Examples:
  cotangent compile shader.slang                         WGSL of every entry point
  cotangent compile shader.slang --target wasm -o s.wasm
  cotangent compile a.slang b.slang --target wgsl --target js -o dist --watch
  cotangent compile loss.slang --dump-ir transposed --export loss`,
  )
  .action(async (files: string[], options: Record<string, unknown>) =>
    (await import('./compile.ts')).compileCommand(files, options),
  )

watched(shared(program.command('types').description('write the TypeScript declarations of shaders')))
  .argument(
    '[glob...]',
    'Slang files, patterns such as "src/**/*.slang", and folders for all that lie in them; default: the folder of the nearest cotangent.json',
  )
  .option('--types <dir>', 'folder for the declarations, or beside: each beside its source; default: beside')
  .addOption(
    new Option('--types-suffix <suffix>', 'what they are called; default: .d.slang.ts').choices([
      '.d.slang.ts',
      '.slang.d.ts',
    ]),
  )
  .option('--check', 'write nothing; exit status 1 if declarations are missing, stale or left over')
  .addHelpText(
    'after',
    `
For src/fit.slang it writes src/fit.d.slang.ts, which gives import program from './fit.slang' its types. A bundler with the
plugin of Cotangent writes the same. Folders and patterns leave out node_modules. Declarations that it wrote in these folders
for a shader that is gone are removed.

Examples:
  cotangent types src
  cotangent types "src/**/*.slang" --watch
  cotangent types src --check                            in CI, where declarations are committed`,
  )
  .action(async (globs: string[], options: Record<string, unknown>) =>
    (await import('./types.ts')).typesCommand(globs, options),
  )

const withFunction = (name: string, description: string): Command =>
  timed(shared(program.command(name).description(description)))
    .argument('<file>', 'Slang file; - reads standard input')
    .argument(
      '[args...]',
      'one JSON value a parameter: 1.5, true, [1,2,3], {"x": 1}; @FILE holds one, or all as a list or as an object by name',
    )
    .option('--fn <name>', 'the function; without it, the functions that there are')
    .option('--json', 'print one JSON object')

withFunction('run', 'call a function on the CPU and print its result')
  .option('--trace-nan', 'name the first instruction that makes a NaN or an infinity')
  .action(async (file: string, args: string[], options: Record<string, unknown>) =>
    (await import('./call.ts')).runCommand(file, args, options),
  )

withFunction('grad', 'value and gradient with respect to every differentiable parameter')
  .option('--cotangent <json>', 'what the result is weighted with, as JSON or @FILE; default: ones')
  .option(
    '--trace-nan',
    'name the first instruction, of the function or of its derivative, that makes a NaN or an infinity',
  )
  .action(async (file: string, args: string[], options: Record<string, unknown>) =>
    (await import('./call.ts')).gradCommand(file, args, options),
  )

watched(
  timed(
    shared(
      program.command('check').description('test derivatives: reverse against forward against finite differences'),
    ),
  ),
)
  .argument('<file>', 'Slang file; - reads standard input')
  .option('--fn <name>', 'only this function (repeatable): f, Type.method, f<float>', collect)
  .option('--samples <n>', 'random inputs a function', positive, 20)
  .option('--seed <n>', 'seed of the random inputs; default: a random one, which is printed', positive)
  .option('--trace-nan', 'where something is not finite, name the first instruction that makes it so')
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    `
Every differentiable function of the file, methods and the instances of generic functions too, is called at random inputs in
double precision. Reverse mode is compared with forward mode, and that with central differences; inputs where the function is
not smooth are left out. Where derivatives disagree, the first parameter and the function whose derivative is wrong are named.
Buffers and uniforms get random contents. Exit status 1 if any derivative disagrees.

Examples:
  cotangent check loss.slang
  cotangent check loss.slang --fn loss --samples 200 --seed 7 --json`,
  )
  .action(async (file: string, options: Record<string, unknown>) =>
    (await import('./check.ts')).checkCommand(file, options),
  )

shared(
  program.command('explain').description('what the reverse pass of a function stores, recomputes and costs, and why'),
)
  .argument('<file>', 'Slang file; - reads standard input')
  .option(
    '--fn <name>',
    'the function: f, Type.method, f<float>, or an entry point for all that it differentiates; default: all that the file differentiates by bwd_diff',
  )
  .option('--all', 'show also what only serves to compute others again')
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    `
A value that the reverse pass needs is kept (a parameter, a trip number), recomputed, or stored in the context between the two
passes: bytes × trips. The choice is a minimum cut between bytes and operations; the last column says what the attribute
[PreferRecompute] or [PreferCheckpoint], on the function called or on one around the expression, would change in one call.

Examples:
  cotangent explain loss.slang --fn loss
  cotangent explain splat.slang --fn trainMain --json`,
  )
  .action(async (file: string, options: Record<string, unknown>) =>
    (await import('./explain.ts')).explainCommand(file, options),
  )

reporting(program.command('init').description('make a project: a page that trains a shader, and tests of its gradient'))
  .argument('<dir>', 'a folder, new or empty')
  .option('--force', 'write into a folder that is not empty')
  .addHelpText(
    'after',
    `
The project uses Vite, TypeScript and Vitest. npm create cotangent DIR does the same.

Example:
  cotangent init my-app`,
  )
  .action(async (folder: string, options: Record<string, unknown>) =>
    (await import('./init.ts')).initCommand(folder, options),
  )

reporting(program.command('demo').description('run a bundled example end to end; without a name, list them'))
  .addArgument(new Argument('[name]', 'the example').choices(demoNames))
  .option('--gpu', 'run it through WGSL on a WebGPU device')
  .option('--large', 'a larger problem: splat2d at 256x256 pixels with 2,000 Gaussians')
  .option('--steps <n>', 'how many steps to take', positive)
  .option('-o, --output <dir>', 'where pictures go')
  .action(async (name: DemoName | undefined, options: Record<string, unknown>) =>
    (await import('./demo.ts')).demoCommand(name, options),
  )

reporting(program.command('lsp').description('the language server, which editors start'))
  .option('--stdio', 'speak the Language Server Protocol on standard input and output')
  // Clients of vscode-languageclient name their process.
  .addOption(new Option('--clientProcessId <id>').hideHelp())
  .addHelpText(
    'after',
    `
docs/editors.md says how to set up VS Code, Neovim, Helix and Zed.

Example:
  cotangent lsp --stdio`,
  )
  .action(async (options: Record<string, unknown>) => {
    ;(await import('./lsp.ts')).lspCommand(options)
  })

reporting(program.command('completion').description('print a script by which a shell completes commands of cotangent'))
  .addArgument(new Argument('<shell>', 'the shell').choices(shells))
  .addHelpText(
    'after',
    `
Put one of these into the file that your shell reads when it starts:
  bash        source <(cotangent completion bash)
  zsh         source <(cotangent completion zsh)
  fish        cotangent completion fish | source
  powershell  cotangent completion powershell | Out-String | Invoke-Expression`,
  )
  .action(async (shell: Shell) => {
    tell((await import('./completion.ts')).completionScript(shell))
  })

program
  .helpCommand(false)
  .command('help')
  .description('display help for command')
  .argument('[command]')
  .action((name?: string) => {
    if (name === undefined) return program.help()
    program.commands.find(command => command.name() === name)?.help()
    const near = nearest(name, new Set(program.commands.map(command => command.name())))
    program.error(`error: unknown command '${name}'${near === null ? '' : `\n(Did you mean ${near}?)`}`, {
      code: 'commander.unknownCommand',
    })
  })

// What those scripts call: the words behind `cotangent` up to the cursor.
program
  .command('complete-words', { hidden: true })
  .argument('<shell>')
  .argument('[words...]')
  .action(async (shell: Shell, words: string[]) => {
    tell(await (await import('./complete.ts')).completionLines(program, shell, words))
  })

program.hook('preAction', async (_, command) => {
  const { timeout } = command.opts<{ timeout?: number }>()
  if (timeout !== undefined) await (await import('./timeout.ts')).within(timeout, command.name())
})

/** Runs a command line, without Node and the script's name; the process's exit code says how it went. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const ours = slangcSpelling(args)
    if (asksForJson(ours)) diagnosticsAsJson()
    program.version(packageVersion(), '-v, --version')
    await program.parseAsync(ours, { from: 'user' })
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? stopped(error) : failed(error)
  }
  tellTimes()
}

/** The exit status after help, or after a command line that commander refuses: it has said why, but for those who read JSON. */
function stopped({ exitCode, code, message }: CommanderError): number {
  if (exitCode === 0) return 0
  if (wantsJson()) {
    const [text = '', ...more] = message.replace(/^error: /, '').split('\n')
    const lacksCommand = code === 'commander.help'
    const suggestion = /\((Did .*)\)/.exec(more.join(' '))?.[1]
    complain(lacksCommand ? 'a command is missing' : text, failures.commandLine, {
      help: suggestion?.replace(/^D/, 'd') ?? 'cotangent --help lists the commands',
    })
  }
  return 2
}
