// Runs before the tests, so that they see the core library as it stands in core/.
import { writeCore } from './core-index.mjs'

export function setup() {
  writeCore()
}
