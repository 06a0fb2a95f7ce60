/**
 * Compares pictures of pages as an eye does from far away. Machines draw the edges of letters differently, so pictures are compared by the mean colours of
 * small squares: a letter that is a little bolder changes them little, and one that is missing or elsewhere changes them a lot.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Pictures are kept in half of their size. */
const keptBy = 2
/** From one value of a colour to the next. */
const step = 8
/** Sides of the squares that are compared, in pixels of a kept picture. */
const square = 4
/** How far the colours of a square may be apart: from 0 to 1, as pixelmatch measures them. */
const threshold = 0.1
/** How many squares may differ more. Without hints for its letters a page has none; without one of its buttons it has seven. */
export const tolerated = 4

/** A picture of which each pixel is the mean of `by` times `by`. */
function smaller(picture: PNG, by: number): PNG {
  const [width, height] = [Math.floor(picture.width / by), Math.floor(picture.height / by)]
  const made = new PNG({ width, height })
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 4; c++) {
        let sum = 0
        for (let dy = 0; dy < by; dy++)
          for (let dx = 0; dx < by; dx++) sum += picture.data[((y * by + dy) * picture.width + x * by + dx) * 4 + c]!
        made.data[(y * width + x) * 4 + c] = Math.round(sum / (by * by))
      }
  return made
}

/** How many squares differ between two pictures of one size. */
export function difference(a: PNG, b: PNG): number {
  const [one, other] = [smaller(a, square), smaller(b, square)]
  const { width, height } = one
  return pixelmatch(one.data, other.data, undefined, width, height, { threshold, includeAA: true })
}

/** A screenshot in the size, and with the few colours, in which pictures are kept: their files stay small. */
export function kept(screenshot: Buffer): PNG {
  const picture = smaller(PNG.sync.read(screenshot), keptBy)
  picture.data.forEach((value, i) => (picture.data[i] = Math.min(255, Math.round(value / step) * step)))
  return picture
}

/** Why a picture is not the golden one; empty where it is. With `update`, it becomes the golden one. */
export function againstGolden(picture: PNG, file: string, update: boolean): string {
  const golden = existsSync(file) ? PNG.sync.read(readFileSync(file)) : undefined
  if (golden !== undefined) {
    const { width, height } = golden
    const size = `${picture.width}×${picture.height}`
    const squares = size === `${width}×${height}` ? difference(picture, golden) : Infinity
    if (squares <= tolerated) return ''
    if (!update) {
      const shown = join(import.meta.dirname, '../../out/screens', file.split(/[\\/]/).at(-1)!)
      save(picture, shown)
      return squares === Infinity
        ? `it is ${size} and was ${width}×${height}: see ${shown}`
        : `${squares} squares differ: see ${shown}`
    }
  } else if (!update) return 'there is no golden picture; run this test with -u to make it'
  save(picture, file)
  return ''
}

function save(picture: PNG, file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  // Pages are opaque.
  writeFileSync(file, PNG.sync.write(picture, { colorType: 2, deflateLevel: 9 }))
}
