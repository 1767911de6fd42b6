/**
 * What each statement of a provider means for each sample payment, by asking the code that decides it in core. The page
 * prints these cells, and the test of the page delivers each statement over HTTP and compares what is stored with its
 * cell.
 */
import type { EventType, PaymentState, ReviewReason } from "@pointsman/core"
import { interpret } from "../../packages/core/src/decide/interpret/Interpret.ts"
import type { Interpretation } from "../../packages/core/src/decide/interpret/Interpretation.ts"
import { recordedAt, type SampleName, type Subject, sampleOf } from "./Books.ts"
import { namesIn, type Word, wordsAbout } from "./Words.ts"

/** What a statement means: the verdict, and the payment after it. */
export interface Cell {
  readonly verdict: Interpretation["_tag"]
  /** Whether anything of the payment is written. */
  readonly isWritten: boolean
  readonly state: PaymentState
  readonly capturedMinor: number
  readonly refundedMinor: number
  readonly refundPendingMinor: number
  /** In the order of the timeline. */
  readonly events: ReadonlyArray<EventType>
  readonly reviews: ReadonlyArray<ReviewReason>
}

/** How far the date of a statement is from what is recorded, in milliseconds. */
export const datedApart = 60 * 60 * 1000

/** What statements about the sample are listed: those about an attempt, a capture, a void or a refund that it has. */
export const subjectsOf = (name: SampleName): ReadonlyArray<Subject> => {
  const { attempt, book, only } = sampleOf(name)
  const all: ReadonlyArray<Subject> = [
    ...(book.attempts.length === 0 ? [] : (["Charge", "CaptureFailed", "Settled", "Dispute"] as const)),
    // It names the charge as the provider does.
    ...(book.attempts.at(attempt ?? -1)?.providerRef == null ? [] : (["UnnamedRefund", "Changed"] as const)),
    ...(book.operations.length === 0 ? [] : (["Operation"] as const)),
    ...(book.refunds.length === 0 ? [] : (["Refund"] as const))
  ]
  return all.filter((subject) => only === undefined || only.includes(subject))
}

export const cellOf = (name: SampleName, word: Word): Cell => {
  const sample = sampleOf(name)
  const { book } = sample
  const about = word.about(namesIn(book, sample))
  const connectionId = book.attempts.at(sample.attempt ?? -1)?.connectionId ?? ""
  const at = recordedAt + (word.isBefore ? -datedApart : datedApart)
  const now = recordedAt + 1000
  const meaning = interpret(book, connectionId, { via: "message", about, at, askedAt: now }, now)
  const applied = "applied" in meaning ? meaning.applied : undefined
  const payment = applied?.payment ?? book.payment
  return {
    verdict: meaning._tag,
    isWritten: applied !== undefined,
    state: payment.state,
    capturedMinor: payment.capturedMinor,
    refundedMinor: payment.refundedMinor,
    refundPendingMinor: payment.refundPendingMinor,
    events: applied?.events.map(({ type }) => type) ?? [],
    reviews: payment.review?.reasons ?? []
  }
}

/** What one statement means for a sample. */
export interface Weighed {
  readonly subject: Subject
  readonly word: Word
  readonly cell: Cell
  /** Whether it varies a plain statement, and means the same for this sample. */
  readonly isSame: boolean
}

export const weigh = (name: SampleName, subject: Subject, word: Word): Weighed => {
  const cell = cellOf(name, word)
  const plain = wordsAbout(subject).find((one) => one.name === word.like)
  const isSame = plain !== undefined && JSON.stringify(cellOf(name, plain)) === JSON.stringify(cell)
  return { subject, word, cell, isSame }
}

/** Every cell of a sample. */
export const cellsOf = (name: SampleName): ReadonlyArray<Weighed> =>
  subjectsOf(name).flatMap((subject) => wordsAbout(subject).map((word) => weigh(name, subject, word)))
