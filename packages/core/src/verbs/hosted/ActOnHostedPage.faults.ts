import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take buttons on a page that leads to a provider",
    harm: "A payment is charged or declined although its customer never was on the provider's page.",
    edits: [{ in: "act", if: "leadsToProvider", become: "" }],
    caughtBy:
      "packages/core/test/HostedCheckout.test.ts > a real connector's page leads to the provider's checkout, and has no buttons"
  }
]
