/** What a store knows of records that it lost: every server reads it, and one recovery cannot end another's loss. */
import { expect } from "@effect/vitest"
import { RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { chapter } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const since = 1_700_000_000_000
const lost = { since, reason: "a payment that was acknowledged is missing", declaredAt: since + 60_000 }

/** The store is shared: what another test declared has ended. */
const declared = Effect.fnUntraced(function* () {
  const losses = yield* RecordLosses
  const before = yield* losses.newest
  if (before !== null) yield* losses.end(before, { outcome: "accepted", at: since })
  const loss = yield* losses.declare(lost)
  return { before, loss, losses }
})

export const recordLosses = chapter("losses of records", (it) => {
  it("a declared loss is stored, known at once, and has a number of its own", function* () {
    const { before, loss, losses } = yield* declared()
    expect(loss).toMatchObject({
      number: (before?.number ?? 0) + 1,
      since,
      reason: lost.reason,
      recovered: [],
      refundsWait: [],
      ended: null
    })
    expect(yield* losses.newest).toEqual(loss)
    expect(yield* losses.known).toEqual(loss)
  })

  it("a recovered connection has to be recovered again when the loss is extended", function* () {
    const { loss, losses } = yield* declared()
    expect(yield* losses.markRecovered(loss, "stripe", false)).toBe(true)
    expect(yield* losses.markRecovered(loss, "adyen", false)).toBe(true)
    expect(yield* losses.markRecovered(loss, "adyen", false)).toBe(true)
    expect(yield* losses.newest).toEqual({ ...loss, recovered: ["adyen", "stripe"] })

    const extended = yield* losses.declare({ ...lost, since: since - 5_000 })
    expect(extended).toMatchObject({ number: loss.number, since: since - 5_000, recovered: [] })
    expect(extended.declaredAt).toBeGreaterThan(loss.declaredAt)
    expect(yield* losses.newest).toEqual(extended)
    // The recovery that began before knows nothing of what was lost since.
    expect(yield* losses.markRecovered(loss, "stripe", false)).toBe(false)
    expect(yield* losses.end(loss, { outcome: "recovered", at: since + 90_000 })).toBe(false)
    expect((yield* losses.declare({ ...lost, since: since + 1 })).since).toBe(since - 5_000)
  })

  it("refunds wait at a connection until an operator releases them, for good", function* () {
    const { loss, losses } = yield* declared()
    yield* losses.markRecovered(loss, "paypal", true)
    yield* losses.markRecovered(loss, "adyen", true)
    yield* losses.markRecovered(loss, "stripe", false)
    const recovered = ["adyen", "paypal", "stripe"]
    expect(yield* losses.newest).toEqual({ ...loss, recovered, refundsWait: ["adyen", "paypal"] })
    expect(yield* losses.releaseRefunds(loss.number, "adyen")).toBe(true)
    expect(yield* losses.releaseRefunds(loss.number, "adyen")).toBe(false)
    // Recovered again, or listed after all.
    yield* losses.markRecovered(loss, "adyen", true)
    yield* losses.markRecovered(loss, "stripe", true)
    expect(yield* losses.newest).toEqual({ ...loss, recovered, refundsWait: ["paypal"] })
    const ended = { outcome: "recovered", at: since + 90_000 } as const
    yield* losses.end(loss, ended)
    expect(yield* losses.known).toEqual({ ...loss, recovered, refundsWait: ["paypal"], ended })
    expect(yield* losses.releaseRefunds(loss.number, null)).toBe(true)
    expect(yield* losses.newest).toEqual({ ...loss, recovered, refundsWait: [], ended })
  })

  it("a loss that ends stays on record, ends once, and the next one is another", function* () {
    const { loss, losses } = yield* declared()
    const ended = { outcome: "accepted", at: since + 90_000 } as const
    expect(yield* losses.end(loss, ended)).toBe(true)
    expect(yield* losses.known).toEqual({ ...loss, ended })
    expect(yield* losses.end(loss, { outcome: "recovered", at: since + 95_000 })).toBe(false)
    expect(yield* losses.markRecovered(loss, "stripe", false)).toBe(false)
    expect(yield* losses.newest).toEqual({ ...loss, ended })
    expect((yield* losses.declare(lost)).number).toBe(loss.number + 1)
  })

  it("a loss that many servers declare at once is one from the earliest time", function* () {
    const { loss, losses } = yield* declared()
    yield* losses.end(loss, { outcome: "recovered", at: since })
    const all = yield* atOnce([3, 1, 2], (n) => losses.declare({ ...lost, since: since + n }))
    expect(new Set(all.map(({ number }) => number))).toEqual(new Set([loss.number + 1]))
    expect(yield* losses.newest).toMatchObject({ number: loss.number + 1, since: since + 1 })
  })
})
