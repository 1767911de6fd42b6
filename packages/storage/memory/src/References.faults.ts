import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "one reference for two payments, in memory",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      {
        in: "takenReference",
        condition: "paymentId",
        become: "paymentId === change.payment.after.id && providerRef === undefined"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given a payment has it, when another one takes it, then it is told which, and nothing is written"
    },
    simulatedOn: "memory"
  }
]
