/** The tokens that the preprocessor has made so far. */
import type { SourceFile } from '../base/source.ts'
import type { Tok } from './macro.ts'
import { eofKind, lineFlag, spaceFlag } from './token.ts'

/** Collects tokens in typed arrays. */
export class Output {
  kinds: Uint8Array = new Uint8Array(256)
  flags: Uint8Array = new Uint8Array(256)
  starts: Int32Array = new Int32Array(256)
  ends: Int32Array = new Int32Array(256)
  owners: Uint16Array = new Uint16Array(256)
  readonly texts: Map<number, string> = new Map()
  readonly files: SourceFile[] = []
  readonly #indices = new Map<SourceFile, number>()
  count = 0

  add(tok: Tok, damage: number): void {
    this.#append(tok.kind, tok.flags | damage, tok.file, tok.start, tok.end)
    if (tok.hidden !== undefined || tok.file.text.slice(tok.start, tok.end) !== tok.text)
      this.texts.set(this.count - 1, tok.text)
  }

  end(file: SourceFile, damage: number): void {
    this.#append(eofKind, lineFlag | spaceFlag | damage, file, file.text.length, file.text.length)
  }

  #append(kind: number, flags: number, file: SourceFile, start: number, end: number): void {
    if (this.count === this.kinds.length) this.#grow()
    let index = this.#indices.get(file)
    if (index === undefined) {
      index = this.files.push(file) - 1
      this.#indices.set(file, index)
    }
    const i = this.count++
    this.kinds[i] = kind
    this.flags[i] = flags
    this.starts[i] = start
    this.ends[i] = end
    this.owners[i] = index
  }

  #grow(): void {
    const size = this.kinds.length * 2
    const grown = {
      kinds: new Uint8Array(size),
      flags: new Uint8Array(size),
      starts: new Int32Array(size),
      ends: new Int32Array(size),
      owners: new Uint16Array(size),
    }
    grown.kinds.set(this.kinds)
    grown.flags.set(this.flags)
    grown.starts.set(this.starts)
    grown.ends.set(this.ends)
    grown.owners.set(this.owners)
    Object.assign(this, grown)
  }
}
