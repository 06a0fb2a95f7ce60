// Runs in Deno: reads { name: WGSL } as JSON from standard input, and prints what its WebGPU (wgpu, with naga) says to each, '' for nothing.
let input = ''
for await (const part of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) input += part
const adapter = await navigator.gpu.requestAdapter()
const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] })

/** What is said of the compute entry points: naga writes code for the driver only then. */
async function pipelines(module, code) {
  for (const [, entryPoint] of code.matchAll(/@compute[^{]*?\bfn (\w+)/g)) {
    device.pushErrorScope('validation')
    device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint } })
    const error = await device.popErrorScope()
    if (error !== null) return `${entryPoint}: ${error.message}`
  }
  return ''
}

const said = {}
for (const [name, code] of Object.entries(JSON.parse(input))) {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const error = await device.popErrorScope()
  const { messages } = await module.getCompilationInfo()
  const errors = messages.filter(m => m.type === 'error').map(m => m.message)
  said[name] = errors.join('\n') || (error?.message ?? '') || await pipelines(module, code)
}
console.log(JSON.stringify(said))
Deno.exit(0)
