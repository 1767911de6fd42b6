import {
  Deliveries,
  type Ids,
  Ledger,
  RecordLosses,
  Retention,
  SealedTexts,
  Settlements,
  type StorageError,
  type StorageHandle,
  type StorageServices,
  SuccessRates
} from "@pointsman/core/ports"
import { type Database, handleOf, type PostgresStorageOptions, servicesOf } from "@pointsman/storage-postgres/internal"
import { Context, Effect, Layer } from "effect"
import { byWorkspace } from "./ByWorkspace.ts"
import { ledgerOver } from "./Ledger.ts"
import { openDistributed, shardedOver } from "./Open.ts"
import {
  comparisonOver,
  deliveriesOver,
  ratesOver,
  resume,
  retentionOver,
  sealedTextsOver,
  settlementsOver
} from "./Services.ts"

/** A commit is a statement of one node: none is written together with others. A `readUrl` is refused. */
export type CitusStorageOptions = Omit<PostgresStorageOptions, "batchCommits">

/** `url` names any node. The tables are made and placed when the layer starts. */
export const layer = (options: CitusStorageOptions): Layer.Layer<StorageServices, StorageError, Ids> =>
  Layer.effectContext(Effect.flatMap(openDistributed(options), (db) => servicesOver(db, options)))

/** `node`: any one of a cluster in which everything is placed. */
export const servicesOver = Effect.fnUntraced(function* (node: Database, options: CitusStorageOptions) {
  const { db, nodes, watch } = shardedOver(node)
  const watching = { watch, comparison: comparisonOver(db), resume }
  const plain = yield* servicesOf(db, { ...options, batchCommits: false }, watching)
  return plain.pipe(
    Context.add(Ledger, ledgerOver(Context.get(plain, Ledger), db, nodes)),
    Context.add(Deliveries, deliveriesOver(Context.get(plain, Deliveries), db, nodes)),
    Context.add(SealedTexts, sealedTextsOver(Context.get(plain, SealedTexts))),
    Context.add(SuccessRates, ratesOver(Context.get(plain, SuccessRates), nodes)),
    Context.add(RecordLosses, byWorkspace(Context.get(plain, RecordLosses))),
    Context.add(Retention, retentionOver(Context.get(plain, Retention))),
    Context.add(Settlements, settlementsOver(Context.get(plain, Settlements)))
  )
})

/** For `createPointsman` of `@pointsman/node`. `url`: of any node, `postgres://user:password@host:port/database`. */
export const citus = (
  url: string,
  options: Omit<CitusStorageOptions, "existing" | "readUrl" | "url"> & { readonly readUrl?: string | undefined } = {}
): StorageHandle => handleOf(url, options.readUrl, (urls) => layer({ ...options, ...urls }))
