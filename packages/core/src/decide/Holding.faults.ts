import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "take every capture for another",
    harm: "A capture that is reported again is counted twice.",
    edits: [{ in: "captureNamed", returned: "captures", become: "undefined" }],
    caughtBy:
      "packages/http/test/CapturesByHand.test.ts > ours and one by hand add up; above the authorization they are reviewed"
  }
]
