// Where the scalars of a buffer lie: of our programs by their reflection, of the real compiler's by its WGSL.
// A leaf is { key, offset, scalar }: `key` names it the same on both sides, whatever padding lies between.

/** The leaves of a type of our reflection. */
export function leavesOfData(type, key, offset, into) {
  switch (type.kind) {
    case 'scalar':
      into.push({ key, offset, scalar: type.scalar })
      break
    case 'vector':
      for (let i = 0; i < type.count; i++)
        into.push({ key, offset: offset + i * bytes(type.scalar), scalar: type.scalar })
      break
    case 'matrix':
      for (let r = 0; r < type.rows; r++) {
        for (let c = 0; c < type.cols; c++)
          into.push({ key, offset: offset + r * type.stride + c * bytes(type.scalar), scalar: type.scalar })
      }
      break
    case 'array':
      for (let i = 0; i < type.count; i++) leavesOfData(type.elem, key, offset + i * type.stride, into)
      break
    case 'struct':
      for (const f of type.fields) leavesOfData(f.type, `${key}.${f.name}`, offset + f.offset, into)
      break
  }
  return into
}

const bytes = scalar => (scalar === 'f16' ? 2 : 4)
const up = (n, to) => Math.ceil(n / to) * to
export const plainName = name => name.replace(/_\d+$/, '').replace(/^entryPointParams_(?=.)/, '')

/** Splits at commas that stand in no brackets. */
function parts(text) {
  const out = []
  let depth = 0,
    from = 0
  for (let i = 0; i < text.length; i++) {
    if ('<('.includes(text[i])) depth++
    else if ('>)'.includes(text[i])) depth--
    else if (text[i] === ',' && depth === 0) {
      out.push(text.slice(from, i))
      from = i + 1
    }
  }
  out.push(text.slice(from))
  return out.map(s => s.trim()).filter(s => s !== '')
}

/** The declarations of a WGSL module that the real compiler wrote, as far as a host needs them. */
export class Module {
  structs = new Map()
  bindings = []
  /** Their texts, by name. */
  functions = new Map()

