/**
 * What takes a sign-in of a moment ago: a session left open, or a stolen cookie, is not enough for it. The pages ask
 * for the password or the passkey (`ConfirmSignIn.ts`); a program signs in again, and repeats the request.
 */
import { isAboveLimit, type Payment } from "@pointsman/core"
import { refundableMinor } from "@pointsman/core/internal"
import { Clock, Effect } from "effect"
import { failure } from "../api/Errors.ts"
import { CurrentOperator } from "./Caller.ts"
import { ConsoleSettings } from "./Settings.ts"

const isRecent = Effect.gen(function* () {
  const { session } = yield* CurrentOperator
  const { recentSignIn } = yield* ConsoleSettings
  return (yield* Clock.currentTimeMillis) < session.createdAt + recentSignIn.minutes * 60_000
})

/** Before the act. */
export const takeRecentSignIn = Effect.gen(function* () {
  if (yield* isRecent) return
  const { minutes } = (yield* ConsoleSettings).recentSignIn
  return yield* Effect.fail(
    failure("sign_in_again", `This takes a sign-in within the last ${minutes} minutes. Nothing was done yet.`)
  )
})

/** Of a refund, which takes one above a limit. `payment` is read where the sign-in is older; `null`: all that is left. */
export const takeRecentSignInFor = Effect.fnUntraced(function* <E, R>(
  payment: Effect.Effect<Payment, E, R>,
  amountMinor: number | null
) {
  const { refunds } = (yield* ConsoleSettings).recentSignIn
  if (Object.keys(refunds).length === 0 || (yield* isRecent)) return
  const now = yield* payment
  if (isAboveLimit(refunds, now, amountMinor ?? refundableMinor(now))) yield* takeRecentSignIn
})
