/**
 * Asks the provider what it states of a dispute: one that only a report named has no deadline, and without one there is
 * no reminder; and a message may not say whether it is newer than what is recorded. The answer is recorded as any
 * statement. It may die at any point: what is not recorded is asked again.
 */
import { Clock, Effect } from "effect"
import { readDispute } from "../../call/LookUp.ts"
import type { Step } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { disputeStep, nextVersionOf, statedIn, withStated } from "../../commit/RecordDispute.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { ofUndecided } from "../../decide/interpret/InterpretReported.ts"
import { type Dispute, lacksDeadline, type StatedLookUp } from "../../model/Dispute.ts"
import { movedPayment } from "../../model/PaymentBook.ts"
import type { StatedDispute } from "../../model/ProviderStatement.ts"
import { recordedDispute } from "../../model/Reported.ts"
import type { DueDispute } from "../../ports/LedgerDisputes.ts"
import { type DisputeFile, disputeFile } from "./ReadDisputes.ts"

/** How often a provider that does not answer is asked, and how long after the last time, in milliseconds. */
const triesAtMost = 5
const againMillis = 30 * 60_000

type Answer = Effect.Success<ReturnType<typeof readDispute>> | "Unneeded"

export const readStated = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute) {
  const locks = yield* PaymentLocks
  const now = yield* Clock.currentTimeMillis
  const { book, dispute } = yield* disputeFile(tenant, disputeId)
  const { lookUp } = dispute
  if (lookUp === undefined || lookUp.at > now) return
  const isNeeded = lookUp.undecided !== undefined || lacksDeadline(dispute)
  const answer: Answer = isNeeded ? yield* readDispute(book, dispute) : "Unneeded"
  const isLast = answer === undefined && lookUp.tries + 1 >= triesAtMost
  // It is newer than what is recorded now, by whatever clock, and not than what comes while the provider is asked.
  const askedAt = Math.max(now, (recordedOf({ book, dispute })?.at ?? 0) + 1)
  const isGivenUp = yield* decideAndCommit({
    withLock: locks.take(paymentId),
    read: () => disputeFile(tenant, disputeId),
    decide: (file: DisputeFile, now) =>
      // Another process was faster: processes that ask together use up one try.
      Effect.succeed(
        isSameLookUp(file.dispute.lookUp, lookUp)
          ? write(stepOf(file, lookUp, answer, askedAt, now), isLast && lookUp.undecided === undefined)
          : done(false)
      ),
    afterUnknown: () => false,
    storageErrors: "fail"
  })
  if (!isGivenUp) return
  yield* Effect.logWarning(
    `the provider of ${dispute.connectionId} did not answer ${triesAtMost} times: dispute ${disputeId} has no deadline and no reminder`
  )
})

const recordedOf = ({ book, dispute }: DisputeFile) =>
  recordedDispute(book.payment.reported, { disputeId: dispute.providerDisputeId, attemptId: dispute.attemptId })

const isSameLookUp = (recorded: StatedLookUp | undefined, { at, tries }: StatedLookUp): boolean =>
  recorded?.at === at && recorded.tries === tries

const stepOf = (
  file: DisputeFile,
  { tries, undecided }: StatedLookUp,
  answer: Answer,
  askedAt: number,
  now: number
): Step => {
  const { book, dispute } = file
  const { lookUp: _, ...asked } = dispute
  if (answer === undefined && tries + 1 < triesAtMost) {
    const lookUp = { at: now + againMillis, tries: tries + 1, ...(undecided === undefined ? {} : { undecided }) }
    return disputeStep(book, dispute, { dispute: { ...asked, lookUp }, events: [] })
  }
  if (typeof answer === "object" && answer._tag === "Found") return statedStep(file, asked, answer.state, askedAt, now)
  const recorded = recordedOf(file)
  const isOpen = undecided !== undefined && recorded !== undefined && recorded.verdict !== undecided.verdict
  const meaning = isOpen ? ofUndecided(book, recorded, undecided, now) : undefined
  const applied = meaning !== undefined && "applied" in meaning ? meaning.applied : undefined
  if (applied === undefined) return disputeStep(book, dispute, { dispute: asked, events: [] })
  const { payment, ...beside } = applied
  return { tenant: payment.tenant, payment: movedPayment(book, payment), ...beside, disputes: [asked] }
}

/** `asked`: the dispute, which is not to be asked for again. */
const statedStep = (
  { book, dispute }: DisputeFile,
  asked: Dispute,
  stated: StatedDispute,
  askedAt: number,
  now: number
): Step => {
  const { attemptId, connectionId } = dispute
  const about = { _tag: "Dispute", charge: { attemptId }, ...stated } as const
  const source = { via: "lookup", at: null, askedAt } as const
  const meaning = interpret(book, connectionId, { ...source, about }, now)
  const applied = ("applied" in meaning ? meaning.applied : undefined) ?? nextVersionOf(book.payment)
  const { payment, ...beside } = applied
  const found = { book, others: [], disputes: [asked] }
  const said = statedIn(found, payment, connectionId, { about, source }, "", now)
  return {
    tenant: payment.tenant,
    payment: movedPayment(book, payment),
    disputes: [asked],
    ...withStated(beside, said)
  }
}
