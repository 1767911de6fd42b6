/** Lookups that were under way when a message came: what each says, and what the payment becomes. */
import { type ChargeState, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect } from "effect"
import { expect, test } from "vitest"
import { charge, deliver } from "./support/Messages.ts"
import { answerOf, create, expectSound, retrieve, timeline } from "./support/Payments.ts"
import { anyStore } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

const world = usedWorld(anyStore, { testClock: true })

/** Seconds of the test's clock. */
let now = 0
const wait = async (seconds: number) => {
  now += seconds
  await world.adjust(`${seconds} seconds`)
}

/** A charge that went unanswered. While it is looked up, a message comes; then the lookup answers. */
const lookedUp = async (message: string, sentAt: number, says: (providerRef: string) => ChargeState) => {
  world.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "timed out" }))
  const { body } = await create(world, { capture_method: "manual" })
  const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
  const asked = Deferred.makeUnsafe<void>()
  const answered = Deferred.makeUnsafe<void>()
  world.provider.onLookUpCharge = () =>
    Deferred.succeed(asked, undefined).pipe(
      Effect.andThen(Deferred.await(answered)),
      Effect.as({ _tag: "Found" as const, state: says(`ref_${attemptId}`) })
    )
  await wait(120)
  const check = world.checkDue()
  await Effect.runPromise(Deferred.await(asked))
  const text = { ...charge(attemptId, message), created: new Date((now + sentAt) * 1000).toISOString() }
  expect(answerOf(await deliver(world, text, { timestamp: now }))).toBe("200")
  await Effect.runPromise(Deferred.succeed(answered, undefined))
  await check
  const id: string = body.data?.id ?? body.error.payment_id
  await expectSound(world, id)
  const payment = await retrieve(world, id)
  return [
    payment["payment_status"],
    payment["captured_amount"],
    (await timeline(world, id)).slice(2).map(({ type }) => type)
  ]
}

for (const [status, captured, _tag] of [
  ["CAPTURED", 1000, "Captured"],
  ["AUTHORIZED", 0, "Authorized"]
] as const) {
  test(`money is believed by a lookup (${status}) under way when a message says declined`, async () => {
    expect(await lookedUp("declined", 0, (providerRef) => ({ _tag, providerRef }))).toEqual([
      status,
      captured,
      ["payment.declined", "payment.conflict", `payment.${status.toLowerCase()}`]
    ])
  })
}

test("an authorization is older than a cancellation after its lookup was asked", async () => {
  const says = (providerRef: string): ChargeState => ({ _tag: "Authorized", providerRef })
  expect(await lookedUp("canceled", 1, says)).toEqual(["CANCELLED", 0, ["payment.cancelled"]])
})

test("an authorization of a lookup is believed over an older cancellation", async () => {
  const says = (providerRef: string): ChargeState => ({ _tag: "Authorized", providerRef })
  const told = ["payment.cancelled", "payment.conflict", "payment.authorized"]
  expect(await lookedUp("canceled", -60, says)).toEqual(["AUTHORIZED", 0, told])
})

test("a payment is captured by a message while a lookup says declined", async () => {
  const says = (providerRef: string): ChargeState => ({
    ...{ _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: false }
  })
  expect(await lookedUp("captured", 0, says)).toEqual(["CAPTURED", 1000, ["payment.captured"]])
})
