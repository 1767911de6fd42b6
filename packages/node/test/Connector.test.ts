/** What a connector of plain functions may get wrong, and what becomes of the payment then. */

import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import {
  type ConnectorDefinition,
  NotSent as CoreNotSent,
  Unanswered as CoreUnanswered,
  money,
  type Transport
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  type ChargeLookup,
  type ConnectorSpec,
  defineConnector,
  type Http,
  NotSent,
  type RefundLookup,
  Unanswered
} from "../src/connector.ts"
import type { PointsmanSettings } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { failureOf, open, order } from "./support/Shop.ts"

const credentials = { url: "url", apiKey: "secret" } as const
type Spec = ConnectorSpec<typeof credentials>

const apiKey = "the-plain-secret"

/** A shop with two connections at a connector that charges so; the second one's provider agrees. */
const shop = async (charge: Spec["charge"], url: string, settings: Partial<PointsmanSettings> = {}) => {
  const lines: Array<unknown> = []
  const connector = defineConnector({
    name: "tiny-pay",
    credentials,
    charge: (request, given) =>
      given.connectionId === "first" ? charge(request, given) : { status: "captured", reference: "ch_second" },
    lookUpCharge: () => {
      throw new Error("it is not asked here")
    }
  })
  const connection = (id: string, priority: number) => ({
    id,
    environment: "sandbox" as const,
    connector: "tiny-pay",
    priority,
    timeout: "1 second",
    credentials: { url, apiKey }
  })
  const { pointsman } = await open({
    connectors: [connector],
    workspaces: [
      {
        id: "acme",
        name: "Acme",
        country: "NL",
        connections: [connection("first", 1), connection("second", 2)],
        routing: { sandbox: { mode: "failover", order: ["first", "second"] } }
      }
    ],
    log: (line) => void lines.push(line),
    ...settings
  } as Partial<PointsmanSettings>)
  const created = async () => (await pointsman.create(order, { idempotencyKey: "order-1001" })).payment.status
  return { pointsman, created, lines }
}

/** A port at which nothing listens. */
const closedPort = async (): Promise<string> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

/** It takes the request, and hangs up. */
const hangsUp = () => listening((request) => request.socket.destroy())

const url = "https://tiny-pay.example"

const chargeLookup = {
  attemptId: "att_1",
  providerRef: null,
  checkoutReference: null,
  sentAt: 1_000,
  money: money(1999, "EUR"),
  simulation: null
}

const caught = async (call: Promise<unknown>) => {
  const error = await failureOf(call)
  assert.isTrue(error instanceof NotSent || error instanceof Unanswered)
}

/** How the calls of a lookup end, and whether the function's `not_found` may count as conclusive then. */
const lookups: ReadonlyArray<[string, boolean, (http: Http) => Promise<void>]> = [
  ["answered", true, async (http: Http) => void (await http.get(url))],
  ["not sent, and the function caught it", false, (http: Http) => caught(http.get(`${url}/not-sent`))],
  ["not answered, and the function caught it", false, (http: Http) => caught(http.get(`${url}/unanswered`))],
  ["still under way", false, async (http: Http) => void http.get(`${url}/never`)],
  [
    "answered after one that was not sent",
    true,
    async (http: Http) => {
      await caught(http.get(`${url}/not-sent`))
      await http.get(url)
    }
  ],
  [
    "answered after one that was not answered",
    false,
    async (http: Http) => {
      await caught(http.get(`${url}/unanswered`))
      await http.get(url)
    }
  ]
]

/** Ends a call as its path says. */
const transport: Transport["Service"] = {
  send: ({ url }) => {
    if (url.endsWith("/never")) return Effect.never
    if (url.endsWith("/not-sent")) return Effect.fail(new CoreNotSent({ reason: "refused" }))
    if (url.endsWith("/unanswered")) return Effect.fail(new CoreUnanswered({ reason: "reset" }))
    return Effect.succeed({ status: 200, headers: {}, body: "{}" })
  }
}

const connected = (functions: Partial<Spec>) => {
  const spec = { name: "tiny-pay", credentials, charge: () => assert.fail("it charges nothing"), ...functions } as Spec
  const { connect } = defineConnector(spec) as ConnectorDefinition
  return Result.getOrThrow(
    connect(
      { connectionId: "first", environment: "sandbox", timeoutMillis: 1_000, credentials: { url, apiKey } },
      transport
    )
  )
}

