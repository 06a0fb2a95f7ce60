// How the runtime for GPUs is bundled.

/**
 * `src/gpu/core.ts` names what every page loads. esbuild puts that into one file if it takes no file for free of effects; otherwise it makes a file for
 * each set of files that two parts share, which are many small ones.
 */
export const onePiece = { ignoreAnnotations: true }
