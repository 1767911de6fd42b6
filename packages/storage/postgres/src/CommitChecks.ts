/** The checks of a commit's statement, in the port's order: where one refuses, nothing of its change is written. */
import { type NamedReference, refundTotals } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import { claim, message, type Parameters } from "./CommitParameters.ts"
import type { Shape } from "./DrawnChange.ts"
import { bindText, rows as columns } from "./Rows.ts"

/** What the statement says of a change. */
export type Word =
  | "Sound"
  | "ApiKeyRevoked"
  | "KeyTaken"
  | "MessageTaken"
  | "Stale"
  | "RecordsMissing"
  | "KeyRecovered"
  | "ReferenceTaken"
  | "Unbalanced"

export type Conditions = ReturnType<typeof conditionsOf>

/** A value that is stored: `select <what> from <rows>`. */
export interface Stored {
  readonly what: string
  readonly rows: string
}

const selected = ({ rows, what }: Stored): string => `(select ${what} from ${rows})`

/** How the checks and the writes find the rows of a change, and which versions they expect. */
export const conditionsOf = (shape: Shape, { ofTenant, paymentId, place, value }: Parameters) => {
  const claimKey = shape.claim === "none" ? "" : value(claim, "key")
  const claimVersion =
    shape.claim === "moved" ? place("bigint", ({ change: { claim } }) => String(claim?.expected ?? 0)) : ""
  const connection = shape.message ? value(message, "connection_id") : ""
  const messageId = shape.message ? value(message, "event_id") : ""
  const outcome = shape.message ? place("text", ({ change }) => change.message?.expected ?? null) : ""
  const version = shape.payment === "moved" ? place("bigint", ({ change }) => String(change.payment.expected)) : ""

  const isClaim = (table: string) => `${ofTenant(table)} and ${table}.key = ${claimKey}`
  const isPayment = (table: string) => `${ofTenant(table)} and ${table}.id = ${paymentId}`
  const isMessage = (table: string) =>
    `${ofTenant(table)} and ${table}.connection_id = ${connection} and ${table}.event_hash = md5(${messageId})`

  return { claimKey, claimVersion, messageId, outcome, version, isClaim, isPayment, isMessage }
}

/** Whether a key is alive, by its hash. */
export const liveKey = (hash: string): Stored => ({
  what: "1",
  rows: `api_keys where hash = ${hash} and revoked_at is null`
})

/** What is stored of what a change is about. */
export const storedOf = ({ isClaim, isMessage, isPayment }: Conditions) => ({
  claim: { what: "version", rows: `claims where ${isClaim("claims")}` },
  message: { what: "outcome", rows: `messages where ${isMessage("messages")}` },
  payment: { what: "version", rows: `payments where ${isPayment("payments")}` }
})

export const apiKeyHash = ({ place }: Parameters): string =>
  place("text", ({ change }) => bindText(change.apiKeyHash ?? ""))

/** Without a loss nothing else is read. */
const unendedLoss = "(select number from record_losses where outcome is null)"
export const unrecovered = ({ ofTenant }: Parameters, loss: string): Stored => ({
  what: "1",
  rows: `connections as c where ${ofTenant("c")} and not exists (
      select 1 from recovered_connections as r where r.loss = ${loss} and r.connection_id = c.id
    )`
})

/** What a recovery filed under the key of a guard. */
export const recoveredKey = ({ ofTenant, paymentId, place }: Parameters): Stored => {
  const tag = place("text", ({ change: { guard } }) => guard?.key?.tag ?? null)
  const kind = place("text", ({ change: { guard } }) => guard?.key?.kind ?? null)
  return {
    what: "1",
    rows: `recovered_keys as k where ${ofTenant("k")} and k.tag = ${tag} and k.kind = ${kind}
      and (k.kind = 'charge' or k.payment_id = ${paymentId})`
  }
}

type Refusal = readonly [condition: string, word: Exclude<Word, "Sound">]

/** What refuses a change, given what is stored. */
export const refusals = {
  claimed: (stored: string): Refusal => [`${stored} is not null`, "KeyTaken"],
  claimMoved: (stored: string, { claimVersion }: Conditions): Refusal => [
    `${stored} is distinct from ${claimVersion}`,
    "Stale"
  ],
  messageMissing: (stored: string): Refusal => [`${stored} is null`, "Stale"],
  messageDecided: (stored: string, { outcome }: Conditions): Refusal => [`${stored} <> ${outcome}`, "MessageTaken"],
  paymentThere: (stored: string): Refusal => [`${stored} is not null`, "Stale"],
  paymentMoved: (stored: string, { version }: Conditions): Refusal => [`${stored} is distinct from ${version}`, "Stale"]
}

