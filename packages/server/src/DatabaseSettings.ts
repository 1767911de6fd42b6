/** The settings that name the database, and how much of it a process uses. */

import { readDuration } from "@pointsman/configuration"
import { Option, Result } from "effect"
import {
  type Database,
  databaseExpected,
  type PostgresDatabase,
  postgresExpected,
  readDatabase
} from "./DatabaseUrl.ts"
import { integer, type Kind, oneOf, optional, setting } from "./SettingKinds.ts"

const second = 1_000
const hour = 3_600 * second

const readLag: Kind<number> = {
  expected: 'a duration from 1 second to 1 hour, such as "30 seconds"',
  read: (text) => Option.filter(readDuration(text), (millis) => millis >= second && millis <= hour)
}

const standby: Kind<PostgresDatabase> = {
  expected: postgresExpected,
  read: (text) =>
    Result.flatMap(readDatabase(text), (database) =>
      database._tag === "Postgres" ? Result.succeed(database) : Result.fail(postgresExpected)
    )
}

export const databaseVariables = {
  database: setting(
    { expected: databaseExpected, read: readDatabase },
    {
      variable: "POINTSMAN_DATABASE_URL",
      meaning: "Database: sqlite:<path>, sqlite::memory: or postgres://; use the variable if the URL holds a password",
      default: "sqlite:.pointsman/pointsman.db"
    }
  ),
  databaseDistributed: setting(
    { ...oneOf("citus"), expected: '"citus"' },
    {
      variable: "POINTSMAN_DATABASE_DISTRIBUTED",
      meaning: "citus spreads workspaces over the nodes of a Citus cluster; the database URL names any node",
      default: "off",
      absent: null
    }
  ),
  databaseConnections: setting(integer(3, 200), {
    variable: "POINTSMAN_DATABASE_CONNECTIONS",
    meaning: "Maximum PostgreSQL connections per process; the simulator and shared limits use connections of their own",
    default: "12"
  }),
  readDatabase: optional(standby, {
    variable: "POINTSMAN_DATABASE_READ_URL",
    meaning: "PostgreSQL standby that answers lists, searches, exports and events; no decision about money reads it"
  }),
  readLagMillis: setting(readLag, {
    variable: "POINTSMAN_DATABASE_READ_LAG",
    meaning: "A standby that is further behind is not read until it has caught up",
    default: "30 seconds"
  })
} as const

interface DatabaseSettings {
  readonly database: Database
  readonly readDatabase: PostgresDatabase | null
  readonly databaseDistributed: "citus" | null
  readonly workers: number
  readonly sharedLimits: boolean
  readonly batchCommits: boolean
}

/** What is set and is not for SQLite. `name`: what a message calls a setting. */
export const sqliteMistakes = (
  { batchCommits, databaseDistributed, readDatabase, sharedLimits, workers }: DatabaseSettings,
  name: (setting: keyof DatabaseSettings) => string
): ReadonlyArray<string> => {
  const because = `with SQLite, which supports one server process; for more, set ${name("database")} to PostgreSQL`
  const absent = `expected no value with SQLite; set ${name("database")} to a node of the cluster`
  return [
    ...(workers > 1 ? [`${name("workers")}: expected 1 ${because}`] : []),
    ...(readDatabase === null
      ? []
      : [`${name("readDatabase")}: expected no standby with SQLite; set ${name("database")} to PostgreSQL`]),
    ...(databaseDistributed === null ? [] : [`${name("databaseDistributed")}: ${absent}`]),
    ...(sharedLimits ? [`${name("sharedLimits")}: expected "false" ${because}`] : []),
    ...(batchCommits ? [] : [`${name("batchCommits")}: expected "true" with SQLite, which always batches commits`])
  ]
}

/** What is set and is not for a cluster. */
export const distributedMistakes = (
  { databaseDistributed, readDatabase }: DatabaseSettings,
  name: (setting: keyof DatabaseSettings) => string
): ReadonlyArray<string> =>
  databaseDistributed === null || readDatabase === null
    ? []
    : [`${name("readDatabase")}: expected no standby with ${name("databaseDistributed")}`]

/** The database knows its shape. */
export const withShape = <A extends DatabaseSettings>(settings: A): A =>
  settings.database._tag === "Postgres"
    ? { ...settings, database: { ...settings.database, isDistributed: settings.databaseDistributed !== null } }
    : settings
