/** The command line. Commands load what they need when they run, so that `compile` starts fast. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { slangcSpelling } from './spelling.ts'
import { UsageError, packageVersion } from './usage.ts'
import { escapeControls } from '../base/escape.ts'
import { counted, type Limits } from '../base/limits.ts'
import { tell, warn } from './output.ts'

const levels = ['0', '1', '2', '3']

function collect(value: string, list: readonly string[] | undefined): string[] {
  return [...(list ?? []), value]
}

function shared(command: Command): Command {
  return command
    .option('-I, --include <dir>', 'folder in which imports and includes are looked up (repeatable)', collect)
    .option('-D, --define <name[=value]>', 'define a macro (repeatable)', collect)
    .option('--conformance <T:I=ID>', 'add a conforming type for dynamic dispatch (repeatable)', collect)
    .addOption(new Option('-O, --optimize <level>', 'how hard to optimise').choices(levels).default('2'))
    .addOption(
      new Option('--diagnostics <format>', 'how mistakes are reported on stderr')
        .choices(['text', 'json'])
        .default('text'),
    )
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
      new Option('--matrix-layout <order>', 'how matrices lie in buffers and uniforms where the source does not say it')
        .choices(['row-major', 'column-major'])
        .default('row-major'),
    )
    .option('--time', 'print the milliseconds of each phase on stderr')
}

function whole(text: string): number {
  const n = Number(text)
  if (!Number.isSafeInteger(n) || n < 0 || text.trim() === '')
    throw new InvalidArgumentError('a whole number is needed')
  return n
}

function limit(text: string, others: Limits | undefined): Limits {
  const [, name = '', count] = /^(\w+)=(\d+)$/.exec(text) ?? []
  if (!Object.hasOwn(counted, name))
    throw new InvalidArgumentError(
      `one of ${Object.keys(counted).join(', ')} is needed with a count, as in instructions=100000`,
    )
  return { ...others, [name]: Number(count) }
}

function block(text: string): [number, number, number] {
  const [x = 1, y = 1, z = 1, ...more] = text.split(',').map(Number)
  if (more.length > 0 || ![x, y, z].every(n => Number.isSafeInteger(n) && n > 0 && n <= 1024))
    throw new InvalidArgumentError('up to three positive whole numbers are needed, as in 16,16,1')
  return [x, y, z]
}

function positive(text: string): number {
  const n = Number(text)
  if (!Number.isSafeInteger(n) || n <= 0) throw new InvalidArgumentError('a positive whole number is needed')
  return n
}

function seconds(text: string): number {
  const n = Number(text)
  // A timer takes at most 2^31 - 1 milliseconds.
  if (!(n > 0 && n <= 2_147_483)) throw new InvalidArgumentError('a positive number of seconds is needed')
  return n
}

function timed(command: Command): Command {
  return command.option('--timeout <seconds>', 'end the command after so many seconds, with exit status 124', seconds)
}

const program = new Command('cotangent')
  .configureOutput({
    writeOut: tell,
    writeErr: text => {
      warn(escapeControls(text))
    },
    outputError: (text, write) => {
      write(text.replace(/^error:/, 'cotangent:'))
    },
  })
  .description('The Slang shading language with automatic differentiation: WGSL, WebAssembly and JavaScript.')
  .showHelpAfterError('(cotangent --help lists the commands)')
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })

shared(program.command('compile').description("compile to one target's code, on stdout or to a file"))
  .argument('<file...>', 'Slang files; - reads standard input')
  .addOption(new Option('--target <target>', 'what to make').choices(['wgsl', 'wasm', 'js', 'ir']).default('wgsl'))
  .option('--entry <name>', 'entry point (repeatable); default: every function with [shader("…")]', collect)
  .addOption(
    new Option('--stage <stage>', 'stage of entries without [shader]').choices(['compute', 'vertex', 'fragment']),
  )
  .option(
    '--export <name>',
    'function to export to wasm and js (repeatable); default: every public or export function',
    collect,
  )
  .option('-o, --output <file>', 'write there instead of to stdout')
  .option(
    '--reflection <file>',
    'write bindings, layouts and entry points there, as JSON; as TypeScript types into a .ts file',
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
  cotangent compile loss.slang --dump-ir transposed --export loss`,
  )
  .action(async (files: string[], options: Record<string, unknown>) =>
    (await import('./compile.ts')).compileCommand(files, options),
  )

const withFunction = (name: string, description: string): Command =>
  timed(shared(program.command(name).description(description)))
    .argument('<file>', 'Slang file; - reads standard input')
    .argument('[args...]', 'one JSON value a parameter: 1.5, true, [1,2,3], {"x": 1}')
    .requiredOption('--fn <name>', 'the function')
    .option('--json', 'print one JSON object')

withFunction('run', 'call a function on the CPU and print its result')
  .option('--trace-nan', 'name the first instruction that makes a NaN or an infinity')
  .action(async (file: string, args: string[], options: Record<string, unknown>) =>
    (await import('./call.ts')).runCommand(file, args, options),
  )

withFunction('grad', 'value and gradient with respect to every differentiable parameter')
  .option('--cotangent <json>', 'what the result is weighted with; default: ones')
  .option(
    '--trace-nan',
    'name the first instruction, of the function or of its derivative, that makes a NaN or an infinity',
  )
  .action(async (file: string, args: string[], options: Record<string, unknown>) =>
    (await import('./call.ts')).gradCommand(file, args, options),
  )

timed(
  shared(program.command('check').description('test derivatives: reverse against forward against finite differences')),
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

program
  .command('demo')
  .description('run a bundled example end to end; without a name, list them')
  .argument('[name]', 'splat2d, brdf or spring')
  .option('--gpu', 'run it through WGSL on a WebGPU device')
  .option('--steps <n>', 'how many steps to take', positive)
  .option('-o, --output <dir>', 'where pictures go')
  .action(async (name: string | undefined, options: Record<string, unknown>) =>
    (await import('./demo.ts')).demoCommand(name, options),
  )

program.hook('preAction', async (_, command) => {
  const { timeout } = command.opts<{ timeout?: number }>()
  if (timeout !== undefined) await (await import('./timeout.ts')).within(timeout, command.name())
})

/** Runs a command line, without Node and the script's name; the process's exit code says how it went. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    program.version(packageVersion(), '-v, --version')
    await program.parseAsync(slangcSpelling(args), { from: 'user' })
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): void {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (error instanceof UsageError) {
    if (error.message !== '') warn(`cotangent: ${escapeControls(error.message)}\n`)
    process.exitCode = error.status
  } else {
    const message = error instanceof Error ? error.message : String(error)
    warn(
      `cotangent: ${escapeControls(message)}\nThis is a bug in Cotangent. Please report it with the program that shows it` +
        `${process.env['COTANGENT_DEBUG'] === undefined ? '; COTANGENT_DEBUG=1 prints where it happened.' : '.'}\n`,
    )
    if (process.env['COTANGENT_DEBUG'] !== undefined && error instanceof Error)
      warn(`${escapeControls(error.stack ?? '')}\n`)
    process.exitCode = 70
  }
}
