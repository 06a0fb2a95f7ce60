/** The project as a zip with a project of Vite in it: that of `cotangent init`, with the program in place of its shader. Loads when somebody asks for it. */
import { strToU8, zip, type AsyncZippable } from 'fflate'
import type { Project } from '../project/project.ts'
import { filesOf } from './files.ts'

/** The folder in the zip, and the name of the package. */
const folder = 'cotangent-project'

/** Lets the browser download a project. Gives the name of the file. */
export async function downloadProject(project: Project): Promise<string> {
  const files = filesOf(project, folder)
  const entries: AsyncZippable = {}
  for (const [name, text] of files) entries[`${folder}/${name}`] = strToU8(text)
  const packed = await new Promise<Uint8Array<ArrayBuffer>>((done, failed) =>
    zip(entries, { level: 9, consume: true }, (cause, bytes) => (cause === null ? done(bytes) : failed(cause))),
  )
  const url = URL.createObjectURL(new Blob([packed], { type: 'application/zip' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${folder}.zip`
  link.click()
  // Not at once: some browsers read it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return link.download
}
