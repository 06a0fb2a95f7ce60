/** How many bytes the bundle of an entry may have, gzipped. */
export const limits: Readonly<Record<string, number>>

/** Bundles one entry for browsers and gives its bytes: minified, gzipped, with Brotli. */
export function bundleSize(
  entry?: string,
): Promise<{
  readonly minified: number
  readonly gzip: number
  readonly brotli: number
  readonly parts: Readonly<Record<string, number>>
}>
/** How many bytes of the runtime for GPUs a page may load that trains with buffers and uniforms, gzipped. */
export const pageLimit: number
/** Bundles a page that attaches a program, and gives the bytes, gzipped, of what it loads at first and of each file that it may load later. */
export function pageSize(): Promise<{
  readonly first: number
  readonly files: number
  readonly later: Readonly<Record<string, number>>
}>
