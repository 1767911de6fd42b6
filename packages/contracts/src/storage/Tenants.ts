/** Workspaces and environments never mix, whatever is asked of the ledger. */
import { expect } from "@effect/vitest"
import { environments, type Tenant } from "@pointsman/core"
import { Effect, Option } from "effect"
import { blank, firstChange, moveAlong, newTenant, rowOf, written } from "./Given.ts"
import { newOperation, newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const key = "the-same-key-everywhere"

/** Two workspaces, one of which begins with the other's id, in both environments. */
const neighbours = Effect.gen(function* () {
  const { workspaceId } = yield* newTenant()
  const names = [workspaceId, `${workspaceId} sandbox`]
  return names.flatMap((name) => environments.map((environment): Tenant => ({ workspaceId: name, environment })))
})

export const tenants = chapter("tenants", (it) => {
  it("each of four tenants with one key sees only its own of everything", function* ({ ledger }) {
    const all = yield* neighbours
    const written = yield* Effect.forEach(all, (tenant) => firstChange(tenant, { key }))
    yield* atOnce(written, ({ change }) => ledger.commit(change))

    for (const [index, tenant] of all.entries()) {
      const { payment } = (written[index] as (typeof written)[number]).after
      expect((yield* ledger.payments(tenant, { limit: 10 })).map(({ id }) => id)).toEqual([payment.id])
      expect(yield* ledger.payments(tenant, { states: ["Charging"], limit: 10 })).toStrictEqual([payment])
      expect(Option.getOrThrow(yield* ledger.claim(tenant, key)).paymentId).toBe(payment.id)
      for (const query of [{}, { after: "" }, { before: "~" }, { type: "payment.created" }]) {
        const events = yield* ledger.events(tenant, { ...query, limit: 10 })
        expect(events.map((event) => event.paymentId)).toEqual([payment.id])
        expect(events[0]?.data["environment"]).toBe(tenant.environment)
      }
      for (const [other, neighbour] of all.entries()) {
        const isOwn = other === index
        expect(Option.isSome(yield* ledger.payment(neighbour, payment.id))).toBe(isOwn)
        expect(Option.isSome(yield* ledger.book(neighbour, payment.id))).toBe(isOwn)
        expect(yield* ledger.attempts(neighbour, payment.id)).toHaveLength(isOwn ? 1 : 0)
        expect(yield* ledger.timeline(neighbour, payment.id, { limit: 10 })).toHaveLength(isOwn ? 1 : 0)
      }
    }
  })

  it("each of four tenants with shared ids and keys has its own refunded payment", function* ({ ledger }) {
    const all = yield* neighbours
    const { payment: model } = yield* blank(all[0] as Tenant)
    const money = { authorizedMinor: 1000, capturedMinor: 1000 }
    const taken = { ...model, ...money, state: "Captured", connectionId: "first" } as const
    const operation = yield* newOperation(taken, { idempotencyKey: key })
    const refund = yield* newRefund(taken, { idempotencyKey: key })
    const books = all.map((tenant, index) => {
      const refunds = [{ ...refund, money: { ...model.money, minorUnits: 100 * (index + 1) } }]
      const empty = { payment: { ...taken, tenant }, attempts: [], operations: [], refunds: [] }
      return writeEntries(empty, { operations: [{ ...operation, sentAt: index }], refunds })
    })
    yield* atOnce(books, ({ change }) => ledger.commit(change))
    for (const { after } of books) {
      expect(yield* ledger.book(after.payment.tenant, model.id)).toStrictEqual(Option.some(after))
    }
  })

  it("two tenants' payments under one id each are their own", function* ({ ledger }) {
    const [own, other] = (yield* neighbours) as [Tenant, Tenant]
    const first = yield* written(firstChange(own))
    const id = first.after.payment.id

    const moved = yield* moveAlong(first.after, rowOf("Charging", "ChargeFailed"))
    const across = {
      ...moved.change,
      tenant: other,
      payment: { expected: 1, after: { ...moved.change.payment.after, tenant: other } }
    }
    expect((yield* Effect.flip(ledger.commit(across)))._tag).toBe("pointsman/Stale")

    const twin = yield* written(firstChange(other, { payment: { id } }))
    expect(Option.getOrThrow(yield* ledger.payment(own, id))).toStrictEqual(first.after.payment)
    expect(Option.getOrThrow(yield* ledger.payment(other, id))).toStrictEqual(twin.after.payment)
    expect(yield* ledger.attempts(own, id)).toStrictEqual(first.after.attempts)
  })
})
