/** What keeps a claim from being written after records were lost, and what its request is answered then (decision 31). */
import { Effect } from "effect"
import { NothingSent } from "../decide/CreateRequest.ts"
import type { ClaimGuard } from "../ports/Ledger.ts"
import { PaymentSettings } from "../ports/PaymentSettings.ts"
import { KeyRecovered, RecordsMissing, recoveryRetryMillis } from "../ports/RecordLoss.ts"
import { NotAdmitted } from "../ports/StorageCondition.ts"
import type { StorageError } from "../ports/StorageError.ts"

export const claimGuard = Effect.fnUntraced(function* (key: ClaimGuard["key"]) {
  const { afterRestore } = yield* PaymentSettings
  return { refusesMissing: afterRestore === "refuse", key } satisfies ClaimGuard
})

interface Wait {
  readonly retryAfterMillis: number
}

/** `wait`: a request like it may have been sent before records were lost. */
export const whyUnclaimed = <W>(error: StorageError, wait: new (fields: Wait) => W): W | NotAdmitted | NothingSent => {
  const { cause } = error
  if (cause instanceof NotAdmitted) return cause
  return cause instanceof RecordsMissing || cause instanceof KeyRecovered
    ? new wait({ retryAfterMillis: recoveryRetryMillis })
    : new NothingSent({ cause: error })
}
