/**
 * Escapes characters that a terminal or an editor obeys instead of showing. The text of a program must never control the screen of
 * those who read messages about it. C0 and C1 controls and DEL control a terminal; bidirectional controls change the order in which
 * text is shown ("Trojan Source", CVE-2021-42574); the two separators of Unicode end a line for some readers.
 */
const unsafe = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Matches bidirectional controls. */
export const bidirectional: RegExp = /\p{Bidi_Control}/gu

/** `U+001B`. */
export function codePoint(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

const shown = (char: string): string => `<${codePoint(char)}>`

/** The text with `<U+001B>` in place of each control character; tabs and line feeds stay. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, shown)
}

/** The same for text that must stay on its line. */
export function escapeLine(text: string): string {
  return escapeControls(text).replaceAll('\n', '<U+000A>')
}

/** JSON text of a value, with control characters as `\u009b`: JSON itself only asks for those below U+0020. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