export const when = ([condition, word]: Refusal, guard?: string): string =>
  `when ${guard === undefined ? "" : `${guard} and `}${condition} then '${word}'`

export type PlacedReference = ReturnType<typeof placedReference>

/** `holder`: who has the reference. */
export const placedReference = ({ ofTenant }: Parameters, connection: string, providerRef: string) => {
  const holder = `charge_references as r where ${ofTenant("r")} and r.connection_id = ${connection}
      and r.reference_hash = md5(${providerRef})`
  return { connection, providerRef, holder }
}

/** Another payment that has the reference, and whether the payment itself is based on it. */
const takenBy = ({ paymentId }: Parameters, { holder }: PlacedReference): Stored => ({
  what: "1",
  rows: `${holder} and r.payment_id <> ${paymentId}`
})
export const isBasedOn = ({ isPayment }: Conditions, { connection, providerRef }: PlacedReference): Stored => ({
  what: "1",
  rows: `payments
      where ${isPayment("payments")} and payments.connection_id = ${connection} and provider_ref = ${providerRef}`
})

const referencesIn = (shape: Shape, parameters: Parameters) =>
  Array.from({ length: shape.references }, (_, index) => {
    const part = (read: (reference: NamedReference) => string) =>
      parameters.place("text", ({ references }) =>
        references[index] === undefined ? null : bindText(read(references[index]))
      )
    const connection = part(({ connectionId }) => connectionId)
    return placedReference(
      parameters,
      connection,
      part(({ providerRef }) => providerRef)
    )
  })

export const checksOf = (shape: Shape, parameters: Parameters, conditions: Conditions) => {
  const checks: Array<string> = []
  if (shape.apiKey) checks.push(`when not exists ${selected(liveKey(apiKeyHash(parameters)))} then 'ApiKeyRevoked'`)
  const { claim, message, payment } = storedOf(conditions)
  if (shape.claim === "new") checks.push(when(refusals.claimed(selected(claim))))
  if (shape.claim === "moved") checks.push(when(refusals.claimMoved(selected(claim), conditions)))
  if (shape.message) {
    checks.push(when(refusals.messageMissing(selected(message))))
    checks.push(when(refusals.messageDecided(selected(message), conditions)))
  }
  checks.push(
    when(
      shape.payment === "new"
        ? refusals.paymentThere(selected(payment))
        : refusals.paymentMoved(selected(payment), conditions)
    )
  )
  if (shape.missing) {
    checks.push(`when ${unendedLoss} is not null and exists ${selected(unrecovered(parameters, unendedLoss))}
    then 'RecordsMissing'`)
  }
  if (shape.key) checks.push(`when exists ${selected(recoveredKey(parameters))} then 'KeyRecovered'`)
  const references = referencesIn(shape, parameters)
  for (const reference of references) {
    checks.push(`when exists ${selected(takenBy(parameters, reference))} and not exists (
      select 1 from ${isBasedOn(conditions, reference).rows}
    ) then 'ReferenceTaken'`)
  }
  if (shape.refunds > 0) {
    const { rows, what } = balance(parameters, writtenRefunds(shape, parameters))
    checks.push(`when not (
    select ${what}
    from ${rows}
  ) then 'Unbalanced'`)
  }
  return { checks, references }
}

/** `written`: evaluated after the sums, so that its parameters come after theirs. */
export const balance = ({ ofTenant, paymentId, place }: Parameters, written: () => string): Stored => {
  // What the refunds that are stored and stay as they are must add up to. Where the change writes none, a trigger
  // compares what the payment says with what is stored; a distributed database has no triggers, and always adds up.
  const rest = (of: (change: Change) => number) => place("bigint", ({ change }) => String(of(change)))
  const refunded = rest(
    ({ payment, refunds = [] }) => payment.after.refundedMinor - refundTotals(refunds).refundedMinor
  )
  const pending = rest(
    ({ payment, refunds = [] }) => payment.after.refundPendingMinor - refundTotals(refunds).refundPendingMinor
  )
  return {
    what: `coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0) = ${refunded}
      and coalesce(sum(amount_minor) filter (where balance = 'pending'), 0) = ${pending}`,
    rows: `refunds where ${ofTenant("refunds")} and refunds.payment_id = ${paymentId}
      and refunds.id ${written()}`
  }
}

const writtenRefunds =
  (shape: Shape, { value }: Parameters) =>
  (): string => {
    const ids = Array.from({ length: shape.refunds }, (_, index) =>
      value({ columns: columns.refundColumns, of: ({ refunds }) => refunds?.[index] }, "id")
    )
    return `not in (${ids.join(", ")})`
  }
