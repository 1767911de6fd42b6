/** Settings that belong to one kind of database. */
import type { Database } from "./DatabaseUrl.ts"

interface DatabaseSettings {
  readonly database: Database
  readonly databaseDistributed: "citus" | null
  readonly workers: number
  readonly sharedLimits: boolean
  readonly batchCommits: boolean
}

/** What is set and is not for SQLite. `name`: what a message calls a setting. */
export const sqliteMistakes = (
  { batchCommits, databaseDistributed, sharedLimits, workers }: DatabaseSettings,
  name: (setting: keyof DatabaseSettings) => string
): ReadonlyArray<string> => {
  const because = `with SQLite, which supports one server process; for more, set ${name("database")} to PostgreSQL`
  const absent = `expected no value with SQLite; set ${name("database")} to a node of the cluster`
  return [
    ...(workers > 1 ? [`${name("workers")}: expected 1 ${because}`] : []),
    ...(databaseDistributed === null ? [] : [`${name("databaseDistributed")}: ${absent}`]),
    ...(sharedLimits ? [`${name("sharedLimits")}: expected "false" ${because}`] : []),
    ...(batchCommits ? [] : [`${name("batchCommits")}: expected "true" with SQLite, which always batches commits`])
  ]
}

/** The database knows its shape. */
export const withShape = <A extends DatabaseSettings>(settings: A): A =>
  settings.database._tag === "Postgres"
    ? { ...settings, database: { ...settings.database, isDistributed: settings.databaseDistributed !== null } }
    : settings
