/**
 * What one statement of a provider means for a payment, given everything that is recorded of it. Messages arrive late,
 * twice and out of order, so they confirm and do not deny. Silence, an authorization or an acceptance says nothing
 * about a capture, a void or a refund that was asked for since. That money is held or taken is believed whenever the
 * statement arrives. A statement that neither moves the payment, nor confirms it, nor is older than the record
 * contradicts it, and operations review it. Pure.
 */
import type { Attempt } from "../../model/Attempt.ts"
import { bookAfter, type PaymentBook } from "../../model/PaymentBook.ts"
import { type ChargeName, keyUsedCode, type MessageAbout } from "../../model/ProviderStatement.ts"
import { inOneStep, ofAttemptAlone } from "../Applied.ts"
import { capturesOf, holdingAttempt } from "../Holding.ts"
import { type Interpretation, moves, older } from "./Interpretation.ts"
import { ofCharge } from "./InterpretCharge.ts"
import { isOfAnotherCharge } from "./InterpretHolder.ts"
import { isBeforeFailure, ofOperation } from "./InterpretOperation.ts"
import { ofRefund } from "./InterpretRefund.ts"
import { ofAutomaticFailure, ofDispute, ofSettlement } from "./InterpretReported.ts"
import { ofOtherAccount } from "./OtherAccount.ts"
import { ofUnnamedRefund, withRefundsByHand } from "./RefundByHand.ts"
import { isUndated, type Statement, type StatementAbout, type Weighing } from "./Statement.ts"
import { untilChargeLookedUp } from "./Undecided.ts"

/** The statement concerns an attempt, an operation or a refund of the book at this connection (`isAboutBook`). */
export const interpret = (book: PaymentBook, connectionId: string, statement: Statement, now: number): Interpretation =>
  withRefundsByHand(book, meaningOf(book, connectionId, { ...statement, now }), now)

type Weighed = Statement & Weighing

const meaningOf = (book: PaymentBook, connectionId: string, { about, ...source }: Weighed): Interpretation => {
  const { now } = source
  switch (about._tag) {
    case "Refund": {
      const refund = book.refunds.find((one) => one.id === about.refundId)
      return refund === undefined ? older : ofRefund(book, refund, about.state(refund.money), source)
    }
    case "Operation": {
      const operation = book.operations.find((one) => one.id === about.operationId)
      return operation === undefined ? older : ofOperation(book, operation, about.state(operation.money), source)
    }
    case "OtherAccount":
      return ofOtherAccount(book, connectionId, about, now)
    case "AnotherAttempt":
      return ofAnotherAttempt(book, about.attemptId, now)
    default: {
      const attempt = attemptNamed(book, connectionId, about.charge)
      if (attempt === undefined) return older
      return about._tag === "UnnamedRefund"
        ? ofUnnamedRefund(book, attempt, { ...about, state: about.state(attempt.money) }, source)
        : ofAttempt(book, attempt, about, source)
    }
  }
}

/** The attempt stays as it ended; that it is not found later settles nothing. */
const ofAnotherAttempt = (book: PaymentBook, attemptId: string, now: number): Interpretation => {
  const attempt = book.attempts.find(({ id }) => id === attemptId)
  return attempt?.outcome === "Unanswered" && attempt.code === null
    ? moves(ofAttemptAlone(book, { ...attempt, code: keyUsedCode }, now))
    : older
}

/** Whether a statement that came in at the connection concerns something that this connection was asked. */
export const isAboutBook = (book: PaymentBook, connectionId: string, about: MessageAbout): boolean => {
  const isAsked = (one: { readonly id: string; readonly connectionId: string }, id: string) =>
    one.id === id && one.connectionId === connectionId
  if (about._tag === "Refund") return book.refunds.some((one) => isAsked(one, about.refundId))
  if (about._tag === "Operation") return book.operations.some((one) => isAsked(one, about.operationId))
  return attemptNamed(book, connectionId, about.charge) !== undefined
}

/** The attempt that a statement names, among those of its connection. */
export const attemptNamed = (book: PaymentBook, connectionId: string, charge: ChargeName): Attempt | undefined => {
  const own = book.attempts.filter((one) => one.connectionId === connectionId)
  if ("attemptId" in charge) return own.findLast(({ id }) => id === charge.attemptId)
  return own.findLast(({ providerRef }) => providerRef === charge.providerRef) ?? ofPart(book, own, charge.providerRef)
}

/** The attempt of whose charge this is a capture or a refund, by the provider's id of that. */
const ofPart = (book: PaymentBook, own: ReadonlyArray<Attempt>, id: string): Attempt | undefined => {
  const isPart =
    capturesOf(book.payment).some((capture) => capture.id === id) ||
    book.refunds.some(({ providerRefundId }) => providerRefundId === id)
  return isPart ? own.find((attempt) => attempt.id === holdingAttempt(book)?.id) : undefined
}

/** The attempt whose charge a message concerns, whatever of it. */
export const attemptOf = (book: PaymentBook, connectionId: string, about: MessageAbout): Attempt | undefined =>
  "charge" in about ? attemptNamed(book, connectionId, about.charge) : holdingAttempt(book)

type AboutCharge = Exclude<Extract<StatementAbout, { readonly charge: ChargeName }>, { readonly _tag: "UnnamedRefund" }>

const ofAttempt = (book: PaymentBook, attempt: Attempt, about: AboutCharge, source: Weighing): Interpretation => {
  switch (about._tag) {
    case "Charge":
      return ofCharge(book, attempt, about.state(attempt.money), source)
    case "CaptureFailed":
      return ofAutomaticFailure(book, attempt, about.reason, source)
    case "Dispute":
      return ofDispute(book, attempt, about, source)
    case "Changed":
      return untilChargeLookedUp(book, attempt.id, about.reason, source.now)
    case "Settled": {
      // It went back with the capture.
      if (isBeforeFailure(book.payment, source) && !isUndated(source)) return older
      const said = about.state === null ? undefined : about.state(attempt.money)
      if (said === undefined) return ofSettlement(book, attempt, source.at, source.now)
      // What is paid out was taken: where that is not recorded yet, the statement says it.
      const charged = ofCharge(book, attempt, said, source)
      if (charged._tag === "Malformed" || isOfAnotherCharge(book.payment, said)) return charged
      if (!("applied" in charged) || charged.applied === undefined)
        return ofSettlement(book, attempt, source.at, source.now)
      const settled = ofSettlement(bookAfter(book, charged.applied), attempt, source.at, source.now)
      const second = "applied" in settled ? settled.applied : undefined
      const applied = second === undefined ? charged.applied : inOneStep(charged.applied, second)
      const { _tag } = charged._tag === "Confirms" && "applied" in settled ? settled : charged
      return { _tag, applied }
    }
  }
}
