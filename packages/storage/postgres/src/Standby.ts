/**
 * A standby that answers what may be some seconds old. It is looked at once a second, and on the connection of each read: a
 * URL may name several standbys, and one may be promoted or follow another primary at any moment.
 */
import { type StandbyReading, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inRealTime, readConnectionMode } from "./ConnectionMode.ts"
import { makeConnections } from "./Connections.ts"
import { type Database, openPool, type PostgresOptions, type Query, rowsOf } from "./Database.ts"
import { nowColumn } from "./DatabaseClock.ts"
import { codeOf, codes, noAnswerCause, storageError } from "./SqlFailures.ts"
import { refusals, selectTimeline } from "./Timeline.ts"

export interface StandbyOptions {
  /**
   * A streaming standby of the database, as `url`. Lists of payments, messages and webhooks, exports, searches of the audit
   * trail and events are then read there where their caller allows it (`StaleReads`).
   */
  readonly readUrl?: Redacted.Redacted | undefined
  /** A standby that is further behind is not used: 30,000 milliseconds unless set, 1,000 to 3,600,000. */
  readonly maxReadLagMillis?: number | undefined
}

export type Standby = Effect.Success<ReturnType<typeof openStandby>>

/** On one connection, which was found to be on the timeline just before. `lsn`: what it had replayed by then. */
type Use = <A>(
  operation: string,
  timeline: string,
  read: (query: Query, lsn: bigint) => Effect.Effect<A, SqlError | StorageError>
) => Effect.Effect<A, StorageError>

const lookEvery = "1 second"
/** A standby that takes longer does not spare its primary anything. */
const lookMillis = 2_000
const readMillis = 3_000
/** It may be behind a pooler, which is not known before it answers. */
const mode = { isPooled: true, synchronousCommit: "on" } as const
const connections = 4
const defaultMaxLagMillis = 30_000
/** From one look to the next, and as long as positions of the primary are kept: one for each second. */
const lagLimits = { least: 1_000, most: 3_600_000 } as const

/** Equal in a primary and its standbys, and nowhere else: they are copies of the same files. */
const identity = `(select system_identifier from pg_control_system())::text as system,
  (select oid from pg_database where datname = current_database())::text || '/'
    || coalesce(to_regclass('payments')::oid::text, '') as tables, pg_is_in_recovery() as is_standby`

/**
 * What was committed is flushed before it shows. The position of inserts may be beyond the last record on an idle server.
 */
const selectPosition = `select (pg_current_wal_flush_lsn() - '0/0')::text as lsn, ${selectTimeline} as timeline`
const selectPrimary = `${selectPosition}, ${identity}, current_setting('synchronous_commit') as synchronous_commit,
  ${nowColumn}`

/** A primary records its timeline in a row (`Timeline.ts`). A standby with that row has replayed what came before it. */
const selectStandby = `select (pg_last_wal_replay_lsn() - '0/0')::text as lsn, ${identity},
  exists (select 1 from timelines where timeline = $1) as follows`
/** By the primary's clock: when the last transaction that it replayed was committed. */
const selectLastAt = "select (extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::double precision as last_at"

const positionOf = (at: number, row: Row | undefined): Position => ({
  at,
  lsn: BigInt(String(row?.["lsn"])),
  timeline: String(row?.["timeline"])
})

/** To be read after what it is the position of. */
export const readPosition = (db: Database): Effect.Effect<Position, StorageError> =>
  Effect.suspend(() => {
    const at = performance.now()
    return Effect.map(db.read("events", selectPosition), ([row]) => positionOf(at, row))
  })

