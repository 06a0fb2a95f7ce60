/** Installs the packed package once, for all files of tests. */
import type { TestProject } from 'vitest/node'
import { install, uninstall } from '../support/install.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which the package is installed. */
    app: string
  }
}

export default function setup(project: TestProject): () => void {
  const app = install()
  project.provide('app', app)
  // With it go the projects, which lie beside it.
  return () => uninstall(app)
}
