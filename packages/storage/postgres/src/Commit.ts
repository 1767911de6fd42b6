/**
 * One statement for each shape of a change, which commits by itself.
 *
 * The rule that a reader would otherwise break: all parts of a statement see the database as it was when the statement
 * began. So the checks come first, all of them and in the port's order, and where one refuses nothing is written. Where
 * all agree, another statement may still come between: then the first write finds nothing to do, and all that hangs on
 * it neither; a later one that finds nothing takes everything back by an error. Both ways the statement is sent again,
 * and its checks see what came between.
 */
import {
  ApiKeyRevoked,
  type Change,
  type CommitFailure,
  type EventDraft,
  Ids,
  KeyTaken,
  MessageTaken,
  refundTotals,
  Stale,
  StorageError
} from "@pointsman/core"
import { Effect } from "effect"
import { codes, type Database } from "./Database.ts"
import { messageColumns, messageRow } from "./Messages.ts"
import { operationColumns, operationRow, refundColumns, refundRow } from "./OperationRows.ts"
import {
  attemptColumns,
  attemptRow,
  claimColumns,
  claimRow,
  entryKey,
  paymentColumns,
  paymentRow,
  readClaim,
  tenantKey
} from "./PaymentRows.ts"
import { bindRow, bindText, list, onConflictReplace, type Row } from "./Rows.ts"

/** Each round lets another write through; after so many of them something else is wrong. */
const maxRounds = 20

export const makeCommit = Effect.fnUntraced(function* (db: Database) {
  const ids = yield* Ids
  const texts = new Map<string, string>()

  const textOf = (shape: Shape): string => {
    const name = Object.values(shape).join(" ")
    const found = texts.get(name)
    if (found !== undefined) return found
    const made = statement(shape)
    texts.set(name, made)
    return made
  }

  return Effect.fnUntraced(function* (change: Change): Effect.fn.Return<void, CommitFailure> {
    const sql = textOf(shapeOf(change))
    // Drawn once: a statement that is sent again writes what it would have written.
    const events = yield* Effect.forEach(change.events, (draft, index) =>
      Effect.map(Effect.all([ids.event, ids.delivery]), ([id, seed]) => eventRow(draft, index, id, seed))
    )
    const params = bindChange(change, events)
    for (let round = 0; round < maxRounds; round++) {
      const answer = yield* Effect.catchIf(
        db.write("commit", sql, params),
        (failure) => failure._tag === "Refused",
        (refused) => {
          if (takenBack.has(refused.code)) return Effect.succeed([])
          // Rows that no change may write: a key that another refund has, money that was never there.
          if (refused.code.startsWith("23")) return Effect.die(new Error(`Ledger.commit: ${messageOf(refused.error)}`))
          return Effect.fail(refused.error)
        }
      )
      const [row] = answer
      if (row === undefined) continue
      if (row["word"] === "Sound") {
        if (row["written"] === true) return
        continue
      }
      return yield* refusal(row)
    }
    const cause = new Error(`${maxRounds} other writes came between`)
    return yield* new StorageError({ operation: "commit", cause })
  })
})

/** The statement was taken back because of another one, and may be sent again. */
const takenBack: ReadonlySet<string> = new Set([codes.cameBetween, codes.deadlock, codes.serialization])

const messageOf = ({ cause }: StorageError): string => (cause instanceof Error ? cause.message : String(cause))

const refusal = (row: Row): Effect.Effect<never, CommitFailure> => {
  switch (row["word"] as Word) {
    case "ApiKeyRevoked":
      return Effect.fail(new ApiKeyRevoked())
    case "KeyTaken":
      return Effect.fail(new KeyTaken({ claim: readClaim(row) }))
    case "MessageTaken":
      return Effect.fail(new MessageTaken())
    case "Stale":
      return Effect.fail(new Stale())
    case "Unbalanced":
      return Effect.die(new Error("Ledger.commit: the refunds do not add up to what the payment says"))
  }
}

type Word = "ApiKeyRevoked" | "KeyTaken" | "MessageTaken" | "Stale" | "Unbalanced"

/** What decides about the text of the statement. */
interface Shape {
  readonly apiKey: boolean
  readonly claim: "none" | "new" | "moved"
  readonly message: boolean
  readonly payment: "new" | "moved"
  readonly attempts: boolean
  readonly operations: boolean
  readonly refunds: boolean
  readonly events: boolean
}

