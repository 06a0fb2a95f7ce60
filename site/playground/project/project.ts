/** What a visitor has open: files, how they run, and what panes remember of them. */

/** A file of a project. */
export interface ProjectFile {
  /** A path without a leading slash, such as `main.slang` or `lib/noise.slang`. */
  readonly name: string
  readonly text: string
}

/** Where a program runs: on WebGPU where there is one, or on the CPU. */
export type BackendChoice = 'auto' | 'cpu'

/** What JSON can hold: what panes remember in a link. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export interface Project {
  /** At least one. The first is the program; it imports the others. */
  readonly files: readonly ProjectFile[]
  /** The name of the file in the editor. */
  readonly open: string
  readonly backend: BackendChoice
  /** Width and height of the picture in pixels. */
  readonly size: readonly [number, number]
  /** What panes remember, by the name of the pane: what to train, rates, the mode of a derivative. */
  readonly picks: { readonly [pane: string]: Json }
}

/** Bounds on what a link may ask for. */
export const bounds = { files: 64, side: 2048, name: 100 } as const

/** A text with the line ends that the editor has: places in any other one would be those of another text. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/** A project of one file. */
export function projectOf(text: string, name = 'main.slang'): Project {
  return { files: [{ name, text: withLineFeeds(text) }], open: name, backend: 'auto', size: [480, 360], picks: {} }
}

/** The text of a file; undefined where there is none of that name. */
export function textOf(project: Project, name: string): string | undefined {
  return project.files.find(f => f.name === name)?.text
}

/** The same project with another text of one file. */
export function withText(project: Project, name: string, text: string): Project {
  return { ...project, files: project.files.map(f => (f.name === name ? { name, text } : f)) }
}

/** Why a name cannot be that of a new file; undefined where it can. */
export function wrongName(project: Project, name: string): string | undefined {
  const other = project.files.find(f => clash(f.name, name))?.name
  if (other === name) return `There is a file ${name} already.`
  if (other !== undefined) return `Not every disk keeps ${name} beside ${other}: give it another name.`
  if (project.files.length >= bounds.files) return `A project has at most ${bounds.files} files.`
  return isFileName(name)
    ? undefined
    : 'A name has letters, digits, “_”, “-”, “.” and “/”, and ends in .slang, .slangh, .hlsl or .h.'
}

/** Whether a file may have that name. */
export function isFileName(name: string): boolean {
  return (
    name.length <= bounds.name && /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(name) && /\.(slang|slangh|hlsl|h)$/.test(name)
  )
}

/** Whether two files cannot lie in one folder on every disk: many take `A` and `a` for one name, and no file is a folder as well. */
export function clash(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}
