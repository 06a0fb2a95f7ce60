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
