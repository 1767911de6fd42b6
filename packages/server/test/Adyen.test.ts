/**
 * Payments at Adyen, from the API to Adyen's signed webhooks: whatever order the webhooks come in, and twice, the payment
 * ends where Adyen's own books say. Adyen is played at a socket, by its documentation.
 */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { liveKey } from "./support/Configurations.ts"
import { startInProcess } from "./support/ServerInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock } from "./support/TurnedClock.ts"

const path = "/api/v1/payments"
const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
const merchantAccount = "PointsmanNL"

interface Asked {
  readonly path: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly body: any
}

/** Adyen's books: what it was asked, and an answer for each; a charge of 4040 is done and never answered. */
const startAdyen = async () => {
  const asked: Array<Asked> = []
  let drawn = 0
  const draw = () => `PSP${String(++drawn).padStart(13, "0")}`
  const links = new Map<string, string>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const call: Asked = {
        path: request.url ?? "",
        key: String(request.headers["idempotency-key"]),
        body: text === "" ? {} : JSON.parse(text)
      }
      asked.push(call)
      const answer = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      const [, , resource, ref, operation] = call.path.split("/")
      if (request.headers["x-api-key"] !== "AQE_made_up_0123456789") return answer(401, {})
      if (resource === "paymentLinks" && ref !== undefined) {
        return answer(200, { id: ref, reference: links.get(ref), status: "active" })
      }
      if (resource === "paymentLinks") {
        const id = `PL${++drawn}`
        links.set(id, call.body.reference)
        return answer(201, {
          ...{ id, reference: call.body.reference, status: "active" },
          ...{ url: `https://test.adyen.link/${id}`, expiresAt: "2026-11-22T12:00:00Z" }
        })
      }
      if (operation !== undefined) {
        const done = { paymentPspReference: ref, pspReference: draw(), status: "received" }
        return answer(201, { ...done, reference: call.body.reference, merchantAccount })
      }
      if (call.body.amount.value === 4040) return request.socket.destroy()
      return answer(200, { pspReference: draw(), resultCode: "Authorised", merchantReference: call.body.reference })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

interface Event {
  readonly eventCode: string
  readonly pspReference: string
  readonly merchantReference: string
  readonly originalReference?: string
  readonly success?: string
  /** Seconds after the first; Adyen counts no finer. */
  readonly at?: number
}

const begun = Date.UTC(2026, 10, 21, 12)

/** As Adyen sends it, signed by the words of its documentation. */
const webhook = (event: Event) => {
  const { at = 0, originalReference = "", success = "true", ...of } = event
  const amount = { value: 1999, currency: "EUR" }
  const text = [
    ...[of.pspReference, originalReference, merchantAccount, of.merchantReference, amount.value, amount.currency],
    ...[of.eventCode, success]
  ].join(":")
  const hmacSignature = createHmac("sha256", Buffer.from(hmacKey, "hex")).update(text).digest("base64")
  const item = {
    ...{ ...of, originalReference, success, amount, merchantAccountCode: merchantAccount },
    ...{ eventDate: new Date(begun + at * 1000).toISOString(), reason: "", additionalData: { hmacSignature } }
  }
  return { live: "true", notificationItems: [{ NotificationRequestItem: item }] }
}

const start = async () => {
  const adyen = await startAdyen()
  const server = await startInProcess({
    folder: temporaryFolder(),
    turned: makeTurnedClock(begun),
    environment: { POINTSMAN_RATE_LIMIT: "off" },
    configuration: {
      workspaces: [
        {
          id: "acme",
          name: "Acme",
          country: "NL",
          keys: [{ environment: "production", secret: liveKey }],
          connections: [
            {
              id: "adyen",
              environment: "production",
              connector: "adyen",
              credentials: { apiKey: "AQE_made_up_0123456789", merchantAccount, baseUrl: adyen.url },
              webhookSecret: hmacKey,
              timeout: "5 seconds"
            }
          ]
        }
      ]
    }
  })
  let keys = 0
  const request = (method: string, at: string, body?: object) =>
    server.request(method, at, { key: liveKey, idempotencyKey: `request-of-the-test-${++keys}`, body })
  const create = async (change: object = {}) => {
    const instruments = [{ connection: "adyen", token: "shopper-1/M5N7TQ4TG5PFWR50" }]
    const body = { amount: 1999, currency: "EUR", country: "NL", instruments, ...change }
    const { body: created } = await request("POST", path, body)
    const { body: sent } = adyen.asked.at(-1) ?? { body: {} }
    // An unknown result is an error response, which names the payment.
    const { next_action, payment_id, status } = created.data ?? created.error
    return { id: String(payment_id), status, reference: String(sent.reference), nextAction: next_action }
  }
  return {
    adyen,
    create,
    request,
    statusOf: async (id: string): Promise<string> => (await request("GET", `${path}/${id}`)).body.data.status,
    hear: async (event: Event) => {
      const answer = await server.request("POST", "/api/v1/psp-webhooks/adyen", { key: null, body: webhook(event) })
      assert.strictEqual(answer.status, 200)
    }
  }
}

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

type World = Awaited<ReturnType<typeof start>>

/** The capture or cancel that Adyen was asked for last: its reference, and Adyen's name of the payment. */
const lastChange = ({ adyen }: World) => {
  const { body, path: at } = adyen.asked.at(-1) ?? { body: {}, path: "" }
  return { changed: String(body.reference), psp: at.split("/")[3] ?? "" }
}

describe("payments at Adyen", () => {
  it("given webhooks in every order, and twice, then each payment ends where Adyen's books say", async () => {
    const world = await start()
    const { create, hear, request, statusOf } = world
    const hearAll = async (events: ReadonlyArray<Event>) => {
      for (const event of [...events, ...events]) await hear(event)
    }

    // Held, and captured or cancelled later: the answer is "received".
    for (const operation of ["capture", "void"] as const) {
      const isCapture = operation === "capture"
      for (const order of ordersOf(["AUTHORISATION", isCapture ? "CAPTURE" : "CANCELLATION"])) {
        const { id, reference, status } = await create({ capture_method: "manual" })
        assert.strictEqual(status, "AUTHORIZED")
        assert.match(reference, /^att_[0-9a-f-]{36}\.held$/)
        assert.strictEqual((await request("POST", `${path}/${id}/${operation}`)).status, 200)
        assert.strictEqual(await statusOf(id), "PENDING")
        const { changed, psp } = lastChange(world)
        assert.match(
          changed,
          isCapture ? /^att_[0-9a-f-]{36}\.take\.[0-9a-f]{32}$/ : /^att_[0-9a-f-]{36}\.void\.[0-9a-f]{32}$/
        )
        await hearAll(
          order.map((eventCode) =>
            eventCode === "AUTHORISATION"
              ? { eventCode, pspReference: psp, merchantReference: reference, at: 0 }
              : { eventCode, pspReference: `${psp}X`, originalReference: psp, merchantReference: changed, at: 1 }
          )
        )
        assert.strictEqual(await statusOf(id), isCapture ? "CAPTURED" : "CANCELLED", order.join(", "))
      }
    }

    // Taken at once: the response says so, and no capture is reported.
    const taken = await create()
    assert.strictEqual(taken.status, "CAPTURED")
    assert.match(taken.reference, /\.taken$/)

    // Refunded, once, whatever else comes late.
    for (const order of ordersOf(["AUTHORISATION", "CAPTURE", "REFUND"])) {
      const { id, reference } = await create()
      await request("POST", `${path}/${id}/refunds`)
      const { body, path: at } = world.adyen.asked.at(-1) ?? { body: {}, path: "" }
      const psp = at.split("/")[3] ?? ""
      await hearAll(
        order.map((eventCode) => ({
          eventCode,
          pspReference: eventCode === "AUTHORISATION" ? psp : `${psp}${eventCode}`,
          ...(eventCode === "AUTHORISATION" ? {} : { originalReference: psp }),
          merchantReference: eventCode === "REFUND" ? body.reference : reference
        }))
      )
      assert.strictEqual(await statusOf(id), "REFUNDED", order.join(", "))
    }

    // A dispute: the later verdict counts, by Adyen's time and not by ours.
    const verdicts = ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"]
    for (const [told, expected] of [
      [verdicts.slice(0, 3), "CAPTURED"],
      [verdicts.slice(1), "CHARGEBACK"]
    ] as const) {
      for (const order of ordersOf(told)) {
        const { id, reference } = await create()
        await hearAll(
          order.map((eventCode) => ({
            ...{ eventCode, pspReference: `DISPUTE${id}`, originalReference: "PSP", merchantReference: reference },
            at: verdicts.indexOf(eventCode)
          }))
        )
        assert.strictEqual(await statusOf(id), expected, order.join(", "))
      }
    }
  })

  it("given a charge that Adyen never answered, then it is UNKNOWN until Adyen's webhook tells", async () => {
    const world = await start()
    const unanswered = await world.create({ amount: 4040 })
    assert.strictEqual(await world.statusOf(unanswered.id), "UNKNOWN")
    // Adyen's messages here are of 19.99: less than was asked is recorded as stated.
    const event = { eventCode: "AUTHORISATION", pspReference: "PSPX", merchantReference: unanswered.reference }
    await world.hear(event)
    assert.strictEqual(await world.statusOf(unanswered.id), "CAPTURED")
  })

  it("given a refusal of the capture of an authorization, then it is AUTHORIZED again, until a later capture is confirmed", async () => {
    const world = await start()
    const { id } = await world.create({ capture_method: "manual" })
    await world.request("POST", `${path}/${id}/capture`)
    const { changed, psp } = lastChange(world)
    const failed = { pspReference: "PSPX", originalReference: psp, merchantReference: changed }
    await world.hear({ ...failed, eventCode: "CAPTURE", success: "false" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    // The success that Adyen withdrew arrives once more.
    await world.hear({ ...failed, eventCode: "CAPTURE" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    await world.hear({ ...failed, pspReference: "PSPY", eventCode: "CAPTURE", at: 1 })
    assert.strictEqual(await world.statusOf(id), "CAPTURED")
  })

  it("given a page of Adyen's, when cards are refused there and one is not, in any order, then it is CAPTURED", async () => {
    const world = await start()
    const refusals = ["PSPA", "PSPB"].map((pspReference) => ({ pspReference, success: "false" }))
    for (const order of ordersOf([...refusals, { pspReference: "PSPC", success: "true" }])) {
      const { id, nextAction } = await world.create({
        instruments: undefined,
        return_url: "https://shop.example/thanks"
      })
      const opened = await fetch(nextAction.url, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "action=continue"
      })
      assert.match(opened.headers.get("location") ?? "", /^https:\/\/test\.adyen\.link\/PL\d+$/)
      const { body: sent } = world.adyen.asked.at(-1) ?? { body: {} }
      assert.match(sent.reference, /\.taken\.page$/)
      for (const of of order) {
        const pspReference = `${of.pspReference}${id}`
        await world.hear({ ...of, pspReference, eventCode: "AUTHORISATION", merchantReference: sent.reference })
      }
      assert.strictEqual(await world.statusOf(id), "CAPTURED")
    }
  })

  it("given a payment that is paid twice under one reference, then operators are notified of the second, once", async () => {
    const world = await start()
    const { id, reference } = await world.create({ capture_method: "manual" })
    const second = { pspReference: "PSPSECOND", merchantReference: reference }
    await world.hear({ ...second, eventCode: "AUTHORISATION" })
    await world.hear({ ...second, eventCode: "AUTHORISATION" })
    await world.hear({ ...second, eventCode: "CANCELLATION", originalReference: "PSPSECOND", pspReference: "PSPEND" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    const { body } = await world.request("GET", `${path}/${id}/events`)
    const conflicts = body.data.filter(({ type }: { readonly type: string }) => type === "payment.conflict")
    assert.deepStrictEqual(
      conflicts.map(({ data }: { readonly data: Record<string, unknown> }) => data["provider_reference"]),
      ["PSPSECOND"]
    )
    // What is left is captured as ever.
    assert.strictEqual((await world.request("POST", `${path}/${id}/capture`)).status, 200)
  })

  it("given an amount in another signature's place, or another key, then 401, and nothing moves", async () => {
    const world = await start()
    const { id, reference } = await world.create({ capture_method: "manual" })
    const forged = webhook({
      eventCode: "CAPTURE",
      pspReference: "PSPX",
      originalReference: "P",
      merchantReference: reference
    })
    const item = forged.notificationItems[0]?.NotificationRequestItem
    const body = { notificationItems: [{ NotificationRequestItem: { ...item, eventCode: "CANCELLATION" } }] }
    const answer = await world.request("POST", "/api/v1/psp-webhooks/adyen", body)
    assert.strictEqual(answer.status, 401)
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
  })
})
