/**
 * Asks the provider what it states of a dispute that only a report named: a row has no deadline, and without one nobody is
 * reminded. The answer is recorded as any statement. It may die at any point: what is not recorded is asked again.
 */
import { Clock, Effect } from "effect"
import { readDispute } from "../../call/LookUp.ts"
import type { Step } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { disputeStep, droppedEvidence } from "../../commit/DisputeStep.ts"
import { Turns } from "../../commit/Turns.ts"
import { stateDispute } from "../../decide/DisputeStatement.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { type Dispute, lacksDeadline, type StatedLookUp } from "../../model/Dispute.ts"
import { movedPayment } from "../../model/MovedPayment.ts"
import type { StatedDispute } from "../../model/ProviderStatement.ts"
import type { DueDispute } from "../../ports/LedgerDisputes.ts"
import { type DisputeFile, disputeFile } from "./ReadDisputes.ts"

/** How often a provider that does not answer is asked, and how long after the last time, in milliseconds. */
const triesAtMost = 5
const againMillis = 30 * 60_000

type Answer = Effect.Success<ReturnType<typeof readDispute>> | "Unneeded"

export const readStated = Effect.fnUntraced(function* ({ disputeId, paymentId, tenant }: DueDispute) {
  const turns = yield* Turns
  const askedAt = yield* Clock.currentTimeMillis
  const { book, dispute } = yield* disputeFile(tenant, disputeId)
  const { lookUp } = dispute
  if (lookUp === undefined || !isDue(lookUp, askedAt)) return
  const answer: Answer = lacksDeadline(dispute) ? yield* readDispute(book, dispute) : "Unneeded"
  const isLast = answer === undefined && lookUp.tries + 1 >= triesAtMost
  const isGivenUp = yield* decideAndCommit({
    inTurn: turns.take(paymentId),
    read: () => disputeFile(tenant, disputeId),
    decide: (file: DisputeFile, now) =>
      // Another process was faster: processes that ask together use up one try.
      Effect.succeed(
        isSameLookUp(file.dispute.lookUp, lookUp)
          ? write(stepOf(file, lookUp, answer, askedAt, now), isLast)
          : done(false)
      ),
    afterUnknown: () => false,
    storageErrors: "fail"
  })
  if (!isGivenUp) return
  yield* Effect.logWarning(
    `the provider of ${dispute.connectionId} did not answer ${triesAtMost} times: dispute ${disputeId} has no deadline, and nobody is reminded of it`
  )
})

const isSameLookUp = (recorded: StatedLookUp | undefined, { at, tries }: StatedLookUp): boolean =>
  recorded?.at === at && recorded.tries === tries

/** No pause is longer than one that is dated further ahead: a clock that was ahead dated it. */
const isDue = ({ at }: StatedLookUp, now: number): boolean => at <= now || at > now + againMillis

const stepOf = (
  { book, dispute }: DisputeFile,
  { tries }: StatedLookUp,
  answer: Answer,
  askedAt: number,
  now: number
): Step => {
  const { lookUp: _, ...asked } = dispute
  if (answer === undefined && tries + 1 < triesAtMost) {
    const again: Dispute = { ...asked, lookUp: { at: now + againMillis, tries: tries + 1 } }
    return disputeStep(book.payment, dispute, { dispute: again, events: [] })
  }
  return typeof answer === "object" && answer._tag === "Found"
    ? statedStep({ book, dispute: asked }, answer.state, askedAt, now)
    : disputeStep(book.payment, dispute, { dispute: asked, events: [] })
}

/** `dispute`: is not asked for again. */
const statedStep = ({ book, dispute }: DisputeFile, stated: StatedDispute, askedAt: number, now: number): Step => {
  const { attemptId, connectionId } = dispute
  const about = { _tag: "Dispute", charge: { attemptId }, ...stated } as const
  const meaning = interpret(book, connectionId, { via: "lookup", at: null, askedAt, about }, now)
  const applied = "applied" in meaning ? meaning.applied : undefined
  const { payment, ...beside } = applied ?? {
    ...{ payment: { ...book.payment, version: book.payment.version + 1 }, attempts: [], events: [] }
  }
  const attempt = book.attempts.find(({ id }) => id === attemptId)
  const said = attempt && stateDispute([dispute], { payment, attempt, said: about, at: askedAt, newId: "" }, now)
  const after = said?.dispute ?? dispute
  return {
    tenant: payment.tenant,
    payment: movedPayment(book.payment, payment),
    ...beside,
    disputes: [after],
    evidence: droppedEvidence(dispute, after),
    events: [...beside.events, ...(said?.events ?? [])]
  }
}
