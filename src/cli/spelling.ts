/** Translates options of slangc to ours. Options with one dash and several letters would otherwise be read as several short options. */
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
