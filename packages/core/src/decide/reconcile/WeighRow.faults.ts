import type { Fault } from "../../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a row of a guessed payment moves money",
    harm: "Another charge of the same amount settles a payment that nobody paid.",
    edits: [{ in: "statement", operand: "by_id", become: 'reason !== "ambiguous"' }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given a payment of its amount and time, when its charge is unknown, then the row moves no money"
    }
  }
]
