/** Settings of tests and of the commands beside them, by the environment. */

/** A setting that is a whole number. What is none is refused: a run would count to it, look at nothing and find nothing wrong. */
export function setting(name: string, otherwise: number): number {
  const text = process.env[name]
  if (text === undefined) return otherwise
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} is a whole number, and '${text}' came`)
  return value
}
