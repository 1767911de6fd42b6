/**
 * The background of disputes: reminds of deadlines, reads disputes that only a report named, and looks up what became of
 * submissions without an answer.
 *
 * It may die at any point, and run in several processes at once: a reminder is written once, with the version of the
 * payment and its day, and providers are only asked to look something up.
 */
import { Clock, Effect } from "effect"
import { lookUpSubmission } from "../../call/LookUp.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { PaymentLocks } from "../../commit/PaymentLocks.ts"
import { disputeStep } from "../../commit/RecordDispute.ts"
import { lookedUp, remind, submissionFactOf } from "../../decide/DisputeFact.ts"
import { isOldEnough } from "../../model/Attempt.ts"
import { openSubmission, type Submission } from "../../model/Dispute.ts"
import { keyUsedCode } from "../../model/ProviderStatement.ts"
import { recordedDispute } from "../../model/Reported.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { DueDispute } from "../../ports/LedgerDisputes.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { type DisputeFile, disputeFile } from "./ReadDisputes.ts"
import { readStated } from "./ReadStated.ts"
import { recordSubmission } from "./RecordSubmission.ts"
import { diedUnanswered } from "./SubmitDispute.ts"

/** What is read at once, and how many are checked at once: each may wait for a provider. */
const batch = 100
const atOnce = 16
/** Between two looks for due disputes, in milliseconds: their times are minutes and days. */
const leastPauseMillis = 10_000

/** Checks all that is due; gives how many there were. */
export const checkDisputes = Effect.fnUntraced(function* () {
  if ((yield* (yield* StorageCondition).read).refusal !== null) return 0
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  let count = 0
  let after: DueDispute | undefined
  for (;;) {
    const due: ReadonlyArray<DueDispute> = yield* ledger.dueDisputes({ now, after, limit: batch })
    yield* Effect.forEach(due, checkOne, { concurrency: atOnce, discard: true })
    count += due.length
    // One that cannot be checked does not block those behind it.
    after = due.at(-1)
    if (due.length < batch) break
  }
  return count
})

export const keepCheckingDisputes = (everyMillis: number) =>
  checkDisputes().pipe(
    Effect.catchCause((cause) => Effect.logError("the background jobs could not check the due disputes", cause)),
    Effect.andThen(Effect.sleep(Math.max(everyMillis, leastPauseMillis))),
    Effect.forever
  )

const checkOne = Effect.fnUntraced(
  function* (due: DueDispute) {
    yield* readStated(due)
    yield* checkSubmission(due)
    yield* remindOf(due)
  },
  (check, { disputeId }) =>
    Effect.catchCause(check, (cause) => Effect.logError(`dispute ${disputeId} could not be checked`, cause))
)

/** Writes the reminder that is due. Where none is, the commit says when to look again. */
const remindOf = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute) {
  const locks = yield* PaymentLocks
  yield* decideAndCommit({
    withLock: locks.take(paymentId),
    read: () => disputeFile(tenant, disputeId),
    decide: ({ book, dispute }: DisputeFile, now) => {
      const checked = lookedUp(dispute)
      const reminded = remind(book.payment, checked, now)
      const isDue = dispute.checkAt !== null && dispute.checkAt <= now
      if (reminded === undefined && !isDue) return done(undefined)
      return Effect.succeed(write(disputeStep(book, dispute, reminded ?? { dispute: checked, events: [] }), undefined))
    },
    // Where it was written, the reminder is recorded.
    afterUnknown: () => false,
    storageErrors: "fail"
  })
})

const checkSubmission = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute) {
  const locks = yield* PaymentLocks
  const file = yield* disputeFile(tenant, disputeId)
  const submission = openSubmission(file.dispute)
  if (submission === undefined) return
  const fact = yield* factOf(file, submission)
  if (fact === undefined) return
  const how = { storageErrors: "fail", withLock: locks.take(paymentId) } as const
  yield* recordSubmission(tenant, disputeId, submission, fact, how)
})

/** Without a lookup, the dispute's state decides: the provider has evidence, or had it. */
const isStated = ({ book, dispute }: DisputeFile, { kind, lookUpFrom, sentAt }: Submission): boolean => {
  const { attemptId, providerDisputeId: disputeId, status } = dispute
  const at = recordedDispute(book.payment.reported, { attemptId, disputeId })?.at ?? 0
  return kind === "submit" && (lookUpFrom !== undefined || (status === "under_review" && at >= sentAt))
}

const factOf = Effect.fnUntraced(function* (file: DisputeFile, submission: Submission) {
  const askedAt = yield* Clock.currentTimeMillis
  const agesFrom = (yield* StorageClock)?.agesFrom() ?? null
  if (submission.stage === "Sending") {
    const { claimWindowMillis } = yield* PaymentSettings
    return askedAt - submission.sentAt < claimWindowMillis ? undefined : diedUnanswered
  }
  const found = yield* lookUpSubmission(file.book, file.dispute, submission)
  if (found === undefined) return undefined
  if (found === "Unsupported") return isStated(file, submission) ? ({ on: "SubmissionConfirmed" } as const) : undefined
  if (found._tag === "Found") return submissionFactOf(found.state)
  // "Never received" is believed late, as of a refund: the provider may still be at work.
  const isBelieved =
    found.conclusive && submission.code !== keyUsedCode && isOldEnough(submission, { askedAt, agesFrom })
  return isBelieved ? submissionFactOf(found) : undefined
})
