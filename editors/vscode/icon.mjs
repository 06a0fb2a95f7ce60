// Draws the icon of the extension: a curve, and a tangent at one of its points.
import { PNG } from 'pngjs'

const size = 128
const background = [32, 36, 52]
const curve = [120, 190, 255]
const tangent = [255, 176, 64]

const height = x => 0.3 + 2.1 * (x - 0.62) ** 2
const slope = x => 4.2 * (x - 0.62)
const at = 0.34

/** How much of a pixel a line of some width covers, by its distance from the middle. */
const cover = (distance, width) => Math.min(1, Math.max(0, width / 2 - distance + 0.5))

/** The picture as bytes of a PNG. */
export function icon() {
  const png = new PNG({ width: size, height: size })
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const [x, y] = [(column + 0.5) / size, 1 - (row + 0.5) / size]
      const distance = (value, rise) => (Math.abs(y - value) * size) / Math.hypot(1, rise)
      const onCurve = cover(distance(height(x), slope(x)), 7)
      const onTangent = Math.abs(x - at) < 0.3 ? cover(distance(height(at) + slope(at) * (x - at), slope(at)), 5) : 0
      const onPoint = cover(Math.hypot(x - at, y - height(at)) * size, 18)
      const color = background.map((b, i) => {
        const withCurve = b + (curve[i] - b) * onCurve
        return Math.round(withCurve + (tangent[i] - withCurve) * Math.max(onTangent, onPoint))
      })
      png.data.set([...color, 255], 4 * (row * size + column))
    }
  }
  return PNG.sync.write(png)
}
