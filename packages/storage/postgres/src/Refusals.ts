/** Why a change was not written, read in one statement after it was refused, in the port's order. */
import type { Tenant } from "@pointsman/core"
import {
  ApiKeyRevoked,
  KeyRecovered,
  KeyTaken,
  MessageTaken,
  RecordsMissing,
  ReferenceTaken,
  Stale,
  StorageError
} from "@pointsman/core/ports"
import { type Row, readClaimRow } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { readPayment } from "./Books.ts"
import { endpoints } from "./CommitEvents.ts"
import { arrayLiteral, isMessage, recoveredKeys, unrecovered } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { type DrawnChange, keyOf, type Looked } from "./DrawnChange.ts"
import { bindTenant, bindText, chargeName, rows, tenantNumber } from "./Rows.ts"

const owner = { workspace: "$3", environment: "$4" }

const look = `select
  $5::text is null or exists (select 1 from api_keys where hash = $5 and revoked_at is null) as is_alive,
  (select to_json(x) from payments as x where x.t = $1 and x.key = $6) as keyed,
  (select m.outcome from messages as m where ${isMessage(owner, "$7", "$8")}) as outcome,
  (select x.version from payments as x where x.t = $1 and x.id = $2) as version,
  $9::boolean and exists (${unrecovered(owner)}) as is_missing,
  array(${recoveredKeys(owner, "$10", "$11", "$2::uuid::text")}) as recovered,
  (select json_agg(g) from charges as g where g.t = $1 and g.name = any($12::uuid[])) as charges,
  exists (select 1 from tenants as n where n.t = $1) as is_known,
  exists (${endpoints(owner)}) as is_followed,
  exists (select 1 from payments as x where x.page = $13 and x.id <> $2) as is_page_taken`

// Two servers may write it at once, and either of its keys may find the other's row first.
const register = "insert into tenants (t, workspace_id, environment) values ($1, $2, $3) on conflict do nothing"

const isRegistered = "select 1 from tenants where t = $1 and workspace_id = $2 and environment = $3"

/** Fails where another tenant has the same number. */
export const registerTenant = Effect.fnUntraced(function* (db: Database, tenant: Tenant) {
  const row = [tenantNumber(tenant), ...bindTenant(tenant)]
  yield* db.update("commit", register, row)
  if ((yield* db.read("commit", isRegistered, row)).length > 0) return
  return yield* new StorageError({ operation: "commit", cause: new Error("another tenant has the number of this one") })
})

/** Fails with what refuses the change; where nothing does, gives what it is to be written with. */
export const refusal = Effect.fnUntraced(function* (db: Database, drawn: DrawnChange) {
  const { apiKeyHash, claim, guard, message, payment, tenant } = drawn.change
  const { hosted, id } = payment.after
  const [row = {}] = yield* db.read("commit", look, [
    tenantNumber(tenant),
    id,
    ...bindTenant(tenant),
    rows.bindTextOrNull(apiKeyHash ?? null),
    keyOf(drawn),
    bindText(message?.after.connectionId ?? ""),
    bindText(message?.after.eventId ?? ""),
    guard?.refusesMissing === true,
    guard?.key?.tag ?? null,
    guard?.key?.kind ?? null,
    arrayLiteral(drawn.references.map(chargeName)),
    rows.bindTextOrNull(hosted?.tokenHash ?? null)
  ])
  if (row["is_alive"] !== true) return yield* new ApiKeyRevoked()
  const keyed = row["keyed"] as Row | null
  if (claim !== undefined) {
    if (claim.expected === 0 && keyed !== null) {
      return yield* new KeyTaken({ claim: readClaimRow(keyed, readPayment(tenant, keyed)) })
    }
    if (claim.expected !== Number(keyed?.["claim_version"] ?? 0)) return yield* new Stale()
  }
  if (message !== undefined) {
    if (row["outcome"] === null) return yield* new Stale()
    if (row["outcome"] !== message.expected) return yield* new MessageTaken()
  }
  if ((row["version"] ?? 0) !== payment.expected) return yield* new Stale()
  if (row["is_missing"] === true) return yield* guarded(new RecordsMissing())
  const recovered = row["recovered"] as ReadonlyArray<string>
  if (recovered.length > 0) return yield* guarded(new KeyRecovered({ paymentIds: recovered }))
  const holders = new Map(
    ((row["charges"] ?? []) as ReadonlyArray<Row>).map(({ name, payment: holder }) => [name, holder as string])
  )
  for (const reference of drawn.references) {
    const holder = holders.get(chargeName(reference))
    if (holder === undefined || holder === id) continue
    const { connectionId, providerRef } = reference
    return yield* new ReferenceTaken({ connectionId, providerRef, paymentId: holder })
  }
  if (row["is_page_taken"] === true) return yield* Effect.die(new Error("Ledger.commit: another payment has the page"))
  // A database that was restored has not the rows of the tenants that came since.
  if (row["is_known"] !== true) yield* registerTenant(db, tenant)
  const looked: Looked = {
    isFollowed: row["is_followed"] === true,
    isTaken: keyed !== null && keyed["id"] !== id,
    own: new Set(holders.keys() as Iterable<string>)
  }
  return looked
})

const guarded = (cause: RecordsMissing | KeyRecovered) => new StorageError({ operation: "commit", cause })
