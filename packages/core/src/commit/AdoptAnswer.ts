/**
 * An answer that names another attempt of ours: the provider had its idempotency key before, say. It is evidence for
 * the payment that it names, and says nothing about the one that was asked for.
 */
import { Clock, Effect, Option } from "effect"
import { Accounts } from "../call/Accounts.ts"
import { aboutCharge } from "../call/LookUp.ts"
import { otherAccount } from "../decide/interpret/OtherAccount.ts"
import type { OfAnotherAttempt } from "../model/ProviderStatement.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Directory } from "../ports/Directory.ts"
import { Ledger } from "../ports/Ledger.ts"
import { recordLookup } from "./RecordLookup.ts"

/** Nothing is lost where it fails: the named payment's own lookups and messages say the same. */
export const adoptAnswer = (tenant: Tenant, connectionId: string, named: OfAnotherAttempt) =>
  Effect.catchCause(adopt(tenant, connectionId, named), (cause) =>
    Effect.logWarning(`what connection ${connectionId} stated of attempt ${named.attemptId} was not recorded`, cause)
  )

const adopt = Effect.fnUntraced(function* (
  tenant: Tenant,
  connectionId: string,
  { attemptId, state }: OfAnotherAttempt
) {
  const ledger = yield* Ledger
  const accounts = yield* Accounts
  const found = Option.getOrUndefined(yield* ledger.bookOf(tenant, { attemptId }))
  const connection = Option.getOrUndefined(yield* (yield* Directory).connection(connectionId))
  // What another connection was asked is nothing of this one's.
  const attempt = found?.book.attempts.find((one) => one.id === attemptId && one.connectionId === connectionId)
  if (found === undefined || connection === undefined || attempt === undefined) return
  const other = otherAccount(attempt, connection, accounts.current(connection))
  const stated =
    other === undefined ? ({ _tag: "Found", state } as const) : ({ _tag: "OtherAccount", ...other } as const)
  const askedAt = yield* Clock.currentTimeMillis
  // It was so when it was answered first, whenever that was.
  yield* recordLookup(found.book, { ...aboutCharge(attempt, stated), askedAt, via: "answer" })
})
