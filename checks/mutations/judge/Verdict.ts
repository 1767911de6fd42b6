/** What a judge says of one planted fault, as a line of JSON on its standard output. */
export interface Verdict {
  /** The fault's. */
  readonly name: string
  /** How it ended with the fault: `failed` is what is asked for. */
  readonly planted: string
  /** How the same ended without it: `passed`. */
  readonly control: string
}

export const tell = (verdict: Verdict): void => {
  process.stdout.write(`${JSON.stringify(verdict)}\n`)
}