const shapeOf = ({ apiKeyHash, attempts, claim, events, message, operations, payment, refunds }: Change): Shape => ({
  apiKey: apiKeyHash !== undefined,
  claim: claim === undefined ? "none" : claim.expected === 0 ? "new" : "moved",
  message: message !== undefined,
  payment: payment.expected === 0 ? "new" : "moved",
  attempts: attempts.length > 0,
  operations: (operations ?? []).length > 0,
  refunds: (refunds ?? []).length > 0,
  events: events.length > 0
})

const eventRow = (draft: EventDraft, index: number, id: string, seed: string) => ({
  n: index + 1,
  id,
  seed,
  type: draft.type,
  created_at: draft.createdAt,
  data: JSON.stringify(draft.data)
})

/** In the order of the statement's parameters; each shape knows the place of all of them. */
const bindChange = (change: Change, events: ReadonlyArray<ReturnType<typeof eventRow>>) => {
  const { apiKeyHash, attempts, claim, message, operations = [], payment, refunds = [], tenant } = change
  const { after } = payment
  const written = refundTotals(refunds)
  const document = {
    payment: bindRow(paymentRow(after, change.checkAt ?? null)),
    claim: claim && bindRow(claimRow(tenant, claim.after)),
    message: message && bindRow(messageRow(tenant, message)),
    attempts: attempts.map((attempt) => bindRow(attemptRow(tenant, attempt))),
    operations: operations.map((operation) => bindRow(operationRow(tenant, operation))),
    refunds: refunds.map((refund) => bindRow(refundRow(tenant, refund))),
    refund_ids: refunds.map(({ id }) => bindText(id)),
    events,
    event_ids: events.map(({ id }) => id)
  }
  return [
    JSON.stringify(document),
    bindText(tenant.workspaceId),
    tenant.environment,
    bindText(after.id),
    String(payment.expected),
    // What the refunds that are stored and stay as they are must add up to.
    String(after.refundedMinor - written.refundedMinor),
    String(after.refundPendingMinor - written.refundPendingMinor),
    bindText(apiKeyHash ?? ""),
    bindText(claim?.after.key ?? ""),
    String(claim?.expected ?? 0),
    bindText(message?.connectionId ?? ""),
    bindText(message?.eventId ?? ""),
    change.deliverAt === undefined ? null : String(change.deliverAt)
  ]
}

const parameters = `input as materialized (
  select $1::text::jsonb as doc, $2::text as workspace_id, $3::text as environment, $4::text as payment_id,
    $5::bigint as expected, $6::bigint as refunded, $7::bigint as pending, $8::text as api_key, $9::text as claim_key,
    $10::bigint as claim_expected, $11::text as connection_id, $12::text as event_id, $13::bigint as deliver_at
)`

const ofTenant = "workspace_id = $2 and environment = $3"

const statement = (shape: Shape): string => {
  const { claim, events, message, payment } = shape
  const gates = [...(claim === "none" ? [] : ["claimed"]), ...(message ? ["told"] : []), "paid"]
  /** What the write of a gate, or of what hangs on the payment, reads from. */
  const behind = (gate: string): string => {
    const before = gates[gates.indexOf(gate) - 1]
    return before === undefined ? "(select 1 from verdict where word = 'Sound') as gate, input" : `${before}, input`
  }
  const parts = [
    parameters,
    verdict(shape),
    claim === "new" ? newClaim(behind("claimed")) : "",
    claim === "moved" ? movedClaim(behind("claimed")) : "",
    message ? newMessage(behind("told")) : "",
    payment === "new" ? newPayment(behind("paid")) : movedPayment(behind("paid")),
    shape.attempts ? entries("attempts", attemptColumns) : "",
    shape.operations ? entries("operations", operationColumns) : "",
    shape.refunds ? entries("refunds", refundColumns) : "",
    events ? newEvents : ""
  ].filter((part) => part !== "")
  const [first] = gates
  const cameBetween =
    first === "paid"
      ? ""
      : `, case when word = 'Sound' and not exists (select 1 from paid) and exists (select 1 from ${first})
        then came_between() end`
  const taken = claim === "new" ? `left join claims on word = 'KeyTaken' and ${ofTenant} and key = $9` : ""
  return `with ${parts.join(",\n")}
  select word, exists (select 1 from paid) as written${cameBetween}${taken === "" ? "" : `, ${list(claimColumns)}`}
  from verdict ${taken}`
}

