/** Translates options of slangc to ours, and reads ahead how mistakes are to be reported. Options with one dash and several letters would otherwise be read as several short options. */
const ours: ReadonlyMap<string, string> = new Map([
  ['-target', '--target'],
  ['-entry', '--entry'],
  ['-stage', '--stage'],
  ['-reflection-json', '--reflection'],
  ['-conformance', '--conformance'],
  ['-diagnostics', '--diagnostics'],
  ['-help', '--help'],
  ['-h', '--help'],
  ['-version', '--version'],
  ['-matrix-layout-column-major', '--matrix-layout=column-major'],
  ['-matrix-layout-row-major', '--matrix-layout=row-major'],
])

/** Arguments with slangc's spellings turned into ours. */
export function slangcSpelling(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return args.map((arg, i) => (end >= 0 && i > end ? arg : (ours.get(arg) ?? arg)))
}

/**
 * Whether diagnostics are to be JSON: by `--diagnostics json`, or by `--json` unless `--diagnostics text` is there too. Read before the rest,
 * since a command line that is wrong is reported that way too.
 */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  const formats = own.flatMap((arg, i) =>
    arg === '--diagnostics'
      ? [own[i + 1]]
      : arg.startsWith('--diagnostics=')
        ? [arg.slice('--diagnostics='.length)]
        : [],
  )
  return formats.length > 0 ? formats.at(-1) === 'json' : own.includes('--json')
}
