/** What the database says of itself, at the start and every two seconds after: settings or the server may change. */
import {
  NotAdmitted,
  type StandbyReading,
  type StorageCondition,
  StorageError,
  type StorageReading
} from "@pointsman/core/ports"
import type { Acknowledged, Row } from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import { inRealTime } from "./ConnectionMode.ts"
import { claimWaitMillis } from "./Connections.ts"
import { type Database, open, type PostgresOptions } from "./Database.ts"
import { type DatabaseClock, isRealTime, makeDatabaseClock, nowColumn } from "./DatabaseClock.ts"
import { newerSchema, newest, readSchema, schemaOf, selectSchema } from "./Migrate.ts"
import { type Comparison, comparisonIn, type KeptLosses, newestLossColumn, watchLosses } from "./RecordLoss.ts"
import { openStandby, type StandbyOptions, standbyWarning } from "./Standby.ts"
import { makeTimeline, type Timeline } from "./Timeline.ts"

export interface ConditionOptions {
  /**
   * `true` accepts a database that acknowledges commits before they are on its disk (`fsync=off`, or a pooler that
   * keeps `synchronous_commit` below `on`): a crash of its machine loses acknowledged payments. `false` unless set.
   */
  readonly allowAsyncCommit?: boolean | undefined
}

export interface Durability {
  /** Why acknowledged payments may be lost by a crash of the database alone. */
  readonly faults: ReadonlyArray<string>
  /** What else may lose or damage records. */
  readonly warnings: ReadonlyArray<string>
}

const readEvery = "2 seconds"
const full = `requests have waited for a connection to the database for more than ${claimWaitMillis} ms`

/** A base backup and a logical subscriber are no standbys that a failover could promote. */
export const durabilityColumns = `current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as synchronous_standby_names,
  (
    select count(*)::int from pg_stat_replication as r where application_name is distinct from 'pg_basebackup'
      and not exists (select 1 from pg_replication_slots as s where s.active_pid = r.pid and s.slot_type = 'logical')
  ) as standbys`

/** https://www.postgresql.org/docs/current/runtime-config-wal.html */
export const durabilityOf = (row: Row): Durability => {
  const faults: Array<string> = []
  const warnings: Array<string> = []
  if (row["fsync"] !== "on") {
    faults.push("fsync is off in the database: if its machine crashes, acknowledged payments are lost")
  }
  const commit = String(row["synchronous_commit"])
  if (commit !== "on" && commit !== "remote_apply") {
    faults.push(
      `synchronous_commit is ${commit} although this storage sets it when it connects, so a connection pooler dropped ` +
        "it: if the database crashes or fails over, acknowledged payments are lost"
    )
  }
  if (row["full_page_writes"] !== "on") {
    warnings.push(
      "full_page_writes is off in the database: if its machine crashes during a write, tables may be damaged, unless " +
        "the file system prevents partial page writes"
    )
  }
  if (Number(row["standbys"]) > 0 && row["synchronous_standby_names"] === "") {
    warnings.push(
      "the database has standbys and synchronous_standby_names is empty: a failover to one of them loses the payments " +
        "that were acknowledged and not replicated yet"
    )
  }
  return { faults, warnings }
}

/** A newer server may migrate the database while this one runs. */
const selectCondition = `select ${durabilityColumns}, version.schema, ${newestLossColumn}, ${nowColumn}
  from (${selectSchema}) as version`

const remedy = "turn it on, or set POINTSMAN_ALLOW_ASYNC_COMMIT=true (allowAsyncCommit) if that loss is acceptable"

/** What does not pass by itself; an operator has to act. */
const readingOf = (row: Row, { allowAsyncCommit = false }: ConditionOptions, more?: Durability): StorageReading => {
  const own = durabilityOf(row)
  const faults = [...own.faults, ...(more?.faults ?? [])]
  const risks = [...own.warnings, ...(more?.warnings ?? [])]
  const refusals = allowAsyncCommit ? [] : faults.map((fault) => `${fault}; ${remedy}`)
  const schema = readSchema(row)
  if (schema > newest) refusals.unshift(newerSchema(schema))
  return {
    refusal: refusals.length === 0 ? null : refusals.join("; "),
    warnings: allowAsyncCommit ? [...faults, ...risks] : risks
  }
}

/** Further from the database's clock than this, a machine's clock is a finding; and no server serves by it. */
const suspectClockMillis = 2_000
const wrongClockMillis = 30_000

/** With what passes when the machine's clock is right again. */
const withClock = ({ refusal, warnings }: StorageReading, clockAheadMillis: number): StorageReading => {
  const ahead = Math.abs(clockAheadMillis)
  const way = clockAheadMillis > 0 ? "ahead of" : "behind"
  const found = `this machine's clock is ${Math.round(ahead / 1_000)} s ${way} the database's: synchronize both`
  if (ahead > wrongClockMillis) return { refusal: refusal ?? found, warnings, clockAheadMillis }
  return { refusal, warnings: ahead > suspectClockMillis ? [...warnings, found] : warnings, clockAheadMillis }
}

