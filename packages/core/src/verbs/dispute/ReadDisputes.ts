import { Effect, Option, Result } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import { DisputeNotFound } from "../../decide/DisputeOrder.ts"
import type { Dispute } from "../../model/Dispute.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Connectors, type EvidenceFields } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { DisputeQuery } from "../../ports/LedgerDisputes.ts"
import { page } from "../read/ReadPayments.ts"

/** Ids as we write them; anything else names no dispute and need not be looked up. */
const disputeIdPattern = /^dp_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

export const dispute = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const ledger = yield* Ledger
  const found = disputeIdPattern.test(id) ? yield* ledger.dispute(tenant, id) : Option.none<Dispute>()
  return yield* Effect.fromOption(found, () => new DisputeNotFound())
})

/** Newest first. */
export const disputes = Effect.fnUntraced(function* (tenant: Tenant, query: DisputeQuery) {
  const ledger = yield* Ledger
  return page<Dispute>(query.limit, yield* ledger.disputes(tenant, { ...query, limit: query.limit + 1 }))
})

/** What the provider of a dispute takes as evidence. */
export interface EvidenceTaken {
  /** Whether the connector sends evidence. Where it does not, the provider takes it on pages of its own. */
  readonly isSent: boolean
  /** `null` where evidence of any name is taken. */
  readonly fields: EvidenceFields | null
}

/** A connection that cannot be used now may be mended before the evidence is sent: it is not said to take none. */
export const evidenceTaken = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const { connectionId } = yield* dispute(tenant, id)
  const found = yield* (yield* Directory).connection(connectionId)
  if (Option.isNone(found)) return { isSent: false, fields: null } satisfies EvidenceTaken
  const definition = (yield* Connectors).definition(found.value.connector)
  const connector = yield* Effect.result((yield* OpenConnections).connector(found.value))
  return {
    isSent: Result.isFailure(connector) || connector.success.submitDispute !== undefined,
    fields: Option.getOrNull(Option.flatMapNullishOr(definition, ({ evidence }) => evidence))
  } satisfies EvidenceTaken
})

export interface DisputeFile {
  readonly book: PaymentBook
  readonly dispute: Dispute
}

/**
 * A dispute with its payment, to decide on. It is read after its payment: every write of it moves the version of the
 * payment, so that a commit on that version finds the dispute as it was read here.
 */
export const disputeFile = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const ledger = yield* Ledger
  const { paymentId } = yield* dispute(tenant, id)
  const book = yield* Effect.fromOption(yield* ledger.book(tenant, paymentId), () => new DisputeNotFound())
  return { book, dispute: yield* dispute(tenant, id) } satisfies DisputeFile
})
