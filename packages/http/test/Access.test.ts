/**
 * Every endpoint of the contract, with every key that must not get through. The contract itself says which endpoints
 * there are and what scope each requires: one without a way to ask it here does not pass.
 */
import type { Scope } from "@pointsman/core"
import { beforeAll, describe, expect, test } from "vitest"
import { endpoints } from "./support/Contract.ts"
import {
  answerOf,
  authorized,
  captured,
  expectOutcome,
  get,
  toldOfAuthorization,
  toldOfCapture
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { keys, keyWithout } from "./support/World.ts"

const all = endpoints.map(({ method, operation, path }) => ({
  route: `${method} ${path}`,
  method,
  path,
  scope: operation.security[0]?.["bearer"]?.[0] as Scope | undefined,
  isForPartners: path.endsWith("/merchants")
}))
type Endpoint = (typeof all)[number]

/** What is asked of it, and what somebody else's good key is answered. */
interface Way {
  readonly body?: object
  /** `held`: the payment of the path is authorized, else captured. */
  readonly payment?: "held" | "taken"
  readonly stranger: "200" | "201" | "404 not_found" | "415 unsupported_media_type"
}

const ways: Readonly<Record<string, Way>> = {
  "POST /api/v1/payments": { body: { amount: 1000, currency: "EUR", country: "NL" }, stranger: "201" },
  "GET /api/v1/payments": { stranger: "200" },
  "GET /api/v1/payments/{id}": { payment: "taken", stranger: "404 not_found" },
  "GET /api/v1/payments/{id}/events": { payment: "taken", stranger: "404 not_found" },
  "POST /api/v1/payments/{id}/capture": { payment: "held", stranger: "404 not_found" },
  "POST /api/v1/payments/{id}/void": { payment: "held", stranger: "404 not_found" },
  "POST /api/v1/payments/{id}/refunds": { payment: "taken", stranger: "404 not_found" },
  "GET /api/v1/disputes": { stranger: "200" },
  "GET /api/v1/disputes/{id}": { stranger: "404 not_found" },
  // A form is read before the dispute.
  "POST /api/v1/disputes/{id}/evidence": { stranger: "415 unsupported_media_type" },
  "POST /api/v1/disputes/{id}/submit": { stranger: "404 not_found" },
  "POST /api/v1/disputes/{id}/accept": { stranger: "404 not_found" },
  "GET /api/v1/events": { stranger: "200" },
  "POST /api/v1/merchants": { body: { name: "Shop", email: "owner@shop.example", country: "NL" }, stranger: "201" },
  "GET /api/v1/merchants": { stranger: "200" }
}

/** Every caller gets a response. */
const open = ["GET /api/v1/openapi.json"]

/** Asks for a provider's signature and not for a key: `ProviderMessages.test.ts` asks it. */
const signed = ["POST /api/v1/psp-webhooks/{pspId}"]

const guarded = all.filter(({ scope }) => scope !== undefined)

test("each endpoint of the contract is guarded and asked here, or open to all", () => {
  expect(guarded.map(({ route }) => route).sort()).toEqual(Object.keys(ways).sort())
  expect(all.filter(({ scope }) => scope === undefined).map(({ route }) => route)).toEqual([...signed, ...open])
})

const nobody = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)
  let ids: { readonly held: string; readonly taken: string }
  beforeAll(async () => {
    ids = { held: await authorized(world), taken: await captured(world) }
  })

  let count = 0
  const ask = (endpoint: Endpoint, authorization: string | undefined, id?: string): Promise<Reply> => {
    const way = ways[endpoint.route] as Way
    return world.send(endpoint.path.replace("{id}", id ?? ids[way.payment ?? "held"]), {
      method: endpoint.method,
      body: way.body,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(endpoint.method === "POST" ? { "idempotency-key": `key-of-access-${++count}` } : {})
      }
    })
  }
  const bearer = (key: string) => `Bearer ${key}`

  /** Nothing moved, and nothing of it shows. */
  const expectNothing = async (...replies: ReadonlyArray<Reply>) => {
    for (const { body } of replies) {
      const text = JSON.stringify(body)
      for (const id of [ids.held, ids.taken]) expect(text).not.toContain(id)
    }
    const { captures, refunds, voids } = world.provider
    expect([captures, voids, refunds]).toEqual([[], [], []])
    await expectOutcome(world, ids.held, { status: "AUTHORIZED" }, toldOfAuthorization)
    await expectOutcome(world, ids.taken, { status: "CAPTURED", captured_amount: 1000 }, toldOfCapture)
  }

  describe.each(guarded.map((endpoint) => [endpoint.route, endpoint] as const))("%s", (route, endpoint) => {
    const live = endpoint.isForPartners
    const good = live ? keys.acmeLive : keys.acme
    const way = ways[route] as Way

    test("no key or a bad one is 401, without what is wrong with it", async () => {
      const credentials = [
        undefined,
        "Bearer",
        good,
        `Basic ${good}`,
        `Bearer${good}`,
        bearer(`${good} x`),
        bearer("__proto__"),
        bearer(`${good}x`),
        bearer(good.slice(0, -1)),
        bearer(good.replace(/.$/u, (last) => (last === "0" ? "1" : "0"))),
        bearer(good.replace("_test_", "_tset_").replace("_live_", "_evil_")),
        bearer(keys.unknown),
        bearer(live ? keys.revokedLive : keys.revoked)
      ]
      const replies = await Promise.all(credentials.map((credential) => ask(endpoint, credential)))
      for (const reply of replies) {
        expect(answerOf(reply)).toBe("401 unauthorized")
        expect(reply.body).toEqual(replies[0]?.body)
        expect(reply.headers.get("www-authenticate")).toBe("Bearer")
      }
      await expectNothing(...replies)
    })

    test("a suspended workspace is 403", async () => {
      const reply = await ask(endpoint, bearer(live ? keys.closedLive : keys.closed))
      expect(answerOf(reply)).toBe("403 workspace_suspended")
      await expectNothing(reply)
    })

    test("a key that lacks only its scope is 403 and names the scope", async () => {
      const { scope } = endpoint
      if (scope === undefined) throw new Error(`${route} requires no scope`)
      const lacking = bearer(keyWithout(scope))
      const replies = [await ask(endpoint, lacking), await ask(endpoint, lacking, nobody)]
      for (const reply of replies) {
        expect(answerOf(reply)).toBe("403 insufficient_scope")
        expect(reply.body.error.message).toContain(scope)
      }
      await expectNothing(...replies)
    })

    test("the key of another workspace or environment finds nothing of this one", async () => {
      const strangers = live ? [keys.globexLive] : [keys.globex, keys.acmeLive]
      for (const stranger of strangers) {
        const reply = await ask(endpoint, bearer(stranger))
        expect(answerOf(reply)).toBe(way.stranger)
        // A payment of somebody else is as one that is not there at all.
        if (way.payment !== undefined) expect(reply.body).toEqual((await ask(endpoint, bearer(stranger), nobody)).body)
        await expectNothing(reply)
      }
      if (live) {
        const reply = await ask(endpoint, bearer(keys.acme))
        expect(answerOf(reply)).toBe("403 live_key_required")
        await expectNothing(reply)
      }
    })
  })

  test("each list of partners' merchants has only the partner's own", async () => {
    const provision = guarded.find(({ route }) => route === "POST /api/v1/merchants")
    if (provision === undefined) throw new Error("nobody can provision a merchant")
    const mine = await ask(provision, bearer(keys.acmeLive))
    expect(answerOf(mine)).toBe("201")
    const { id } = mine.body.data
    const listed = async (key: string) => JSON.stringify((await get(world, "/merchants?limit=100", key)).body)
    expect(await listed(keys.acmeLive)).toContain(id)
    expect(await listed(keys.globexLive)).not.toContain(id)
  })

  test("an open endpoint responds without a key and mentions no payment", async () => {
    for (const route of open) {
      const reply = await world.send(route.replace("GET ", ""))
      expect(reply.status).toBe(200)
      await expectNothing(reply)
    }
  })
})
