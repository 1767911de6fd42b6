/**
 * Everything that a provider can state of a payment: each kind of statement, each state that it carries, and the amounts,
 * references and dates that change what it means.
 *
 * The list is total by type. A new kind of statement, or a new state of a
 * charge, an operation or a refund, does not compile until it has a row here.
 */
import type { Money } from "@pointsman/core"
import type {
  ChargeRecord,
  ChargeState,
  MessageAbout,
  OperationState,
  PaymentBook,
  RefundState
} from "@pointsman/core/ports"
import { asked, partlyCaptured, partlyRefunded, type Sample, type Subject } from "./Books.ts"

/** How a statement names what it is about. */
export interface Names {
  readonly attemptId: string
  /** The provider's reference of the charge. */
  readonly reference: string
  /** A reference that no other charge has. */
  readonly anotherReference: string
  readonly operationId: string
  readonly refundId: string
  /** The provider's reference of the refund. */
  readonly refundReference: string
  readonly currency: string
}

export const namesIn = ({ attempts, operations, payment, refunds }: PaymentBook, sample: Sample): Names => {
  const attempt = attempts.at(sample.attempt ?? -1)
  const refund = refunds.at(-1)
  return {
    attemptId: attempt?.id ?? "",
    reference: attempt?.providerRef ?? `ref_${attempt?.id}`,
    anotherReference: `another_${attempt?.id}`,
    operationId: operations.at(-1)?.id ?? "",
    refundId: refund?.id ?? "",
    refundReference: refund?.providerRefundId ?? `ref_${refund?.id}`,
    currency: payment.money.currency
  }
}

export interface Word {
  readonly name: string
  /** The plain statement that this one varies by an amount, a reference or a date; absent for a plain one. */
  readonly like?: string
  /** Whether the provider dates it before what is recorded; else after it. */
  readonly isBefore: boolean
  readonly about: (names: Names) => MessageAbout
}

type Words = readonly [Word, ...ReadonlyArray<Word>]

/** A dispute without a verdict is an inquiry: of the payment it moves nothing. */
type DisputeVerdict = NonNullable<OfDispute["verdict"]>

/** What a kind of statement can carry. */
interface Carried {
  readonly Charge: ChargeRecord["_tag"]
  readonly CaptureFailed: "automatic"
  readonly Operation: OperationState["_tag"]
  readonly Refund: RefundState["_tag"]
  readonly UnnamedRefund: RefundState["_tag"]
  /** A payout may state the charge too. */
  readonly Settled: "NoCharge" | "Charge"
  readonly Dispute: DisputeVerdict
  readonly Changed: "changed"
}

type Total = {
  readonly [Kind in MessageAbout["_tag"]]: Readonly<Record<Carried[Kind], Words>>
}

/** As the samples and the statements here are told in: 12.00 is more than was asked for, 50.00 was told before. */
const tooMuch = 1200
const less = 300
const otherCurrency = "USD"

/** The provider's id of a capture. */
const captureByHand = "cap_1"

const plain = (name: string, about: Word["about"]): Words => [{ name, isBefore: false, about }]

const varied = (like: string, name: string, about: Word["about"]): Words => [{ name, like, isBefore: false, about }]

/** A plain statement, and the same dated before what is recorded. */
const dated = (name: string, about: Word["about"]): Words => [
  ...plain(name, about),
  { name: `${name}, dated before`, like: name, isBefore: true, about }
]

// Charges.

type OfCharge<Tag> = Extract<ChargeState, { readonly _tag: Tag }>

const charge =
  (state: (names: Names) => ChargeRecord): Word["about"] =>
  (names) => ({ _tag: "Charge", charge: { attemptId: names.attemptId }, state: () => state(names) })

const amountOf =
  (minorUnits: number, currency?: string) =>
  (names: Names): Money => ({
    minorUnits,
    currency: currency ?? names.currency
  })

const holding = (
  tag: "Authorized" | "Captured" | "Pending" | "Approved" | "NeedsCustomer" | "Canceled",
  stated?: (names: Names) => Money,
  isAnother = false
): Word["about"] =>
  charge((names) => ({
    _tag: tag,
    providerRef: isAnother ? names.anotherReference : names.reference,
    ...(stated === undefined ? {} : { stated: stated(names) })
  }))

