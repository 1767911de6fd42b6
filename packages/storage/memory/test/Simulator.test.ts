/** The simulator over storage in memory; what its parts promise is shown here, where a store is at hand. */
import {
  type ChargeRecord,
  type Fate,
  type MortalProcess,
  makeWorld,
  type ProviderAct,
  production,
  sandbox,
  wrongWith
} from "@pointsman/contracts/simulator"
import { Audit } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import { layer } from "@pointsman/storage-memory"
import { Effect, Exit, Option } from "effect"
import { assert, describe, it } from "vitest"

const minute = 60_000

/** A captured payment, and what its provider did of its own accord after that, when everything has come to rest. */
const captureThen = async (act: (charge: ChargeRecord) => ProviderAct) => {
  const { provider, ...world } = await makeWorld({
    storage: layer(),
    // There is no network in between, and each message arrives at once.
    onLetter: ({ body, connectionId }) =>
      process.ask((pointsman) =>
        Effect.flatMap(
          pointsman.verifyMessage({
            connectionId,
            headers: { "x-simulated-secret": `pmsec_${connectionId}` },
            body
          }),
          pointsman.recordMessage
        )
      )
  })
  const process = world.start({ backgroundEveryMillis: minute })
  process.ask((pointsman) => pointsman.create(sandbox, sampleRequest()))
  await world.time.pass(minute)
  const charges = [...provider.charges.values()]
  for (const charge of charges) provider.act(act(charge))
  await world.time.pass(minute)
  const [payment] = await world.run(world.ledger.payments(sandbox.tenant, { limit: 10 }))
  const book = Option.getOrThrow(await world.run(world.ledger.book(sandbox.tenant, payment?.id ?? "")))
  const events = await world.run(world.ledger.timeline(sandbox.tenant, book.payment.id, { limit: 100 }))
  await world.end()
  return { book, events, side: { charges, refunds: [] } }
}

describe("what has to hold when a provider contradicts itself", () => {
  for (const [name, act, difference] of [
    [
      "captures more than was authorized",
      (charge: ChargeRecord): ProviderAct => ({ _tag: "CorrectsCapture", charge, capturedMinor: 5_000 }),
      "captured 1999, and at the provider 5000, and no review names it"
    ],
    [
      "cancels what it captured",
      (charge: ChargeRecord): ProviderAct => ({ _tag: "FailsCapture", charge, again: null }),
      "captured 1999, and at the provider 0, and no review names it"
    ]
  ] as const) {
    it(`a review names the difference when it ${name}, or else that is wrong`, async () => {
      const { book, events, side } = await captureThen(act)
      assert.deepStrictEqual(wrongWith(book, events, side), [])
      const unreviewed = { ...book, payment: { ...book.payment, review: null } }
      assert.deepStrictEqual(wrongWith(unreviewed, events, side), [difference])
      const silent = events.map((event) => ({ ...event, data: { ...event.data, stated: null, stated_amount: null } }))
      assert.include(wrongWith(book, silent, side), difference)
    })
  }

  it("a review of a simulator that does what it said is wrong", async () => {
    const { book, events, side } = await captureThen((charge) => ({ _tag: "PaysOut", charge }))
    assert.deepStrictEqual([book.payment.state, wrongWith(book, events, side)], ["Settled", []])
    const reviewed = { ...book, payment: { ...book.payment, review: { since: 0, reasons: ["conflict" as const] } } }
    assert.deepStrictEqual(wrongWith(reviewed, events, side), ["it waits for operations: conflict"])
  })
})

