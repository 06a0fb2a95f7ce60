/** Minimum cut of a flow network by Dinic's algorithm (1970): levels by breadth-first search, blocking flows by depth-first. */
export class Network {
  readonly #head: number[] = []
  readonly #next: number[] = []
  readonly #to: number[] = []
  readonly #room: number[] = []

  /** Adds a node and gives its number. */
  node(): number {
    return this.#head.push(-1) - 1
  }

  edge(from: number, to: number, capacity: number): void {
    if (capacity === 0) return
    this.#arc(from, to, capacity)
    this.#arc(to, from, 0)
  }

  #arc(from: number, to: number, capacity: number): void {
    this.#next.push(this.#head[from]!)
    this.#to.push(to)
    this.#head[from] = this.#room.push(capacity) - 1
  }

  /** Which nodes are on the source's side of a minimum cut: those that the residual network still reaches. */
  cut(source: number, sink: number): readonly boolean[] {
    const n = this.#head.length
    const level = new Array<number>(n)
    while (this.#levels(source, level) && level[sink]! >= 0) {
      const at = this.#head.slice()
      while (this.#push(source, sink, level, at) > 0);
    }
    return level.map(l => l >= 0)
  }

  #levels(source: number, level: number[]): boolean {
    level.fill(-1)
    level[source] = 0
    const queue = [source]
    for (let q = 0; q < queue.length; q++) {
      const u = queue[q]!
      for (let e = this.#head[u]!; e >= 0; e = this.#next[e]!) {
        const v = this.#to[e]!
        if (this.#room[e]! <= 0 || level[v]! >= 0) continue
        level[v] = level[u]! + 1
        queue.push(v)
      }
    }
    return true
  }

  /** Pushes one path of flow, without recursion: paths are as long as the program. */
  #push(source: number, sink: number, level: number[], at: number[]): number {
    const path: number[] = []
    let u = source
    for (;;) {
      if (u === sink) {
        let flow = Infinity
        for (const e of path) flow = Math.min(flow, this.#room[e]!)
        for (const e of path) {
          this.#room[e]! -= flow
          this.#room[e ^ 1]! += flow
        }
        return flow
      }
      let e = at[u]!
      while (e >= 0 && (this.#room[e]! <= 0 || level[this.#to[e]!]! !== level[u]! + 1)) e = this.#next[e]!
      at[u] = e
      if (e >= 0) {
        path.push(e)
        u = this.#to[e]!
      } else {
        const back = path.pop()
        if (back === undefined) return 0
        level[u] = -1
        u = this.#to[back ^ 1]!
      }
    }
  }
}
