/**
 * Erases the personal data of the payments with a reference, for a customer who asks for it. Amounts, states, ids and
 * provider references are kept. The reference is what finds a payment, so it is erased last. A process that dies before
 * leaves a payment that the next run finds again. Each payment is written on the version that its texts were read at: a
 * writer that came in between makes it read them again, and one that comes later decides on the blank record.
 */
import { Effect, Option, Schema } from "effect"
import { asStorageError, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { erasedBook, erasedEvents, isInUse } from "../../decide/EraseTexts.ts"
import type { Claim } from "../../model/Claim.ts"
import type { Dispute } from "../../model/Dispute.ts"
import type { Event } from "../../model/Event.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import { mostDisputes } from "../../model/Reported.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger, type MessageQuery } from "../../ports/Ledger.ts"

export interface ErasureOrder {
  readonly tenant: Tenant
  /** Of the payments, exactly as it was given. */
  readonly reference: string
  /** Who erases, for the log. */
  readonly by: string
  /** Whether to report what would be erased, and to write nothing. */
  readonly isDryRun: boolean
}

/** How many texts of a payment were erased, or would be. Its reference was too. */
export interface ErasedPayment {
  readonly paymentId: string
  readonly refundReasons: number
  readonly returnUrls: number
  /** Events that showed the reference or metadata. */
  readonly events: number
  /** Stored messages of providers. */
  readonly messages: number
  /** Stored answers to repeated requests. */
  readonly answers: number
}

export interface Erasure {
  /** Newest first. */
  readonly erased: ReadonlyArray<ErasedPayment>
  /** The ids of payments that were left alone: a customer is on their page, or a request is in flight. */
  readonly inUse: ReadonlyArray<string>
}

/** The order is wrong; nothing was erased. */
export class ErasureRefused extends Schema.TaggedError<ErasureRefused>()("pointsman/ErasureRefused", {
  field: Schema.Literals(["reference", "by"]),
  reason: Schema.String
}) {}

/** Unicode code points. */
const longestName = 120
/** What is read at once. */
const batch = 200

/** After a failure, what was erased stays erased; a second run continues with the rest. */
export const erasePayments = Effect.fnUntraced(function* (order: ErasureOrder) {
  yield* checkOrder(order)
  const ledger = yield* Ledger
  const erased: Array<ErasedPayment> = []
  const inUse: Array<string> = []
  let before: string | undefined
  for (;;) {
    const page: ReadonlyArray<Payment> = yield* ledger.payments(order.tenant, {
      reference: order.reference,
      before,
      limit: batch
    })
    for (const { id } of page) {
      const one = yield* erasePayment(order, id)
      if (one === "InUse") inUse.push(id)
      else if (one !== undefined) erased.push(one)
    }
    if (page.length < batch) return { erased, inUse } satisfies Erasure
    before = page.at(-1)?.id
  }
})

const checkOrder = Effect.fnUntraced(function* ({ by, reference }: ErasureOrder) {
  if (reference === "")
    return yield* new ErasureRefused({ field: "reference", reason: "expected the text of a reference" })
  if (by.trim() === "" || [...by].length > longestName) {
    return yield* new ErasureRefused({ field: "by", reason: `expected a name of 1 to ${longestName} characters` })
  }
})

interface Texts {
  readonly book: PaymentBook
  readonly claim: Claim | null
  readonly events: ReturnType<typeof erasedEvents>
  /** With evidence that is kept for them. */
  readonly disputes: ReadonlyArray<Dispute>
}

type Ended = ErasedPayment | "InUse" | undefined

const erasePayment = Effect.fnUntraced(function* (order: ErasureOrder, paymentId: string) {
  const { by, isDryRun, reference, tenant } = order
  const ledger = yield* Ledger
  const result = yield* decideAndCommit({
    read: () => readTexts(tenant, paymentId),
    decide: Effect.fnUntraced(function* (texts: Texts | undefined, _now, _reused, lastTry: ErasedPayment | undefined) {
      // Also where an earlier try of this loop was written, and its answer lost.
      if (texts?.book.payment.reference !== reference) return done<Ended>(lastTry)
      if (isInUse(texts.book)) return done<Ended>("InUse")
      const { answers, claim, operations, payment, refundReasons, refunds, returnUrls } = erasedBook(
        texts.book,
        texts.claim
      )
      const { disputes, events } = texts
      const found = { paymentId, refundReasons, returnUrls, events: events.length, answers }
      if (isDryRun) return done<Ended>({ ...found, messages: yield* countMessages(tenant, paymentId) })
      const messages = yield* ledger.eraseTexts(tenant, { paymentId, events })
      const step = {
        tenant,
        payment: movedPayment(texts.book, payment),
        operations,
        refunds,
        disputes: disputes.map((dispute) => ({ ...dispute, evidence: null })),
        evidence: disputes.map(({ id }) => ({ id, paymentId, sealed: "" })),
        events: [],
        claim: claim === null ? undefined : { expected: claim.version - 1, after: claim }
      }
      // An earlier try may have erased these already.
      const most = (count: number, earlier: number | undefined) => Math.max(count, earlier ?? 0)
      return write(step, {
        ...found,
        events: most(events.length, lastTry?.events),
        messages: most(messages, lastTry?.messages)
      })
    }),
    // Where it was written, the reference is gone.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(Effect.mapError(asStorageError(`erasing the texts of payment ${paymentId}`)))
  if (!isDryRun && typeof result === "object") {
    yield* Effect.logInfo("the personal data of a payment was erased").pipe(
      Effect.annotateLogs({ payment: paymentId, workspace: tenant.workspaceId, environment: tenant.environment, by })
    )
  }
  return result
})

const readTexts = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const book = Option.getOrUndefined(yield* ledger.book(tenant, paymentId))
  if (book === undefined) return undefined
  const { idempotencyKey } = book.payment
  const claim = idempotencyKey === null ? null : Option.getOrNull(yield* ledger.claim(tenant, idempotencyKey))
  const kept = yield* ledger.disputes(tenant, { paymentId, limit: mostDisputes })
  const disputes = kept.filter(({ evidence }) => evidence !== null)
  const events: Array<Event> = []
  for (;;) {
    const page = yield* ledger.timeline(tenant, paymentId, { after: events.at(-1)?.id, limit: batch })
    events.push(...page)
    if (page.length < batch) return { book, claim, events: erasedEvents(events), disputes } satisfies Texts
  }
})

const countMessages = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  let count = 0
  let before: MessageQuery["before"]
  for (;;) {
    const page = yield* ledger.messages({ tenant, paymentId, before, limit: batch })
    count += page.length
    if (page.length < batch) return count
    before = page.at(-1)
  }
})
