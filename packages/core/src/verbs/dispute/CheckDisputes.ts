/**
 * The background of disputes: reminds of deadlines, reads disputes that only a report named, and looks up what became of
 * submissions without an answer.
 *
 * It may die at any point, and run in several processes at once: a reminder is written with the version of the payment and
 * the day that it reminds of, so that each is written once, and nothing is asked of a provider but to look something up.
 */
import { Clock, Effect } from "effect"
import { lookUpSubmission } from "../../call/LookUp.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { disputeStep } from "../../commit/DisputeStep.ts"
import { Turns } from "../../commit/Turns.ts"
import { lookedUp, remind, submissionFactOf } from "../../decide/DisputeFact.ts"
import { disputeCheckAt } from "../../decide/DisputeReminders.ts"
import { isDatedAhead, isOldEnough } from "../../decide/SentCall.ts"
import { type Dispute, openSubmission, type Submission } from "../../model/Dispute.ts"
import { keyUsedCode } from "../../model/ProviderStatement.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { DueDispute } from "../../ports/LedgerDisputes.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { DisputeLooks } from "./DisputeLooks.ts"
import { type DisputeFile, dispute, disputeFile } from "./ReadDisputes.ts"
import { readStated } from "./ReadStated.ts"
import { recordSubmission } from "./RecordSubmission.ts"
import { diedUnanswered } from "./SubmitDispute.ts"

/** What is read at once, and how many are checked at once: each may wait for a provider. */
const batch = 100
const atOnce = 16
/** Between two looks for due disputes, in milliseconds: their times are minutes and days. */
const leastPauseMillis = 10_000

/** Checks all that is due; gives how many there were. Now and then it looks at the others too: `DisputeLooks.ts`. */
export const checkDisputes = Effect.fnUntraced(function* () {
  if ((yield* (yield* StorageCondition).read).refusal !== null) return 0
  const ledger = yield* Ledger
  const looks = yield* DisputeLooks
  const agesFrom = (yield* StorageClock)?.agesFrom() ?? null
  const now = yield* Clock.currentTimeMillis
  const isOfAll = !looks.hasSeenAll(agesFrom)
  const until = isOfAll ? Number.MAX_SAFE_INTEGER : now
  let count = 0
  let after: DueDispute | undefined
  for (;;) {
    const due: ReadonlyArray<DueDispute> = yield* ledger.dueDisputes({ now: until, after, limit: batch })
    yield* Effect.forEach(due, (one) => checkOne(one, now), { concurrency: atOnce, discard: true })
    count += due.filter(({ checkAt }) => checkAt <= now).length
    // One that cannot be checked keeps nobody from those behind it.
    after = due.at(-1)
    if (due.length < batch) break
  }
  if (isOfAll) looks.sawAll(agesFrom)
  return count
})

export const keepCheckingDisputes = (everyMillis: number) =>
  checkDisputes().pipe(
    Effect.catchCause((cause) => Effect.logError("the background jobs could not check the due disputes", cause)),
    Effect.andThen(Effect.sleep(Math.max(everyMillis, leastPauseMillis))),
    Effect.forever
  )

const checkOne = Effect.fnUntraced(
  function* (due: DueDispute, now: number) {
    yield* readStated(due)
    if (due.checkAt > now) return yield* checkMisdated(due, now)
    yield* checkSubmission(due)
    yield* remindOf(due)
  },
  (check, { disputeId }) =>
    Effect.catchCause(check, (cause) => Effect.logError(`dispute ${disputeId} could not be checked`, cause))
)

/** Nothing of it is due. A submission that is dated ahead is checked all the same, and the commit says when to look again. */
const checkMisdated = Effect.fnUntraced(function* (due: DueDispute, now: number) {
  const { checkIntervals, claimWindowMillis } = yield* PaymentSettings
  const recorded = yield* dispute(due.tenant, due.disputeId)
  if (openSubmission(recorded) === undefined) return
  const next = disputeCheckAt(recorded, checkIntervals, claimWindowMillis, now)
  if (next !== null && recorded.checkAt !== null && next < recorded.checkAt) yield* remindOf(due, true)
})

/** Writes the reminder that is due. Where none is, the commit says when to look again. */
const remindOf = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute, isMisdated = false) {
  const turns = yield* Turns
  yield* decideAndCommit({
    inTurn: turns.take(paymentId),
    read: () => disputeFile(tenant, disputeId),
    decide: ({ book, dispute }: DisputeFile, now) => {
      const checked = lookedUp(dispute)
      const reminded = remind(book.payment, checked, now)
      const isDue = dispute.checkAt !== null && (dispute.checkAt <= now || isMisdated)
      if (reminded === undefined && !isDue) return Effect.succeed(done(undefined))
      return Effect.succeed(
        write(disputeStep(book.payment, dispute, reminded ?? { dispute: checked, events: [] }), undefined)
      )
    },
    // Where it was written, the reminder is recorded.
    afterUnknown: () => false,
    storageErrors: "fail"
  })
})

const checkSubmission = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute) {
  const turns = yield* Turns
  const file = yield* disputeFile(tenant, disputeId)
  const submission = openSubmission(file.dispute)
  if (submission === undefined) return
  const fact = yield* factOf(file, submission)
  if (fact === undefined) return
  const how = { storageErrors: "fail", inTurn: turns.take(paymentId) } as const
  yield* recordSubmission(tenant, disputeId, submission, fact, how)
})

/**
 * Where nobody can look it up, what the provider states of the dispute is the only word that there will be: that it has
 * evidence, or had when it decided.
 */
const isStated = ({ statedAt, status }: Dispute, { kind, lookUpFrom, sentAt }: Submission): boolean =>
  kind === "submit" && (lookUpFrom !== undefined || (status === "under_review" && statedAt >= sentAt))

const factOf = Effect.fnUntraced(function* (file: DisputeFile, recorded: Submission) {
  const askedAt = yield* Clock.currentTimeMillis
  const agesFrom = (yield* StorageClock)?.agesFrom() ?? null
  const { beganAt } = yield* DisputeLooks
  const submission = { ...recorded, sentAt: sentTime(recorded, askedAt, [agesFrom, beganAt]) }
  if (submission.stage === "Sending") {
    const { claimWindowMillis } = yield* PaymentSettings
    return askedAt - submission.sentAt < claimWindowMillis ? undefined : diedUnanswered
  }
  const found = yield* lookUpSubmission(file.book, file.dispute, submission)
  if (found === undefined) return undefined
  if (found === "Unsupported")
    return isStated(file.dispute, submission) ? ({ on: "SubmissionConfirmed" } as const) : undefined
  if (found._tag === "Found") return submissionFactOf(found.state)
  // "Never received" is believed late, as of a refund: the provider may still be at work.
  const isBelieved =
    found.conclusive && submission.code !== keyUsedCode && isOldEnough(submission, { askedAt, agesFrom })
  return isBelieved ? submissionFactOf(found) : undefined
})

/**
 * When it was sent. A clock that was ahead may have dated it: then it is as old as the last jump of the clock or as this
 * process, whichever is later, and of no age while both are dated ahead as well.
 */
const sentTime = ({ sentAt }: Submission, now: number, since: ReadonlyArray<number | null>): number => {
  if (!isDatedAhead(sentAt, now)) return sentAt
  const passed = since.filter((at) => at !== null && !isDatedAhead(at, now)) as ReadonlyArray<number>
  return passed.length === 0 ? now : Math.max(...passed)
}
