/** What an amount means that a provider states for a charge that is recorded as captured. Pure. */
import { Result } from "effect"
import { step } from "../../machine/Machine.ts"
import type { JsonObject } from "../../model/Event.ts"
import type { Operation } from "../../model/Operation.ts"
import { type Payment, paymentEvent } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { PaymentMachine } from "../../model/PaymentMachine.ts"
import type { StatedCapture } from "../../model/ProviderStatement.ts"
import { nothingReported, withContradiction } from "../../model/Reported.ts"
import type { Money } from "../../money/Money.ts"
import { type Applied, unchanged } from "../Applied.ts"
import { captureNamed, capturesOf, sumOf, withCapture } from "../Holding.ts"
import { excessName, withReview } from "../WithReview.ts"
import { confirms, contradicts, type Interpretation, keep, moved, moves, older } from "./Interpretation.ts"
import { isAfter, isCurrent, isUndated, type Source, type Weighing } from "./Statement.ts"

/** Only a stated amount can differ from the record. */
export const ofCaptured = (
  book: PaymentBook,
  stated: Money | undefined,
  evidence: JsonObject,
  source: Weighing
): Interpretation => {
  const { operations, payment } = book
  if (stated === undefined) return confirms
  if (stated.currency !== payment.money.currency)
    return contradicts(book, `captured:${stated.currency}`, evidence, source.now)
  const statedAt = source.at ?? source.askedAt
  if (stated.minorUnits === payment.capturedMinor) return confirmedAmount(book, source)
  const correctedAt = payment.reported?.correctedAt
  const isAsAsked =
    !isCurrent(source) &&
    operations.some(({ kind, money }) => kind === "capture" && money.minorUnits === stated.minorUnits)
  if (stated.minorUnits > payment.capturedMinor) {
    // The capture as we asked for it, or as the provider dates it, stated before the provider captured less.
    const isDated = isAsAsked || (!isCurrent(source) && source.at !== null)
    if (isDated && correctedAt !== undefined && statedAt < correctedAt) return older
    return moved(correctCapture(payment, stated, statedAt, source.now))
  }
  // Stated before the provider captured more.
  return isAsAsked && statedAt <= (correctedAt ?? statedAt)
    ? older
    : contradicts(book, `captured:${stated.minorUnits}`, evidence, source.now)
}

/**
 * One capture by its id, whatever the others took. Of one that is known, only another amount says anything new; where the
 * provider dates it before the failure of that capture, it says nothing.
 */
export const ofCapture = (
  book: PaymentBook,
  capture: StatedCapture,
  evidence: JsonObject,
  source: Weighing
): Interpretation => {
  const { payment } = book
  const { currency, minorUnits } = capture.money
  const reported = payment.reported ?? nothingReported
  const known = captureNamed(capturesOf(payment), capture)
  const contradiction = (name: string) => contradicts(book, name, evidence, source.now)
  if (currency !== payment.money.currency) return contradiction(`captured:${currency}`)
  if (known?.minorUnits === minorUnits) return confirmedAmount(book, source)
  if (known?.failedAt !== undefined && !isAfter(known.failedAt, source)) {
    return isUndated(source) ? contradiction(`captured:${capture.id}`) : older
  }
  const statedAt = source.at ?? source.askedAt
  if (known !== undefined && known.failedAt === undefined) {
    const isDatedBefore = !isCurrent(source) && source.at !== null && source.at < (reported.correctedAt ?? -1)
    if (isDatedBefore) return older
    if (minorUnits < known.minorUnits) return contradiction(`captured:${capture.id}:${minorUnits}`)
  }
  const captures = withCapture(capturesOf(payment), capture)
  if (captures === undefined) return contradiction("captured:more")
  const noted: Payment = { ...payment, reported: { ...reported, captures } }
  const stated = sumOf(captures)
  if (stated <= payment.capturedMinor)
    return { _tag: "Confirms", applied: keep(payment, { ...reported, captures }, source.now) }
  const corrected = correctCapture(noted, { currency, minorUnits: stated }, statedAt, source.now)
  return corrected === undefined
    ? { _tag: "Contradicts", applied: keep(payment, { ...reported, captures }, source.now) }
    : moves(corrected)
}

/**
 * The amount on record. Its newest date is kept, because an older statement of another amount may arrive later; not for
 * an automatic capture of all that was asked, which is most payments.
 */
const confirmedAmount = ({ operations, payment }: PaymentBook, source: Weighing): Interpretation => {
  const isAutomatic = !operations.some(({ kind }) => kind === "capture")
  if (isAutomatic && payment.capturedMinor === payment.money.minorUnits) return confirms
  const reported = payment.reported ?? nothingReported
  if (isCurrent(source) || source.at === null || source.at <= (reported.correctedAt ?? -1)) return confirms
  return { _tag: "Confirms", applied: keep(payment, { ...reported, correctedAt: source.at }, source.now) }
}

/** Keeps the date of another amount than was asked for: an older statement of what was asked does not replace it. */
export const withAmountDate = (
  meaning: Interpretation,
  { money }: Operation,
  stated: Money | undefined,
  { at }: Source
): Interpretation => {
  const applied = "applied" in meaning ? meaning.applied : undefined
  if (applied === undefined || at === null || stated === undefined) return meaning
  const { payment } = applied
  if (stated.minorUnits === money.minorUnits || stated.minorUnits !== payment.capturedMinor) return meaning
  const reported = { ...(payment.reported ?? nothingReported), correctedAt: at }
  return moves({ ...applied, payment: { ...payment, reported } })
}

/**
 * A provider captured more than is recorded, under the same reference. The payment with the greater amount, which the
 * provider stated at `at` by its clock, up to what was authorized. Operations review it either way. `undefined` where
 * nothing can be recorded, or the same excess was stated before.
 */
const correctCapture = (payment: Payment, stated: Money, at: number, now: number): Applied | undefined => {
  const capturedMinor = Math.max(payment.capturedMinor, Math.min(stated.minorUnits, payment.authorizedMinor))
  const on = capturedMinor > payment.capturedMinor ? "CaptureCorrected" : "ExcessCaptureStated"
  const row = Result.getOrUndefined(step(PaymentMachine, payment.state, on))
  const reported = payment.reported ?? nothingReported
  const name = excessName(stated.minorUnits)
  if (row === undefined || (on === "ExcessCaptureStated" && reported.contradictions.includes(name))) return undefined
  const corrected: Payment = {
    ...payment,
    state: row.to,
    capturedMinor,
    reported: { ...reported, correctedAt: at, contradictions: withContradiction(reported.contradictions, name) },
    version: payment.version + 1,
    updatedAt: now
  }
  const after = withReview(corrected, { events: row.emits })
  return {
    ...unchanged,
    payment: after,
    events: row.emits.map((type) =>
      paymentEvent(type, after, {
        stated_amount: stated.minorUnits,
        stated_currency: stated.currency,
        captured_amount: capturedMinor
      })
    )
  }
}
