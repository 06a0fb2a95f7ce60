/** Modules that programs import without having them, as those of Slang's playground do. A file of the project goes before. */
import playground from './modules/playground.slang?raw'
import printing from './modules/printing.slang?raw'
import rendering from './modules/rendering.slang?raw'

export const modules: Readonly<Record<string, string>> = {
  'playground.slang': playground,
  'printing.slang': printing,
  'rendering.slang': rendering,
}
