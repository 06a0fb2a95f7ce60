/** Objects by names of a program. */

/** Sets what a name stands for, whatever the name: an assignment to `__proto__` would give the object another prototype. */
export function put<T>(record: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true })
  else record[name] = value
}
