/** The rate of messages: of each address those that fail verification, of each connection those that pass. */
import { RateLimit } from "@pointsman/http"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { charge, deliver } from "./support/Messages.ts"
import { answerOf, captured } from "./support/Payments.ts"
import { anyStore } from "./support/Stores.ts"
import { openWorld } from "./support/World.ts"

const run = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.provide(
      work,
      Layer.mergeAll(
        RateLimit.layerMessages({ perConnection: 2 }),
        RateLimit.layerFailures({ messagesPerSource: 2 }),
        TestClock.layer({ warningDelay: "1 hour" })
      )
    )
  )

/** `takeSource`: a message of an address that fails verification. */
const take = (what: "takeSource" | "takeConnection", name: string) =>
  Effect.gen(function* () {
    const limit = yield* RateLimit.MessageRateLimit
    const failures = yield* RateLimit.FailureLimit
    const taking = what === "takeConnection" ? limit.takeConnection(name) : failures.count("message", name)
    return Result.isSuccess(yield* Effect.result(taking)) ? "taken" : "refused"
  })

describe("the rate of messages", () => {
  test("a connection that used up its rate leaves another one and an address as they are", async () => {
    const answers = await run(
      Effect.gen(function* () {
        const first = yield* Effect.forEach(Array(5).keys(), () => take("takeConnection", "main"))
        return [first, yield* take("takeConnection", "other"), yield* take("takeSource", "main")]
      })
    )
    expect(answers).toEqual([["taken", "taken", "taken", "taken", "refused"], "taken", "taken"])
  })

  test("an address with nothing left regains as much in time, and no more than a burst", async () => {
    const answers = await run(
      Effect.gen(function* () {
        yield* Effect.forEach(Array(9).keys(), () => take("takeSource", "192.0.2.1"))
        yield* TestClock.adjust("500 millis")
        const one = yield* Effect.forEach(Array(2).keys(), () => take("takeSource", "192.0.2.1"))
        yield* TestClock.adjust("1 hour")
        return [one, yield* Effect.forEach(Array(5).keys(), () => take("takeSource", "192.0.2.1"))]
      })
    )
    expect(answers).toEqual([
      ["taken", "refused"],
      ["taken", "taken", "taken", "taken", "refused"]
    ])
  })

  test("the first of a hundred thousand addresses is forgotten, and the last is not", async () => {
    const answers = await run(
      Effect.gen(function* () {
        const use = (address: string) => Effect.forEach(Array(4).keys(), () => take("takeSource", address))
        yield* use("first")
        yield* Effect.forEach(Array(100_000).keys(), (index) => take("takeSource", `other ${index}`), { discard: true })
        yield* use("last")
        return [yield* take("takeSource", "first"), yield* take("takeSource", "last")]
      })
    )
    expect(answers).toEqual(["taken", "refused"])
  })

  test("a thousand are taken without a limit for connections; an address is limited", async () => {
    const answers = await Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const taken = yield* Effect.forEach(Array(1_000).keys(), () => take("takeConnection", "main"))
          const refused = yield* Effect.forEach(Array(500).keys(), () => take("takeSource", "192.0.2.1"))
          return [new Set(taken), refused.filter((answer) => answer === "taken").length]
        }),
        Layer.mergeAll(
          RateLimit.layerMessages({ perConnection: null }),
          RateLimit.layerFailures(),
          TestClock.layer({ warningDelay: "1 hour" })
        )
      )
    )
    expect(answers).toEqual([new Set(["taken"]), 400])
  })

  test("signed messages are taken from an address that used up its failures", async () => {
    const world = await openWorld(anyStore, { messageRate: RateLimit.layerFailures({ messagesPerSource: 2 }) })
    await captured(world)
    const message = charge(world.provider.charges.at(-1)?.attemptId ?? "", "captured")
    const unsigned = await Promise.all(
      Array.from({ length: 30 }, () => deliver(world, message, { secret: "whsec_of_nobody" }))
    )
    expect(new Set(unsigned.map(answerOf))).toEqual(new Set(["401 unauthorized", "429 rate_limited"]))
    expect(unsigned.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("1")
    const replies = await Promise.all(Array.from({ length: 9 }, () => deliver(world, message)))
    expect(replies.map(answerOf)).toEqual(Array(9).fill("200"))
    await world.close()
  })

  test("another connection still answers 401 when one has used up its failures", async () => {
    const world = await openWorld(anyStore, { messageRate: RateLimit.layerFailures({ messagesPerConnection: 2 }) })
    const [another, ...answers] = await Promise.all([
      deliver(world, "{}", { connectionId: "nobody" }),
      ...Array.from({ length: 30 }, () => deliver(world, "{}", { secret: "whsec_of_nobody" }))
    ])
    expect(answers.map(answerOf)).toContain("429 rate_limited")
    expect(answerOf(another)).toBe("401 unauthorized")
    await world.close()
  })

  test("messages of no provider use up nothing of a connection's rate", async () => {
    const taken: Array<string> = []
    const counted = Layer.succeed(RateLimit.MessageRateLimit, {
      takeConnection: (connectionId) =>
        Effect.sync(() => {
          taken.push(connectionId)
        })
    })
    const world = await openWorld(anyStore, { messageRate: counted })
    await captured(world)
    const message = charge(world.provider.charges.at(-1)?.attemptId ?? "", "captured")
    expect(answerOf(await deliver(world, message, { secret: "whsec_of_nobody" }))).toBe("401 unauthorized")
    expect(answerOf(await deliver(world, message, { connectionId: "nobody" }))).toBe("401 unauthorized")
    expect(taken).toEqual([])
    expect(answerOf(await deliver(world, message))).toBe("200")
    expect(taken).toEqual(["main"])
    await world.close()
  })
})
