/** What leaves a file makes the file smaller. */

import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Ids, Ledger, Retention, type StoredMessage } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newFile, tenant, withStorage } from "./Given.ts"

const message = (number: number): StoredMessage => ({
  connectionId: "first",
  eventId: `msg_${number}`,
  paymentId: null,
  about: "charge",
  subjectId: "att_1",
  disputeId: null,
  verdict: null,
  outcome: "applied",
  reason: null,
  writtenAt: 1,
  receivedAt: 2,
  body: "x".repeat(20_000),
  isSealed: true
})

const pagesOf = (filename: string): number => {
  const db = new DatabaseSync(filename)
  try {
    return Number(db.prepare("PRAGMA page_count").get()?.["page_count"])
  } finally {
    db.close()
  }
}

const prune = (filename: string) =>
  withStorage({ filename })(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const retention = yield* Retention
      for (let number = 0; number < 50; number++) yield* ledger.storeMessage(tenant, message(number))
      const before = pagesOf(filename)
      expect(yield* retention.pruneBodies({ tenant, before: 3, limit: 100 })).toBe(50)
      yield* retention.upkeep({ now: 3, deliveriesBefore: null, bodiesBefore: null })
      return { before, after: pagesOf(filename) }
    })
  ).pipe(Effect.provide(Ids.layer))

describe("a file from which records left", () => {
  itRunsLive("a new file is smaller after bodies leave and the upkeep", function* () {
    const filename = yield* newFile
    const { after, before } = yield* prune(filename)
    // Five pages of 4,096 bytes for each body.
    expect(before - after).toBeGreaterThanOrEqual(50 * 4)
  })
})
