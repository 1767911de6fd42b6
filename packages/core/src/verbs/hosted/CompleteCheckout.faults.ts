import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take an approved checkout before the step is written",
    harm: "A process that dies leaves no trace of the request, and others ask for the money at the same time.",
    edits: [
      {
        in: "complete",
        statement: "claim",
        become:
          "if (open.attempt.id === attemptId)\n    yield* send({ payment, claim: null, connection, attempt: open.attempt, earlier: [] }, Number.POSITIVE_INFINITY)\n  $"
      }
    ],
    caughtBy: "packages/core/test/CompleteCheckout.test.ts > the step is stored before the provider is asked"
  },
  {
    name: "take an approved checkout on an unknown commit",
    harm: "The money is asked for on a step that may not be stored, and another process asks for it too.",
    edits: [{ in: "claim", property: "MaybeWritten", become: "({ value }) => Effect.succeed(value)" }],
    caughtBy: 'packages/core/test/CompleteCheckout.test.ts > a step whose commit ends "lost" is unsent, and taken later'
  },
  {
    name: "ask for the money again while its result is unknown",
    harm: "A request whose answer was lost is sent again before the provider was asked what it did.",
    edits: [
      { in: "openCheckoutOf", operand: "payment.state", become: '$ && payment.state !== "ChargeUnknown"' },
      {
        file: "../../model/PaymentMachine.ts",
        in: "rows",
        property: "on",
        about: "CompletionSent",
        become: '$, from: ["CheckoutOpen", "ChargeUnknown"]'
      }
    ],
    caughtBy: "packages/core/test/PaymentMachine.test.ts > these rows and no other begin a provider call"
  }
]
