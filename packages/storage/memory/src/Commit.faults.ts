import type { Fault } from "../../../../checks/mutations/Fault.ts"

const caughtBy = (test: string) => `packages/storage/memory/test/Memory.contract.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "write without the version",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [{ in: "refusedBy", property: "version", become: "() => change.payment.expected" }],
    caughtBy: caughtBy("one of 64 changes on one version wins and all others are stale"),
    simulatedOn: "memory"
  },
  {
    name: "refunds that do not add up, in memory",
    harm: "Two refunds that were decided on one balance both stand: more goes back than was captured.",
    edits: [{ in: "brokenBy", call: "brokenBook", become: "undefined" }],
    caughtBy: caughtBy("writers without a guard let one refund through by the sums of the others")
  },
  {
    name: "one reference for two payments, in memory",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [{ in: "refusedBy", property: "holder", become: "() => undefined" }],
    caughtBy: caughtBy("another payment's reference is refused with its name, and nothing is written"),
    simulatedOn: "memory"
  },
  {
    name: "several at a time draw ids of events, in memory",
    harm: "A shop that follows the events never sees the capture whose id is smaller than one that it has read.",
    edits: [{ in: "inTurn", call: "Semaphore.makeUnsafe", become: "Semaphore.makeUnsafe(1_000)" }],
    caughtBy:
      "packages/storage/memory/test/Memory.test.ts > no smaller id follows a larger one when many commit at once with slow ids"
  },
  {
    name: "count on after records were lost",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [{ in: "inHistory", property: "version", become: "versionIn(Math.min(history, 1), after.version)" }],
    caughtBy:
      "packages/storage/memory/test/Memory.test.ts > a step decided on a lost record is stale on another one with its number",
    simulatedOn: "memory",
    simulatedUnder: "promote-alive"
  }
]
