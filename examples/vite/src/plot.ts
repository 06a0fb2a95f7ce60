/** Draws points (x, y, x, y, …) and a curve, for x from 0 to 6 and y from -2 to 2. */
export function plot(canvas: HTMLCanvasElement, points: Float32Array, curve: (x: number) => number): void {
  const context = canvas.getContext('2d')!
  const { width, height } = canvas
  const at = (x: number, y: number): [number, number] => [(x / 6) * width, (0.5 - y / 4) * height]

  context.clearRect(0, 0, width, height)
  context.fillStyle = 'gray'
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = at(points[i]!, points[i + 1]!)
    context.fillRect(x - 1, y - 1, 2, 2)
  }
  context.strokeStyle = 'tomato'
  context.lineWidth = 2
  context.beginPath()
  for (let i = 0; i <= width; i++) {
    const x = (6 * i) / width
    context.lineTo(...at(x, curve(x)))
  }
  context.stroke()
}
