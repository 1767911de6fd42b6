/** The server of PostgreSQL that the files of a run share, or one for a file that takes it down; and empty databases on it. */
import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { inject } from "vitest"
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  findBinaries,
  startPostgres
} from "../../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { encryptionKeyOf } from "./EncryptionKeys.ts"

const binaries = findBinaries()

/** Why there is no PostgreSQL here, and tests on it are skipped; `undefined` where there is. */
export const postgresMissing = "missing" in binaries ? binaries.missing : undefined
if (postgresMissing !== undefined) {
  process.stderr.write(`server: its tests on PostgreSQL are skipped: ${postgresMissing}\n`)
}

/** It serves other files as well. Its URL is empty where there is none. */
export const sharedPostgres: Pick<EmbeddedPostgres, "url"> = { url: inject("postgresUrl") }

export const startPostgresServer = (options?: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  if ("missing" in binaries) throw new Error(binaries.missing)
  return startPostgres(binaries.native, options)
}

/** By a connection of its own. */
export const query = (url: string, statement: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.flatMap((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(statement)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

/**
 * The URL of a new database: a copy of the one with that name, which nobody uses meanwhile. Unless set, it is one without
 * records, which has our tables on the shared server. To copy the files takes a quarter of the processor time of the usual
 * way by the log.
 */
export const newDatabase = async (
  postgres: Pick<EmbeddedPostgres, "url"> = sharedPostgres,
  template = postgres === sharedPostgres ? inject("postgresTemplate") : "template1"
): Promise<string> => {
  const name = `server_${randomUUID().replaceAll("-", "")}`
  await query(postgres.url, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}

/** What a server needs to run on the database, which does not wait for its disk: here, no key is made beside it. */
export const environmentOn = (url: string) => ({
  POINTSMAN_DATABASE_URL: url,
  POINTSMAN_ALLOW_ASYNC_COMMIT: "true",
  POINTSMAN_ENCRYPTION_KEY: encryptionKeyOf("server")
})

/** By which the clock of the database goes ahead of this machine's by so many milliseconds. */
export const clockStatements = (url: string, millis: number): ReadonlyArray<string> => [
  `create or replace function public.clock_timestamp() returns timestamptz language sql volatile
     as 'select pg_catalog.clock_timestamp() + interval ''${millis} milliseconds'''`,
  // Ours is found first.
  `alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`
]

/** The database's clock goes ahead of this machine's by so many milliseconds. Its servers have to be started after it. */
export const setDatabaseAhead = async (url: string, millis: number): Promise<void> => {
  for (const statement of clockStatements(url, millis)) await query(url, statement)
}
