/** Shows a texture in a canvas, texel by pixel. */
const shader = (isGrey: boolean): string => `
@group(0) @binding(0) var picture: texture_2d<f32>;
@vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
}
@fragment fn show(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let texel = textureLoad(picture, vec2i(at.xy), 0);
  return vec4f(${isGrey ? 'texel.rrr' : 'texel.rgb'}, 1);
}`

export class Blit {
  readonly #context: GPUCanvasContext
  readonly #pipeline: GPURenderPipeline
  readonly #group: GPUBindGroup

  constructor(device: GPUDevice, context: GPUCanvasContext, texture: GPUTexture, isGrey: boolean) {
    const format = navigator.gpu.getPreferredCanvasFormat()
    const { canvas } = context
    canvas.width = texture.width
    canvas.height = texture.height
    context.configure({ device, format, alphaMode: 'opaque' })
    const module = device.createShaderModule({ code: shader(isGrey) })
    this.#context = context
    this.#pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
    })
    this.#group = device.createBindGroup({
      layout: this.#pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: texture.createView() }],
    })
  }

  encode(encoder: GPUCommandEncoder): void {
    const view = this.#context.getCurrentTexture().createView()
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] })
    pass.setPipeline(this.#pipeline)
    pass.setBindGroup(0, this.#group)
    pass.draw(3)
    pass.end()
  }
}
