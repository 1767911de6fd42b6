/** Messages of providers as they are stored, and by what they find their payment. */
import type { PaymentBook } from "./PaymentBook.ts"
import type { Tenant } from "./Tenant.ts"

/**
 * The outcome of a message.
 *
 * - `received`: stored and not decided yet, because the server stopped or the store failed in between
 * - `applied`: it changed the payment; of a settlement, the payment was settled by it
 * - `confirmed`: it says what is recorded already
 * - `older`: what is recorded is newer, and the message says nothing else
 * - `contradicts`: it cannot be reconciled with the record, and operations have a review
 * - `waits`: a dispute, a settlement or the end of the charge that is decided again when an operation in flight has ended,
 *   or a statement about a capture, void or refund, or that something about the charge changed, that a lookup decides
 * - `unreadable`: its connector cannot read it
 * - `unmatched`: it names a charge, an operation or a refund that is not stored here
 */
export const messageOutcomes = [
  "received",
  "applied",
  "confirmed",
  "older",
  "contradicts",
  "waits",
  "unreadable",
  "unmatched"
] as const

export type MessageOutcome = (typeof messageOutcomes)[number]

/** What a provider's message was, without its text. */
export interface MessageNote {
  readonly connectionId: string
  /** The provider's id, unique in its connection; where it cannot be read, `sha256:` and the hash of the body. */
  readonly eventId: string
  /** `null` where it is not decided yet, and where it is about nothing that its connection was asked. */
  readonly paymentId: string | null
  readonly about: "charge" | "operation" | "refund" | "settlement" | "dispute" | "unreadable"
  /** The attempt, the operation or the refund, as the message names it; empty where it cannot be read. */
  readonly subjectId: string
  /** Of a dispute. `null` where the provider names none. */
  readonly disputeId: string | null
  readonly verdict: "opened" | "won" | "lost" | null
  readonly outcome: MessageOutcome
  /** Why it is unreadable (a field, never its value) or unmatched (its payment left the store); else `null`. */
  readonly reason: string | null
  /** Epoch milliseconds: when the provider wrote it (of an unreadable one: when it came), and when it came. */
  readonly writtenAt: number
  readonly receivedAt: number
}

/** A provider's message as evidence. */
export interface StoredMessage extends MessageNote {
  /** What is kept of the body, sealed or not; empty and not sealed after an erasure of personal data. */
  readonly body: string
  /** `false` for a message that a version stored which did not seal bodies. */
  readonly isSealed: boolean
}

/** The new outcome of a stored message, written only if it still has the expected one. */
export interface MessageDecision {
  /** The outcome that the stored message had when this was decided. */
  readonly expected: MessageOutcome
  readonly after: MessageNote
}

/** A message among those of all tenants. */
export interface TenantMessage extends MessageNote {
  readonly tenant: Tenant
}

/** By what a provider's message finds its payment. */
export type MessageSubject =
  | { readonly attemptId: string }
  | { readonly refundId: string }
  | { readonly operationId: string }
  /** Of the charge that a payment is based on; else of an attempt, which may have moved no money. */
  | { readonly connectionId: string; readonly providerRef: string }

/** The payment that a message is about. */
export interface MessageBook {
  readonly book: PaymentBook
  /**
   * The ids of other payments that have the same charge, where it was asked for by its reference; empty otherwise. Two
   * share one where an older version wrote them, or where their attempts moved no money. The oldest of them are read: with
   * the payment that is meant, `mostNamed`.
   */
  readonly others: ReadonlyArray<string>
}

/**
 * Payments that are read of those that share one name. A reference that two of them have says no more than one that
 * thousands have, and of the requests under one key only the newest may have been sent.
 */
export const mostNamed = 20

/** Binds a sealed body to its message. */
export const messageContext = (connectionId: string, eventId: string): string =>
  `connection:${connectionId}:message:${eventId}`