/** A capture that a person made at the provider, by the provider's id of it. */
const byHand = (minorUnits: number): Word["about"] =>
  charge((names) => ({
    _tag: "Captured",
    providerRef: names.reference,
    capture: { id: captureByHand, money: amountOf(minorUnits)(names) }
  }))

const declined = (soft: boolean): Word["about"] =>
  charge(
    ({ reference }): OfCharge<"Declined"> => ({
      _tag: "Declined",
      providerRef: reference,
      category: soft ? "do_not_honor" : "insufficient_funds",
      code: soft ? "05" : "51",
      soft
    })
  )

const charges: Total["Charge"] = {
  Authorized: [
    ...dated("authorized", holding("Authorized")),
    ...varied("authorized", "authorized 6.00", holding("Authorized", amountOf(partlyCaptured))),
    ...varied("authorized", "authorized 12.00", holding("Authorized", amountOf(tooMuch))),
    ...varied("authorized", "authorized in another currency", holding("Authorized", amountOf(asked, otherCurrency)))
  ],
  Captured: [
    ...dated("captured", holding("Captured")),
    ...varied("captured", "captured 6.00", holding("Captured", amountOf(partlyCaptured))),
    ...varied("captured", "captured 10.00", holding("Captured", amountOf(asked))),
    ...varied("captured", "captured 12.00", holding("Captured", amountOf(tooMuch))),
    ...varied("captured", "captured in another currency", holding("Captured", amountOf(asked, otherCurrency))),
    ...varied("captured", "captured under another reference", holding("Captured", undefined, true)),
    ...varied("captured", "one capture of 3.00 by hand", byHand(less)),
    ...varied("captured", "one capture of 12.00 by hand", byHand(tooMuch))
  ],
  Pending: plain("pending", holding("Pending")),
  Declined: [...plain("declined", declined(false)), ...plain("declined softly", declined(true))],
  Approved: plain("approved, nothing taken yet", holding("Approved")),
  NeedsCustomer: plain("requires authentication", holding("NeedsCustomer")),
  Canceled: [
    ...plain("canceled", holding("Canceled")),
    ...varied("canceled", "canceled under another reference", holding("Canceled", undefined, true))
  ]
}

// Captures and voids.

const operation =
  (state: OperationState): Word["about"] =>
  ({ operationId }) => ({ _tag: "Operation", operationId, state: () => state })

const confirmed =
  (stated?: (names: Names) => Money): Word["about"] =>
  (names) =>
    operation({ _tag: "OperationConfirmed", ...(stated === undefined ? {} : { stated: stated(names) }) })(names)

const operations: Total["Operation"] = {
  OperationConfirmed: [
    ...dated("confirmed", confirmed()),
    ...varied("confirmed", "confirmed 3.00", confirmed(amountOf(less))),
    ...varied("confirmed", "confirmed 12.00", confirmed(amountOf(tooMuch))),
    ...varied("confirmed", "confirmed in another currency", confirmed(amountOf(asked, otherCurrency)))
  ],
  OperationPending: dated("pending", operation({ _tag: "OperationPending" })),
  OperationFailed: [
    ...plain("failed for good", operation({ _tag: "OperationFailed", isFinal: true, reason: "No funds." })),
    ...plain(
      "failed, and is tried again",
      operation({ _tag: "OperationFailed", isFinal: false, reason: "The provider tries again." })
    )
  ]
}

// Refunds.

type Without<State> = State extends unknown ? Omit<State, "providerRefundId"> : never

const refund =
  (state: Without<RefundState>, reference?: string): Word["about"] =>
  ({ refundId, refundReference }) => ({
    _tag: "Refund",
    refundId,
    state: () => ({ ...state, providerRefundId: reference ?? refundReference })
  })

const refunded =
  (stated?: (names: Names) => Money, reference?: string): Word["about"] =>
  (names) =>
    refund({ _tag: "Succeeded", ...(stated === undefined ? {} : { stated: stated(names) }) }, reference)(names)

