/** A promoted standby begins a new timeline, with a clock of its own, and possibly without the last commits. */
import { firstVersionIn } from "@pointsman/core/internal"
import type { StorageError, StorageHistory } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import type { DatabaseClock } from "./DatabaseClock.ts"
import { codeOf } from "./SqlFailures.ts"

export interface Timeline extends StorageHistory {
  /** Asks the database; a new timeline is recorded, and ages begin anew. */
  readonly look: Effect.Effect<void, StorageError>
  /** What an operator should know; a sentence. */
  readonly warning: () => string | undefined
  /** Before the versions of the timeline that a statement runs on, in SQL; `undefined` where the database does not say. */
  readonly history: () => string | undefined
}

/** The first eight digits of a file of the log are its timeline, in hexadecimal. */
const digits = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
export const selectTimeline = `(select system_identifier from pg_control_system())::text || '/' || ${digits}`
/** As core's `firstVersionIn`, and 1 less. Asked in each commit: no other moment is that of its write. */
export const history = `((('x' || ${digits})::bit(32)::bigint - 1) << 32)`

const record = `insert into timelines (timeline, noticed_at)
  values ($1, (extract(epoch from clock_timestamp()) * 1000)::bigint) on conflict do nothing`

/** Records a timeline that is new, and lets ages begin anew where it follows another one. `others`: which these are, in SQL. */
export const noticeTimeline = Effect.fnUntraced(function* (
  db: Database,
  clock: DatabaseClock,
  timeline: string,
  others = "true"
) {
  const select = `select noticed_at, exists (
      select 1 from timelines where ${others} and timeline <> $1
    ) as is_changed from timelines where timeline = $1`
  const noticed = Effect.map(db.read("timeline", select, [timeline], true), ([row]) => row)
  const row = (yield* noticed) ?? (yield* Effect.andThen(db.update("timeline", record, [timeline]), noticed))
  if (row?.["is_changed"] === true) clock.changed(Number(row["noticed_at"]))
})

/** `of`: of the database, or of a node. */
export const warnOfTimeline = (of: string, timeline: string, before: string) =>
  Effect.logWarning(
    `${of} is on another timeline (${timeline}, before: ${before}): "never received" is believed of no call before its ` +
      "full age has passed from now on"
  )

/** Insufficient privilege, no such function, not supported: as hosted databases answer. */
export const refusals: ReadonlySet<unknown> = new Set(["42501", "42883", "0A000"])

export const unknownTimeline =
  "the database does not say which timeline it is on (pg_control_system, pg_walfile_name): after a failover, " +
  "times from the previous primary are compared with the clock of the new one, and a request that began before it may " +
  "overwrite a record of the new one"

export const makeTimeline = (db: Database, clock: DatabaseClock): Timeline => {
  let latest: string | undefined
  let isRefused = false
  const look = Effect.gen(function* () {
    if (isRefused) return
    const [row] = yield* db.read("timeline", `select ${selectTimeline} as timeline`, [], true)
    const timeline = row?.["timeline"] as string
    if (timeline === latest) return
    yield* noticeTimeline(db, clock, timeline)
    if (latest !== undefined) yield* warnOfTimeline("the database", timeline, latest)
    latest = timeline
  })
  return {
    look: Effect.catch(look, (error) => {
      if (!refusals.has(codeOf(error))) return Effect.fail(error)
      isRefused = true
      return Effect.void
    }),
    warning: () => (isRefused ? unknownTimeline : undefined),
    history: () => (isRefused ? undefined : history),
    firstVersion: () => firstVersionIn(latest === undefined ? 1 : Number.parseInt(latest.slice(-8), 16))
  }
}
