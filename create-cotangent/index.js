#!/usr/bin/env node
// `npm create cotangent my-app` makes a project, as `cotangent init my-app` does.
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const manifest = createRequire(import.meta.url).resolve('cotangent/package.json')
process.argv.splice(2, 0, 'init')
await import(new URL('dist/cli.js', pathToFileURL(manifest)))
