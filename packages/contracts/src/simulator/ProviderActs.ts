/**
 * What the simulated provider does of its own accord: it pays out, opens and ends disputes, and goes back on what it had
 * said. Where it contradicts itself, or what it was asked, the charge's `contradictions` say so.
 */

import type { ProviderBalance } from "./ProviderBalance.ts"
import type { ChargeRecord, DisputeVerdict, RefundRecord } from "./ProviderBooks.ts"
import type { ProviderDisputes } from "./ProviderDisputes.ts"
import type { ProviderMessages } from "./ProviderMessages.ts"
import type { ProviderRefunds, RefundLater } from "./ProviderRefunds.ts"
import type { Time } from "./Time.ts"
import { short } from "./Words.ts"

type OfCharge<Name extends string, Rest = unknown> = { readonly _tag: Name; readonly charge: ChargeRecord } & Rest

export type ProviderAct =
  | OfCharge<"PaysOut">
  /** `dueIn`: milliseconds until the deadline of a dispute that is opened; `null` or absent for none. */
  | OfCharge<
      "Disputes",
      { readonly disputeId: string | null; readonly verdict: DisputeVerdict; readonly dueIn?: number | null }
    >
  /** A capture that was done has failed; after so many milliseconds it is done again, or fails for good. */
  | OfCharge<
      "FailsCapture",
      { readonly again: { readonly after: number; readonly becomes: "done" | "refused" } | null }
    >
  /** A capture that had failed was done after all. */
  | OfCharge<"CapturesAfterAll", { readonly capturedMinor: number }>
  /** A void that was done has failed: the money is held. */
  | OfCharge<"FailsVoid">
  /** Another amount is captured than it had said. */
  | OfCharge<"CorrectsCapture", { readonly capturedMinor: number }>
  /** A person refunds, captures, or voids what is not captured, on the provider's own pages. */
  | OfCharge<"RefundsByHand", { readonly amountMinor: number; readonly later: RefundLater | null }>
  | OfCharge<"CapturesByHand", { readonly capturedMinor: number }>
  | OfCharge<"VoidsByHand">
  /** Another shop of the account charges as much. */
  | OfCharge<"ChargesElsewhere", { readonly isNamed: boolean }>
  | { readonly _tag: "FailsRefund"; readonly refund: RefundRecord }
  /** A refund that had failed went through after all. */
  | { readonly _tag: "RefundsAfterAll"; readonly refund: RefundRecord }
  /** A message that its connector cannot read, or one about a charge that was made elsewhere. */
  | { readonly _tag: "WritesNonsense" | "WritesOfOthers"; readonly connectionId: string }

interface Acting {
  readonly messages: ProviderMessages
  readonly disputes: ProviderDisputes
  readonly refunds: ProviderRefunds
  readonly balance: ProviderBalance
  readonly time: Time
}

export const performAct = (act: ProviderAct, { balance, disputes, messages, refunds, time }: Acting): void => {
  switch (act._tag) {
    case "RefundsByHand":
      refunds.byHand(act.charge, act.amountMinor, act.later)
      break
    case "CapturesByHand":
      captureByHand(act.charge, act.capturedMinor, messages)
      break
    case "VoidsByHand":
      // Of what is captured in part, the rest is released.
      act.charge.isReleased = true
      if (act.charge.state === "Authorized") act.charge.state = "Canceled"
      messages.ofRelease(act.charge)
      break
    case "ChargesElsewhere":
      balance.noteForeign(act.charge, act.isNamed)
      break
    case "PaysOut":
      act.charge.isPaidOut = true
      messages.ofPayout(act.charge)
      break
    case "Disputes":
      if (act.charge.state !== "Captured") act.charge.contradictions.push("a dispute of money that was not taken")
      disputes.state(act.charge, act.disputeId, act.verdict, act.dueIn ?? null)
      break
    case "FailsCapture":
      failCapture(act, messages, time)
      break
    case "CapturesAfterAll":
      act.charge.contradictions.push("a capture that had failed was done")
      finishCapture(act.charge, act.capturedMinor, messages)
      break
    case "FailsVoid":
      act.charge.contradictions.push("a void that was done has failed")
      failOperation(act.charge, messages)
      break
    case "CorrectsCapture":
      act.charge.contradictions.push(`captured ${act.capturedMinor} and not ${act.charge.capturedMinor}`)
      act.charge.capturedMinor = act.capturedMinor
      act.charge.lastWord = messages.ofCharge(act.charge, true)
      break
    case "FailsRefund":
    case "RefundsAfterAll":
      act.refund.state = act._tag === "FailsRefund" ? "RefundFailed" : "Succeeded"
      act.refund.charge.contradictions.push(`a refund ended as ${act.refund.state} after all`)
      messages.ofRefund(act.refund, true)
      break
    case "WritesNonsense":
      messages.unreadable(act.connectionId)
      break
    case "WritesOfOthers":
      messages.ofOthers(act.connectionId)
      break
  }
}

const captureByHand = (charge: ChargeRecord, minorUnits: number, messages: ProviderMessages): void => {
  const { capturedMinor, capturesByHand, money, state } = charge
  const capture = { id: `cp_${charge.attemptId}_${capturesByHand.length + 1}`, minorUnits }
  if (state === "Captured") charge.contradictions.push(`captured ${minorUnits} more by hand`)
  else if (minorUnits > money.minorUnits) charge.contradictions.push(`captured ${minorUnits} of ${money.minorUnits}`)
  capturesByHand.push(capture)
  Object.assign(charge, { state: "Captured", capturedMinor: capturedMinor + minorUnits })
  messages.ofCaptureByHand(charge, capture)
}

/** The capture or the void of the charge: the money is held again. */
const failOperation = (charge: ChargeRecord, messages: ProviderMessages): void => {
  if (charge.operation === null) return
  charge.state = "Authorized"
  charge.operation.state = "Failed"
  charge.lastWord = messages.ofFailure(charge, charge.operation, true)
}

const finishCapture = (charge: ChargeRecord, capturedMinor: number, messages: ProviderMessages): void => {
  if (charge.operation === null) return
  Object.assign(charge, { state: "Captured", capturedMinor })
  charge.operation.state = "Done"
  charge.lastWord = messages.ofDone(charge, charge.operation, true)
}

const failCapture = (
  { again, charge }: Extract<ProviderAct, { readonly _tag: "FailsCapture" }>,
  messages: ProviderMessages,
  time: Time
): void => {
  const { capturedMinor, operation } = charge
  charge.contradictions.push("a capture that was done has failed")
  Object.assign(charge, { capturedMinor: 0, isPaidOut: false })
  if (operation === null) {
    // An automatic capture has no request, so there is no operation to name.
    charge.state = "Canceled"
    charge.lastWord = messages.ofCharge(charge, true)
  } else if (again === null) {
    failOperation(charge, messages)
  } else {
    charge.state = "Capturing"
    operation.state = "Accepted"
    charge.lastWord = messages.ofFailure(charge, operation, false)
    time.after(again.after, () => {
      if (again.becomes === "done") finishCapture(charge, capturedMinor, messages)
      else failOperation(charge, messages)
    })
  }
}

/** `PaysOut payment 3`, with what else is in it. */
export const actInWords = (act: ProviderAct): string => {
  if ("connectionId" in act) return `${act._tag} at ${act.connectionId}`
  if ("refund" in act) return `${act._tag} ${act.refund.refundId}`
  const { _tag, charge, ...details } = act
  const beside = Object.entries(details).map(([name, value]) => ` ${name} ${JSON.stringify(value)}`)
  return `${_tag} ${short(charge.paymentId)}${beside.join(",")}`
}
