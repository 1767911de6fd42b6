/** The checks of a commit's statement, in the port's order: where one refuses, nothing of its change is written. */
import { type NamedReference, refundTotals } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import { claim, message, type Parameters } from "./CommitParameters.ts"
import type { Shape } from "./DrawnChange.ts"
import { bindText, rows } from "./Rows.ts"

export type Conditions = ReturnType<typeof conditionsOf>

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

  return { claimVersion, outcome, version, isClaim, isPayment, isMessage }
}

export type PlacedReference = ReturnType<typeof referencesIn>[number]

const referencesIn = (shape: Shape, { ofTenant, place }: Parameters) =>
  Array.from({ length: shape.references }, (_, index) => {
    const part = (read: (reference: NamedReference) => string) =>
      place("text", ({ references }) => (references[index] === undefined ? null : bindText(read(references[index]))))
    const connection = part(({ connectionId }) => connectionId)
    const providerRef = part(({ providerRef }) => providerRef)
    const holder = `charge_references as r where ${ofTenant("r")} and r.connection_id = ${connection}
      and r.reference_hash = md5(${providerRef})`
    return { connection, providerRef, holder }
  })

export const checksOf = (shape: Shape, parameters: Parameters, conditions: Conditions) => {
  const { place } = parameters
  const { claimVersion, isClaim, isMessage, isPayment, outcome, version } = conditions
  const checks: Array<string> = []
  if (shape.apiKey) {
    const hash = place("text", ({ change }) => bindText(change.apiKeyHash ?? ""))
    checks.push(
      `when not exists (select 1 from api_keys where hash = ${hash} and revoked_at is null) then 'ApiKeyRevoked'`
    )
  }
  const storedClaim = `(select version from claims where ${isClaim("claims")})`
  if (shape.claim === "new") checks.push(`when ${storedClaim} is not null then 'KeyTaken'`)
  if (shape.claim === "moved") checks.push(`when ${storedClaim} is distinct from ${claimVersion} then 'Stale'`)
  if (shape.message) {
    const stored = `(select outcome from messages where ${isMessage("messages")})`
    checks.push(`when ${stored} is null then 'Stale'`, `when ${stored} <> ${outcome} then 'MessageTaken'`)
  }
  const storedPayment = `(select version from payments where ${isPayment("payments")})`
  checks.push(`when ${storedPayment} is ${version === "" ? "not null" : `distinct from ${version}`} then 'Stale'`)
  const references = referencesIn(shape, parameters)
  for (const { connection, holder, providerRef } of references) {
    checks.push(`when exists (select 1 from ${holder} and r.payment_id <> ${parameters.paymentId}) and not exists (
      select 1 from payments
      where ${isPayment("payments")} and payments.connection_id = ${connection} and provider_ref = ${providerRef}
    ) then 'ReferenceTaken'`)
  }
  if (shape.refunds > 0) checks.push(balanceCheck(shape, parameters))
  return { checks, references }
}

const balanceCheck = (shape: Shape, { ofTenant, paymentId, place, value }: Parameters): string => {
  // What the refunds that are stored and stay as they are must add up to. Where the change writes none, a trigger
  // compares what the payment says with what is stored.
  const rest = (of: (change: Change) => number) => place("bigint", ({ change }) => String(of(change)))
  const refunded = rest(
    ({ payment, refunds = [] }) => payment.after.refundedMinor - refundTotals(refunds).refundedMinor
  )
  const pending = rest(
    ({ payment, refunds = [] }) => payment.after.refundPendingMinor - refundTotals(refunds).refundPendingMinor
  )
  const written = Array.from({ length: shape.refunds }, (_, index) =>
    value({ columns: rows.refundColumns, of: ({ refunds }) => refunds?.[index] }, "id")
  )
  return `when not (
    select coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0) = ${refunded}
      and coalesce(sum(amount_minor) filter (where balance = 'pending'), 0) = ${pending}
    from refunds where ${ofTenant("refunds")} and refunds.payment_id = ${paymentId}
      and refunds.id not in (${written.join(", ")})
  ) then 'Unbalanced'`
}
