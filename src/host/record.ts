/** Objects whose keys are names of a program. */

/** Sets the value of a name, whatever the name: an assignment to `__proto__` would give the object another prototype. */
export function put<T>(record: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true })
  else record[name] = value
}
