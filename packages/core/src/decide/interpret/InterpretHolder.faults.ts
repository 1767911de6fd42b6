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
      "packages/core/test/ProviderMessages.test.ts > given a capture that nobody answered, when the authorization is told late, then it stays unknown"
  },
  {
    name: "take a second charge for the first",
    harm: "A customer pays twice on one page and nobody hears of it; the end of one charge ends the other.",
    edits: [{ in: "isOfAnotherCharge", returned: "said.providerRef", become: "false" }],
    caughtBy:
      "packages/core/test/ProviderMessages.test.ts > given operations cancel the second, when that is told, then the first still holds"
  },
  {
    name: "drop a capture of more than was authorized",
    harm: "What a person captured at the provider is not on record as taken.",
    edits: [{ file: "../ChargeFact.ts", in: "heldFactOf", condition: "stated.minorUnits", become: "false" }],
    caughtBy:
      "packages/http/test/CapturesByHand.test.ts > given more than was authorized, then it is CAPTURED up to that, with a review, and no capture is sent"
  }
]
