/** How payments are stored in their table. */
import type { Payment, Purchase, RoutingDecision } from "@pointsman/core"
import { brokenInvariant, nothingReported, type Reported } from "@pointsman/core/internal"
import { asksNone } from "./Checks.ts"
import { bindJson, type Columns, type Owner, type Parts, type Row, readJson, readMoney } from "./Columns.ts"
import { decisionOf, isDerivedDecision, type StoredDecision, shortDecision } from "./ShortDecision.ts"

/** With the method that the create named, which most payments have not. */
type StoredPurchase = Partial<Purchase> & Pick<Payment, "paymentMethod">

const storedPurchase = ({ paymentMethod, purchase }: Payment): StoredPurchase | null =>
  paymentMethod === undefined ? purchase : { ...purchase, paymentMethod }

const purchaseOf = (stored: StoredPurchase | null): Pick<Payment, "paymentMethod" | "purchase"> => {
  if (stored === null || stored.paymentMethod === undefined) return { purchase: stored as Purchase | null }
  const { paymentMethod, ...purchase } = stored
  return { paymentMethod, purchase: "lines" in purchase ? (purchase as Purchase) : null }
}

/** With the corrections, which most payments have not. */
type StoredReported = Reported & Pick<Payment, "corrections">

const storedReported = ({ corrections, reported }: Payment): StoredReported | null =>
  corrections === undefined ? reported : { ...(reported ?? nothingReported), corrections }

const reportedOf = (stored: StoredReported | null): Pick<Payment, "corrections" | "reported"> => {
  if (stored === null || stored.corrections === undefined) return { reported: stored }
  const { corrections, ...reported } = stored
  return { corrections, reported: isNothing(reported) ? null : reported }
}

const isNothing = (reported: Reported): boolean => JSON.stringify(reported) === JSON.stringify(nothingReported)

/**
 * The derived forms that decisions were read from: most changes of a stored payment leave its decision as it is, and to make
 * the form anew takes a tenth of the time that a commit takes in this process.
 */
const derivedTexts = new WeakMap<RoutingDecision, string>()

const readDecision = (text: string | null): RoutingDecision | null => {
  const stored = readJson<StoredDecision | null>(text)
  const decision = decisionOf(stored)
  if (decision !== null && text !== null && isDerivedDecision(stored)) derivedTexts.set(decision, text)
  return decision
}

/** The columns of the `createdFields`. */
const createdColumns = [
  "amount_minor",
  "currency",
  "country",
  "method",
  "card_brand",
  "initiator",
  "capture_method",
  "reference",
  "metadata",
  "purchase",
  "decline_category",
  "decline_reason",
  "authorized_minor",
  "connection_id",
  "provider_ref",
  "idempotency_key",
  "hosted",
  "routing",
  "simulation",
  "created_at"
] as const

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
    routing: ({ routing }, { isDerived }) => {
      if (routing === null) return null
      return (isDerived ? derivedTexts.get(routing) : undefined) ?? bindJson(shortDecision(routing, isDerived))
    },
    simulation: ({ simulation }) => bindJson(simulation),
    created_at: ({ createdAt }) => createdAt,
    updated_at: ({ updatedAt }) => updatedAt,
    settled_at: ({ settledAt }) => settledAt,
    reported: (payment) => bindJson(storedReported(payment)),
    review: ({ review }) => bindJson(review),
    metadata: ({ metadata }) => bindJson(metadata),
    purchase: (payment) => bindJson(storedPurchase(payment)),
    check_at: (_, { checkAt }) => checkAt ?? null,
    check_connection: (_, { checkedConnection }) => bindText(checkedConnection ?? asksNone)
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
      metadata: readJson(row["metadata"]),
      ...purchaseOf(readJson(row["purchase"])),
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
      routing: readDecision(row["routing"] as string | null),
      simulation: readJson(row["simulation"]),
      createdAt: row["created_at"] as number,
      updatedAt: row["updated_at"] as number,
      settledAt: row["settled_at"] as number | null,
      ...reportedOf(readJson(row["reported"])),
      review: readJson(row["review"])
    }
    const broken = brokenInvariant(payment)
    if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
    return payment
  }

  return { paymentColumns, createdColumns, readPayment }
}
