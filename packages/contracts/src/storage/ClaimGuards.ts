/** Claims after records were lost: the store refuses them inside their own write, each for its own tenant and key. */
import { expect } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import {
  type Change,
  type ClaimGuard,
  type CommitFailure,
  KeyRecovered,
  Ledger,
  RecordsMissing
} from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import {
  connectionOf,
  firstChange,
  moveAlong,
  newTenant,
  rowOf,
  traceOf,
  workspaceOf,
  writeDirectory,
  written
} from "./Given.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const lost = { since: 1_700_000_000_000, reason: "a restored backup", declaredAt: 1_700_000_060_000 }
const tag = "0123456789ab"
const guardOf = (key: ClaimGuard["key"] = null, refusesMissing = true): ClaimGuard => ({ refusesMissing, key })
const charge = { tag, kind: "charge" } as const
const refund = { tag, kind: "refund" } as const

/** A tenant with two connections. */
const shop = Effect.fnUntraced(function* () {
  const tenant = yield* newTenant()
  const ids = ["first", "second"].map((name) => `${name}-${tenant.workspaceId}`)
  yield* writeDirectory({
    workspaces: [workspaceOf(tenant)],
    connections: ids.map((id) => connectionOf(tenant, { id }))
  })
  return { tenant, ids }
})

const claimed = (tenant: Tenant, guard: ClaimGuard) =>
  Effect.map(firstChange(tenant), ({ change }): Change => ({ ...change, guard }))

/** Why the store refused it, and that it left nothing. */
const refusalOf = Effect.fnUntraced(function* (change: Change) {
  const before = yield* traceOf(change)
  const result = yield* Effect.result((yield* Ledger).commit(change))
  if (Result.isSuccess(result)) return undefined
  expect(result.failure).toMatchObject({ _tag: "pointsman/StorageError" })
  expect(yield* traceOf(change)).toStrictEqual(before)
  return causeOf(result.failure)
})

const causeOf = (failure: CommitFailure): unknown => ("cause" in failure ? failure.cause : failure)

const tagOf = (cause: unknown): unknown => (cause as { readonly _tag?: string })._tag

export const claimGuards = chapter("claims after records were lost", (it) => {
  /** With a loss that ends with the test: the store is shared. */
  const itWithLoss = itWith(it, ({ losses }) =>
    Effect.gen(function* () {
      const end = Effect.flatMap(losses.newest, (loss) =>
        loss === null ? Effect.void : losses.end(loss, { outcome: "accepted", at: lost.declaredAt })
      )
      yield* end
      yield* Effect.addFinalizer(() => Effect.orDie(end))
      return { loss: yield* losses.declare(lost) }
    })
  )

  itWithLoss("nothing is written until all of the tenant's connections are recovered", function* ({ loss, losses }) {
    const { ids, tenant } = yield* shop()
    const other = yield* shop()
    yield* losses.markRecovered(loss, other.ids[0] ?? "", false)
    for (const id of ids) {
      expect(yield* refusalOf(yield* claimed(tenant, guardOf()))).toBeInstanceOf(RecordsMissing)
      yield* losses.markRecovered(loss, id, false)
    }
    expect(yield* refusalOf(yield* claimed(tenant, guardOf()))).toBeUndefined()
    expect(yield* refusalOf(yield* claimed(other.tenant, guardOf()))).toBeInstanceOf(RecordsMissing)
    expect(yield* refusalOf(yield* claimed(other.tenant, guardOf(null, false)))).toBeUndefined()
    yield* losses.end(loss, { outcome: "accepted", at: lost.declaredAt })
    expect(yield* refusalOf(yield* claimed(other.tenant, guardOf()))).toBeUndefined()
  })

  itWithLoss("key and version come before the loss when a payment on file is claimed anew", function* ({ ledger }) {
    const { tenant } = yield* shop()
    const key = "key-of-this-test"
    const first = yield* written(firstChange(tenant, { key }))
    const again = yield* firstChange(tenant, { key })
    expect(yield* Effect.flip(ledger.commit({ ...again.change, guard: guardOf() }))).toMatchObject({
      _tag: "pointsman/KeyTaken"
    })
    const { after, change } = yield* moveAlong(first.after, rowOf("Charging", "AttemptFollowed"))
    expect(yield* refusalOf({ ...change, guard: guardOf() })).toBeInstanceOf(RecordsMissing)
    yield* ledger.commit(change)
    expect(after.payment.version).toBeGreaterThan(first.after.payment.version)
    expect(yield* Effect.flip(ledger.commit({ ...change, guard: guardOf() }))).toMatchObject({
      _tag: "pointsman/Stale"
    })
  })

  it("claims under a key whose tag is filed are refused with its payments", function* ({ losses }) {
    const { tenant } = yield* shop()
    const elsewhere: Tenant = { ...tenant, environment: "production" }
    for (const paymentId of ["pay-2", "pay-1", "pay-1"]) yield* losses.fileKey(tenant, { ...charge, paymentId })
    const refusal = yield* refusalOf(yield* claimed(tenant, guardOf(charge)))
    expect(refusal).toBeInstanceOf(KeyRecovered)
    expect((refusal as KeyRecovered).paymentIds.toSorted()).toEqual(["pay-1", "pay-2"])
    expect(yield* refusalOf(yield* claimed(tenant, guardOf(charge, false)))).toBeInstanceOf(KeyRecovered)
    for (const [owner, key] of [
      [tenant, null],
      [tenant, { ...charge, tag: "0123456789ac" }],
      [tenant, refund],
      [elsewhere, charge],
      [(yield* shop()).tenant, charge]
    ] as const) {
      expect(yield* refusalOf(yield* claimed(owner, guardOf(key)))).toBeUndefined()
    }
  })

  it("only its own payment's claims are refused while a refund's tag is filed", function* ({ losses }) {
    const { tenant } = yield* shop()
    const first = yield* written(firstChange(tenant))
    const { id } = first.after.payment
    yield* losses.fileKey(tenant, { ...refund, paymentId: id })
    const { change } = yield* moveAlong(first.after, rowOf("Charging", "AttemptFollowed"))
    expect(yield* refusalOf({ ...change, guard: guardOf(refund) })).toEqual(new KeyRecovered({ paymentIds: [id] }))
    expect(yield* refusalOf(yield* claimed(tenant, guardOf(refund)))).toBeUndefined()
  })

  itWithLoss(
    "each of several tenants' claims at once is refused or written by itself",
    function* ({ ledger, loss, losses }) {
      const [missing, whole, filed] = [yield* shop(), yield* shop(), yield* shop()]
      for (const id of [...whole.ids, ...filed.ids]) yield* losses.markRecovered(loss, id, false)
      yield* losses.fileKey(filed.tenant, { ...charge, paymentId: "pay-1" })
      const shops = [missing, whole, filed, whole, missing, filed, whole]
      const changes = yield* Effect.forEach(shops, ({ tenant }) => claimed(tenant, guardOf(charge)))
      const results = yield* atOnce(changes, (change) => Effect.result(ledger.commit(change)))
      const ends = results.map((result) => (Result.isSuccess(result) ? "written" : tagOf(causeOf(result.failure))))
      const [isMissing, isRecovered] = ["pointsman/RecordsMissing", "pointsman/KeyRecovered"]
      expect(ends).toEqual([isMissing, "written", isRecovered, "written", isMissing, isRecovered, "written"])
    }
  )
})
