import * as Ports from "@pointsman/core/ports"
import {
  makeAcknowledged,
  makeAudit,
  makeMerchants,
  makeOperators,
  makePasskeys,
  type Resume
} from "@pointsman/storage-sql"
import { Context, Effect, Layer, Redacted } from "effect"
import type { CommitOptions } from "./Commit.ts"
import type { GatherOptions } from "./CommitMany.ts"
import { type ConditionOptions, type Watching, watchCondition } from "./Condition.ts"
import { type Database, open, type PostgresOptions } from "./Database.ts"
import { make as makeDeliveries } from "./Deliveries.ts"
import { make as makeDirectory } from "./Directory.ts"
import { make as makeLedger } from "./Ledger.ts"
import { migrate, refuseLaidOut, requireSchema } from "./Migrate.ts"
import { makeReads } from "./Reads.ts"
import { make as makeRecordLosses } from "./RecordLoss.ts"
import { make as makeRetention } from "./Retention.ts"
import type { Value } from "./Rows.ts"
import { make as makeSealedTexts } from "./SealedTexts.ts"
import { make as makeSettlements } from "./Settlements.ts"
import { makeRates, sqlOf } from "./Sql.ts"
import { openStandby, type Standby, type StandbyOptions } from "./Standby.ts"

export interface PostgresStorageOptions extends PostgresOptions, CommitOptions, ConditionOptions, StandbyOptions {
  /**
   * `true` for a visitor: the database must hold the schema of this version, or the layer fails. Nothing is made and
   * nothing is brought up to date.
   */
  readonly existing?: boolean | undefined
}

/**
 * A store in one PostgreSQL database, which any number of servers may share. What it acknowledged is on the database's
 * disk: its sessions commit with `synchronous_commit` of at least `on`, and it fails on a database with `fsync=off`
 * unless `allowAsyncCommit` is set. The schema is brought up to date when the layer starts.
 */
export const layer = (options: PostgresStorageOptions) => layerGathering(options)

/** The same store, whose test decides when commits are written together. */
export const layerGathering = (
  options: PostgresStorageOptions & GatherOptions
): Layer.Layer<Ports.StorageServices, Ports.StorageError, Ports.Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const db = yield* open(options)
      yield* refuseLaidOut(db)
      yield* options.existing === true ? requireSchema(db) : migrate(db)
      // Half of the connections at most: the others are for payments.
      const lists = db.inLanes({ laneOf: () => 0, refusalOf: () => undefined })
      return yield* servicesOf(db, options, { lists })
    })
  )

/** `resume`: another way to resume what was given up. `lists`: the database as lists ask it. */
type Others = Watching & { readonly lists?: Database; readonly resume?: Resume<Value> }

export const servicesOf = Effect.fnUntraced(function* (
  db: Database,
  options: PostgresStorageOptions & GatherOptions,
  { lists, resume, ...watching }: Others = {}
) {
  const kept = makeRecordLosses(db, sqlOf(db))
  const acknowledged = makeAcknowledged({ isCompared: true })
  let standby: Standby | undefined
  const watched = { ...kept, acknowledged, readStandby: () => standby?.reading() }
  const { clock, condition, now, timeline } = yield* watchCondition(db, watched, options, watching)
  // The timeline is in the database by now, where its standbys find it.
  if (options.readUrl !== undefined) standby = yield* openStandby(db, { ...options, readUrl: options.readUrl })
  const reads = makeReads(db, standby, lists)
  const onAcknowledged = (change: Ports.Change) => acknowledged.note(change, now())
  const ledger = yield* makeLedger(db, { ...options, reads, history: timeline.history(), onAcknowledged })
  const sql = sqlOf(db, reads)
  const { directory, form } = yield* makeDirectory(db, resume)
  return Context.make(Ports.Ledger, ledger).pipe(
    Context.add(Ports.Deliveries, makeDeliveries(db, reads)),
    Context.add(Ports.Directory, directory),
    Context.add(Ports.Merchants, makeMerchants(sql, form)),
    Context.add(Ports.SealedTexts, makeSealedTexts(db, sql, form)),
    Context.add(Ports.SuccessRates, makeRates(db)),
    Context.add(Ports.RecordLosses, kept.losses),
    Context.add(Ports.Retention, makeRetention(db)),
    Context.add(Ports.Settlements, makeSettlements(db, sql)),
    Context.add(Ports.Audit, makeAudit(sql)),
    Context.add(Ports.Operators, makeOperators(sql)),
    Context.add(Ports.Passkeys, makePasskeys(sql)),
    Context.add(Ports.StorageClock, clock),
    Context.add(Ports.StorageHistory, timeline),
    Context.add(Ports.StorageCondition, condition)
  )
})

/** For `createPointsman` of `@pointsman/node`. `url`: `postgres://user:password@host:port/database`. */
export const postgres = (
  url: string,
  options: Pick<
    PostgresStorageOptions,
    "allowAsyncCommit" | "maxConnections" | "statementTimeoutMillis" | "lockTimeoutMillis" | "maxReadLagMillis"
  > & {
    /** A streaming standby, as `url`: see `StandbyOptions`. */
    readonly readUrl?: string | undefined
  } = {}
): Ports.StorageHandle => {
  const { readUrl } = options
  return readUrl === undefined || placeOf(readUrl) !== undefined
    ? handleOf(url, readUrl, (urls) => layer({ ...options, ...urls }))
    : handleOf(url, undefined, () => refused(`readUrl: ${urlExpected}`))
}

export const handleOf = (
  url: string,
  readUrl: string | undefined,
  layerOf: (urls: {
    readonly url: Redacted.Redacted
    readonly readUrl: Redacted.Redacted | undefined
  }) => Layer.Layer<Ports.StorageServices, Ports.StorageError, Ports.Ids>
): Ports.StorageHandle => {
  const place = placeOf(url)
  const redacted = (text: string) => Redacted.make(text, { label: "database URL" })
  return {
    name: `PostgreSQL ${place ?? "(invalid URL)"}`,
    lasts: true,
    "~pointsman/storage":
      place === undefined
        ? refused(urlExpected)
        : layerOf({ url: redacted(url), readUrl: readUrl === undefined ? undefined : redacted(readUrl) })
  }
}

const refused = (reason: string): Layer.Layer<Ports.StorageServices, Ports.StorageError> =>
  Layer.effectContext(Effect.fail(new Ports.StorageError({ operation: "open", cause: new Error(reason) })))

const urlExpected =
  "expected postgres://user:password@host:port/database, with reserved characters percent-encoded, " +
  "such as %40 for @"

/**
 * Host and database: the rest of the URL may hold a password. An unescaped "@" or "/" in it would let a part of it pass
 * for one of them, which is shown.
 */
const placeOf = (url: string): string | undefined => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^postgres(?:ql)?:$/u.test(parsed.protocol) || parsed.hash !== "") return undefined
  const isPlain = /^(?:\/[^/@]*)?$/u.test(parsed.pathname) && !parsed.search.includes("@")
  return isPlain ? `${parsed.host}${parsed.pathname}` : undefined
}
