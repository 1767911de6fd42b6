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
