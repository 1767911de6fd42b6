/** What an amount means that a provider states for a charge that is recorded as captured (decisions, section 3). Pure. */
import type { JsonObject } from "../../model/Event.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Money } from "../../money/Money.ts"
import { correctCapture } from "../CorrectCapture.ts"
import { contradicts } from "./Contradiction.ts"
import { confirms, type Interpretation, moved, older } from "./Interpretation.ts"
import { isCurrent, type Source } from "./Statement.ts"

/** Only a stated amount can differ from the record. */
export const ofCaptured = (
  book: PaymentBook,
  stated: Money | undefined,
  evidence: JsonObject,
  source: Source,
  now: number
): Interpretation => {
  const { operations, payment } = book
  if (stated === undefined) return confirms
  if (stated.currency !== payment.money.currency) return contradicts(book, `captured:${stated.currency}`, evidence, now)
  const statedAt = source.at ?? source.askedAt
  if (stated.minorUnits > payment.capturedMinor) return moved(correctCapture(payment, stated, statedAt, now))
  if (stated.minorUnits === payment.capturedMinor) return confirms
  // The capture as we asked for it, stated before the provider captured more.
  const isAsAsked =
    !isCurrent(source) &&
    statedAt <= (payment.reported?.correctedAt ?? statedAt) &&
    operations.some(({ kind, money }) => kind === "capture" && money.minorUnits === stated.minorUnits)
  return isAsAsked ? older : contradicts(book, `captured:${stated.minorUnits}`, evidence, now)
}
