/**
 * Programs to begin with. Each is a pair of files in `../starters`: `NAME.slang`, and `NAME.json` with its title, and with what panes remember of it, such as
 * what to train. Their texts load when somebody chooses them.
 */
import { projectOf, type Json, type Project } from './project.ts'

/** What stands in the JSON beside a starter. */
export interface StarterFacts {
  readonly title: string
  /** One sentence. */
  readonly about?: string
  /** Its place in the list. */
  readonly order?: number
  readonly size?: readonly [number, number]
  /** The pane that opens with it. Default: Train. */
  readonly pane?: string
  /** What panes remember, by the name of the pane. */
  readonly picks?: { readonly [pane: string]: Json }
}

export interface Starter extends StarterFacts {
  /** The name of its files; the page marks its button `starter-NAME`. */
  readonly name: string
  /** Its program as a project. */
  load(): Promise<Project>
}

const facts = import.meta.glob<StarterFacts>('../starters/*.json', { eager: true, import: 'default' })
const texts = import.meta.glob<string>('../starters/*.slang', { query: '?raw', import: 'default' })

/** The starters, in the order in which the page lists them. */
export const starters: readonly Starter[] = Object.entries(facts)
  .map(([path, given]): Starter => {
    const name = path.replace(/^.*\/|\.json$/g, '')
    const load = async (): Promise<Project> => {
      const text = texts[`../starters/${name}.slang`]
      if (text === undefined) throw new Error(`the starter ${name} has no program`)
      const project = projectOf(await text())
      return { ...project, ...(given.size && { size: given.size }), ...(given.picks && { picks: given.picks }) }
    }
    return { ...given, name, load }
  })
  .sort((a, b) => (a.order ?? 99) - (b.order ?? 99) || a.title.localeCompare(b.title))
