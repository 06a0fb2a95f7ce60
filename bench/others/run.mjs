// Runs one program's kernels as compiled by both compilers, on one device and the same contents, and compares what they write.
import { create, globals } from 'webgpu'
import { Module, leavesOfData } from './layout.mjs'

Object.assign(globalThis, globals)
const gpu = create([])
let device

/** A device with all that programs may need; it must not be let go of. */
export async function openDevice() {
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new Error('there is no WebGPU adapter')
  const wanted = [
    'maxStorageBuffersPerShaderStage',
    'maxComputeInvocationsPerWorkgroup',
    'maxComputeWorkgroupSizeX',
    'maxComputeWorkgroupStorageSize',
    'maxBufferSize',
    'maxStorageBufferBindingSize',
    'maxColorAttachmentBytesPerSample',
    'maxSampledTexturesPerShaderStage',
    'maxInterStageShaderVariables',
  ]
  device = await adapter.requestDevice({
    requiredFeatures: ['shader-f16', 'subgroups', 'float32-filterable', 'bgra8unorm-storage'].filter(f =>
      adapter.features.has(f),
    ),
    requiredLimits: Object.fromEntries(wanted.map(name => [name, adapter.limits[name]])),
  })
}

/** The first error of a module, or null. */
export async function refusal(code) {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const { messages } = await module.getCompilationInfo()
  const error = await device.popErrorScope()
  const bad = messages.find(m => m.type === 'error')
  if (bad !== undefined) return `${bad.lineNum}:${bad.linePos}: ${bad.message}`
  if (error !== null) return error.message
  // What formats may be read and written is said of layouts, not of modules.
  for (const [, shape, format, access] of code.matchAll(/: texture_storage_(\w+)<(\w+),\s*(\w+)>/g)) {
    device.pushErrorScope('validation')
    const storageTexture = { format, access: accesses[access], viewDimension: shape.replace('_', '-') }
    device.createBindGroupLayout({ entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, storageTexture }] })
    const no = await device.popErrorScope()
    if (no !== null) return no.message
  }
  return null
}

const accesses = { read: 'read-only', write: 'write-only', read_write: 'read-write' }

// ── Contents ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A number from 0 to 1 that depends on a name and a position alone. */
function random(key, i) {
  let h = 2166136261 ^ i
  for (let k = 0; k < key.length; k++) h = Math.imul(h ^ key.charCodeAt(k), 16777619)
  h = Math.imul(h ^ (h >>> 15), 2246822507)
  h = Math.imul(h ^ (h >>> 13), 3266489909)
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32
}

const nothing = { floats: [0, 1], ints: [0, 8] }

/** What to put into a scalar. `settings.values` decides by name, `floats` and `ints` give ranges. */
function content(settings, key, i, scalar) {
  const given = settings.values?.[key] ?? settings.values?.[key.slice(key.lastIndexOf('_') + 1)]
  if (given !== undefined) return Array.isArray(given) ? given[i % given.length] : given
  const isFloat = scalar.startsWith('f')
  const [low, high] =
    settings.ranges?.[key] ?? (isFloat ? (settings.floats ?? nothing.floats) : (settings.ints ?? nothing.ints))
  const x = low + random(key + (settings.seed ?? ''), i) * (high - low)
  return isFloat ? Math.fround(x) : scalar === 'bool' ? Number(x > (low + high) / 2) : Math.floor(x)
}

function halfBits(x) {
  const f = new DataView(new ArrayBuffer(4))
  f.setFloat32(0, x)
  const bits = f.getUint32(0)
  const e = ((bits >>> 23) & 255) - 112
  if (e <= 0) return 0
  return ((bits >>> 16) & 0x8000) | (e << 10) | ((bits >>> 13) & 1023)
}

function put(view, { offset, scalar }, x) {
  if (scalar === 'f32') view.setFloat32(offset, x, true)
  else if (scalar === 'f16') view.setUint16(offset, halfBits(x), true)
  else view.setUint32(offset, x >>> 0, true)
}

function get(view, { offset, scalar }) {
  if (scalar === 'f32') return view.getFloat32(offset, true)
  if (scalar === 'f16') {
    const bits = view.getUint16(offset, true)
    const [e, m] = [(bits >> 10) & 31, bits & 1023]
    const x = e === 31 ? (m === 0 ? Infinity : NaN) : e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15)
    return (bits & 0x8000) === 0 ? x : -x
  }
  return scalar === 'i32' ? view.getInt32(offset, true) : view.getUint32(offset, true)
}