interface Watched extends KeptLosses {
  readonly acknowledged: Acknowledged
  /** `undefined` where there is none, or none yet. */
  readonly readStandby: () => StandbyReading | undefined
}

/** What is watched in the place of the timeline of one server. `durability`: what the last look found besides. */
export interface Watch extends Timeline {
  readonly durability: () => Durability
}

export interface Watching {
  readonly watch?: ((clock: DatabaseClock) => Watch) | undefined
  readonly comparison?: Comparison | undefined
}

/** Fails where the database may not be used. Otherwise it is watched until the scope closes. */
export const watchCondition = Effect.fnUntraced(function* (
  db: Database,
  { acknowledged, learning, losses, readStandby }: Watched,
  options: ConditionOptions & { readonly existing?: boolean | undefined },
  { comparison = comparisonIn(db), watch: watchMore }: Watching = {}
) {
  const base = yield* Clock.Clock
  const clock = makeDatabaseClock(base)
  const aheadMillis = () => (isRealTime(base) ? clock.aheadMillis() : 0)
  const more = watchMore?.(clock)
  const timeline = more ?? makeTimeline(db, clock)
  const now = clock.clock.currentTimeMillisUnsafe
  const compare = watchLosses(comparison, acknowledged, losses, now)
  const look = Effect.gen(function* () {
    const begun = clock.begin()
    const row = yield* learning("open", selectCondition)
    clock.learn(begun, row["now"] as number)
    yield* timeline.look
    yield* compare
    const { refusal, warnings } = readingOf(row, options, more?.durability())
    const standby = readStandby()
    const others = [timeline.warning(), standby && standbyWarning(standby)]
    return { refusal, warnings: [...warnings, ...others.filter((one) => one !== undefined)] }
  })
  // The first round trip may have set up a connection.
  const first = yield* Effect.andThen(look, look)
  if (first.refusal !== null) {
    return yield* new StorageError({ operation: "open", cause: new Error(first.refusal) })
  }
  let latest = withClock(first, aheadMillis())
  // A visitor's operator hears it from the server, or from the doctor.
  if (options.existing !== true) yield* tell(undefined, latest)
  const again = Effect.gen(function* () {
    yield* Effect.sleep(readEvery)
    const before = latest
    latest = withClock(yield* look, aheadMillis())
    yield* tell(before, latest)
  })
  // While the database does not answer, what it said last applies.
  yield* Effect.forkScoped(Effect.forever(Effect.ignore(again)))
  const condition: StorageCondition = {
    read: Effect.sync(() => ({ ...latest, standby: readStandby() })),
    admit: Effect.suspend(() => {
      const reason = latest.refusal ?? (db.longestWaitMillis() > claimWaitMillis ? full : null)
      return reason === null ? Effect.void : Effect.fail(new NotAdmitted({ reason, retryAfterMillis: claimWaitMillis }))
    })
  }
  return { clock: isRealTime(base) ? clock : undefined, condition, now, timeline }
})

/** A number in a sentence may change with every reading. */
const withoutNumbers = (sentence: string): string => sentence.replaceAll(/\d+/gu, "")

const tell = Effect.fnUntraced(function* (before: StorageReading | undefined, { refusal, warnings }: StorageReading) {
  const told = new Set(before?.warnings.map(withoutNumbers))
  for (const warning of warnings) if (!told.has(withoutNumbers(warning))) yield* Effect.logWarning(warning)
  if (withoutNumbers(refusal ?? "") === withoutNumbers(before?.refusal ?? "")) return
  if (refusal === null) yield* Effect.logInfo("the storage takes new requests again")
  else yield* Effect.logError(`the storage takes no new requests: ${refusal}`)
})

export interface Inspection {
  /** The number of its schema; `null` if it has none of our schemas. */
  readonly schema: number | null
  /** That of this version. */
  readonly newest: number
  /** How far the database's clock is ahead of this process's, in milliseconds, to within half a round trip. */
  readonly clockAheadMillis: number
  /** Whether what it acknowledges survives a crash. */
  readonly durability: Durability
  /** Whether `readUrl` may be read; `null` without one. */
  readonly standby: StandbyReading | null
}

/** What a database is, without opening it as a storage. Fails where it cannot be reached. */
export const inspect = (options: PostgresOptions & StandbyOptions): Effect.Effect<Inspection, StorageError> =>
  Effect.gen(function* () {
    const db = yield* open({ ...options, maxConnections: 1 })
    const schema = yield* schemaOf(db)
    const [settings = {}] = yield* db.read("open", `select ${durabilityColumns}`)
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* db.read("open", `select ${nowColumn}`)
    const after = yield* Clock.currentTimeMillis
    const clockAheadMillis = Math.round(Number(row?.["now"]) - (before + after) / 2)
    const read = { schema, newest, durability: durabilityOf(settings), clockAheadMillis }
    if (options.readUrl === undefined) return { ...read, standby: null }
    const standby = yield* openStandby(db, { ...options, readUrl: options.readUrl })
    // A standby that follows has what the primary had at the first look by the second one.
    if (standby.reading().fault !== null) yield* inRealTime(Effect.sleep("1.5 seconds"))
    return { ...read, standby: standby.reading() }
  }).pipe(Effect.scoped)
