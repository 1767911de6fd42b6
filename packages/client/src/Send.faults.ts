import type { Fault } from "../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "follow a redirect",
    harm: "A payment becomes a read of the list, and its answer a payment that does not exist.",
    edits: [{ in: "send", property: "redirect", become: '"follow"' }],
    caughtBy: "packages/client/test/Retries.test.ts > a create does not follow a redirect"
  }
]
