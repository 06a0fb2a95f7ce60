// Kernels of ours that call functions of a library, so that what they give can be compared.

const lanesOf = type => {
  const [, n = '1', m = '1'] = /^float(\d)?(?:x(\d))?$/.exec(type)
  return Number(n) * Number(m)
}

/** `float3 f(float3 a, float b)` taken apart. */
function signature(text) {
  const [, result, name, params] = /^(\w+) ([\w:]+)\((.*)\)$/.exec(text)
  return { result, name, params: params.split(', ').map(p => p.split(' ')[0]) }
}

/** The elements of a value, one by one. */
function elements(type, value) {
  const [, n, m] = /^float(\d)?(?:x(\d))?$/.exec(type)
  if (n === undefined) return [value]
  if (m === undefined) return Array.from({ length: Number(n) }, (_, i) => `${value}[${i}]`)
  return Array.from({ length: Number(n) }, (_, i) =>
    Array.from({ length: Number(m) }, (_, k) => `${value}[${i}][${k}]`),
  ).flat()
}

/** A program with a kernel for each signature: what the function gives, and where asked for its gradients. */
export function driver(path, values, gradients) {
  const kernel = (text, k, isGradient) => {
    const { result, name, params } = signature(text)
    const given = params.reduce((n, p) => n + lanesOf(p), 0)
    const taken = isGradient ? given : lanesOf(result)
    let at = 0
    const read = params.map(
      (type, i) =>
        `  ${type} p${i} = ${type}(${Array.from({ length: lanesOf(type) }, () => `given[id.x * ${given} + ${at++}]`).join(', ')});`,
    )
    let to = 0
    const write = (type, value) => elements(type, value).map(e => `  taken[id.x * ${taken} + ${to++}] = ${e};`)
    const body = isGradient
      ? [
          ...params.map((_, i) => `  var d${i} = diffPair(p${i});`),
          `  ${result} weights = ${result}(${Array.from({ length: lanesOf(result) }, (_, i) => `${i + 1}.0`).join(', ')});`,
          `  bwd_diff(${name})(${params.map((_, i) => `d${i}`).join(', ')}, weights);`,
          ...params.flatMap((type, i) => write(type, `d${i}.d`)),
        ]
      : [`  ${result} r = ${name}(${params.map((_, i) => `p${i}`).join(', ')});`, ...write(result, 'r')]
    return `[shader("compute")] [numthreads(16, 1, 1)]\nvoid ${isGradient ? 'gradients' : 'values'}${k}(uint3 id : SV_DispatchThreadID)\n{\n${[...read, ...body].join('\n')}\n}\n`
  }
  const module = path.replace(/^.*\/|\.slang$/g, '')
  return [
    `import "${module}.slang";`,
    'StructuredBuffer<float> given;',
    'RWStructuredBuffer<float> taken;',
    ...values.map((v, k) => kernel(v, k, false)),
    ...gradients.map((v, k) => kernel(v, k, true)),
  ].join('\n')
}
