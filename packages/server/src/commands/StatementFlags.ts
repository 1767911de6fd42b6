/**
 * What an operator states that the provider's record says, as flags. Nothing is filled in: an amount that was only
 * meant would be money without a source.
 */

import { type OperatorStatement, statedOfCharges, statedOfRefunds } from "@pointsman/core"
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import { switchFlag, textFlag } from "./CommandHelp.ts"
import { moneyText } from "./Words.ts"

const spelled = <const Word extends string>(words: ReadonlyArray<Word>) =>
  words.map((word) => [word.replaceAll("_", "-"), word] as const)

export const amountFlag = (description: string) =>
  Flag.String("amount").pipe(
    Flag.withMetavar("minor-units"),
    Flag.withDescription(description),
    Flag.filterMap(
      (digits) => {
        const amount = /^\d{1,15}$/u.test(digits) ? Number(digits) : 0
        return amount > 0 ? Option.some(amount) : Option.none()
      },
      () => "a whole number of minor units above 0, such as 1999 for 19.99 EUR"
    ),
    Flag.optional
  )

export const statementFlags = {
  charge: Flag.ChoiceWithValue("charge", spelled(statedOfCharges)).pipe(
    Flag.withDescription("State of the charge, its capture or its void in the provider's record"),
    Flag.optional
  ),
  amount: amountFlag("Amount captured or authorized at the provider, in minor units of the payment's currency"),
  attempt: textFlag("attempt", "att_…", "Attempt that the record belongs to; optional if only one is open"),
  refund: textFlag("refund", "rf_…", "Id of the refund"),
  refundState: Flag.ChoiceWithValue("refund-state", spelled(statedOfRefunds)).pipe(
    Flag.withDescription("State of that refund in the provider's record"),
    Flag.optional
  ),
  reference: textFlag("reference", "id", "The provider's id of the charge or the refund"),
  reviewed: switchFlag("reviewed", "Close the review: the payment is correct as recorded")
}

type ChargeState = (typeof statedOfCharges)[number]

/** Of the newest capture or void, which is known. */
const failures: ReadonlySet<ChargeState> = new Set(["capture_failed", "void_failed"])
/** The provider has no charge to name, or it is known. */
const nameless: ReadonlySet<ChargeState> = new Set([...failures, "never_received"])

export interface StatementTexts {
  readonly charge: Option.Option<ChargeState>
  readonly amount: Option.Option<number>
  readonly attempt: Option.Option<string>
  readonly refund: Option.Option<string>
  readonly refundState: Option.Option<(typeof statedOfRefunds)[number]>
  readonly reference: Option.Option<string>
  readonly reviewed: boolean
}

/** The statement, or which flag is wrong and what was expected of it. */
export const statementOf = (given: StatementTexts): Result.Result<OperatorStatement, string> => {
  const { amount, attempt, charge, reference, refund, refundState, reviewed } = given
  const found = [Option.isSome(charge), Option.isSome(refund) || Option.isSome(refundState), reviewed]
  if (found.filter(Boolean).length !== 1) {
    return Result.fail("Expected exactly one of --charge, --refund with --refund-state, or --reviewed.")
  }
  if (Option.isSome(charge)) {
    const hasAmount = charge.value === "captured" || charge.value === "authorized"
    if (hasAmount !== Option.isSome(amount)) {
      return Result.fail(`--amount: expected ${hasAmount ? "with" : "only with"} --charge captured and authorized.`)
    }
    if (nameless.has(charge.value) && Option.isSome(reference)) {
      return Result.fail(`--reference: not allowed with --charge ${charge.value.replaceAll("_", "-")}.`)
    }
    if (failures.has(charge.value) && Option.isSome(attempt)) {
      return Result.fail(`--attempt: not allowed with --charge ${charge.value.replaceAll("_", "-")}.`)
    }
    return Result.succeed({
      _tag: "Charge",
      says: charge.value,
      attemptId: Option.getOrNull(attempt),
      amountMinor: Option.getOrNull(amount),
      providerRef: Option.getOrNull(reference)
    })
  }
  if (Option.isSome(amount)) return Result.fail("--amount: expected only with --charge captured and authorized.")
  if (Option.isSome(attempt)) return Result.fail("--attempt: expected only with --charge.")
  if (reviewed) {
    return Option.isSome(reference)
      ? Result.fail("--reference: expected only with --charge or --refund.")
      : Result.succeed({ _tag: "NothingToChange" })
  }
  if (Option.isNone(refund))
    return Result.fail("--refund: required with --refund-state; expected the refund's id, rf_….")
  if (Option.isNone(refundState)) {
    return Result.fail("--refund-state: required with --refund; expected succeeded, failed or never-received.")
  }
  if (refundState.value === "never_received" && Option.isSome(reference)) {
    return Result.fail("--reference: not allowed with --refund-state never-received.")
  }
  return Result.succeed({
    _tag: "Refund",
    says: refundState.value,
    refundId: refund.value,
    providerRefundId: Option.getOrNull(reference)
  })
}

/** "the provider's record says that the charge is captured: €19.99, reference ch_1" */
export const sentenceOf = (stated: OperatorStatement, currency: string): string => {
  if (stated._tag === "NothingToChange") return "an operator reviewed the payment, and it is correct as recorded"
  if (stated._tag === "Charge" && failures.has(stated.says)) {
    return `the provider's record says that the ${stated.says === "void_failed" ? "void" : "capture"} failed`
  }
  const [what, reference] =
    stated._tag === "Charge" ? ["charge", stated.providerRef] : [`refund ${stated.refundId}`, stated.providerRefundId]
  const details = [
    ...(stated._tag === "Charge" && stated.amountMinor !== null ? [moneyText(stated.amountMinor, currency)] : []),
    ...(reference === null ? [] : [`reference ${reference}`]),
    ...(stated._tag === "Charge" && stated.attemptId !== null ? [`of ${stated.attemptId}`] : [])
  ]
  const says =
    stated.says === "never_received" ? "was never received" : `${stated._tag === "Charge" ? "is " : ""}${stated.says}`
  return `the provider's record says that the ${what} ${says}${details.length === 0 ? "" : `: ${details.join(", ")}`}`
}
