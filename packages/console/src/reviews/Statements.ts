/** What an operator states that the provider's record says: as the API takes it, and which fields each statement has. */
import { type OperatorStatement, type PossibleStatement, statedOfCharges, statedOfRefunds } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Schema } from "effect"
import { described } from "../api/Records.ts"

const { validationErrorOf } = InProcess
const optionalText = (description: string) =>
  Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey(described(description))

const referenceMeaning = "The provider's id; may be left out if the record has one."

const ChargeStatement = Schema.Struct({
  about: Schema.Literal("charge"),
  says: Schema.Literals(statedOfCharges),
  attempt_id: optionalText("The attempt; by default the one that is open, or that holds the money."),
  amount: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })))
  ).annotateKey(described("Minor units that the provider's record states. With `captured` and `authorized` alone.")),
  provider_reference: optionalText(referenceMeaning)
})

const RefundStatement = Schema.Struct({
  about: Schema.Literal("refund"),
  says: Schema.Literals(statedOfRefunds),
  refund_id: Schema.String,
  provider_reference: optionalText(referenceMeaning)
})

const NothingStatement = Schema.Struct({ about: Schema.Literal("nothing") }).annotate({
  description: "The provider's record agrees with the payment as it is recorded."
})

export const Statement = Schema.Union([ChargeStatement, RefundStatement, NothingStatement]).annotate({
  identifier: "Statement",
  description: "What the provider's record says."
})
export type Statement = typeof Statement.Type

export const statementExpectations = {
  statement:
    "an object: {about: charge, says, attempt_id, amount, provider_reference}, {about: refund, says, refund_id, " +
    "provider_reference} or {about: nothing}",
  revision: "the `revision` of the review that was read",
  evidence: "text of 1 to 2000 characters"
}

/** What a statement has to name besides what it says. */
export interface StatementFields {
  readonly amount: boolean
  readonly reference: "required" | "optional" | "none"
}

/** They are about a call that is known, or that the provider has no record of. */
const nameless: ReadonlySet<string> = new Set(["never_received", "capture_failed", "void_failed"])

export const fieldsOf = ({ needsReference, stated }: Pick<PossibleStatement, "needsReference" | "stated">) =>
  ({
    amount: stated._tag === "Charge" && (stated.says === "captured" || stated.says === "authorized"),
    reference:
      stated._tag === "NothingToChange" || nameless.has(stated.says) ? "none" : needsReference ? "required" : "optional"
  }) satisfies StatementFields

/** Nothing is filled in: an amount that was only assumed would be money that the provider's record does not state. */
export const statementOf = Effect.fnUntraced(function* (given: Statement) {
  if (given.about === "nothing") return { _tag: "NothingToChange" } satisfies OperatorStatement
  const providerRef = given.provider_reference ?? null
  const stated: OperatorStatement =
    given.about === "refund"
      ? { _tag: "Refund", says: given.says, refundId: given.refund_id, providerRefundId: providerRef }
      : {
          _tag: "Charge",
          says: given.says,
          attemptId: given.attempt_id ?? null,
          amountMinor: given.amount ?? null,
          providerRef
        }
  const { amount, reference } = fieldsOf({ stated, needsReference: false })
  if (stated._tag === "Charge" && amount !== (stated.amountMinor !== null)) {
    const expected = amount ? "the amount that the provider's record states" : "left out unless captured or authorized"
    return yield* Effect.fail(validationErrorOf(`\`statement.amount\` must be ${expected}`))
  }
  if (reference === "none" && providerRef !== null) {
    return yield* Effect.fail(
      validationErrorOf(`\`statement.provider_reference\` must be left out with ${stated.says}`)
    )
  }
  return stated
})
