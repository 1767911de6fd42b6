/** Each row of the claim table is a test, and so is what a key says while it is taken. */
import { expect } from "@effect/vitest"
import type { Claim } from "@pointsman/core"
import {
  ClaimMachine,
  type ClaimRow,
  Machine,
  moveClaim,
  newClaim,
  PaymentMachine,
  type PaymentRow
} from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import { Clock, Effect, Option, Result } from "effect"
import { firstChange, moveAlong, reach, rowOf, traceOf, type Walked } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

/** Where a claim and its payment are on their way through the tables. */
interface Position {
  readonly walked: Walked
  /** `undefined` before the first claim. */
  readonly claim: Claim | undefined
}

const key = "key-of-this-test"

export const claims = chapter("claims", (it) => {
  for (const row of ClaimMachine.rows) {
    it(`${row.on} takes ${row.from} to ${row.to}`, function* ({ ledger, tenant }) {
      const { walked } = yield* reach(tenant, "Charging")
      let position: Position = { walked, claim: undefined }
      for (const step of Machine.walk(ClaimMachine).get(row.from) ?? []) {
        const next = yield* moveKey(position, step)
        yield* ledger.commit(next.change)
        position = next.after
      }
      const { after, change } = yield* moveKey(position, row)

      yield* ledger.commit(change)

      const stored = yield* traceOf(change)
      expect(Option.getOrThrow(stored.claim)).toStrictEqual(after.claim)
      expect(Option.getOrThrow(stored.claim).state).toBe(row.to)

      // Decided on the claim before this move, with a payment that is fresh: the key alone is stale.
      const again = yield* moveAlong(after.walked, rowOf("Charging", "AttemptFollowed"))
      const stale = { ...again.change, claim: change.claim }
      const refusal = row.from === Machine.Start ? "pointsman/KeyTaken" : "pointsman/Stale"
      expect(yield* Effect.result(ledger.commit(stale))).toMatchObject(Result.fail({ _tag: refusal }))
      expect(yield* traceOf(stale)).toStrictEqual(stored)
    })
  }

  it("KeyTaken carries the stored claim when a taken key is claimed anew", function* ({ ledger, tenant }) {
    const first = yield* firstChange(tenant, { key })
    yield* ledger.commit(first.change)
    const answered = moveClaim(first.claim, "RequestAnswered", { answeredAt: 7, answer: first.after.payment })
    const { change } = yield* moveAlong(first.after, rowOf("Charging", "ChargeAuthorized"))
    yield* ledger.commit({ ...change, claim: { expected: 1, after: answered } })

    const second = yield* firstChange(tenant, { key })
    const taken = yield* Effect.flip(ledger.commit(second.change))

    expect(taken._tag).toBe("pointsman/KeyTaken")
    expect(taken).toHaveProperty("claim", answered)
    expect(yield* ledger.payment(tenant, second.after.payment.id)).toEqual(Option.none())
  })

  for (const state of ["Captured", "Authorized", "Declined", "ChargeUnknown"] as const) {
    it(`an answer with a payment in ${state} stays when the payment moves on`, function* ({ ledger, tenant }) {
      const first = yield* firstChange(tenant, { key })
      yield* ledger.commit(first.change)
      const row = PaymentMachine.rows.find(({ from, to }) => from === "Charging" && to === state) as PaymentRow
      const { after, change } = yield* moveAlong(first.after, row)
      const answered = moveClaim(first.claim, "RequestAnswered", { answeredAt: 7, answer: after.payment })
      yield* ledger.commit({ ...change, claim: { expected: 1, after: answered } })
      expect(Option.getOrThrow(yield* ledger.claim(tenant, key))).toStrictEqual(answered)

      const later = {
        ...after.payment,
        version: after.payment.version + 1,
        review: { since: 9, reasons: ["conflict"] as const },
        updatedAt: after.payment.updatedAt + 1_000
      }
      const move = { expected: after.payment.version, after: later }
      yield* ledger.commit({ tenant, payment: move, attempts: [], events: [] })
      expect(Option.getOrThrow(yield* ledger.payment(tenant, later.id))).toStrictEqual(later)
      expect(Option.getOrThrow(yield* ledger.claim(tenant, key))).toStrictEqual(answered)
    })
  }

  it("KeyTaken is reported before a stale payment when both are written", function* ({ ledger, tenant }) {
    const { change } = yield* firstChange(tenant, { key })
    yield* ledger.commit(change)
    const refused = yield* Effect.flip(ledger.commit(change))
    expect(refused._tag).toBe("pointsman/KeyTaken")
  })
})

/** A claim moves in the commit of a payment's step; here the step that asks the next connection. */
const moveKey = Effect.fnUntraced(function* (position: Position, row: ClaimRow) {
  const now = yield* Clock.currentTimeMillis
  const { after: walked, change } = yield* moveAlong(position.walked, rowOf("Charging", "AttemptFollowed"))
  const fresh = newClaim({ key, fingerprint: "fp", paymentId: walked.payment.id, claimedAt: now })
  const claim: Claim =
    position.claim === undefined
      ? fresh
      : row.on === "KeyClaimed"
        ? moveClaim(position.claim, row.on, { ...fresh, version: position.claim.version })
        : moveClaim(
            position.claim,
            row.on,
            row.on === "RequestAnswered" ? { answeredAt: now, answer: walked.payment } : { claimedAt: now }
          )
  const moved: Change = { ...change, claim: { expected: position.claim?.version ?? 0, after: claim } }
  return { change: moved, after: { walked, claim } satisfies Position }
})
