/** What a statement about a charge means for its payment. Pure. */
import { type Attempt, endAttempt } from "../../model/Attempt.ts"
import { leadsToProvider } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { held, noMoney, type PaymentState } from "../../model/PaymentMachine.ts"
import { type ChargeRecord, type ChargeState, type NeverReceived, Unanswered } from "../../model/ProviderStatement.ts"
import { endedBy, ofAttemptAlone, ofChargeFact, ofRival, secondChargeOf } from "../Applied.ts"
import { type ChargeFact, chargeFactOf, heldFactOf, mismatchName, tellsOfMoney } from "../ChargeFact.ts"
import { checkoutFactOf } from "../CheckoutFact.ts"
import { holdingAttempt } from "../Holding.ts"
import { asUsable } from "../UsableAnswer.ts"
import { ofApproved } from "./InterpretApproved.ts"
import { confirms, contradicts, disbelieved, evidenceOf, type Interpretation, moves, older } from "./Interpretation.ts"
import { isOfAnotherCharge, ofHolder } from "./InterpretHolder.ts"
import { isCurrent, type Source, type Weighing } from "./Statement.ts"

export const ofCharge = (
  book: PaymentBook,
  attempt: Attempt,
  said: ChargeRecord | NeverReceived,
  source: Weighing
): Interpretation => {
  if (said._tag === "NotFound") return ofMissing(book, attempt, said, source)
  if (said._tag === "Approved") return ofApproved(book, attempt, said, source)
  const state = asUsable(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  if (!held.has(book.payment.state)) return ofUnheld(book, attempt, state, source)
  if (holdingAttempt(book)?.id !== attempt.id) return ofOtherAttempt(book, attempt, state, source.now)
  return isOfAnotherCharge(book.payment, state)
    ? ofSecondCharge(book, attempt, state, source.now)
    : ofHolder(book, attempt, state, source)
}

/** No attempt is recorded to hold money. */
const ofUnheld = (book: PaymentBook, attempt: Attempt, state: ChargeState, source: Weighing): Interpretation => {
  const fact = factOfUnheld(book, attempt, state, source)
  if (book.payment.state === "ChargeMismatched" && typeof fact !== "string" && fact.on === "MismatchStated")
    return contradicts(book, mismatchName(fact.stated), evidenceOf(attempt, state), source.now)
  if (typeof fact === "string")
    return fact === "Older"
      ? older
      : fact === "Confirms"
        ? confirms
        : contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), source.now)
  // By the provider's clock, because an authorization that it dates before is older.
  const endedAt = state._tag === "Canceled" ? (source.at ?? source.now) : source.now
  const applied = ofChargeFact(book, endedBy(attempt, state, fact, endedAt), fact, source.now)
  return applied === undefined ? confirms : moves(applied)
}

type NoFact = "Confirms" | "Older" | "Contradicts"

const factOfUnheld = (
  book: PaymentBook,
  attempt: Attempt,
  state: ChargeState,
  source: Weighing
): ChargeFact | NoFact => {
  const { attempts, payment } = book
  // No caller waits for the provider to capture: what it holds is held, whatever the capture method.
  const held = chargeFactOf({ ...payment, captureMethod: "manual" }, attempt.connectionId, state)
  const fact = source.via === "operator" ? held : chargeFactOf(payment, attempt.connectionId, state)
  switch (payment.state) {
    case "Charging":
    case "CheckoutOpen":
    case "ChargePending":
    case "ChargeUnknown": {
      // An attempt that another one followed had executed nothing; it counts where it states money after all.
      if (attempts.at(-1)?.id !== attempt.id) return tellsOfMoney(held) ? held : "Confirms"
      // The answer to the call says the same, and the next connection may be asked then.
      if (attempt.outcome === null && state._tag === "Declined" && state.soft) return "Confirms"
      if (attempt.checkout === null || source.via === "operator") return fact
      // A refusal that was written while the customer could try again is not the last word, however late it arrives.
      const checkout = { ...attempt, checkout: attempt.checkout }
      const writtenAt = isCurrent(source) ? source.askedAt : Math.min(source.at ?? source.now, source.now)
      return (
        checkoutFactOf(payment, checkout, { _tag: "Found", state }, { ...source, askedAt: writtenAt }) ?? "Confirms"
      )
    }
    case "ChargeMismatched":
      // Only a stated amount corrects a stated amount; a reference that another payment has, another one corrects.
      if (attempt.connectionId !== payment.connectionId) return tellsOfMoney(held) ? "Contradicts" : "Older"
      if (payment.review?.reasons.includes("reference_reused") === true) return fact
      if (state._tag === "Canceled" || ("stated" in state && state.stated !== undefined)) return fact
      // What one capture took does not say what all of them did.
      if (state._tag === "Captured" && state.capture !== undefined) {
        return fact.on === "MismatchStated" ? fact : "Contradicts"
      }
      return isCurrent(source) ? "Contradicts" : "Confirms"
    case "Failed":
    case "Declined":
    case "Cancelled": {
      if (state._tag === "Pending") return "Older"
      if (state._tag !== "Authorized") return tellsOfMoney(fact) ? fact : "Confirms"
      // It was released again: an older statement of the authorization arrives late.
      const isLate = !isCurrent(source) && (source.at ?? source.askedAt) < (attempt.answeredAt ?? source.now)
      return attempt.outcome === "Canceled" && isLate ? "Older" : held
    }
    case "Voided":
      return factOfVoided(
        book,
        attempt,
        isVoided(book, attempt, state) ? heldFactOf(payment, attempt.connectionId, state) : held,
        source
      )
    default:
      return tellsOfMoney(held) ? "Contradicts" : "Older"
  }
}

