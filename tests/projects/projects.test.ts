/** The projects in examples/, and the one that create-cotangent makes, with the package as npm installs it. */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { open, origin, serve } from '../bundlers/browser.ts'
import { install, npm, root, uninstall } from '../support/install.ts'

const here = import.meta.dirname
/** What vitest tells its own processes is not for those that run here. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$)/.test(name)))

/** A program of tests/projects/package.json. */
function binary(path: string): string {
  const file = join(here, 'node_modules', path)
  if (!existsSync(file))
    throw new Error(`${path} is not installed: npm ci --prefix tests/projects brings the programs for Linux`)
  return file
}

/** What a command prints on both streams. It must go well. */
function run(folder: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env })
  if (error !== undefined) throw error
  expect(status, `${command} ${args.join(' ')}:\n${stdout}${stderr}`).toBe(0)
  return `${stdout}${stderr}`
}

/** A script of a project, without the word of npm. */
const script = (folder: string, name: string): string => run(folder, 'npm', 'run', '--silent', name)

let app = ''
const project = (name: string): string => join(app, name)

beforeAll(() => {
  app = install()
  // Where Node looks after the folder that holds our package.
  symlinkSync(join(here, 'node_modules'), join(app, '../node_modules'))
  for (const name of ['deno', 'node', 'react', 'three', 'vite', 'worker'])
    cpSync(join(root, 'examples', name), project(name), {
      recursive: true,
      filter: path => !/^(node_modules|dist)$/.test(path.split(sep).at(-1)!) && !path.endsWith('.d.slang.ts'),
    })
})

afterAll(() => uninstall(app))

/**
 * For the page of `three`: `frames` counts what three.js draws of the points, `losses()` reads their squared distances from the torus out of the
 * one buffer that both sides use, and `painted()` counts the pixels of the last picture that are not empty. Chromium's WebGPU on a CPU loses the device
 * where it shows a canvas, so a texture takes its place.
 */
const watchPage = `
window.frames = 0
const { createBuffer } = GPUDevice.prototype
GPUDevice.prototype.createBuffer = function (description) {
  const buffer = createBuffer.call(this, description)
  if (description.size === 4 * 4 * 20_000 && description.usage & GPUBufferUsage.VERTEX) window.shared = [this, buffer]
  return buffer
}
const { drawIndexed } = GPURenderPassEncoder.prototype
GPURenderPassEncoder.prototype.drawIndexed = function (indices, instances, ...more) {
  if (instances === 20_000) window.frames++
  return drawIndexed.call(this, indices, instances, ...more)
}
// What shows nothing is not waited for: frames would pile up.
const { requestAnimationFrame: soon } = window
window.requestAnimationFrame = frame =>
  soon(async time => {
    await window.shared?.[0].queue.onSubmittedWorkDone()
    frame(time)
  })
let picture, given
GPUCanvasContext.prototype.configure = function (options) {
  given = options
}
GPUCanvasContext.prototype.unconfigure = function () {}
GPUCanvasContext.prototype.getCurrentTexture = function () {
  const size = [this.canvas.width, this.canvas.height]
  if (picture?.width !== size[0] || picture.height !== size[1])
    picture = given.device.createTexture({ size, format: given.format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC })
  return picture
}
const read = async (device, size, record) => {
  const copy = createBuffer.call(device, { size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ })
  const encoder = device.createCommandEncoder()
  record(encoder, copy)
  device.queue.submit([encoder.finish()])
  await copy.mapAsync(GPUMapMode.READ)
  return copy.getMappedRange()
}
window.losses = async () => {
  const [device, buffer] = window.shared
  const p = new Float32Array(await read(device, buffer.size, (encoder, copy) => encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size)))
  return Array.from({ length: p.length / 4 }, (_, i) => (Math.hypot(Math.hypot(p[4 * i], p[4 * i + 2]) - 1, p[4 * i + 1]) - 0.4) ** 2)
}
window.painted = async () => {
  const { width, height } = picture
  const bytesPerRow = Math.ceil(width / 64) * 256
  const texels = new Uint8Array(
    await read(given.device, bytesPerRow * height, (encoder, buffer) =>
      encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow }, [width, height])),
  )
  let count = 0
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (texels[y * bytesPerRow + 4 * x + 3] > 0) count++
  return count
}`

