import "./source.mjs"

const { openFlow } = await import("./Flow.ts")
const PostgresStorage = await import("@pointsman/storage-postgres")
const { Redacted } = await import("effect")

export const name = "pointsman-postgres"
export const engine = "postgres"

const batchCommits = process.env.POINTSMAN_BATCH_COMMITS !== "false"

/** One connection besides the pool's listens. */
export const setup = ({ pool = 10, url }) =>
  openFlow(PostgresStorage.layer({ url: Redacted.make(url), maxConnections: pool + 1, batchCommits }))
