/** Losses of records in PostgreSQL. What is known in this process is read with the database's condition. */
import type { RecordLoss, RecordLosses } from "@pointsman/core/ports"
import { makeRecordLosses, type Row, readRecordLoss, type Sql } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import type { Value } from "./Rows.ts"

export interface KeptLosses {
  readonly losses: RecordLosses
  /** A read of the newest loss among other things, from which this process learns. */
  readonly learning: <E>(read: Effect.Effect<Row, E>) => Effect.Effect<Row, E>
}

/** The newest loss as one JSON object; null for none. */
export const newestLossColumn = `(
    select to_jsonb(l) || jsonb_build_object('recovered', coalesce(
      (select jsonb_agg(connection_id order by connection_id) from recovered_connections where loss = l.number), '[]'
    ), 'refunds_wait', coalesce(
      (select jsonb_agg(connection_id order by connection_id) from recovered_connections
        where loss = l.number and refunds_wait), '[]'
    )) from record_losses as l order by number desc limit 1
  ) as record_loss`

const readNewestLoss = (row: Row): RecordLoss | null => {
  const loss = row["record_loss"] as Row | null | undefined
  const ids = (name: string) => loss?.[name] as ReadonlyArray<string>
  return loss == null ? null : readRecordLoss(loss, ids("recovered"), ids("refunds_wait"))
}

const selectNewest = `select ${newestLossColumn}`

export const make = (db: Database, sql: Sql<Value>): KeptLosses => {
  let known: RecordLoss | null = null
  let declarations = 0
  // What was read before a declaration of this process says nothing of it.
  const learning: KeptLosses["learning"] = (read) =>
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
