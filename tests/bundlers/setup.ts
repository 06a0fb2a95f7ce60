/** Installs the packed package once, for all files of tests. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { install } from '../support/install.ts'

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
  return () => rmSync(join(app, '..'), { recursive: true, maxRetries: 10 })
}
