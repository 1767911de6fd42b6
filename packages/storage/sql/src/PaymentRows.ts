/** How payments, attempts, events and claims lie in their tables. */
import type { Attempt, Claim, Event, Payment } from "@pointsman/core"
import { brokenInvariant } from "@pointsman/core/internal"
import { bindJson, type Columns, type Owner, type Parts, type Row, readJson, readMoney } from "./Columns.ts"

export const makePaymentRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readTenant, readText, readTextOrNull, tenantColumns } = parts

  /** Without the totals of the refunds, which one storage writes after the refunds. */
  const paymentColumns: Columns<Payment, V, Owner> = {
    ...tenantColumns,
    id: ({ id }) => bindText(id),
    version: ({ version }) => version,
    state: ({ state }) => state,
    amount_minor: ({ money }) => money.minorUnits,
    currency: ({ money }) => money.currency,
    country: ({ country }) => country,
    method: ({ method }) => method,
    card_brand: ({ cardBrand }) => bindTextOrNull(cardBrand),
    initiator: ({ initiator }) => initiator,
    capture_method: ({ captureMethod }) => captureMethod,
    reference: ({ reference }) => bindTextOrNull(reference),
    decline_category: ({ declineCategory }) => declineCategory,
    decline_reason: ({ declineReason }) => bindTextOrNull(declineReason),
    authorized_minor: ({ authorizedMinor }) => authorizedMinor,
    captured_minor: ({ capturedMinor }) => capturedMinor,
    connection_id: ({ connectionId }) => bindTextOrNull(connectionId),
    provider_ref: ({ providerRef }) => bindTextOrNull(providerRef),
    idempotency_key: ({ idempotencyKey }) => bindTextOrNull(idempotencyKey),
    hosted: ({ hosted }) => bindJson(hosted),
    routing: ({ routing }) => bindJson(routing),
    simulation: ({ simulation }) => bindJson(simulation),
    created_at: ({ createdAt }) => createdAt,
    updated_at: ({ updatedAt }) => updatedAt,
    settled_at: ({ settledAt }) => settledAt,
    reported: ({ reported }) => bindJson(reported),
    review: ({ review }) => bindJson(review),
    check_at: (_, { checkAt }) => checkAt ?? null
  }

  /** Asserts at read what was asserted at write. */
  const readPayment = (row: Row): Payment => {
    const payment: Payment = {
      id: readText(row["id"]),
      tenant: readTenant(row),
      version: row["version"] as number,
      state: row["state"] as Payment["state"],
      money: readMoney(row),
      country: row["country"] as string,
      method: row["method"] as Payment["method"],
      cardBrand: readTextOrNull(row["card_brand"]),
      initiator: row["initiator"] as Payment["initiator"],
      captureMethod: row["capture_method"] as Payment["captureMethod"],
      reference: readTextOrNull(row["reference"]),
      declineCategory: row["decline_category"] as Payment["declineCategory"],
      declineReason: readTextOrNull(row["decline_reason"]),
      authorizedMinor: row["authorized_minor"] as number,
      capturedMinor: row["captured_minor"] as number,
      refundedMinor: row["refunded_minor"] as number,
      refundPendingMinor: row["refund_pending_minor"] as number,
      connectionId: readTextOrNull(row["connection_id"]),
      providerRef: readTextOrNull(row["provider_ref"]),
      idempotencyKey: readTextOrNull(row["idempotency_key"]),
      hosted: readJson(row["hosted"]),
      routing: readJson(row["routing"]),
      simulation: readJson(row["simulation"]),
      createdAt: row["created_at"] as number,
      updatedAt: row["updated_at"] as number,
      settledAt: row["settled_at"] as number | null,
      reported: readJson(row["reported"]),
      review: readJson(row["review"])
    }
    const broken = brokenInvariant(payment)
    if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
    return payment
  }

  const attemptColumns: Columns<Attempt, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    number: ({ number }) => number,
    connection_id: ({ connectionId }) => bindText(connectionId),
    amount_minor: ({ money }) => money.minorUnits,
    currency: ({ money }) => money.currency,
    timeout_millis: ({ timeoutMillis }) => timeoutMillis,
    sent_at: ({ sentAt }) => sentAt,
    answered_at: ({ answeredAt }) => answeredAt,
    outcome: ({ outcome }) => outcome,
    provider_ref: ({ providerRef }) => bindTextOrNull(providerRef),
    decline_category: ({ declineCategory }) => declineCategory,
    code: ({ code }) => bindTextOrNull(code),
    reason: ({ reason }) => bindTextOrNull(reason),
    checkout: ({ checkout }) => bindJson(checkout)
  }

  const readAttempt = (row: Row): Attempt => ({
    id: readText(row["id"]),
    paymentId: readText(row["payment_id"]),
    number: row["number"] as number,
    connectionId: readText(row["connection_id"]),
    money: readMoney(row),
    timeoutMillis: row["timeout_millis"] as number,
    sentAt: row["sent_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    outcome: row["outcome"] as Attempt["outcome"],
    providerRef: readTextOrNull(row["provider_ref"]),
    declineCategory: row["decline_category"] as Attempt["declineCategory"],
    code: readTextOrNull(row["code"]),
    reason: readTextOrNull(row["reason"]),
    checkout: readJson(row["checkout"])
  })

  const readEvent = (row: Row): Event => ({
    id: readText(row["id"]),
    type: row["type"] as Event["type"],
    paymentId: readText(row["payment_id"]),
    createdAt: row["created_at"] as number,
    data: readJson(row["data"])
  })

  const claimColumns: Columns<Claim, V, Owner> = {
    ...tenantColumns,
    key: ({ key }) => bindText(key),
    version: ({ version }) => version,
    state: ({ state }) => state,
    fingerprint: ({ fingerprint }) => fingerprint,
    payment_id: ({ paymentId }) => bindText(paymentId),
    claimed_at: ({ claimedAt }) => claimedAt,
    answered_at: ({ answeredAt }) => answeredAt,
    answer: ({ answer }) => bindJson(answer)
  }

  const readClaim = (row: Row): Claim => ({
    key: readText(row["key"]),
    version: row["version"] as number,
    state: row["state"] as Claim["state"],
    fingerprint: row["fingerprint"] as string,
    paymentId: readText(row["payment_id"]),
    claimedAt: row["claimed_at"] as number,
    answeredAt: row["answered_at"] as number | null,
    answer: answerOf(readJson(row["answer"]))
  })

  return { paymentColumns, readPayment, attemptColumns, readAttempt, readEvent, claimColumns, readClaim }
}

/** An answer that was stored before payments kept what providers report. */
const answerOf = (stored: Payment | null): Payment | null =>
  stored === null || stored.reported !== undefined ? stored : { ...stored, reported: null }