/** The scalars of a buffer, and how many bytes it has. */
function leavesOf(slot, settings) {
  const container = ['globalParams', 'entryPointParams'].includes(slot.name)
  const key = container ? '' : slot.name
  const count = settings.counts?.[slot.name] ?? settings.elements ?? 1024
  const named = leaves => leaves.map(l => ({ ...l, key: l.key.replace(/^\./, '').replaceAll('.', '_') }))
  const { type } = slot
  if (slot.module === undefined) {
    if (type.kind !== 'array' || type.count !== 0)
      return { leaves: named(leavesOfData(type, key, 0, [])), size: type.size }
    const one = named(leavesOfData(type.elem, key, 0, []))
    return {
      leaves: Array.from({ length: count }, (_, i) =>
        one.map(l => ({ ...l, offset: l.offset + i * type.stride })),
      ).flat(),
      size: count * type.stride,
    }
  }
  const layout = slot.module.layout(type)
  if (layout.count !== 0 || layout.elem === undefined)
    return { leaves: named(slot.module.leaves(layout, key, 0, [])), size: layout.size }
  const one = named(slot.module.leaves(layout.elem, key, 0, []))
  return {
    leaves: Array.from({ length: count }, (_, i) =>
      one.map(l => ({ ...l, offset: l.offset + i * layout.stride })),
    ).flat(),
    size: count * layout.stride,
  }
}

function filled(slot, settings) {
  const { leaves, size } = leavesOf(slot, settings)
  const data = new Uint8Array(Math.max(16, Math.ceil(size / 16) * 16))
  const view = new DataView(data.buffer)
  const seen = new Map()
  for (const leaf of leaves) {
    const i = seen.get(leaf.key) ?? 0
    seen.set(leaf.key, i + 1)
    put(view, leaf, content(settings, leaf.key, i, leaf.scalar))
  }
  return { data, leaves, size: Math.max(4, Math.ceil(size / 4) * 4) }
}

const texelBytes = format => {
  const channels = format.startsWith('rgba') || format.startsWith('bgra') ? 4 : format.startsWith('rg') ? 2 : 1
  return (channels * Number(/\d+/.exec(format)[0])) / 8
}

/** Numbers of a texture's contents, as far as comparing them goes. */
function texels(bytes, format) {
  const bits = Number(/\d+/.exec(format)[0])
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const isFloat = format.endsWith('float')
  const count = (bytes.length * 8) / bits
  return Array.from({ length: count }, (_, i) =>
    bits === 8 ? bytes[i] / 255 : get(view, { offset: (i * bits) / 8, scalar: isFloat ? `f${bits}` : 'i32' }),
  )
}

function textureOf(slot, settings) {
  const { type } = slot
  const size = settings.sizes?.[slot.name] ?? settings.size ?? 32
  const is3d = type.includes('_3d'),
    isCube = type.includes('_cube'),
    isArray = type.includes('_array')
  const dimensions = [size, type.includes('_1d') ? 1 : size, is3d ? size : isCube ? 6 : isArray ? 4 : 1]
  const scalar = /<\s*([fiu]32)/.exec(type)?.[1] ?? 'f32'
  const format =
    slot.kind === 'storage-texture'
      ? /<\s*(\w+)/.exec(type)[1]
      : type.includes('depth')
        ? 'depth32float'
        : scalar === 'f32'
          ? 'rgba32float'
          : scalar === 'i32'
            ? 'rgba32sint'
            : 'rgba32uint'
  const dimension = is3d ? '3d' : type.includes('_1d') ? '1d' : '2d'
  const viewDimension = isCube ? (isArray ? 'cube-array' : 'cube') : isArray ? '2d-array' : dimension
  const layout =
    slot.kind === 'storage-texture'
      ? {
          storageTexture: {
            format,
            viewDimension,
            access: type.includes('read_write') ? 'read-write' : type.includes('write') ? 'write-only' : 'read-only',
          },
        }
      : {
          texture: {
            viewDimension,
            multisampled: type.includes('multisampled'),
            sampleType: type.includes('depth')
              ? 'depth'
              : scalar === 'f32'
                ? 'float'
                : scalar === 'i32'
                  ? 'sint'
                  : 'uint',
          },
        }
  const texture = device.createTexture({
    size: dimensions,
    dimension,
    format,
    usage:
      GPUTextureUsage.COPY_SRC |
      GPUTextureUsage.COPY_DST |
      (slot.kind === 'storage-texture' ? GPUTextureUsage.STORAGE_BINDING : GPUTextureUsage.TEXTURE_BINDING),
  })
  const each = texelBytes(format)
  const total = dimensions.reduce((a, b) => a * b, 1) * each
  if (!type.includes('depth')) {
    const data = new Uint8Array(total)
    const view = new DataView(data.buffer)
    const wide = Number(/\d+/.exec(format)[0])
    for (let i = 0; i < (total * 8) / wide; i++) {
      if (wide === 8) data[i] = random(slot.name, i) * 255
      else if (wide === 16) view.setUint16(i * 2, halfBits(random(slot.name, i)), true)
      else put(view, { offset: i * 4, scalar }, content(settings, slot.name, i, scalar))
    }
    device.queue.writeTexture(
      { texture },
      data,
      { bytesPerRow: dimensions[0] * each, rowsPerImage: dimensions[1] },
      dimensions,
    )
  }
  return { texture, layout, format, dimensions, each, resource: texture.createView({ dimension: viewDimension }) }
}