const refunds: Total["Refund"] = {
  Succeeded: [
    ...dated("succeeded", refunded()),
    ...varied("succeeded", "succeeded with 3.00", refunded(amountOf(less))),
    ...varied("succeeded", "succeeded with 12.00", refunded(amountOf(tooMuch))),
    ...varied("succeeded", "succeeded in another currency", refunded(amountOf(partlyRefunded, otherCurrency))),
    ...varied("succeeded", "succeeded under another reference", refunded(undefined, "another"))
  ],
  RefundPending: dated("pending", refund({ _tag: "RefundPending" })),
  RefundFailed: [
    ...plain("failed", refund({ _tag: "RefundFailed", reason: "The account is closed." })),
    ...plain(
      "failed, and is tried again",
      refund({ _tag: "RefundFailed", reason: "The provider tries again.", isFinal: false })
    )
  ]
}

/** Without an id of ours: somebody made it at the provider. */
const refundByHand =
  (state: (providerRefundId: string, names: Names) => RefundState): Word["about"] =>
  (names) => {
    const providerRefundId = `by_hand_${names.attemptId}`
    return {
      _tag: "UnnamedRefund",
      charge: { providerRef: names.reference },
      providerRefundId,
      refundId: "rf_2",
      state: () => state(providerRefundId, names)
    }
  }

const madeOf = (minorUnits: number, _tag: "Succeeded" | "RefundPending" = "Succeeded", currency?: string) =>
  refundByHand((providerRefundId, names) => ({
    _tag,
    providerRefundId,
    stated: { minorUnits, currency: currency ?? names.currency }
  }))

const refundsByHand: Total["UnnamedRefund"] = {
  Succeeded: [
    ...plain("3.00 refunded", madeOf(less)),
    ...plain("12.00 refunded", madeOf(tooMuch)),
    ...plain("3.00 refunded in another currency", madeOf(less, "Succeeded", otherCurrency))
  ],
  RefundPending: plain("3.00 pending", madeOf(less, "RefundPending")),
  RefundFailed: plain(
    "failed",
    refundByHand((providerRefundId) => ({ _tag: "RefundFailed", providerRefundId, reason: "The account is closed." }))
  )
}

// Payouts and disputes.

const settled =
  (captured?: "reference" | "anotherReference"): Word["about"] =>
  (names) => ({
    _tag: "Settled",
    charge: { attemptId: names.attemptId },
    state: captured === undefined ? null : () => ({ _tag: "Captured", providerRef: names[captured] })
  })

const settlements: Total["Settled"] = {
  NoCharge: plain("paid out", settled()),
  Charge: [
    ...plain("paid out and captured", settled("reference")),
    ...plain("paid out and captured, under another reference", settled("anotherReference"))
  ]
}

type OfDispute = Extract<MessageAbout, { readonly _tag: "Dispute" }>

const dispute =
  (verdict: DisputeVerdict, fields: Partial<OfDispute> = {}): Word["about"] =>
  ({ attemptId }) => ({ _tag: "Dispute", charge: { attemptId }, disputeId: null, verdict, ...fields })

const disputes: Total["Dispute"] = {
  opened: [
    ...dated("opened", dispute("opened")),
    ...varied("opened", "another one opened", dispute("opened", { disputeId: "dp_2" })),
    ...varied("opened", "updated without a status", dispute("opened", { isContinued: true }))
  ],
  won: [...dated("won", dispute("won")), ...varied("won", "another one won", dispute("won", { disputeId: "dp_2" }))],
  lost: [
    ...dated("lost", dispute("lost")),
    ...varied("lost", "lost, with the status won", dispute("lost", { status: "won" }))
  ]
}

const captureFailures: Total["CaptureFailed"] = {
  automatic: plain("the automatic capture failed", ({ attemptId }) => ({
    _tag: "CaptureFailed",
    charge: { attemptId },
    reason: "The automatic capture failed."
  }))
}

const changes: Total["Changed"] = {
  changed: plain("something changed", ({ reference }) => ({
    _tag: "Changed",
    charge: { providerRef: reference },
    reason: "it is not as the protocol says at data.attempt_id"
  }))
}

/** A kind of statement, or a state that it carries, without a row does not compile. */
const words = {
  Charge: charges,
  CaptureFailed: captureFailures,
  Operation: operations,
  Refund: refunds,
  UnnamedRefund: refundsByHand,
  Settled: settlements,
  Dispute: disputes,
  Changed: changes
} satisfies Total

/** The statements about a subject, in the order in which they are listed. */
export const wordsAbout = (subject: Subject): ReadonlyArray<Word> => Object.values(words[subject]).flat()
