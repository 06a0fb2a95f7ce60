/**
 * Follows a page as a reader does who pastes its blocks: in order, into an empty folder. A block that names itself is a file. An indented block
 * holds commands that install something or start a server. A block of `sh` holds commands, and the `text` below says what they print. All other
 * blocks are for the caller, who must take each of them.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { blocksOf, fileOf, pattern, type Block } from '../../tests/support/doc-blocks.ts'
import { npm, pack, root } from '../../tests/support/install.ts'

/** The packed package, which takes the place of what npm would fetch. */
export function packed(): { readonly tarball: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'cotangent-packed-'))
  // The site was built from the package a moment ago.
  return { tarball: pack(folder, true), remove: () => rmSync(folder, { recursive: true }) }
}

/** What vitest tells its own processes is not for those that run here. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$)/.test(name)))

export class Reader {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'cotangent-reader-'))
  /** Blocks that no rule takes, in order. */
  readonly left: Block[] = []
  /** The last commands whose output differs from what the page says. */
  readonly differences: { readonly command: string; readonly printed: string; readonly expected: string }[] = []
  /** How many commands printed what the page says. */
  agreed = 0
  /** The address that a development server prints. */
  address: Promise<string> | undefined
  readonly #tarball: string
  #server: ChildProcess | undefined

  constructor(tarball: string) {
    this.#tarball = tarball
  }

  /** Follows a page, or a part of one. */
  follow(page: string): void {
    const blocks = blocksOf(page)
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!
      const name = fileOf(block)
      const next = blocks[i + 1]
      if (name !== undefined) writeFileSync(join(this.folder, name), `${block.lines.join('\n')}\n`)
      else if (block.kind === '' && block.lines.every(line => /^(npm|npx) /.test(line)))
        for (const line of block.lines) this.#given(line)
      else if (block.kind === 'sh' && next?.kind === 'text') {
        this.#compare(block.lines.join('\n'), next.lines)
        i++
      } else this.left.push(block)
    }
  }

  /** Ends the server, and removes the folder. */
  async close(): Promise<void> {
    const server = this.#server
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = new Promise(done => server.once('exit', done))
      // npx has children of its own.
      process.kill(-server.pid)
      await ended
    }
    rmSync(this.folder, { recursive: true })
  }

  /** A command of an indented block. Nothing is fetched: packages come from this checkout. */
  #given(command: string): void {
    switch (command) {
      case 'npm init -y':
        npm(this.folder, 'init', '-y')
        return
      case 'npm install cotangent':
        npm(this.folder, 'install', '--no-audit', '--no-fund', '--offline', this.#tarball)
        return
      case 'npm install --save-dev vite':
        mkdirSync(join(this.folder, 'node_modules/.bin'), { recursive: true })
        symlinkSync(join(root, 'site/node_modules/vite'), join(this.folder, 'node_modules/vite'))
        symlinkSync('../vite/bin/vite.js', join(this.folder, 'node_modules/.bin/vite'))
        return
      case 'npx vite':
        this.#serve()
        return
      default:
        throw new Error(`no rule says how to run ${command}`)
    }
  }

  #compare(commands: string, expected: readonly string[]): void {
    const { stdout, stderr, error } = spawnSync('sh', ['-c', commands], {
      cwd: this.folder,
      encoding: 'utf8',
      env,
      timeout: 60_000,
    })
    if (error !== undefined) throw error
    const printed = `${stdout}${stderr}`
      .trimEnd()
      .split('\n')
      .map(line => line.trimEnd())
    if (pattern(expected).test(`${printed.join('\n')}\n`)) this.agreed++
    else this.differences.push({ command: commands, printed: printed.join('\n'), expected: expected.join('\n') })
  }

  #serve(): void {
    const server = spawn('npx', ['vite'], { cwd: this.folder, env: { ...env, NO_COLOR: '1' }, detached: true })
    this.#server = server
    this.address = new Promise((found, failed) => {
      let said = ''
      const hear = (text: Buffer): void => {
        said += text.toString()
        const address = /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(said)?.[0]
        if (address !== undefined) found(address)
      }
      server.stdout.on('data', hear)
      server.stderr.on('data', hear)
      server.once('exit', () => failed(new Error(`the server ended:\n${said}`)))
    })
    // Whoever awaits the address hears of it.
    this.address.catch(() => undefined)
  }
}
