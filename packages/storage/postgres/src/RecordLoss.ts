/** Losses of records in PostgreSQL. What is known in this process is read with the database's condition. */
import type { RecordLoss } from "@pointsman/core/ports"
import { makeRecordLosses, type Row, readRecordLoss, type Sql } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import type { Value } from "./Rows.ts"

/** The newest loss as one JSON object; null for none. */
export const newestLossColumn = `(
    select to_jsonb(l) || jsonb_build_object('marked', array(
      select to_jsonb(c) from recovered_connections as c where loss = l.number order by connection_id
    )) from record_losses as l order by number desc limit 1
  ) as record_loss`

const readNewestLoss = (row: Row): RecordLoss | null => {
  const loss = row["record_loss"] as (Row & { readonly marked: ReadonlyArray<Row> }) | null | undefined
  const idsOf = (some: ReadonlyArray<Row>) => some.map((one) => one["connection_id"] as string)
  return loss == null
    ? null
    : readRecordLoss(loss, idsOf(loss.marked), idsOf(loss.marked.filter((one) => one["refunds_wait"] === true)))
}

const selectNewest = `select ${newestLossColumn}`

export type KeptLosses = ReturnType<typeof make>

export const make = (db: Database, sql: Sql<Value>) => {
  let known: RecordLoss | null = null
  let declarations = 0
  /** A read of the newest loss among other things. What was read before a declaration of this process says nothing of it. */
  const learning = <E>(read: Effect.Effect<Row, E>): Effect.Effect<Row, E> =>
    Effect.suspend(() => {
      const begun = declarations
      return Effect.tap(read, (row) =>
        Effect.sync(() => {
          if (declarations === begun) known = readNewestLoss(row)
        })
      )
    })
  const newest = Effect.map(
    learning(Effect.map(db.read("recordLoss", selectNewest, [], true), ([row = {}]) => row)),
    readNewestLoss
  )
  const declared = (loss: RecordLoss) =>
    Effect.sync(() => {
      declarations++
      known = loss
    })
  const losses = makeRecordLosses(
    sql,
    Effect.sync(() => known),
    (loss) => (loss === undefined ? Effect.ignore(newest) : declared(loss))
  )
  return { losses: { ...losses, newest }, learning }
}
