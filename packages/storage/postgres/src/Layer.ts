import {
  Audit,
  Deliveries,
  Directory,
  type Ids,
  Ledger,
  Merchants,
  Operators,
  Passkeys,
  RecordLosses,
  Retention,
  SealedTexts,
  StorageClock,
  StorageCondition,
  type StorageError,
  StorageHistory,
  SuccessRates
} from "@pointsman/core/ports"
import { makeAcknowledged } from "@pointsman/storage-sql"
import { Context, Effect, Layer } from "effect"
import { make as makeAudit } from "./Audit.ts"
import type { CommitOptions } from "./Commit.ts"
import type { GatherOptions } from "./CommitMany.ts"
import { type ConditionOptions, watchCondition } from "./Condition.ts"
import { open, type PostgresOptions } from "./Database.ts"
import { make as makeDeliveries } from "./Deliveries.ts"
import { make as makeDirectory } from "./Directory.ts"
import { make as makeLedger } from "./Ledger.ts"
import { make as makeMerchants } from "./Merchants.ts"
import { migrate } from "./Migrate.ts"
import { mayHaveOlderServers, requireSchema } from "./Migrations.ts"
import { make as makeOperators } from "./Operators.ts"
import { make as makePasskeys } from "./Passkeys.ts"
import { makeReads } from "./Reads.ts"
import { make as makeRecordLosses } from "./RecordLoss.ts"
import { make as makeRetention } from "./Retention.ts"
import { make as makeSealedTexts } from "./SealedTexts.ts"
import { openStandby, type Standby, type StandbyOptions } from "./Standby.ts"
import { make as makeSuccessRates } from "./SuccessRates.ts"

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
): Layer.Layer<Ledger | Deliveries | Directory | Merchants | SuccessRates | SealedTexts, StorageError, Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const db = yield* open(options)
      const schema = yield* options.existing === true ? requireSchema(db) : migrate(db)
      const { learning, losses } = makeRecordLosses(db)
      const acknowledged = makeAcknowledged({ isCompared: true })
      let standby: Standby | undefined
      const readStandby = () => standby?.reading()
      const watched = { acknowledged, learning, losses, readStandby }
      const { clock, condition, now, timeline } = yield* watchCondition(db, watched, options)
      // The timeline is in the database by now, where its standbys find it.
      if (options.readUrl !== undefined) standby = yield* openStandby(db, { ...options, readUrl: options.readUrl })
      const reads = makeReads(db, standby)
      const ledger = yield* makeLedger(db, {
        ...options,
        reads,
        history: timeline.history(),
        isWhole: mayHaveOlderServers(schema),
        onAcknowledged: (change) => acknowledged.note(change, now())
      })
      const { directory, forget } = yield* makeDirectory(db)
      return Context.make(Ledger, ledger).pipe(
        Context.add(Deliveries, makeDeliveries(db, reads)),
        Context.add(Directory, directory),
        Context.add(Merchants, makeMerchants(db, forget)),
        Context.add(SealedTexts, makeSealedTexts(db, forget)),
        Context.add(SuccessRates, makeSuccessRates(db)),
        Context.add(RecordLosses, losses),
        Context.add(Retention, makeRetention(db)),
        Context.add(Audit, makeAudit(db, reads)),
        Context.add(Operators, makeOperators(db)),
        Context.add(Passkeys, makePasskeys(db)),
        Context.add(StorageClock, clock),
        Context.add(StorageHistory, timeline),
        Context.add(StorageCondition, condition)
      )
    })
  )