// ── Running ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Our slots under the names of theirs, where ours had to be told apart: the contents follow the names. */
export function alike(own, theirs) {
  const known = new Set(theirs.map(s => s.name))
  return own.map(s => {
    const plain = s.name.replace(/_\d+$/, '')
    return known.has(s.name) || !known.has(plain) ? s : { ...s, name: plain }
  })
}

/** What our program binds; texture types are taken from the text, which says all. */
export function ourSlots(wgsl, ...entries) {
  const { reflection, code } = wgsl
  const used = new Set(reflection.entries.filter(e => entries.includes(e.name)).flatMap(e => e.bindings))
  return reflection.bindings
    .filter(b => used.has(b.name))
    .map(b => {
      const text = new RegExp(`var(?:<[^>]*>)? ${b.target}: ([^;]+);`).exec(code)?.[1]
      return { name: b.path.join('_'), group: b.group, binding: b.binding, kind: b.kind, type: b.type ?? text }
    })
}

/** The real compiler declares all textures that may be written as read, too, which WebGPU has for one 32-bit channel only; those that are only read or only written need not be. */
export function withoutReads(code) {
  const uses = (call, name) => new RegExp(`${call}\\(\\(*${name}\\b`).test(code)
  return code.replace(/(var (\w+)\s*:\s*texture_storage_\w+<\w+,\s*)read_write>/g, (all, head, name) =>
    !uses('textureLoad', name) ? `${head}write>` : !uses('textureStore', name) ? `${head}read>` : all,
  )
}

/** What the real compiler's module binds in an entry point: all that its functions mention. */
export function peerSlots(code, ...entries) {
  const module = new Module(code)
  return [...new Set(entries.flatMap(e => module.usedBy(e)))].map(b => ({
    ...b,
    // A resource in a struct that is a uniform has the name of the buffer of uniforms before its own.
    name: b.name.replace(/^(?:globalParams|entryPointParams)_/, ''),
    ...(b.kind === 'sampler' || b.kind.endsWith('texture') ? {} : { module }),
  }))
}

function made(slot, settings) {
  if (slot.kind === 'sampler') {
    const isComparison = slot.type.includes('comparison')
    const sampler = device.createSampler({
      magFilter: 'linear',
      minFilter: 'linear',
      addressModeU: 'repeat',
      addressModeV: 'repeat',
      ...(isComparison ? { compare: 'less' } : {}),
    })
    return { slot, resource: sampler, layout: { sampler: { type: isComparison ? 'comparison' : 'filtering' } } }
  }
  if (slot.kind.endsWith('texture')) return { slot, ...textureOf(slot, settings) }
  const { data, leaves, size } = filled(slot, settings)
  const usage = slot.kind === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE
  const buffer = device.createBuffer({
    size: data.length,
    usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  })
  device.queue.writeBuffer(buffer, 0, data)
  return {
    slot,
    buffer,
    leaves,
    before: data,
    resource: slot.kind === 'uniform' ? { buffer } : { buffer, size },
    layout: { buffer: { type: slot.kind } },
  }
}

