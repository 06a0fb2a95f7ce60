/** Reads the output of a kernel from the buffer that it left. */
import { formatPrint } from '../host/format.ts'
import type { PrintInfo } from '../index.ts'
import type { Described } from './parts.ts'
import { copyBuffer, getScalar, readBack, recordCopy, roundTo, type Own, type Read } from './core.ts'

const defaultBytes = 65536

/** The bytes of the buffer that a kernel prints into. */
export function printSize({ context: { options } }: Described): number {
  return Math.max(16, roundTo(options.printBytes ?? defaultBytes, 4))
}

/** Records a copy of what a kernel printed, which is handed on once it is read. */
export function readOutput(kernel: Described, encoder: GPUCommandEncoder, output: GPUBuffer, own: Own): Read {
  const copy = own(copyBuffer(kernel.device, output.size))
  recordCopy(encoder, output, copy)
  return { copy, take: bytes => report(kernel, bytes) }
}

/** Reads what a kernel printed since the last time. */
export function flush(kernel: Described, output: GPUBuffer): Promise<void> {
  return readBack(kernel.device, kernel.name, (encoder, own) => {
    const read = readOutput(kernel, encoder, output, own)
    encoder.clearBuffer(output)
    return [read]
  })
}

function report({ name, prints, context: { options } }: Described, bytes: Uint8Array): void {
  const print = options.print ?? ((text: string): void => console.log(text.replace(/\n$/, '')))
  const { texts, lost } = readPrinted(new Uint32Array(bytes.slice().buffer), prints!)
  for (const text of texts) print(text)
  if (lost > 0)
    print(`${name}: ${lost * 4} more bytes of output did not fit into ${bytes.length}; attach with larger printBytes\n`)
}

/** The texts of `printf` calls in order, as far as one thread determines it, and the number of words that did not fit. */
export interface Printed {
  readonly texts: readonly string[]
  readonly lost: number
}

/** Reads the buffer: the number of words wanted, then records. */
export function readPrinted(words: Uint32Array, { formats }: PrintInfo): Printed {
  const view = new DataView(words.buffer, words.byteOffset, words.byteLength)
  const wanted = words[0]!
  const texts: string[] = []
  let at = 1
  // A record's number is counted from 1; where 0 stands, one was left out.
  while (at <= wanted && at < words.length && words[at] !== 0) {
    const record = formats[words[at]! - 1]
    if (record === undefined) break
    at++
    const args = record.args.map(scalar => {
      const start = at * 4
      at += scalar.endsWith('64') ? 2 : 1
      return getScalar(view, start, scalar)
    })
    texts.push(formatPrint(record.format, args))
  }
  return { texts, lost: wanted - (at - 1) }
}
