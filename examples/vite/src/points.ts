/** Points of a wave that the shader does not know: x, y, x, y, … */
export function samples(count: number) {
  const points = new Float32Array(2 * count)
  for (let i = 0; i < count; i++) {
    const x = (6 * i) / count
    points.set([x, 1.5 * Math.sin(1.3 * x + 0.4)], 2 * i)
  }
  return points
}