/** The checks, in the port's order. */
const verdict = ({ apiKey, claim, message, payment, refunds }: Shape): string => {
  const storedClaim = `(select version from claims where ${ofTenant} and key = $9)`
  const storedRefunds = `(
    select coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0) = $6
      and coalesce(sum(amount_minor) filter (where balance = 'pending'), 0) = $7
    from refunds where ${ofTenant} and payment_id = $4
    ${refunds ? "and id not in (select jsonb_array_elements_text(doc -> 'refund_ids') from input)" : ""}
  )`
  const checks = [
    apiKey
      ? "when not exists (select 1 from api_keys where hash = $8 and revoked_at is null) then 'ApiKeyRevoked'"
      : "",
    claim === "new" ? `when ${storedClaim} is not null then 'KeyTaken'` : "",
    claim === "moved" ? `when ${storedClaim} is distinct from $10 then 'Stale'` : "",
    message
      ? `when exists (
          select 1 from messages where ${ofTenant} and connection_id = $11 and event_hash = md5($12)
        ) then 'MessageTaken'`
      : "",
    `when (select version from payments where ${ofTenant} and id = $4) is distinct from
      ${payment === "new" ? "null" : "$5"} then 'Stale'`,
    `when not ${storedRefunds} then 'Unbalanced'`
  ]
  return `verdict as materialized (
  select case ${checks.filter((check) => check !== "").join("\n    ")} else 'Sound' end as word
)`
}

const record = (table: string, name: string) => `jsonb_populate_record(null::${table}, doc -> '${name}') as r`

const newClaim = (behind: string) => `claimed as (
  insert into claims (${list(claimColumns)}) select ${list(claimColumns, "r.")}
  from ${behind}, ${record("claims", "claim")}
  on conflict (${list([...tenantKey, "key"])}) do nothing returning 1 as one
)`

const movedClaim = (behind: string) => `claimed as (
  update claims as t set ${assignments(claimColumns)}
  from ${behind}, ${record("claims", "claim")}
  where t.workspace_id = $2 and t.environment = $3 and t.key = $9 and t.version = $10 returning 1 as one
)`

const newMessage = (behind: string) => `told as (
  insert into messages (${list(messageColumns)}) select ${list(messageColumns, "r.")}
  from ${behind}, ${record("messages", "message")}
  on conflict do nothing returning 1 as one
)`

const newPayment = (behind: string) => `paid as (
  insert into payments (${list(paymentColumns)}) select ${list(paymentColumns, "r.")}
  from ${behind}, ${record("payments", "payment")}
  on conflict (${list([...tenantKey, "id"])}) do nothing returning 1 as one
)`

const movedPayment = (behind: string) => `paid as (
  update payments as t set ${assignments(paymentColumns)}
  from ${behind}, ${record("payments", "payment")}
  where t.workspace_id = $2 and t.environment = $3 and t.id = $4 and t.version = $5 returning 1 as one
)`

/** Their keys stay as they are. */
const assignments = (columns: ReadonlyArray<string>) =>
  columns
    .filter((column) => ![...tenantKey, "id", "key"].includes(column))
    .map((column) => `${column} = r.${column}`)
    .join(", ")

/** Attempts, operations or refunds. */
const entries = (table: string, columns: ReadonlyArray<string>) => `written_${table} as (
  insert into ${table} (${list(columns)}) select ${list(columns, "r.")}
  from paid, input, jsonb_populate_recordset(null::${table}, doc -> '${table}') as r
  ${onConflictReplace(columns, entryKey)}
)`

/**
 * With their deliveries, one for each active endpoint that wants the type. The endpoints are those of the table, not of
 * a copy: one that another server has withdrawn is sent nothing. A delivery's id is that which was drawn for its event,
 * with its place among the endpoints added to the last four digits.
 */
const newEvents = `stamped as materialized (
  select event_ids($2, $3, array(select jsonb_array_elements_text(doc -> 'event_ids'))) as ids from paid, input
), drafts as materialized (
  select ids[n] as id, type, created_at, data, seed
  from stamped, input, jsonb_to_recordset(doc -> 'events')
    as r (n integer, type text, created_at bigint, data text, seed text)
), written_events as (
  insert into events (workspace_id, environment, id, type, payment_id, created_at, data)
  select $2, $3, id, type, $4, created_at, data from drafts
), written_deliveries as (
  insert into deliveries
    (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
  select $2, $3,
    substr(seed, 1, length(seed) - 4)
      || lpad(to_hex(('x' || right(seed, 4))::bit(16)::integer + (place)::integer & 65535), 4, '0'),
    endpoint_id, id, 'Due', 0, 0, coalesce($13, created_at), created_at
  from (
    select drafts.*, webhook_endpoints.id as endpoint_id,
      row_number() over (partition by drafts.id order by webhook_endpoints.id) - 1 as place
    from drafts join webhook_endpoints on webhook_endpoints.workspace_id = $2 and webhook_endpoints.environment = $3
      and active and events && array['*', drafts.type collate "C"]
  ) as wanted
)`
