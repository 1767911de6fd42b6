/** The ledger that the verbs write through: every write says when the background looks at the payment next. */
import { Clock, Effect } from "effect"
import type { PaymentSettings } from "../payment/PaymentSettings.ts"
import { Ledger } from "../ports/Ledger.ts"
import { nextCheckAt } from "./CheckSchedule.ts"

export const scheduledLedger = (ledger: Ledger["Service"], settings: PaymentSettings): Ledger["Service"] =>
  Ledger.of({
    ...ledger,
    commit: (change) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ledger.commit({
          ...change,
          checkAt: nextCheckAt(
            change.payment.after,
            change.refunds ?? [],
            settings.checkIntervals,
            settings.claimWindowMillis,
            now
          )
        })
      )
  })