/** The code that a build wrote. */
function built(folder: string): string {
  const assets = join(folder, 'dist/assets')
  return readdirSync(assets)
    .filter(file => file.endsWith('.js'))
    .map(file => readFileSync(join(assets, file), 'utf8'))
    .join('\n')
}

describe('examples', () => {
  it.each([
    ['vite', '@compute'],
    ['react', '@compute'],
    ['three', '@compute'],
    // WebAssembly, in base64.
    ['worker', 'AGFzbQ'],
  ])('%s is checked and built, without the compiler', (name, holds) => {
    const folder = project(name)
    expect(existsSync(join(folder, 'dist'))).toBe(false)
    script(folder, 'build')
    const code = built(folder)
    expect(code).toContain(holds)
    // Words of the compiler.
    expect(code).not.toContain('undefined identifier')
    expect(script(folder, 'check')).toMatch(name === 'vite' ? /2 passed/ : /1 of 1 agree/)
  })

  it('three draws the buffer whose points move onto the torus', async () => {
    const browser = await launchChromium()
    try {
      const watched = await open(browser)
      const { page, errors } = watched
      await serve(watched, join(project('three'), 'dist'))
      await page.setViewportSize({ width: 320, height: 240 })
      await page.addInitScript(watchPage)
      await page.goto(origin)
      await page.waitForFunction('window.frames > 1 || document.querySelector("p").textContent')
      expect(await page.textContent('p')).toBe('')
      const early = (await page.evaluate('window.losses()')) as readonly number[]
      await page.evaluate('window.frames = 0')
      await page.waitForFunction('window.frames > 10')
      const late = (await page.evaluate('window.losses()')) as readonly number[]
      await page.click('button')
      const again = (await page.evaluate('window.losses()')) as readonly number[]
      expect(await page.evaluate('window.painted()')).toBeGreaterThan(2000)
      expect(errors).toEqual([])
      const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length
      expect(early).toHaveLength(20_000)
      expect(mean(late)).toBeLessThan(mean(early) * 0.7)
      // Scattered anew.
      expect(mean(again)).toBeGreaterThan(mean(late))
    } finally {
      await browser.close()
    }
  })

  it('a mistake in the use of a shader fails the check, where it is', () => {
    const file = join(project('vite'), 'src/main.ts')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace("kernel('train')", "kernel('tain')"))
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'build'], {
      cwd: project('vite'),
      encoding: 'utf8',
      env,
    })
    writeFileSync(file, text)
    expect(status).not.toBe(0)
    const line = text.slice(0, text.indexOf("kernel('train')")).split('\n').length
    expect(stdout.match(/error TS\d+/g)?.length).toBe(1)
    expect(stdout).toContain(`src/main.ts(${line},`)
  })

  it('node fits a decay', () => {
    const folder = project('node')
    expect(script(folder, 'check')).toContain('1 of 1 agree')
    // `npm start`, by a Node that runs TypeScript.
    expect(run(folder, binary(`node-24-${process.arch}/bin/node`), 'main.ts')).toContain(
      'y = 2.000 · exp(-0.700 · x)\n',
    )
  })

  it('deno fits a decay', () => {
    const folder = project('deno')
    const deno = binary(`@deno/linux-${process.arch}-glibc/deno`)
    writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "cotangent": "*" } }\n')
    const { tasks } = JSON.parse(readFileSync(join(folder, 'deno.json'), 'utf8')) as { tasks: Record<string, string> }
    // The tasks as they are, but with the package of this folder.
    const task = (name: string): string =>
      tasks[name]!.split(' && ')
        .map(command => {
          const [program, verb = '', ...words] = command.split(' ')
          expect(program).toBe('deno')
          return verb === 'task' ? task(words[0]!) : run(folder, deno, verb, '--node-modules-dir=manual', ...words)
        })
        .join('')
    expect(task('check')).toContain('1 of 1 agree')
    expect(task('start')).toContain('y = 2.000 · exp(-0.700 · x)\n')
  })
})

