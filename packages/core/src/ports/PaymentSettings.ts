import { Context } from "effect"
import { defaultSendWithinMillis } from "../model/Attempt.ts"
import { type CheckIntervals, defaultCheckIntervals } from "../model/CheckIntervals.ts"
import { defaultClaimWindowMillis } from "../model/Claim.ts"

export interface PaymentSettings {
  /** For how long a claim without an answer counts as being worked on, in milliseconds. */
  readonly claimWindowMillis: number
  /**
   * A request goes out only this soon after the commit of its claim, in milliseconds. A process that froze in
   * between (a debugger, a paused machine) must not send on a claim that others have given up by now.
   */
  readonly sendWithinMillis: number
  readonly checkIntervals: CheckIntervals
  /** What happens at connections that are not recovered after a loss of records: nothing is sent, unless it is `serve`. */
  readonly afterRestore: AfterRestore
}

export type AfterRestore = "refuse" | "serve"

export const PaymentSettings = Context.Reference<PaymentSettings>("pointsman/payment/PaymentSettings", {
  defaultValue: () => ({
    claimWindowMillis: defaultClaimWindowMillis,
    sendWithinMillis: defaultSendWithinMillis,
    checkIntervals: defaultCheckIntervals,
    afterRestore: "refuse"
  })
})
