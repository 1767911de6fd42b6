import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a message denies",
    harm: "A delayed word of the authorization ends a capture that is under way; its money is taken once more.",
    edits: [
      {
        in: "ofHolderInOperation",
        returned: "ofStillAuthorized",
        become: 'operated(book, operation, { _tag: "NotFound" }, source.now)'
      }
    ],
    caughtBy:
      "packages/core/test/ProviderMessages.test.ts > an unanswered capture stays unknown when the authorization is reported late"
  },
  {
    name: "take a second charge for the first",
    harm: "A customer pays twice on one page without a report; the end of one charge ends the other.",
    edits: [{ in: "isOfAnotherCharge", returned: "said.providerRef", become: "false" }],
    caughtBy:
      "packages/core/test/ProviderMessages.test.ts > the first charge still holds when operations cancel the second"
  },
  {
    name: "drop a capture of more than was authorized",
    harm: "What a person captured at the provider is not on record as taken.",
    edits: [{ file: "../ChargeFact.ts", in: "heldFactOf", condition: "stated.minorUnits", become: "false" }],
    caughtBy:
      "packages/http/test/CapturesByHand.test.ts > more than was authorized is CAPTURED up to that, reviewed, and never sent"
  }
]
