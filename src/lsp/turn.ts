/** Gives way. */

/** Lets everything happen that waits: messages of the client first of all. */
export function turn(): Promise<void> {
  return new Promise(done => setTimeout(done, 0))
}
