/**
 * What a provider's statement about a dispute makes of what is recorded of it. This is the one place that orders them:
 * the payment keeps what counts (`Reported.disputes`), and the record of the dispute follows it. The provider's time
 * orders all statements, in whatever order they arrive. An open status that is dated after an end is a new round.
 * Providers date by whole seconds, so that equal times say nothing. Pure.
 */
import type { Attempt } from "../model/Attempt.ts"
import type { DisputeStatus, DisputeVerdict } from "../model/DisputeMachine.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { StatedDispute } from "../model/ProviderStatement.ts"
import { type DisputeStatement, recordedDispute } from "../model/Reported.ts"
import { holdingAttempt } from "./Holding.ts"
import { isCurrent, type Source } from "./interpret/Statement.ts"

export interface OrderedDispute {
  /**
   * - `counts`: it is newer than what is recorded, or confirms it
   * - `older`: what is recorded is newer
   * - `undecided`: it contradicts what is recorded, and the provider's times do not say which is newer
   * - `contradictory`: its status does not agree with its verdict
   */
  readonly order: "counts" | "older" | "undecided" | "contradictory"
  /** What counted before; `undefined` for a dispute that is not recorded yet. */
  readonly before: DisputeStatement | undefined
  /** What counts where this statement does. */
  readonly said: DisputeStatement
  readonly status: DisputeStatus
}

export const orderDispute = (
  book: PaymentBook,
  attempt: Attempt,
  stated: StatedDispute,
  source: Source
): OrderedDispute => {
  const { disputeId } = stated
  const { id: attemptId } = attempt
  const before = recordedDispute(book.payment.reported, { disputeId, attemptId })
  const status = statusOf(stated)
  const isContinued = stated.isContinued === true && before !== undefined
  const verdict = isContinued ? before.verdict : verdictOf(stated, status)
  // A lookup says what is so when it begins.
  const at = isContinued ? before.at : (source.at ?? (isCurrent(source) ? source.askedAt : null))
  const order = agreeing[status].includes(stated.verdict) ? orderOf(before, { verdict, at }) : "contradictory"
  const said: DisputeStatement = {
    ...{ disputeId, attemptId, verdict },
    ...(isOfPayment(book, attempt) ? {} : { isOfOther: true }),
    at: at === null ? (before?.at ?? null) : Math.max(at, before?.at ?? at)
  }
  return { order, before, said, status }
}

/** Whether the attempt is the one whose charge the payment is, or may yet be. */
export const isOfPayment = (book: PaymentBook, attempt: Attempt): boolean =>
  (holdingAttempt(book) ?? book.attempts.at(-1))?.id === attempt.id

const statusOf = ({ status, verdict }: StatedDispute): DisputeStatus => {
  if (status !== undefined) return status
  if (verdict === null) return "warning"
  return verdict === "opened" ? "needs_response" : verdict
}

const verdictOf = ({ verdict }: StatedDispute, status: DisputeStatus): DisputeVerdict =>
  verdict ?? (status === "won" ? "won" : "inquired")

/** The verdicts that a status agrees with. An inquiry is reviewed, and won where it became no dispute. */
const agreeing: Readonly<Record<DisputeStatus, ReadonlyArray<StatedDispute["verdict"]>>> = {
  needs_response: ["opened"],
  warning: [null],
  under_review: ["opened", null],
  won: ["won", null],
  lost: ["lost"],
  accepted: ["lost"]
}

/** In the order in which a dispute goes through them. */
const rank: Readonly<Record<DisputeVerdict, number>> = { inquired: 0, opened: 1, won: 2, lost: 2 }

const orderOf = (
  before: DisputeStatement | undefined,
  { at, verdict }: Pick<DisputeStatement, "at" | "verdict">
): OrderedDispute["order"] => {
  if (before === undefined) return "counts"
  const isDated = at !== null && before.at !== null && at !== before.at
  if (isDated && at < before.at) return "older"
  // An inquiry says that no money has moved, and does not say that money came back.
  const isBack = verdict === "inquired" && (before.verdict === "opened" || before.verdict === "lost")
  if (before.verdict === verdict || (isDated && !isBack)) return "counts"
  if (rank[verdict] > rank[before.verdict]) return "counts"
  // A loss follows the opening of its time; a row of a report says of both that the money is taken.
  const isOpening = verdict === "opened" && before.verdict === "lost" && at !== null && at === before.at
  return isOpening || (before.verdict === "opened" && !isDated) ? "older" : "undecided"
}
