/** The balance of each account of the books, through core's door. */
import { defaultMonthClosing, Pointsman, periodOpenUntil } from "@pointsman/core"
import { Effect } from "effect"
import { failure, internalError } from "../api/Errors.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { sessionEnd } from "../gate/SessionEnd.ts"
import { takeExportPlace } from "../payments/ExportDesk.ts"

/** It reads some 10,000 payments a second, and a browser waits for five minutes. */
const balancesWithin = "3 minutes"

const tooLong = failure(
  "validation_error",
  "These books could not be added up within 3 minutes. Use the command `pointsman books balance`."
)

/** Also with the session, and where the server stops. */
const cut = Effect.andThen(
  Effect.timeoutOption(sessionEnd("reconciliation.read"), balancesWithin),
  Effect.fail(tooLong)
)

/** When a period that ends there can no longer change, in epoch milliseconds. */
export const openUntil = (before: number): number => periodOpenUntil(before, defaultMonthClosing)

/** What each account has of the transactions before a time (epoch milliseconds), and the money whose result is not known. */
export const balances = Effect.fnUntraced(function* (path: TenantPath, before: number) {
  const { tenant } = yield* callerOf(path)
  yield* takeExportPlace(tenant)
  const pointsman = yield* Pointsman
  return yield* pointsman
    .balances(tenant, { before })
    .pipe(Effect.catch(internalError), Effect.raceFirst(cut), Effect.interruptible)
})
