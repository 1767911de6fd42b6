/** A copy of a server's data that streams from it, as `pg_basebackup` and `standby.signal` make one. */
import { Effect, Redacted } from "effect"
import type { EmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { clientOf } from "./Waiting.ts"

/** `from`: the URL by which it reaches its primary; the primary's own unless set. Gives the folder of its data. */
export const copyForStandby = (primary: EmbeddedPostgres, from = primary.url, name = "standby") =>
  Effect.gen(function* () {
    const sql = yield* clientOf(Redacted.make(primary.url), 1)
    yield* sql`select pg_backup_start('standby', true)`
    const copy = primary.copyData(name)
    const [label] = yield* sql<{ labelfile: string }>`select labelfile from pg_backup_stop(false)`
    const { hostname, port } = new URL(from)
    const files = {
      backup_label: label?.labelfile ?? "",
      "standby.signal": "",
      "postgresql.auto.conf": `primary_conninfo = 'host=${hostname} port=${port} user=postgres'\n`
    }
    return { copy, files }
  }).pipe(Effect.scoped)