export const openStandby = Effect.fnUntraced(function* (
  db: Database,
  options: PostgresOptions & StandbyOptions & { readonly readUrl: Redacted.Redacted }
) {
  const maxLagMillis = options.maxReadLagMillis ?? defaultMaxLagMillis
  if (!(maxLagMillis >= lagLimits.least && maxLagMillis <= lagLimits.most)) {
    const expected = `expected ${lagLimits.least} to ${lagLimits.most} milliseconds`
    return yield* new StorageError({ operation: "open", cause: new Error(`maxReadLagMillis: ${expected}`) })
  }
  const at = { ...options, url: options.readUrl }
  const open = (maxConnections: number, answerMillis: number) =>
    Effect.map(openPool(at, readMillis, mode, maxConnections), (pool) => makeConnections(pool, answerMillis))
  const reads = yield* open(connections, readMillis)
  const looks = yield* open(1, lookMillis)
  const positions = makePositions(2 * maxLagMillis)
  let primary: Row | undefined
  let isExamined = false
  let latest: StandbyReading = { fault: "it was not looked at yet", lagMillis: null }

  const used =
    (from: typeof reads): Use =>
    (operation, timeline, read) => {
      const failed = (cause: Error) => new StorageError({ operation, cause })
      const late = (millis: number) => failed(noAnswerCause(millis))
      return from
        .lend({ operation, isWrite: false, late }, (connection) => {
          const query: Query = (sql, params) => rowsOf(connection, sql, params)
          return Effect.flatMap(query(selectStandby, [timeline]), ([row = {}]) => {
            const fault = primary === undefined ? "the primary was not compared with it" : faultOf(row, primary)
            return fault === undefined ? read(query, BigInt(String(row["lsn"]))) : Effect.fail(failed(new Error(fault)))
          }).pipe(Effect.mapError((error) => (error._tag === "SqlError" ? storageError(operation, error) : error)))
        })
        .pipe(Effect.timeoutOrElse({ duration: readMillis, orElse: () => Effect.fail(late(readMillis)) }), inRealTime)
    }

  /** The primary as it is compared with; fails with the reason why nothing can be compared. */
  const compared = Effect.gen(function* () {
    const at = performance.now()
    const [row = {}] = yield* Effect.mapError(db.read("standby", selectPrimary, [], true), (error) =>
      refusals.has(codeOf(error))
        ? "the primary does not say which timeline it is on (pg_control_system, pg_walfile_name)"
        : "the primary does not answer"
    )
    if (row["synchronous_commit"] === "off") return yield* Effect.fail("synchronous_commit is off at the primary")
    positions.add(positionOf(at, row))
    primary = row
    return row
  }).pipe(Effect.catch((fault) => (primary === undefined ? Effect.fail(fault) : Effect.succeed(primary))))
  const look = Effect.gen(function* () {
    const { now } = yield* compared
    if (!isExamined) yield* Effect.mapError(readConnectionMode(options.readUrl), reasonOf)
    isExamined = true
    const asked = used(looks)("standby", positions.latest()?.timeline ?? "", (query, lsn) =>
      Effect.map(query(selectLastAt), ([row]) => ({ lsn, lastAt: row?.["last_at"] }))
    )
    const { lastAt, lsn } = yield* Effect.mapError(asked, reasonOf)
    const moment = positions.momentOf(lsn)
    const sinceLast = typeof lastAt === "number" ? Number(now) - lastAt : null
    const lag = moment === undefined ? sinceLast : performance.now() - moment
    const lagMillis = lag === null ? null : Math.max(0, Math.round(lag))
    return { fault: lagFault(moment, lagMillis, maxLagMillis), lagMillis }
  }).pipe(Effect.catch((fault) => Effect.succeed({ fault, lagMillis: null })))
  const again = Effect.gen(function* () {
    const before = latest
    latest = yield* look
    if (latest.fault === null && before.fault !== null) yield* Effect.logInfo("reads that may be old go to the standby")
  })
  yield* again
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(inRealTime(Effect.sleep(lookEvery)), again)))
  return { reading: () => latest, maxLagMillis, positions, use: used(reads) }
})

/** Why what it holds is not what the primary held at some moment. */
const faultOf = (row: Row, primary: Row): string | undefined => {
  if (row["system"] !== primary["system"]) {
    return `it is of another cluster: its system identifier is ${row["system"]}, and the primary's ${primary["system"]}`
  }
  if (row["is_standby"] !== true) return "it is not a standby: it was promoted, or is the primary itself"
  if (row["tables"] !== primary["tables"]) {
    return "it is another database, or its search_path names another schema: expected those of the primary"
  }
  if (row["follows"] !== true) return "it has not followed the primary to its timeline"
  return undefined
}

const lagFault = (moment: number | undefined, lagMillis: number | null, maxLagMillis: number): string | null => {
  const most = `more than ${Math.round(maxLagMillis / 1_000)} s`
  if (lagMillis !== null && lagMillis > maxLagMillis) {
    return `it is ${Math.round(lagMillis / 1_000)} s behind the primary, ${most}`
  }
  return moment === undefined ? "it has not replayed yet what the primary had when they were first compared" : null
}

const reasonOf = (error: StorageError): string => {
  if (codeOf(error) === codes.undefinedTable) {
    return "it has no tables of Pointsman: expected a standby of the primary, and the same database"
  }
  return error.cause instanceof Error ? error.cause.message : "it does not answer"
}

export const standbyWarning = ({ fault }: StandbyReading): string | undefined =>
  fault === null
    ? undefined
    : `the standby of POINTSMAN_DATABASE_READ_URL (readUrl) is not used, and all reads go to the primary: ${fault}`

/**
 * The primary says at which position of its log it is, once a second; a standby that has replayed up to it shows
 * everything that was committed by then. No clock of either server is read, and an idle primary makes no standby look
 * old.
 */
export interface Position {
  /** When the primary was asked, by `performance.now()`. */
  readonly at: number
  /** Bytes of the log. */
  readonly lsn: bigint
  /** System identifier and timeline: positions of two timelines do not compare. */
  readonly timeline: string
}

/** `keepMillis`: an older moment is not asked for. */
export const makePositions = (keepMillis: number) => {
  let positions: ReadonlyArray<Position> = []
  return {
    add: (position: Position) => {
      const kept = positions.filter(({ at, timeline }) => {
        return timeline === position.timeline && position.at - at <= keepMillis
      })
      positions = [...kept, position]
    },
    latest: (): Position | undefined => positions.at(-1),
    /** The newest moment that a standby of the latest timeline shows; `undefined` where it is older than all that is kept. */
    momentOf: (lsn: bigint) => positions.findLast((position) => position.lsn <= lsn)?.at
  }
}
