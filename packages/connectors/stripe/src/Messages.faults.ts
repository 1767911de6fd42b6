import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "believe what another account says of its payments",
    harm: "A platform's connected account writes an attempt of ours into its metadata, and goods go out unpaid.",
    edits: [{ in: "read", if: "event.account", become: "" }],
    caughtBy: "packages/connectors/stripe/test/Messages.test.ts > an event of another connected account is not believed"
  },
  {
    name: "take what a capture leaves for a refund at Stripe",
    harm: "A customer who paid a part is recorded as refunded, and refunds of that part are closed.",
    edits: [{ in: "aboutRefund", if: "versionOfTrueRefunds", become: "" }],
    caughtBy:
      "packages/connectors/stripe/test/Messages.test.ts > a version that refunds what is not captured counts its refund only by our id"
  }
]
