/** Records a charge that its provider made and the store lost, as the payment of the request that comes again. */
import { Clock, Effect } from "effect"
import { aboutCharge } from "../../call/LookUp.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import { PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { endAttempt } from "../../model/Attempt.ts"
import type { ChargeState } from "../../model/ProviderStatement.ts"
import type { ChargeInHand } from "./ChargeInHand.ts"
import { recordEnd } from "./RecordCharge.ts"

/**
 * What a manual capture took was authorized before, in whole: that was the answer to the request, and the capture is
 * recorded as what a lookup found.
 */
export const recordLostCharge = Effect.fnUntraced(function* (inHand: ChargeInHand, state: ChargeState) {
  const { attempt, connection, payment } = inHand
  yield* Effect.logWarning(
    `connection ${connection.id} has the charge ${attempt.id}, whose record the database lost: it is stored again as ` +
      `payment ${payment.id}, and nothing was sent`
  )
  const askedAt = yield* Clock.currentTimeMillis
  const isCapturedLater = payment.captureMethod === "manual" && state._tag === "Captured"
  if (!isCapturedLater) return yield* recordEnd(inHand, state, askedAt)
  const authorized = { _tag: "Authorized" as const, providerRef: state.providerRef }
  const held = yield* recordEnd(inHand, authorized, askedAt)
  const book = { payment: held, attempts: [endAttempt(attempt, authorized, askedAt)], operations: [], refunds: [] }
  const lookup = { ...aboutCharge(attempt, { _tag: "Found", state }), askedAt }
  const after = yield* Effect.mapError(
    recordLookup(book, lookup),
    (cause) => new PaymentResultUnknown({ paymentId: payment.id, cause })
  )
  return after.payment
})