function bind(resources, visibility) {
  const last = Math.max(-1, ...resources.map(r => r.slot.group))
  const groups = Array.from({ length: last + 1 }, (_, g) => resources.filter(r => r.slot.group === g))
  const layouts = groups.map(own =>
    device.createBindGroupLayout({
      entries: own.map(r => ({ binding: r.slot.binding, visibility: visibility(r), ...r.layout })),
    }),
  )
  const bound = groups.map((own, i) =>
    device.createBindGroup({
      layout: layouts[i],
      entries: own.map(r => ({ binding: r.slot.binding, resource: r.resource })),
    }),
  )
  return { layout: device.createPipelineLayout({ bindGroupLayouts: layouts }), bound }
}

const padTo256 = n => Math.ceil(n / 256) * 256

/** Copies a texture out; gives the function that reads it once the work is done. */
function readTexture(encoder, { texture, dimensions: [w, h, d], each }) {
  const row = padTo256(w * each)
  const to = device.createBuffer({ size: row * h * d, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
  encoder.copyTextureToBuffer({ texture }, { buffer: to, bytesPerRow: row, rowsPerImage: h }, [w, h, d])
  return async () => {
    await to.mapAsync(GPUMapMode.READ)
    const from = new Uint8Array(to.getMappedRange())
    const out = new Uint8Array(w * h * d * each)
    for (let y = 0; y < h * d; y++) out.set(from.subarray(y * row, y * row + w * each), y * w * each)
    to.destroy()
    return out
  }
}

/** Runs a kernel; gives by name the numbers in everything that it may write, and which of them it changed. */
export async function runKernel(code, entry, slots, settings, groups) {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const resources = slots.map(s => made(s, settings))
  const { layout, bound } = bind(resources, () => GPUShaderStage.COMPUTE)
  const pipeline = device.createComputePipeline({ layout, compute: { module, entryPoint: entry } })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  bound.forEach((g, i) => pass.setBindGroup(i, g))
  pass.dispatchWorkgroups(...groups)
  pass.end()
  const reads = resources
    .filter(r => r.slot.kind === 'storage' || (r.slot.kind === 'storage-texture' && r.slot.type.includes('write')))
    .map(r => {
      if (r.texture !== undefined) {
        const read = readTexture(encoder, r)
        return { r, read: async () => texels(await read(), r.format) }
      }
      const to = device.createBuffer({
        size: r.before.length,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      })
      encoder.copyBufferToBuffer(r.buffer, 0, to, 0, r.before.length)
      return {
        r,
        read: async () => {
          await to.mapAsync(GPUMapMode.READ)
          const view = new DataView(to.getMappedRange())
          const values = r.leaves.map(l => get(view, l))
          to.destroy()
          return values
        },
      }
    })
  device.queue.submit([encoder.finish()])
  const error = await device.popErrorScope()
  if (error !== null) throw new Error(error.message)
  const out = {}
  for (const { r, read } of reads) {
    const values = await read()
    const before = r.before === undefined ? null : new DataView(r.before.buffer)
    out[r.slot.name] = {
      values,
      isFloat: i => r.leaves === undefined || r.leaves[i].scalar.startsWith('f'),
      changed:
        before === null ? values.length : values.filter((v, i) => !Object.is(v, get(before, r.leaves[i]))).length,
    }
  }
  return out
}

/** What a fragment stage draws into. */
const formatFor = ({ scalar, count }) =>
  `${count === 1 ? 'r' : count === 2 ? 'rg' : 'rgba'}32${{ i32: 'sint', u32: 'uint' }[scalar] ?? 'float'}`

/** Draws triangles with made-up vertices; gives the numbers in the targets. */
export async function draw({ vertex, fragment, inputs, targets: wanted, depth }, slots, settings) {
  device.pushErrorScope('validation')
  const resources = slots.map(s => made(s, settings))
  const { layout, bound } = bind(resources, r =>
    r.slot.kind === 'storage' || r.slot.kind === 'storage-texture'
      ? GPUShaderStage.FRAGMENT
      : GPUShaderStage.FRAGMENT | GPUShaderStage.VERTEX,
  )
  const count = 3 * 40
  const [low, high] = settings.vertices ?? [-1, 1]
  const buffers = inputs.map(({ location, key, format }) => {
    const n = Number(format.slice(-1)) || 1
    const data = new DataView(new ArrayBuffer(count * n * 4))
    for (let i = 0; i < count * n; i++) {
      const x = random(`vertex ${key}`, i)
      if (format.startsWith('float')) data.setFloat32(i * 4, i % n === 3 ? 1 : low + x * (high - low), true)
      else data.setUint32(i * 4, Math.floor(x * 4), true)
    }
    const buffer = device.createBuffer({
      size: data.byteLength,
      usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
    })
    device.queue.writeBuffer(buffer, 0, data.buffer)
    return { buffer, layout: { arrayStride: n * 4, attributes: [{ shaderLocation: location, offset: 0, format }] } }
  })
  const formats = new Map(wanted.map(t => [t.location, formatFor(t)]))
  const places = Array.from({ length: Math.max(-1, ...formats.keys()) + 1 }, (_, i) => formats.get(i))
  const pipeline = device.createRenderPipeline({
    layout,
    vertex: {
      module: device.createShaderModule({ code: vertex.code }),
      entryPoint: vertex.entry,
      buffers: buffers.map(b => b.layout),
    },
    fragment: {
      module: device.createShaderModule({ code: fragment.code }),
      entryPoint: fragment.entry,
      targets: places.map(format => (format === undefined ? null : { format })),
    },
    ...(depth ? { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' } } : {}),
  })
  const targetOf = format => ({
    texture: device.createTexture({
      size: [64, 64],
      format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    }),
    dimensions: [64, 64, 1],
    each: format === 'depth32float' ? 4 : texelBytes(format),
    format,
  })
  const targets = places.map(format => (format === undefined ? null : targetOf(format)))
  const depths = depth ? targetOf('depth32float') : undefined
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginRenderPass({
    colorAttachments: targets.map(t =>
      t === null ? null : { view: t.texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] },
    ),
    ...(depths === undefined
      ? {}
      : {
          depthStencilAttachment: {
            view: depths.texture.createView(),
            depthLoadOp: 'clear',
            depthStoreOp: 'store',
            depthClearValue: 0,
          },
        }),
  })
  pass.setPipeline(pipeline)
  bound.forEach((g, i) => pass.setBindGroup(i, g))
  buffers.forEach((b, i) => pass.setVertexBuffer(i, b.buffer))
  pass.draw(count)
  pass.end()
  const shown = [...targets, depths].filter(t => t !== null && t !== undefined)
  const reads = shown.map(t => readTexture(encoder, t))
  device.queue.submit([encoder.finish()])
  const error = await device.popErrorScope()
  if (error !== null) throw new Error(error.message)
  const out = {}
  for (let i = 0; i < reads.length; i++) {
    const { format } = shown[i]
    const values = texels(await reads[i](), format === 'depth32float' ? 'r32float' : format)
    out[`target ${i}`] = { values, isFloat: () => true, changed: values.filter(v => v !== 0).length }
  }
  return out
}

/** Compares two runs: how many numbers, how many were written, the largest difference, and how many differ by more than `tolerance`. */
export function compareRuns(ours, theirs, tolerance) {
  let numbers = 0,
    changed = 0,
    largest = 0,
    apart = 0
  let first = null
  for (const [name, a] of Object.entries(ours)) {
    const b = theirs[name]
    if (b === undefined) return { error: `only ours writes ${name}` }
    if (a.values.length !== b.values.length)
      return { error: `${name} has ${a.values.length} numbers in ours, ${b.values.length} in theirs` }
    changed += a.changed
    a.values.forEach((x, i) => {
      const y = b.values[i]
      numbers++
      const d =
        Object.is(x, y) || x === y || (Number.isNaN(x) && Number.isNaN(y))
          ? 0
          : !Number.isFinite(x) || !Number.isFinite(y)
            ? Infinity
            : Math.abs(x - y) / Math.max(1, Math.abs(x), Math.abs(y))
      if (d > largest) largest = d
      if (d > tolerance) {
        apart++
        first ??= `${name}[${i}]: ${x} and ${y}`
      }
    })
  }
  for (const name of Object.keys(theirs))
    if (ours[name] === undefined && theirs[name].changed > 0) return { error: `only theirs writes ${name}` }
  return { numbers, changed, largest, apart, first }
}

/** A comparison on other contents while nothing is written: made-up values may lead past everything. */
export async function untilWritten(run, settings) {
  const others = [
    {},
    { seed: 1 },
    { seed: 2, floats: [-1, 1] },
    { seed: 3, floats: [0.2, 2] },
    { seed: 4, ints: [1, 3] },
  ]
  let result
  for (const other of others) {
    result = await run({ ...other, ...settings })
    if (result.changed > 0 || result.apart > 0 || result.error !== undefined) break
  }
  return result
}
