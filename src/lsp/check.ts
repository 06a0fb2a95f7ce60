/** placeholder */
export interface Checker {
  stop(): void
}
