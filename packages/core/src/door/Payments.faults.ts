import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "send a lost refund again that no list had",
    harm: "A refund that was executed after the recovery is made again once its provider has forgotten the key.",
    edits: [{ in: "refund", call: "adoptLostRefund", become: "Effect.void" }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostRefunds.test.ts",
      test: "given one that was executed after the recovery, when its key comes again, then it is not made again"
    }
  }
]
