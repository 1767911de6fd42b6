import { resolve } from "node:path"
import type { SQLInputValue } from "node:sqlite"
import * as Ports from "@pointsman/core/ports"
import { makeAcknowledged, makeAudit, makeMerchants, makeOperators, makePasskeys } from "@pointsman/storage-sql"
import { Context, Effect, Layer } from "effect"
import { open, read, serve } from "./Database.ts"
import { make as makeDeliveries } from "./Deliveries.ts"
import { make as makeDirectory } from "./Directory.ts"
import { checkReplaced, type FileWatch, watchFile } from "./FileWatch.ts"
import { make as makeLedger } from "./Ledger.ts"
import { migrate, requireSchema } from "./Migrations.ts"
import { make as makeRecordLosses } from "./RecordLoss.ts"
import { make as makeRetention } from "./Retention.ts"
import { make as makeSealedTexts } from "./SealedTexts.ts"
import { searchThread } from "./SearchThread.ts"
import { make as makeSettlements } from "./Settlements.ts"
import { makeRates, sqlOf } from "./Sql.ts"

export interface SqliteStorageOptions {
  /**
   * Path of the database, or `:memory:`. A file that does not exist is created, for its owner alone (mode 0600); its
   * folder must exist. Several processes may share a file on a local disk.
   */
  readonly filename: string
  /**
   * `true` for a visitor: the file must be there with the schema of this version, or the layer fails. Nothing is made
   * and nothing is brought up to date. Not for `:memory:`.
   */
  readonly existing?: boolean
  /** Told after each durable write how many changes shared it. It must not throw. */
  readonly onCommit?: (durable: { readonly changes: number }) => void
}

/**
 * A store in one SQLite file. What it answered survives the process and, where the disk keeps its word, the machine.
 * When the layer's scope closes, the changes that wait are written first.
 */
export const layer = (
  options: SqliteStorageOptions
): Layer.Layer<Ports.StorageServices, Ports.StorageError, Ports.Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      if (options.existing === true) yield* requireSchema(options.filename)
      const acknowledged = makeAcknowledged({ isCompared: false })
      let watch: FileWatch | undefined
      const db = yield* Effect.acquireRelease(open(options.filename), (db) =>
        // Closing it would write what its log holds into the file that took its place.
        Effect.sync(() => (watch?.isReplaced() === true ? undefined : db.close()))
      )
      yield* migrate(db)
      serve(db)
      const search =
        options.filename === ":memory:"
          ? undefined
          : yield* searchThread(resolve(options.filename), (text, values) =>
              read("search", () => db.prepare(text).all(...(values as ReadonlyArray<SQLInputValue>)))
            )
      const sql = sqlOf(db, search)
      const losses = makeRecordLosses(sql)
      if (options.existing !== true) yield* checkReplaced(db, options.filename, losses)
      const { condition, isReplaced } = watchFile(options.filename, acknowledged)
      watch = { condition, isReplaced }
      const ledger = yield* makeLedger(db, {
        ...options,
        search,
        isReplaced,
        acknowledged
      })
      const { directory, form } = makeDirectory(db)
      return Context.make(Ports.Ledger, ledger).pipe(
        Context.add(Ports.Deliveries, makeDeliveries(db)),
        Context.add(Ports.Directory, directory),
        Context.add(Ports.Merchants, makeMerchants(sql, form)),
        Context.add(Ports.SealedTexts, makeSealedTexts(db, sql, form)),
        Context.add(Ports.SuccessRates, makeRates(sql)),
        Context.add(Ports.RecordLosses, losses),
        Context.add(Ports.Retention, makeRetention(db)),
        Context.add(Ports.Settlements, makeSettlements(db, sql)),
        Context.add(Ports.Audit, makeAudit(sql)),
        Context.add(Ports.Operators, makeOperators(sql)),
        Context.add(Ports.Passkeys, makePasskeys(sql)),
        Context.add(Ports.StorageCondition, condition)
      )
    })
  )

/**
 * Storage in a SQLite file, for `createPointsman` of `@pointsman/node`. `filename`: as `SqliteStorageOptions` has it, or
 * `:memory:` for a store that is gone with the process.
 */
export const sqlite = (filename: string): Ports.StorageHandle => ({
  name: `SQLite ${filename}`,
  lasts: filename !== ":memory:",
  "~pointsman/storage": layer({ filename })
})
