// Runs in Deno: reads { name: WGSL } as JSON from standard input, and prints what its WebGPU (wgpu, with naga) says to each, '' for nothing.
// One JSON line for each program, so that it can be seen where naga itself gives up.
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

for (const [name, code] of Object.entries(JSON.parse(input))) {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const error = await device.popErrorScope()
  const { messages } = await module.getCompilationInfo()
  const errors = messages.filter(m => m.type === 'error').map(m => m.message)
  const said = errors.join('\n') || (error?.message ?? '') || (await pipelines(module, code))
  console.log(JSON.stringify([name, said]))
}
Deno.exit(0)
