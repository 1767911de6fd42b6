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
import { hour, readInteger, second, variable } from "./SettingKinds.ts"

export const databaseVariables = {
  database: variable<Database>({
    variable: "POINTSMAN_DATABASE_URL",
    flag: "database-url",
    meaning: "Database: sqlite:<path>, sqlite::memory: or postgres://; use the variable if the URL holds a password",
    expected: databaseExpected,
    default: "sqlite:.pointsman/pointsman.db",
    absent: { _tag: "SqliteFile", path: ".pointsman/pointsman.db" },
    read: readDatabase
  }),
  databaseDistributed: variable<"citus" | null>({
    variable: "POINTSMAN_DATABASE_DISTRIBUTED",
    flag: "database-distributed",
    meaning: "citus spreads workspaces over the nodes of a Citus cluster; the database URL names any node",
    expected: '"citus"',
    default: "off",
    absent: null,
    read: (text) => (text === "citus" ? Option.some(text) : Option.none())
  }),
  databaseConnections: variable<number>({
    variable: "POINTSMAN_DATABASE_CONNECTIONS",
    flag: "database-connections",
    meaning: "Maximum PostgreSQL connections per process; the simulator and shared limits use connections of their own",
    expected: "a whole number from 3 to 200",
    default: "12",
    absent: 12,
    read: readInteger(3, 200)
  }),
  readDatabase: variable<PostgresDatabase | null>({
    variable: "POINTSMAN_DATABASE_READ_URL",
    flag: "database-read-url",
    meaning: "PostgreSQL standby that answers lists, searches, exports and events; no decision about money reads it",
    expected: postgresExpected,
    default: "none",
    absent: null,
    read: (text) =>
      Result.flatMap(readDatabase(text), (database) =>
        database._tag === "Postgres" ? Result.succeed(database) : Result.fail(postgresExpected)
      )
  }),
  readLagMillis: variable<number>({
    variable: "POINTSMAN_DATABASE_READ_LAG",
    flag: "database-read-lag",
    meaning: "A standby that is further behind is not read until it has caught up",
    expected: 'a duration from 1 second to 1 hour, such as "30 seconds"',
    default: "30 seconds",
    absent: 30 * second,
    read: (text) => Option.filter(readDuration(text), (millis) => millis >= second && millis <= hour)
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