/** How far a provider's clock may be ahead of ours: an authorization from before the void may be dated after it. */
const clockSkewMillis = 60_000

const isVoided = (book: PaymentBook, { id }: Attempt, said: Pick<ChargeState, "providerRef">): boolean =>
  holdingAttempt(book)?.id === id && said.providerRef === book.payment.providerRef

/** What was voided is held no more. Another charge may be, and so may one that was authorized after the void. */
const factOfVoided = (book: PaymentBook, attempt: Attempt, fact: ChargeFact, source: Source): ChargeFact | NoFact => {
  switch (fact.on) {
    case "ChargeCaptured":
      return fact
    case "MismatchStated":
      return "Contradicts"
    case "ChargeAccepted":
      return isCurrent(source) ? "Contradicts" : "Older"
    case "ChargeAuthorized": {
      if (!isVoided(book, attempt, fact)) return fact
      if (isCurrent(source) || fact.amountMinor !== book.payment.authorizedMinor) return "Contradicts"
      const voided = book.operations.findLast(({ kind, outcome }) => kind === "void" && outcome === "Confirmed")
      const isNewer = source.at !== null && source.at > (voided?.answeredAt ?? source.at) + clockSkewMillis
      return isNewer ? fact : "Older"
    }
    default:
      return "Confirms"
  }
}

/** Another attempt holds the payment's money. */
const ofOtherAttempt = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Interpretation => {
  const applied = ofRival(book, attempt, state, now)
  if (applied !== undefined) return moves(applied)
  // It ended, and holds nothing.
  const isOpen = attempt.outcome === null || attempt.outcome === "Unanswered"
  if (isOpen && state._tag !== "Pending") return moves(ofAttemptAlone(book, endAttempt(attempt, state, now), now))
  // A charge that holds money is with operations already; one that ended holds none, as its attempt says.
  return confirms
}

/** One review of the second charge is enough, and what becomes of it then says nothing of the first. */
const ofSecondCharge = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Interpretation => {
  if (state._tag !== "Authorized" && state._tag !== "Captured") return older
  if (book.payment.review?.reasons.includes("double_charge") === true) return { _tag: "Contradicts" }
  const applied = ofChargeFact(book, attempt, secondChargeOf(attempt, state), now)
  return applied === undefined ? { _tag: "Contradicts" } : moves(applied)
}

const released: ReadonlySet<PaymentState> = new Set([...noMoney, "Voided", "AwaitingCustomer"])

/** The provider has no record of the charge. */
const ofMissing = (book: PaymentBook, attempt: Attempt, said: NeverReceived, source: Weighing): Interpretation => {
  const { payment } = book
  // A page has an end of its own.
  const isOnPage = payment.state === "CheckoutOpen" && attempt.checkout !== null && source.via === "lookup"
  const early = isOnPage ? undefined : disbelieved(attempt, said, source)
  if (early !== undefined) return early
  if (released.has(payment.state)) return confirms
  const contradiction = () =>
    contradicts(book, `charge:${attempt.id}:NotFound`, { attempt_id: attempt.id, stated: "never_received" }, source.now)
  if (held.has(payment.state)) {
    if (holdingAttempt(book)?.id === attempt.id) return contradiction()
    return attempt.outcome === null || attempt.outcome === "Unanswered"
      ? moves(ofAttemptAlone(book, neverReceived(attempt, source.now), source.now))
      : confirms
  }
  // An attempt that another one followed had executed nothing.
  if (book.attempts.at(-1)?.id !== attempt.id) return confirms
  const fact = factOfMissing(book, attempt, said, source)
  if (fact === "TooEarly") return { _tag: "TooEarly", from: null }
  const applied = fact === "Contradicts" ? undefined : ofChargeFact(book, attempt, fact, source.now)
  return applied === undefined ? contradiction() : moves(applied)
}

const factOfMissing = (
  { payment }: PaymentBook,
  attempt: Attempt,
  said: NeverReceived,
  source: Source
): ChargeFact | "TooEarly" | "Contradicts" => {
  const { via } = source
  switch (payment.state) {
    case "Charging":
      return "TooEarly"
    case "CheckoutOpen": {
      // A person may close a page that has no end.
      if (attempt.checkout === null || via === "operator") return { on: "CheckoutEnded" }
      return checkoutFactOf(payment, { ...attempt, checkout: attempt.checkout }, said, source) ?? "TooEarly"
    }
    case "ChargeUnknown": {
      // The step that takes the money of an open checkout went unanswered, and the checkout is gone.
      if (attempt.checkout !== null && via === "lookup") {
        return checkoutFactOf(payment, { ...attempt, checkout: attempt.checkout }, said, source) ?? "TooEarly"
      }
      // A checkout whose opening went unanswered may be open, and be paid on later: nothing found is no last word.
      return leadsToProvider(payment) && via === "lookup" ? "TooEarly" : { on: "ChargeNotFound" }
    }
    case "ChargePending":
      // On a checkout the customer may still be at a challenge.
      return attempt.checkout !== null && via === "lookup" ? "TooEarly" : "Contradicts"
    default:
      return "Contradicts"
  }
}

const neverReceived = (attempt: Attempt, now: number): Attempt => ({
  ...attempt,
  outcome: "Rejected",
  answeredAt: now,
  reason: "the provider never received it"
})
