import type { Plugin } from 'esbuild'

export const stripExamples: Plugin
