/** A schema as numbered steps, of which a database is given those that it lacks. */
import { Effect } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as Client from "effect/sql/SqlClient"

export type Step = Effect.Effect<void, unknown, Client.SqlClient>

export const execute = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* Client.SqlClient
    for (const statement of statements) yield* sql.unsafe(statement)
  })

/** Where the steps are recorded that a database has been given. */
export const migrationsTable = "pointsman_migrations"

/** The number of the last step. */
export const newestOf = (steps: Readonly<Record<string, Step>>): number =>
  Math.max(...Object.keys(steps).map((name) => Number.parseInt(name, 10)))

/** Runs the steps that are missing, and gives them. A newer schema is refused. `place`: what holds it, for people. */
export const runSteps = (steps: Readonly<Record<string, Step>>, place: "file" | "database") =>
  Effect.gen(function* () {
    const sql = yield* Client.SqlClient
    const applied = yield* Migrator.make({})({ loader: Migrator.fromRecord(steps), table: migrationsTable })
    const [latest] = yield* sql<{ id: number }>`select max(migration_id) as id from ${sql(migrationsTable)}`
    const newest = newestOf(steps)
    if (latest !== undefined && latest.id > newest) {
      const message = `the ${place} has schema version ${latest.id}, created by a newer release; this release supports up to ${newest}`
      return yield* new Migrator.MigrationError({ kind: "BadState", message })
    }
    return applied
  })