describe("a connector of plain functions", () => {
  it("the second connection charges if `http` reaches no provider", async () => {
    const { created } = await shop(
      async (_, { credentials: { url }, http }) => {
        await http.post(url, { json: {} })
        return { status: "captured", reference: "ch_first" }
      },
      await closedPort()
    )
    assert.strictEqual(await created(), "CAPTURED")
  })

  it("no function is asked to send an amount that it does not express", async () => {
    const asked: Array<string> = []
    const connector = connected({
      expresses: ({ minorUnits }) => minorUnits % 10 === 0,
      charge: () => ({ status: "captured", reference: `ch_${asked.push("charge")}` }),
      lookUpCharge: () => assert.fail("it looks nothing up"),
      openCheckout: () => assert.fail("it opens nothing"),
      capture: () => assert.fail("it captures nothing"),
      refund: () => assert.fail("it refunds nothing")
    })
    const details = {
      attemptId: "att_1",
      attemptNumber: 1,
      paymentId: "pay_1",
      money: money(1995, "KWD"),
      country: "KW",
      method: "card",
      cardBrand: null,
      initiator: "cit",
      capture: true,
      reference: null
    } as const
    const charge = { ...details, instrument: null, simulation: null }
    const part = { attemptId: "att_1", providerRef: "ch_1", money: money(1995, "KWD"), simulation: null }
    for (const operation of [
      connector.charge(charge),
      connector.openCheckout?.({ ...details, returnUrl: "https://shop.example" }),
      connector.capture?.({ ...part, operationId: "op_1" }),
      connector.refund?.({ ...part, refundId: "rf_1", reason: null })
    ]) {
      const failure = await Effect.runPromise(Effect.flip<unknown, unknown, never>(operation ?? Effect.void))
      assert.instanceOf(failure, CoreNotSent)
      assert.strictEqual(failure.reason, "nothing was sent: tiny-pay cannot express 1995 minor units of KWD")
    }
    await Effect.runPromise(connector.charge({ ...charge, money: money(1990, "KWD") }))
    assert.deepStrictEqual(asked, ["charge"])
  })

  it("the result is unknown if `fetch` reaches no provider", async () => {
    const { created } = await shop(
      async (_, { credentials: { url } }) => {
        await fetch(url, { method: "POST" })
        return { status: "captured", reference: "ch_first" }
      },
      await closedPort()
    )
    assert.strictEqual(await created(), "UNKNOWN")
  })

  it("two calls, the first answered and the second not sent, have an unknown result", async () => {
    const nowhere = await closedPort()
    const { created } = await shop(
      async (_, { credentials: { url }, http }) => {
        await http.post(url, { json: {} })
        await http.post(nowhere, { json: {} })
        return { status: "captured", reference: "ch_first" }
      },
      await listening((_, response) => response.end("{}"))
    )
    assert.strictEqual(await created(), "UNKNOWN")
  })

  it("a call without an answer and `rejected` from the function are an unknown result", async () => {
    const { created } = await shop(
      async (_, { credentials: { url }, http }) => {
        try {
          await http.post(url, { json: {} })
        } catch (error) {
          assert.instanceOf(error, Unanswered)
        }
        return { status: "rejected", code: "oops", message: "caught" }
      },
      await hangsUp()
    )
    assert.strictEqual(await created(), "UNKNOWN")
  })

  it("a call still under way and `rejected` after a timer are an unknown result", async () => {
    const [arrived, returning] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { created } = await shop(
      async (_, { credentials: { url }, http }) => {
        const call = http.post(url, { json: {} })
        // As a timer would, and surely before the answer.
        const answer = await Promise.race([call, arrived.promise])
        returning.resolve()
        return answer === undefined
          ? { status: "rejected", code: "slow", message: "It took too long." }
          : { status: "captured", reference: "ch_first" }
      },
      await listening(async (_, response) => {
        arrived.resolve()
        await returning.promise
        response.end("{}")
      })
    )
    assert.strictEqual(await created(), "UNKNOWN")
  })

  it("a call without an answer and a soft decline by the function are unknown", async () => {
    const { created } = await shop(
      async (_, { credentials: { url }, http }) => {
        await http.post(url, { json: {} }).catch((error: unknown) => assert.instanceOf(error, Unanswered))
        return { status: "declined", reference: null, code: "91", category: "issuer_unavailable" }
      },
      await hangsUp()
    )
    assert.strictEqual(await created(), "UNKNOWN")
  })

  it.each(lookups)("a lookup that was %s and `not_found` for good is conclusive: %s", async (_, conclusive, ask) => {
    const connector = connected({
      lookUpCharge: async (_, { http }) => {
        await ask(http)
        return { status: "not_found", conclusive: true }
      }
    })
    assert.deepStrictEqual(await Effect.runPromise(connector.lookUpCharge(chargeLookup)), {
      _tag: "NotFound",
      conclusive
    })
  })

  it("lookups get the end of the span in which the provider may have been asked", async () => {
    const told: Array<ChargeLookup | RefundLookup> = []
    const connector = connected({
      lookUpCharge: (request) => {
        told.push(request)
        return { status: "not_found", conclusive: true }
      },
      lookUpRefund: (request) => {
        told.push(request)
        return { status: "not_found", conclusive: true }
      }
    })
    const refundLookup = { ...chargeLookup, refundId: "ref_1", providerRefundId: null, providerRef: "ch_1" }
    for (const span of [{}, { sentBefore: 2_000 }]) {
      await Effect.runPromise(connector.lookUpCharge({ ...chargeLookup, ...span }))
      await Effect.runPromise(connector.lookUpRefund?.({ ...refundLookup, ...span }) ?? Effect.die("no lookup"))
    }
    assert.deepStrictEqual(
      told.map(({ sentAt, sentBefore }) => [sentAt, sentBefore]),
      [
        [1_000, 1_000],
        [1_000, 1_000],
        [1_000, 2_000],
        [1_000, 2_000]
      ]
    )
  })

  it.each([
    ["throws", () => Promise.reject(new Error(`no luck with ${apiKey}`))],
    ["returns nothing", () => undefined],
    ["returns another status", () => ({ status: "charged", reference: "ch_first" })],
    ["returns no reference", () => ({ status: "captured" })],
    [
      "names another currency",
      () => ({ status: "captured", reference: "c", amount: { minorUnits: 1999, currency: "USD" } })
    ],
    ["shows a secret as the reference", () => ({ status: "captured", reference: apiKey })],
    ["never returns", () => new Promise(() => {})]
  ])("the result of a function that %s is unknown, and no secret is shown", { timeout: 20_000 }, async (_, charge) => {
    const { created, lines, pointsman } = await shop(charge as Spec["charge"], "https://tiny-pay.example")
    assert.strictEqual(await created(), "UNKNOWN")
    const [payment] = (await pointsman.payments()).data
    assert.strictEqual(payment?.status, "UNKNOWN")
    const file = await pointsman.paymentFile(payment?.id ?? "")
    assert.notInclude(JSON.stringify([lines, file, await pointsman.timeline(payment?.id ?? "")]), apiKey)
  })

  it("the second connection charges after a soft decline", async () => {
    const { created } = await shop(
      () => ({ status: "declined", reference: "ch_first", code: "91", category: "issuer_unavailable" }),
      "https://tiny-pay.example"
    )
    assert.strictEqual(await created(), "CAPTURED")
  })

  it("the error of wrong connectors names the field", () => {
    const good = { name: "tiny-pay", credentials, charge: () => ({}), lookUpCharge: () => ({}) }
    for (const [wrong, field] of [
      [{ name: "Tiny Pay" }, "name: expected 1 to 40 lower-case letters"],
      [{ charge: undefined }, "charge: expected a function"],
      [{ credentials: { apiKey: "password" } }, "credentials.apiKey: expected secret, url, text"],
      [{ readMessage: () => ({}) }, "verifyMessage: expected both verifyMessage and readMessage, or neither"],
      [{ chargee: () => ({}) }, "chargee: expected no such field"]
    ] as const) {
      assert.throws(() => defineConnector({ ...good, ...wrong } as never), `defineConnector: ${field}`)
    }
  })
})
