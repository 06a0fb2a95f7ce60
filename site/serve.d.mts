/** Headers with which a page is cross-origin isolated: then its threads may share memory. */
export const isolating: Readonly<Record<string, string>>

/** Serves a folder of static files on 127.0.0.1, each with `headers`; port 0 takes any free one. */
export function serve(
  folder: string,
  port?: number,
  headers?: Readonly<Record<string, string>>,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }>
