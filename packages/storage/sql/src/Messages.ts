/** Lists of providers' messages. */
import type { Attempt, Tenant } from "@pointsman/core"
import type { ChargeReference } from "@pointsman/core/internal"
import type { Ledger, MessageNote, MessageQuery, PaymentBook, StorageError, TenantMessage } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type Bound, list } from "./Columns.ts"
import { placesOf, type Sql, type Statement } from "./Sql.ts"

type Books = (
  tenant: Tenant,
  charges: ReadonlyArray<ChargeReference>
) => Effect.Effect<ReadonlyArray<PaymentBook>, StorageError>

/** Lists of messages. `booksNaming`: every payment that names one of the charges. */
export const makeMessages = <V>(sql: Sql<V>, booksNaming: Books): Ledger["Service"]["messages"] => {
  const page = (query: MessageQuery) => {
    // Those of one payment are shown with it.
    const ask = query.paymentId === undefined ? sql.list : sql.read
    return Effect.map(ask("messages", ...selectMessages(sql, query)), (found) => found.map(sql.rows.readTenantMessage))
  }
  /** What a message names is in the books of payments. */
  const namingAttempts = Effect.fnUntraced(function* (query: MessageQuery) {
    const found: Array<TenantMessage> = []
    let of = query
    for (;;) {
      const walked = yield* page(of)
      const named = new Set<TenantMessage>()
      for (const some of Map.groupBy(walked, ({ tenant }) => `${tenant.environment} ${tenant.workspaceId}`).values()) {
        const books = yield* booksNaming((some[0] as TenantMessage).tenant, some.map(chargeOf))
        for (const one of some) if (books.some((book) => book.attempts.some(isOf(chargeOf(one))))) named.add(one)
      }
      found.push(...walked.filter((one) => named.has(one)))
      const last = walked.at(-1)
      if (last === undefined || walked.length < query.limit || found.length >= query.limit) break
      of = { ...query, before: last }
    }
    return found.slice(0, query.limit)
  })
  return (query) => (query.namesAttemptFrom === undefined ? page(query) : namingAttempts(query))
}

const chargeOf = ({ connectionId, subjectId }: MessageNote): ChargeReference => ({
  connectionId,
  providerRef: subjectId
})

const isOf =
  ({ connectionId, providerRef }: ChargeReference) =>
  (one: Pick<Attempt, "connectionId" | "providerRef">): boolean =>
    one.connectionId === connectionId && one.providerRef === providerRef

/** The index that a list is walked along, and the condition that it has. None sorts more than a millisecond's. */
export const messageWalk = ({
  outcome,
  paymentId,
  tenant
}: Pick<MessageQuery, "outcome" | "paymentId" | "tenant">): readonly [by: string, condition?: string] => {
  if (paymentId !== undefined) return ["payment", "payment_id <> ''"]
  if (tenant !== undefined) return [outcome === undefined ? "tenant" : "tenant_outcome"]
  return outcome === undefined || outcome === "applied" || outcome === "confirmed"
    ? ["time"]
    : ["outcome", "outcome <> 'applied' and outcome <> 'confirmed'"]
}

const selectMessages = <V>(
  { by, rows: { bindTenant, bindText, noteColumns } }: Sql<V>,
  query: MessageQuery
): Statement<V> => {
  const { before, connectionId, limit, namesAttemptFrom, outcome, paymentId, tenant } = query
  const [index, ofIndex] = messageWalk(query)
  const values: Array<Bound<V>> = [limit]
  const place = placesOf(values)
  const last = before && [before.receivedAt, bindText(before.connectionId), bindText(before.eventId)].map(place)
  const owner = tenant && bindTenant(tenant).map(place)
  const conditions = [
    "received_at >= 0",
    ofIndex,
    last && `(received_at, connection_id, event_id) < (${last[0]}::bigint, ${last[1]}::text, ${last[2]}::text)`,
    paymentId === undefined ? undefined : `payment_id = ${place(bindText(paymentId))}`,
    outcome && `outcome = ${place(outcome)}`,
    connectionId === undefined ? undefined : `connection_id = ${place(bindText(connectionId))}`,
    owner && `workspace_id = ${owner[0]} and environment = ${owner[1]}`,
    namesAttemptFrom === undefined ? undefined : `received_at >= ${place(namesAttemptFrom)}::bigint`
  ].filter((condition) => condition !== undefined)
  const text = `select workspace_id, environment, ${list(Object.keys(noteColumns))}
    from ${by("messages", `messages_by_${index}`)} where ${conditions.join(" and ")}
    order by received_at desc, connection_id desc, event_id desc limit $1`
  return [text, values]
}
