/** What is left of a payment after the erasure of its personal data: amounts, states, ids and provider references. Pure. */
import type { Claim } from "../model/Claim.ts"
import { type Correction, isRefundProposal } from "../model/Correction.ts"
import type { Event } from "../model/Event.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { PaymentState } from "../model/PaymentMachine.ts"
import type { Refund } from "../model/Refund.ts"

/** A customer still needs the addresses, or a request is in flight and may be sent with the reference. */
const inUse: ReadonlySet<PaymentState> = new Set([
  "AwaitingCustomer",
  "CheckoutOpen",
  "Charging",
  "Capturing",
  "Voiding"
])

/** Whether its personal data is still needed for what is under way. It ends within minutes, also if a process died. */
export const isInUse = ({ payment, refunds }: PaymentBook): boolean =>
  inUse.has(payment.state) || refunds.some(({ stage }) => stage === "Sending")

const withoutTexts = ({ corrections, ...payment }: Payment): Payment => ({
  ...payment,
  ...(corrections === undefined ? {} : { corrections: corrections.map(withoutReason) }),
  reference: null,
  metadata: null,
  purchase: null,
  hosted: payment.hosted === null ? null : { ...payment.hosted, returnUrl: null, cancelUrl: null }
})

/** A proposed refund has its reason too. */
const withoutReason = (correction: Correction): Correction =>
  isRefundProposal(correction) ? { ...correction, stated: { ...correction.stated, reason: null } } : correction

/** A stored answer to a repeated request shows the payment: it is blanked there too. */
const eraseReply = <Reply extends Operation["reply"] | Refund["reply"]>(reply: Reply): Reply =>
  reply?._tag === "Done" ? { ...reply, payment: withoutTexts(reply.payment) } : reply

export interface ErasedBook {
  readonly payment: Payment
  /** Those that changed. */
  readonly operations: ReadonlyArray<Operation>
  readonly refunds: ReadonlyArray<Refund>
  /** `null` where it shows nothing. */
  readonly claim: Claim | null
  readonly refundReasons: number
  readonly returnUrls: number
  readonly answers: number
}

/** `claim`: of the payment's key. The versions of the payment and the claim are those of the write. */
export const erasedBook = ({ operations, payment, refunds }: PaymentBook, claim: Claim | null): ErasedBook => {
  const shows = ({ reply }: Operation | Refund) => reply?._tag === "Done"
  const answered = operations.filter(shows)
  const changed = refunds.filter((refund) => refund.reason !== null || shows(refund))
  const isClaimed = claim?.paymentId === payment.id && claim.answer !== null
  const { cancelUrl = null, returnUrl = null } = payment.hosted ?? {}
  return {
    payment: { ...withoutTexts(payment), version: payment.version + 1 },
    operations: answered.map((operation) => ({ ...operation, reply: eraseReply(operation.reply) })),
    refunds: changed.map((refund) => ({ ...refund, reason: null, reply: eraseReply(refund.reply) })),
    claim: isClaimed ? { ...claim, version: claim.version + 1, answer: withoutTexts(claim.answer) } : null,
    refundReasons: refunds.filter(({ reason }) => reason !== null).length,
    returnUrls: [returnUrl, cancelUrl].filter((url) => url !== null).length,
    answers: answered.length + refunds.filter(shows).length + (isClaimed ? 1 : 0)
  }
}

/** The events that show the reference or metadata, with the data that replaces theirs. */
export const erasedEvents = (events: ReadonlyArray<Event>): ReadonlyArray<Pick<Event, "id" | "data">> =>
  events
    .filter(({ data }) => (data["reference"] ?? null) !== null || "metadata" in data)
    .map(({ data: { metadata: _, ...data }, id }) => ({ id, data: { ...data, reference: null } }))