describe("a process in a world", () => {
  it("a payment without faults is captured and every endpoint hears of it", async () => {
    const world = await makeWorld({ storage: layer() })
    const process = world.start({ backgroundEveryMillis: minute })
    const ends: Array<unknown> = []
    process.ask(
      (pointsman) => pointsman.create(sandbox, sampleRequest({ idempotencyKey: "key-0001" })),
      (exit) => ends.push(Exit.isSuccess(exit) ? exit.value.payment.state : exit.cause)
    )
    await world.time.pass(minute)
    assert.deepStrictEqual(ends, ["Captured"])
    const [payment] = await world.run(world.ledger.payments(sandbox.tenant, { limit: 10 }))
    const book = Option.getOrThrow(await world.run(world.ledger.book(sandbox.tenant, payment?.id ?? "")))
    const events = await world.run(world.ledger.timeline(sandbox.tenant, book.payment.id, { limit: 100 }))
    const charges = [...world.provider.charges.values()]
    assert.deepStrictEqual(wrongWith(book, events, { charges, refunds: [] }), [])
    assert.deepStrictEqual(
      world.receiver.received.map(({ fault, url }) => [new URL(url).hostname, fault]),
      [
        ["all-sandbox.example", undefined],
        ["all-sandbox.example", undefined],
        ["money-sandbox.example", undefined]
      ]
    )
    await world.end()
  })

  for (const side of ["before", "after"] as const) {
    it(`another process settles what one began that died ${side} its first call`, async () => {
      const world = await makeWorld({
        storage: layer(),
        hooks: {
          onBoundary: (boundary): Fate =>
            boundary.process === 1 && boundary.crossing === "provider.charge" && boundary.side === side
              ? "dies"
              : undefined
        }
      })
      const first = world.start({ backgroundEveryMillis: minute })
      const heard: Array<string> = []
      first.ask(
        (pointsman) =>
          pointsman.create(production, sampleRequest()).pipe(
            Effect.onExit(() => Effect.sync(() => heard.push("finalizer"))),
            Effect.tap(() => Effect.sync(() => heard.push("continuation")))
          ),
        () => heard.push("answer")
      )
      await world.time.pass(40 * minute)
      assert.isTrue(first.isDead())
      assert.strictEqual(world.provider.calls.length, side === "before" ? 0 : 1)
      const stateNow = async () => (await world.run(world.ledger.payments(production.tenant, { limit: 1 })))[0]?.state
      assert.strictEqual(await stateNow(), "Charging")

      world.start({ backgroundEveryMillis: minute })
      await world.time.pass(3 * 24 * 60 * minute)
      assert.strictEqual(await stateNow(), side === "before" ? "Failed" : "Captured")
      assert.deepStrictEqual(heard, [])
      await world.end()
    })
  }

  for (const [side, recorded] of [
    ["before", []],
    ["after", ["review.resolving"]]
  ] as const) {
    it(`the audit trail continues after a process that dies ${side} it records an intent`, async () => {
      const world = await makeWorld({
        storage: layer(),
        hooks: {
          onBoundary: (boundary): Fate =>
            boundary.process === 1 && boundary.crossing === "audit.append" && boundary.side === side
              ? "dies"
              : undefined
        }
      })
      const heard: Array<string> = []
      const resolve = (process: MortalProcess) =>
        process.ask(
          (pointsman) =>
            pointsman.resolveReview({
              tenant: sandbox.tenant,
              paymentId: "00000000-0000-7000-8000-000000000001",
              by: "an operator",
              evidence: "the provider's record",
              stated: { _tag: "NothingToChange" }
            }),
          (exit) => heard.push(Exit.isSuccess(exit) ? "success" : "failure")
        )
      const recordedNow = async () =>
        (await world.run(world.service(Audit).list({ after: 0, limit: 10 }))).map(({ action }) => action)
      const first = world.start()
      resolve(first)
      await world.time.pass(minute)
      assert.deepStrictEqual([first.isDead(), heard, await recordedNow()], [true, [], recorded])

      resolve(world.start())
      await world.time.pass(minute)
      assert.deepStrictEqual([heard, await recordedNow()], [["failure"], [...recorded, "review.resolving"]])
      await world.end()
    })
  }

  it("a process that freezes before a charge and wakes too late sends nothing there", async () => {
    let freezes = 1
    const world = await makeWorld({
      storage: layer(),
      hooks: {
        onBoundary: ({ crossing, side }): Fate =>
          crossing === "provider.charge" && side === "before" && freezes-- > 0 ? 20 * minute : undefined
      }
    })
    const ends: Array<unknown> = []
    world.start().ask(
      (pointsman) => pointsman.create(sandbox, sampleRequest()),
      (exit) => ends.push(Exit.isSuccess(exit) ? exit.value.payment.connectionId : exit.cause)
    )
    await world.time.pass(20 * minute - 1)
    assert.deepStrictEqual(ends, [])
    await world.time.pass(1)
    assert.deepStrictEqual(ends, ["backup-sandbox"])
    assert.strictEqual(world.provider.calls.length, 1)
    await world.end()
  })
})