describe('types of the examples', () => {
  const examples = ['node', 'react', 'three', 'vite', 'worker']
  /** The project `vite` with a mistake in it. */
  const mistaken = 'vite-mistaken'
  const settings = { bundler: { module: 'esnext' }, nodenext: { module: 'nodenext' } }

  beforeAll(() => {
    for (const name of examples) {
      const sources = name === 'node' ? '.' : 'src'
      run(project(name), process.execPath, join(app, 'node_modules/cotangent/dist/cli.js'), 'types', sources)
    }
    cpSync(project('vite'), project(mistaken), { recursive: true })
    const main = join(project(mistaken), 'src/main.ts')
    writeFileSync(main, readFileSync(main, 'utf8').replace("kernel('train')", "kernel('tain')"))
  })

  /** What a compiler says of an example and of our declarations; those of other packages are not ours to check. */
  const said = async (name: string, version: string, resolution: keyof typeof settings): Promise<string[]> => {
    const folder = project(name)
    const own = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: { types: string[]; erasableSyntaxOnly?: boolean }
    }
    const { erasableSyntaxOnly, ...options } = own.compilerOptions
    // TypeScript 6 has WebGPU in its `dom`.
    const gpu = name !== 'node' && Number(version) < 6 ? ['@webgpu/types'] : []
    const compilerOptions = {
      ...options,
      ...settings[resolution],
      moduleResolution: resolution,
      types: [...options.types, ...gpu],
      // Since 5.8.
      ...(Number(version) < 5.8 ? {} : { erasableSyntaxOnly }),
    }
    const config = `tsconfig.${version}.${resolution}.json`
    writeFileSync(join(folder, config), JSON.stringify({ ...own, compilerOptions }))
    const tsc = join(here, `node_modules/typescript-${version}/bin/tsc`)
    const stdout = await new Promise<string>(done => {
      // It ends in an error where it finds mistakes, of which those of other packages do not count.
      execFile(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { cwd: folder, env }, (_, text) =>
        done(text),
      )
    })
    return stdout
      .split('\n')
      .filter(line => /error TS\d+/.test(line) && (!line.includes('node_modules/') || line.includes('cotangent/')))
  }

  // Two compilers run at once.
  it.concurrent.each(['5.6', '5.8', '5.9', '6'])(
    'are right for TypeScript %s; that of the projects is 7',
    async version => {
      for (const name of examples) {
        expect(await said(name, version, 'bundler'), `${name}, bundler`).toEqual([])
        // Few packages for pages have types for both.
        if (name === 'node' || name === 'vite')
          expect(await said(name, version, 'nodenext'), `${name}, nodenext`).toEqual([])
      }
      expect(await said(mistaken, version, 'bundler')).toHaveLength(1)
    },
  )
})

describe('create-cotangent', () => {
  it('makes a project whose checks pass, as the package is packed', () => {
    npm(join(root, 'create-cotangent'), 'pack', '--silent', '--pack-destination', join(app, '..'))
    const packed = readdirSync(join(app, '..')).find(file => file.startsWith('create-cotangent'))!
    const user = join(app, 'user')
    mkdirSync(user)
    writeFileSync(join(user, 'package.json'), '{ "private": true }\n')
    const ours = readdirSync(join(app, '..')).find(file => /^cotangent-.*\.tgz$/.test(file))!
    npm(user, 'install', '--no-audit', '--no-fund', '--offline', `../../${ours}`, `../../${packed}`)
    expect(run(user, 'npx', '--no-install', 'create-cotangent', 'my-app')).toContain('cd my-app\n')
    const made = join(user, 'my-app')
    expect(existsSync(join(made, '.gitignore'))).toBe(true)
    expect(script(made, 'check')).toContain('2 passed')
  })
})
