/**
 * Messages that a lookup decides: the failure of a capture or a void whose provider can look it up, a success without a
 * time after a recorded failure, and that something about a charge changed. They are kept on the payment until the lookup.
 * Pure.
 */
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { nothingReported, type UndecidedStatement } from "../../model/Reported.ts"
import { contradicts, type Interpretation, keep, waits } from "./Interpretation.ts"

const isSame = (one: UndecidedStatement, other: UndecidedStatement): boolean =>
  one.about === other.about && one.id === other.id && one.state._tag === other.state._tag

/** Kept once for each operation or refund and what is said of it. */
export const untilLookedUp = ({ payment }: PaymentBook, said: UndecidedStatement, now: number): Interpretation => {
  const reported = payment.reported ?? nothingReported
  const undecided = reported.undecided ?? []
  return undecided.some((one) => isSame(one, said))
    ? waits
    : { _tag: "Waits", applied: keep(payment, { ...reported, undecided: [...undecided, said] }, now) }
}

/** Kept anew each time: a lookup that began before the newest message may not have seen what it is about. */
export const untilChargeLookedUp = (
  { payment }: PaymentBook,
  attemptId: string,
  reason: string,
  now: number
): Interpretation => {
  const reported = payment.reported ?? nothingReported
  const before = (reported.undecided ?? []).find(({ about, id }) => about === "charge" && id === attemptId)
  const others = (reported.undecided ?? []).filter((one) => one !== before)
  const at = Math.max(now, (before?.at ?? 0) + 1)
  const said: UndecidedStatement = { about: "charge", id: attemptId, state: { _tag: "Changed", reason }, at }
  return { _tag: "Waits", applied: keep(payment, { ...reported, undecided: [...others, said] }, now) }
}

/** The book without the statement, which is decided by the same commit. */
export const withoutUndecided = (book: PaymentBook, said: UndecidedStatement): PaymentBook => {
  const { payment } = book
  if (payment.reported === null) return book
  const isDecided = (one: UndecidedStatement) => isSame(one, said) && one.at === said.at
  const undecided = (payment.reported.undecided ?? []).filter((one) => !isDecided(one))
  return { ...book, payment: { ...payment, reported: { ...payment.reported, undecided } } }
}

/** The lookup did not answer: operators review the statement. */
export const leftUndecided = (
  book: PaymentBook,
  { about, at, id, state }: UndecidedStatement,
  now: number
): Interpretation => {
  if (about === "charge") {
    return contradicts(book, `${id}:changed:${at}`, { attempt_id: id, stated: "changed", reason: state.reason }, now)
  }
  return contradicts(
    book,
    `${id}:${state._tag}`,
    {
      ...(about === "operation" ? { operation_id: id } : { refund_id: id }),
      stated: state._tag,
      ...("reason" in state ? { failure_reason: state.reason } : {})
    },
    now
  )
}
