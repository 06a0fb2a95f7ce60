/** Pictures that demos read and write: PNG of pixels, SVG of curves. */
import { readFileSync, writeFileSync } from 'node:fs'
import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import { PNG } from 'pngjs'

/** Three floats a pixel in [0, 1], row by row. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

export function readPng(file: string): Picture {
  const png = PNG.sync.read(readFileSync(file))
  const data = new Float32Array(png.width * png.height * 3)
  for (let i = 0; i < png.width * png.height; i++) {
    for (let c = 0; c < 3; c++) data[i * 3 + c] = png.data[i * 4 + c]! / 255
  }
  return { width: png.width, height: png.height, data }
}

/** A picture of half the width and height: each pixel is the mean of four. */
export function halved({ width, height, data }: Picture): Picture {
  const [across, down] = [width >> 1, height >> 1]
  const half = new Float32Array(across * down * 3)
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across * 3; x++) {
      const at = y * 2 * width * 3 + x + 3 * Math.floor(x / 3)
      half[y * across * 3 + x] = (data[at]! + data[at + 3]! + data[at + width * 3]! + data[at + width * 3 + 3]!) / 4
    }
  }
  return { width: across, height: down, data: half }
}

/** Writes a picture; values outside [0, 1] are clamped. Each pixel becomes a square of `scale` pixels. */
export function writePng(file: string, picture: Picture, scale = 1): void {
  const { width, height, data } = picture
  const png = new PNG({ width: width * scale, height: height * scale, colorType: 2 })
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
      const from = (Math.floor(y / scale) * width + Math.floor(x / scale)) * 3
      const to = (y * png.width + x) * 4
      for (let c = 0; c < 3; c++) png.data[to + c] = Math.round(Math.min(1, Math.max(0, data[from + c]!)) * 255)
      png.data[to + 3] = 255
    }
  }
  writeFileSync(file, PNG.sync.write(png, { colorType: 2 }))
}

/** Peak signal-to-noise ratio in decibels, for values in [0, 1]. */
export function psnr(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) {
    const d = Math.min(1, Math.max(0, a[i]!)) - Math.min(1, Math.max(0, b[i]!))
    sum += d * d
  }
  return -10 * Math.log10(sum / a.length)
}

export interface CurveOptions {
  readonly title: string
  readonly x: string
  readonly y: string
  /** A logarithmic axis for y. */
  readonly log?: boolean
}

/** Writes a curve over 0, 1, 2, … as SVG. */
export function writeCurve(file: string, values: readonly number[], options: CurveOptions): void {
  const [width, height, left, right, top, bottom] = [640, 400, 70, 20, 40, 50]
  const low = Math.min(...values),
    high = Math.max(...values)
  const x = scaleLinear()
    .domain([0, Math.max(1, values.length - 1)])
    .range([left, width - right])
  const floor = Math.max(low, high * 1e-12, 1e-30)
  const y = (
    options.log === true
      ? scaleLog().domain([floor, Math.max(high, floor * 1.01)])
      : scaleLinear().domain([Math.min(0, low), high || 1])
  )
    .nice()
    .range([height - bottom, top])
  const path =
    line<number>(
      (_, i) => x(i),
      v => y(options.log === true ? Math.max(v, floor) : v),
    )(values as number[]) ?? ''
  const ticks = options.log === true ? y.ticks().filter(t => Math.abs(Math.log10(t) % 1) < 1e-9) : y.ticks(6)
  const label = (v: number): string => (options.log === true ? v.toExponential(0) : String(v))
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="${width / 2}" y="22" text-anchor="middle" font-size="15">${options.title}</text>`,
    ...ticks.map(
      t =>
        `<path d="M${left} ${y(t)}H${width - right}" stroke="#ddd"/><text x="${left - 8}" y="${y(t) + 4}" text-anchor="end">${label(t)}</text>`,
    ),
    ...x.ticks(8).map(t => `<text x="${x(t)}" y="${height - bottom + 18}" text-anchor="middle">${t}</text>`),
    `<text x="${width / 2}" y="${height - 10}" text-anchor="middle">${options.x}</text>`,
    `<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">${options.y}</text>`,
    `<path d="${path}" fill="none" stroke="#0b62a4" stroke-width="2"/>`,
    '</svg>\n',
  ]
  writeFileSync(file, svg.join('\n'))
}

/** Writes the way through points (x and y in turn, y upwards) as SVG, with a ring at its start and a cross at `goal`. */
export function writePath(file: string, points: ArrayLike<number>, goal: readonly number[], title: string): void {
  const [size, margin, top] = [480, 30, 40]
  const all = Array.from({ length: points.length >> 1 }, (_, i): [number, number] => [
    points[i * 2]!,
    points[i * 2 + 1]!,
  ])
  const ends = [...all, [goal[0]!, goal[1]!] as const]
  const [xs, ys] = [ends.map(p => p[0]), ends.map(p => p[1])]
  const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 1e-6)
  const x = scaleLinear()
    .domain([Math.min(...xs), Math.min(...xs) + span])
    .range([margin, size - margin])
  const y = scaleLinear()
    .domain([Math.min(...ys), Math.min(...ys) + span])
    .range([size - margin + top, margin + top])
  const [gx, gy] = [x(goal[0]!), y(goal[1]!)]
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size + top}" font-family="sans-serif" font-size="15">`,
    `<rect width="${size}" height="${size + top}" fill="white"/>`,
    `<text x="${size / 2}" y="22" text-anchor="middle">${title}</text>`,
    `<path d="${line()(all.map(([px, py]): [number, number] => [x(px), y(py)])) ?? ''}" fill="none" stroke="#0b62a4" stroke-width="2"/>`,
    `<circle cx="${x(all[0]![0])}" cy="${y(all[0]![1])}" r="5" fill="none" stroke="#0b62a4" stroke-width="2"/>`,
    `<path d="M${gx - 6} ${gy - 6}l12 12m0 -12l-12 12" stroke="#c0392b" stroke-width="2"/>`,
    '</svg>\n',
  ]
  writeFileSync(file, svg.join('\n'))
}
