import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "look for no lost charge once the loss was accepted",
    harm: "A provider without a list has the charge of a lost request, which is made again after midnight.",
    edits: [{ in: "findLostCharge", operand: "recovered", become: "loss.ended !== null" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostKeys.test.ts",
      test: "given no list and midnight, when the loss was accepted, then the charge that is found answers"
    }
  },
  {
    name: "take a provider that cannot say for one that denies",
    harm: "After a loss, a request that Adyen charged is charged again: it cannot look a charge up.",
    edits: [{ in: "stateOf", condition: "found.conclusive", become: "true" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostKeys.test.ts",
      test: "given midnight, when the key comes again, then it is sent under the id of the lost day"
    }
  }
]