  constructor(text) {
    for (const [whole, name] of text.matchAll(/^fn (\w+)\([\s\S]*?^\}/gm)) this.functions.set(name, whole)
    for (const [, name, body] of text.matchAll(/\bstruct (\w+)\s*\{([^}]*)\}/g)) {
      this.structs.set(
        name,
        parts(body).map(field => {
          const [, align, fieldName, type] =
            /^(?:@align\((\d+)\)\s*)?(?:@\w+(?:\([^)]*\))?\s*)*(\w+)\s*:\s*(.*)$/s.exec(field)
          const location = /@location\((\d+)\)/.exec(field)?.[1]
          return { name: fieldName, type, align: Number(align ?? 0), location }
        }),
      )
    }
    for (const [, attributes, space, name, type] of text.matchAll(
      /((?:@(?:binding|group)\(\d+\)\s*){2})var(<[^>]*>)?\s+(\w+)\s*:\s*([^;]+);/g,
    )) {
      const number = word => Number(new RegExp(`@${word}\\((\\d+)\\)`).exec(attributes)[1])
      const kind =
        space === '<uniform>'
          ? 'uniform'
          : space === '<storage, read>'
            ? 'read-only-storage'
            : space !== undefined
              ? 'storage'
              : type.startsWith('sampler')
                ? 'sampler'
                : type.startsWith('texture_storage')
                  ? 'storage-texture'
                  : 'texture'
      this.bindings.push({
        name: plainName(name),
        target: name,
        group: number('group'),
        binding: number('binding'),
        kind,
        type: type.trim(),
      })
    }
  }

  /** Where what an entry point takes, or gives, is passed: locations by name. */
  locations(entry, side) {
    const [, taken = '', given = ''] =
      /^fn \w+\(([\s\S]*?)\)\s*(?:->\s*([^{]*))?\{/.exec(this.functions.get(entry) ?? '') ?? []
    const text = side === 'in' ? taken : given
    const found = new Map()
    for (const [, location, name] of text.matchAll(/@location\((\d+)\)\s*(?:@\w+\([^)]*\)\s*)*(\w+)\s*:/g))
      found.set(plainName(name), Number(location))
    for (const [word] of text.matchAll(/\w+/g))
      for (const f of this.structs.get(word) ?? [])
        if (f.location !== undefined) found.set(plainName(f.name), Number(f.location))
    return found
  }

  /** The bindings that a function and those that it calls mention. */
  usedBy(entry) {
    const seen = new Set()
    const visit = name => {
      if (seen.has(name)) return
      seen.add(name)
      for (const [word] of (this.functions.get(name) ?? '').matchAll(/[A-Za-z_]\w*/g)) visit(word)
    }
    visit(entry)
    return this.bindings.filter(b => seen.has(b.target))
  }

  /** Size, alignment, and for composites what they are made of. */
  layout(type) {
    const generic = /^(\w+)\s*(?:<(.*)>)?$/s.exec(type)
    if (generic === null) throw new Error(`a type that is not understood: ${type}`)
    const [, head, inner] = generic
    const args = inner === undefined ? [] : parts(inner)
    if (/^[fiu](16|32)$|^bool$/.test(head))
      return { size: head === 'f16' ? 2 : 4, align: head === 'f16' ? 2 : 4, scalar: head }
    if (head === 'atomic') return this.layout(args[0])
    const vec = /^vec([234])([fiuh])?$/.exec(head)
    if (vec !== null) {
      const elem = this.layout(args[0] ?? { f: 'f32', i: 'i32', u: 'u32', h: 'f16' }[vec[2]])
      const n = Number(vec[1])
      return { size: n * elem.size, align: (n === 3 ? 4 : n) * elem.size, vec: n, elem }
    }
    const mat = /^mat([234])x([234])([fh])?$/.exec(head)
    if (mat !== null) {
      const elem = this.layout(`vec${mat[2]}<${args[0] ?? { f: 'f32', h: 'f16' }[mat[3]]}>`)
      const stride = up(elem.size, elem.align)
      return { size: stride * Number(mat[1]), align: elem.align, count: Number(mat[1]), stride, elem }
    }
    if (head === 'array') {
      const elem = this.layout(args[0])
      const stride = up(elem.size, elem.align)
      const count = args[1] === undefined ? 0 : Number(/\d+/.exec(args[1].replace(/^[iu]32/, ''))[0])
      return { size: stride * count, align: elem.align, count, stride, elem }
    }
    const fields = this.structs.get(head)
    if (fields === undefined) throw new Error(`a type that is not known: ${type}`)
    let at = 0,
      align = 1
    const made = fields.map(f => {
      const type = this.layout(f.type)
      const own = Math.max(f.align, type.align)
      align = Math.max(align, own)
      const offset = up(at, own)
      at = offset + type.size
      return { name: plainName(f.name), offset, type }
    })
    return { size: up(at, align), align, fields: made, name: head }
  }

  /** `lanes`: how many of a vector count, where the rest is padding. */
  leaves(layout, key, offset, into, lanes = 4) {
    if (layout.scalar !== undefined) into.push({ key, offset, scalar: layout.scalar })
    else if (layout.vec !== undefined)
      for (let i = 0; i < Math.min(layout.vec, lanes); i++)
        into.push({ key, offset: offset + i * layout.elem.size, scalar: layout.elem.scalar })
    else if (layout.fields === undefined)
      for (let i = 0; i < layout.count; i++) this.leaves(layout.elem, key, offset + i * layout.stride, into, lanes)
    else {
      // Arrays in uniform buffers and matrices are structs of padded rows.
      const padded = /^_Array_std140_(?:vectorx3C\w+?x2C(\d)x3E)?/.exec(layout.name)
      const matrix = /^_MatrixStorage_[a-z]+(\d)x(\d)(_ColMajor)?/.exec(layout.name)
      const inner = layout.fields[0]?.type.elem
      const isPadding = padded !== null && inner?.vec === 4
      const used =
        matrix !== null ? Number(matrix[matrix[3] === undefined ? 2 : 1]) : isPadding ? Number(padded[1] ?? 1) : 4
      const transparent = padded !== null || matrix !== null
      for (const f of layout.fields)
        this.leaves(f.type, transparent ? key : `${key}.${f.name}`, offset + f.offset, into, transparent ? used : 4)
    }
    return into
  }
}
