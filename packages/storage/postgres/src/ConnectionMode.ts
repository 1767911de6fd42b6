/**
 * What is at the other end of the URL: a server, directly or behind a pooler that keeps one session for each of its
 * clients. The time-outs and `synchronous_commit` of a session are set once, each statement is prepared once, one session
 * listens, and one holds the lock of a migration. A pooler that shares sessions breaks all of it, mostly without an
 * error.
 */
import { PgConnection } from "@effect/sql-pg"
import { StorageError } from "@pointsman/core/ports"
import { Clock, Effect, type Redacted } from "effect"
import { storageError } from "./SqlFailures.ts"

export interface ConnectionMode {
  /** `true` behind a pooler: it takes no settings with the start of a connection. */
  readonly isPooled: boolean
  /** What a role, the database or the server sets for a session that asks for nothing. */
  readonly synchronousCommit: string
}

/** A pooler that has no session left keeps its client waiting. */
const sessionMillis = 5_000

const selectServer = `select current_setting('server_version') as version, pg_backend_pid() as pid,
  current_setting('synchronous_commit') as synchronous_commit`
const setMark = "select set_config('pointsman.session', $1, false)"
const selectMark = "select current_setting('pointsman.session', true) as mark"

const sharedSessions =
  "a connection pooler gives one server session to several clients: expected a direct connection to PostgreSQL, or a " +
  "pooler that keeps a session for each client (PgBouncer: pool_mode = session). Time-outs, synchronous_commit, prepared " +
  "statements, notifications and locks belong to a session"

const noSession =
  `the connection pooler gave no second session within ${sessionMillis / 1_000} s: expected a pool of at least as many ` +
  "sessions as maxConnections of every process (PgBouncer: default_pool_size)"

/** Fails where the storage may not run on it. */
export const readConnectionMode = (url: Redacted.Redacted): Effect.Effect<ConnectionMode, StorageError> =>
  Effect.gen(function* () {
    const connect = PgConnection.make({ url, applicationName: "pointsman" })
    const first = yield* connect
    const { rows: found } = yield* first.query(selectServer, [], false)
    const refusal = versionRefusal(String(found[0]?.["version"]))
    if (refusal !== undefined) return yield* failed(refusal)
    // A pooler tells each of its clients an identifier of its own.
    const isPooled = found[0]?.["pid"] !== first.processId
    if (isPooled) {
      const second = yield* connect
      yield* first.query(setMark, ["first"], false)
      const marked = Effect.gen(function* () {
        yield* second.query(setMark, ["second"], false)
        return yield* second.query(selectMark, [], false)
      })
      const ofSecond = yield* Effect.timeoutOrElse(marked, {
        duration: sessionMillis,
        orElse: () => failed(noSession)
      })
      const ofFirst = yield* first.query(selectMark, [], false)
      // In this order a pooler that goes round its sessions shows it too.
      const again = yield* first.query(selectMark, [], false)
      const marks = [ofFirst, ofSecond, again].map(({ rows: [row] }) => row?.["mark"])
      if (marks.join() !== "first,second,first") return yield* failed(sharedSessions)
    }
    return { isPooled, synchronousCommit: String(found[0]?.["synchronous_commit"]) }
  }).pipe(
    Effect.scoped,
    inRealTime,
    Effect.mapError((error) => (error._tag === "SqlError" ? storageError("open", error) : error))
  )

const failed = (reason: string) => Effect.fail(new StorageError({ operation: "open", cause: new Error(reason) }))

/** The network's time passes by itself, whatever clock the program is given. */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())

/** Still maintained (https://www.postgresql.org/support/versioning/). */
const oldestMajor = 15

/** `version`: such as "15.18 (Debian 15.18-1)", or "19beta1". A newer server than was tested is used. */
export const versionRefusal = (version: string): string | undefined =>
  Number.parseInt(version, 10) >= oldestMajor
    ? undefined
    : `the server is PostgreSQL ${version.split(" ")[0]}: expected PostgreSQL ${oldestMajor} or newer`
