import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send although a lookup for a lost charge was not answered",
    harm: "The provider has the charge, and is asked for another one.",
    edits: [{ in: "lostCharge", condition: "unanswered", become: "false" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostKeys.test.ts",
      test: "given it does not answer, then nothing is sent, until it does"
    }
  },
  {
    name: "send although two connections may have a lost charge",
    harm: "The second connection charged the lost request, and the first one charges it again.",
    edits: [{ in: "lostCharge", operand: "others.length", become: "false" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostKeys.test.ts",
      test: "given two such connections, then nothing is sent for a day, unless servers serve all the same"
    }
  }
]
