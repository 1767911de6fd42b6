/** Losses of records. Those who write them take turns. */
import { declaredLoss, type RecordLoss, type RecordLosses, type RecordLossOutcome } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Row } from "./Columns.ts"
import { insertInto, isAny, repeatable, type Sql } from "./Sql.ts"

/** The newest loss, once for each of its connections. */
export const selectNewestLoss = `select l.*, c.connection_id, c.refunds_wait
  from (select * from record_losses order by number desc limit 1) as l
    left join recovered_connections as c on c.loss = l.number order by c.connection_id`
const put = `${insertInto("record_losses", ["number", "since", "reason", "declared_at"])}
  on conflict (number) do update set since = excluded.since, declared_at = excluded.declared_at`
const mark = `insert into recovered_connections as c (loss, connection_id, refunds_wait) values ($1, $2, $3)
  on conflict (loss, connection_id) do update set refunds_wait = c.refunds_wait and excluded.refunds_wait`
const release = `update recovered_connections set refunds_wait = false
  where loss = $1 and refunds_wait and ($2 = '' or connection_id = $2) returning loss`
const isOpen = "number = $1 and declared_at = $2 and outcome is null"
const end = `update record_losses set outcome = $3, ended_at = $4 where ${isOpen} returning number`
const fileKey = `${insertInto("recovered_keys", ["workspace_id", "environment", "tag", "kind", "payment_id"])}
  on conflict do nothing`

export const readNewestLoss =
  (readBoolean: (value: unknown) => boolean) =>
  (found: ReadonlyArray<Row>): RecordLoss | null => {
    const [loss] = found
    const marked = found.filter((row) => row["connection_id"] !== null)
    const idsOf = (some: ReadonlyArray<Row>) => some.map((row) => row["connection_id"] as string)
    if (loss === undefined) return null
    return {
      number: loss["number"] as number,
      since: loss["since"] as number,
      reason: loss["reason"] as string,
      declaredAt: loss["declared_at"] as number,
      recovered: idsOf(marked),
      refundsWait: idsOf(marked.filter((row) => readBoolean(row["refunds_wait"]))),
      ended:
        loss["outcome"] === null
          ? null
          : { outcome: loss["outcome"] as RecordLossOutcome, at: loss["ended_at"] as number }
    }
  }

/** `changed`: what this process knows is to be read again; with the loss where one was declared. */
export const makeRecordLosses = <V>(
  sql: Sql<V>,
  known: RecordLosses["known"],
  changed: (declared?: RecordLoss) => Effect.Effect<unknown>
): RecordLosses => {
  const { bindBoolean, bindTenant, bindText, readBoolean } = sql.rows
  const lock = sql.locking("lock table record_losses in share row exclusive mode")
  const selectOpen = `select number from record_losses where ${isOpen} ${sql.locking("for share")}`
  const readNewest = readNewestLoss(readBoolean)
  const isWritten = <E>(written: Effect.Effect<ReadonlyArray<Row>, E>): Effect.Effect<boolean, E> =>
    Effect.tap(Effect.map(written, isAny), () => changed())
  return {
    known,
    newest: Effect.map(sql.read("recordLoss", selectNewestLoss), readNewest),
    declare: (loss) =>
      Effect.tap(
        repeatable(sql, "declareLoss", (query) =>
          Effect.gen(function* () {
            yield* query(lock)
            const declared = declaredLoss(readNewest(yield* query(selectNewestLoss)), loss)
            const { declaredAt, number, reason, since } = declared
            yield* query(put, [number, since, reason, declaredAt])
            yield* query("delete from recovered_connections where loss = $1", [number])
            return declared
          })
        ),
        changed
      ),
    markRecovered: ({ declaredAt, number }, connectionId, refundsWait) =>
      isWritten(
        repeatable(sql, "markRecovered", (query) =>
          Effect.tap(query(selectOpen, [number, declaredAt]), (open) =>
            open.length === 0 ? Effect.void : query(mark, [number, connectionId, bindBoolean(refundsWait)])
          )
        )
      ),
    releaseRefunds: (number, connectionId) =>
      isWritten(sql.update("releaseRefunds", release, [number, connectionId ?? ""])),
    end: ({ declaredAt, number }, { at, outcome }) =>
      isWritten(sql.update("endLoss", end, [number, declaredAt, outcome, at])),
    fileKey: (tenant, { kind, paymentId, tag }) =>
      Effect.asVoid(sql.update("fileKey", fileKey, [...bindTenant(tenant), tag, kind, bindText(paymentId)]))
  }
}
