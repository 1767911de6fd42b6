import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "derive ids from the current encryption key",
    harm: "After a rotation a retried request is taken for another one, and a repeated charge gets another id: paid twice.",
    edits: [
      {
        in: "layerRotating",
        call: "storedDerivation",
        become: "Effect.andThen($, Effect.flatMap(source, ({ current }) => derivedFrom(current)))"
      }
    ],
    caughtBy:
      "packages/core/test/Secrets.test.ts > fingerprints, ids and page tokens stay when an encryption key is replaced"
  }
]
