import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take a lock's time-out for a limit at Stripe",
    harm: "Stripe may have charged before it ran into the lock; the next connection charges again.",
    edits: [{ in: "didNothing", operand: "lock_timeout", become: "true" }],
    caughtBy:
      "packages/connectors/stripe/test/StripeConnector.test.ts > 429 of a lock with a limiter's header is Unanswered, whatever was asked"
  }
]
