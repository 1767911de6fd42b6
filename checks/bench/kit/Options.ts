/** The options of every measurement. */
import type { Postgres } from "./Postgres.ts"
import type { Section } from "./Result.ts"

export interface Options {
  /** How long a side is measured within a round. */
  readonly seconds: number
  readonly rounds: number
  /** Only that everything runs: figures of it mean nothing. */
  readonly smoke: boolean
  /** The folder of the comparison with Medusa and hand-written floors; "" where there is none. */
  readonly peer: string
  readonly postgres: Postgres
  /** An empty folder, gone after the run. */
  readonly folder: string
  /** Shown to the person who waits. */
  readonly tell: (line: string) => void
}

export type Measure = (options: Options) => Promise<Section>
