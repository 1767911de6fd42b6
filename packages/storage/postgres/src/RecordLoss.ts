/** Losses of records in PostgreSQL. What is known in this process is read with the database's condition. */
import { declaredLoss, type RecordLoss, type RecordLosses, StorageError } from "@pointsman/core/ports"
import { type Row, readRecordLoss } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { transactions } from "./LoggedSteps.ts"
import { bindTenant, bindText } from "./Rows.ts"

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
/** Those who write take turns. */
const lock = "lock table record_losses in share row exclusive mode"
const put = `insert into record_losses (number, since, reason, declared_at) values ($1, $2, $3, $4)
  on conflict (number) do update set since = excluded.since, declared_at = excluded.declared_at`
const forgetRecovered = "delete from recovered_connections where loss = $1"
const markOne = `with open as (
    select number from record_losses
    where number = $1 and declared_at = $2 and outcome is null for share
  ), marked as (
    insert into recovered_connections as c (loss, connection_id, refunds_wait) select number, $3, $4 = 'true' from open
    on conflict (loss, connection_id) do update set refunds_wait = c.refunds_wait and excluded.refunds_wait
  ) select number from open`
const endOne = `update record_losses set outcome = $3, ended_at = $4
  where number = $1 and declared_at = $2 and outcome is null returning number`

const fileOne = `insert into recovered_keys (workspace_id, environment, tag, kind, payment_id)
  values ($1, $2, $3, $4, $5) on conflict do nothing`

/** The same in two statements, where one cannot lock and write. */
const lockOpen = `select number from record_losses
  where number = $1 and declared_at = $2 and outcome is null for share`
const markStep = `insert into recovered_connections as c (loss, connection_id, refunds_wait) values ($1, $2, $3 = 'true')
  on conflict (loss, connection_id) do update set refunds_wait = c.refunds_wait and excluded.refunds_wait`
const release = `update recovered_connections set refunds_wait = false
  where loss = $1 and refunds_wait and ($2 = '' or connection_id = $2) returning loss`

const markInSteps = (
  db: Database,
  [number, declaredAt, connectionId, refundsWait]: readonly [string, string, string, string]
) =>
  transactions(db)("markRecovered", (query) =>
    Effect.tap(query(lockOpen, [number, declaredAt]), (open) =>
      open.length === 0 ? Effect.void : query(markStep, [number, connectionId, refundsWait])
    )
  )

/** `isDistributed`: one statement locks or writes one table. */
export const make = (db: Database, isDistributed = false): KeptLosses => {
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
  const isWritten = (rows: ReadonlyArray<Row>) => rows.length > 0
  const losses: RecordLosses = {
    known: Effect.sync(() => known),
    newest,
    declare: (loss) =>
      db
        .transaction("declareLoss", (query) =>
          Effect.gen(function* () {
            yield* query(lock)
            const [row = {}] = yield* query(selectNewest)
            const declared = declaredLoss(readNewestLoss(row), loss)
            const { declaredAt, number, reason, since } = declared
            yield* query(put, [String(number), String(since), reason, String(declaredAt)])
            yield* query(forgetRecovered, [String(number)])
            return declared
          })
        )
        .pipe(
          Effect.catchTag("pointsman/CommitUnknown", ({ cause, operation }) =>
            Effect.fail(new StorageError({ operation, cause }))
          ),
          Effect.tap((declared) =>
            Effect.sync(() => {
              declarations++
              known = declared
            })
          )
        ),
    markRecovered: ({ declaredAt, number }, connectionId, refundsWait) =>
      (isDistributed
        ? markInSteps(db, [String(number), String(declaredAt), connectionId, String(refundsWait)])
        : db.update("markRecovered", markOne, [String(number), String(declaredAt), connectionId, String(refundsWait)])
      ).pipe(
        Effect.map(isWritten),
        Effect.tap(() => Effect.ignore(newest))
      ),
    releaseRefunds: (number, connectionId) =>
      db.update("releaseRefunds", release, [String(number), connectionId ?? ""]).pipe(
        Effect.map(isWritten),
        Effect.tap(() => Effect.ignore(newest))
      ),
    end: ({ declaredAt, number }, { at, outcome }) =>
      db.update("endLoss", endOne, [String(number), String(declaredAt), outcome, String(at)]).pipe(
        Effect.map(isWritten),
        Effect.tap(() => Effect.ignore(newest))
      ),
    fileKey: (tenant, { kind, paymentId, tag }) =>
      Effect.asVoid(db.update("fileKey", fileOne, [...bindTenant(tenant), tag, kind, bindText(paymentId)]))
  }
  return { losses, learning }
}
