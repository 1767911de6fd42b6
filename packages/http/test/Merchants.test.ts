/** `POST /merchants` and `GET /merchants` over the real core, over every store. */
import { ApiKeyRevoked, CommitUnknown, Directory, NotAPartner, Secrets, StorageError } from "@pointsman/core/ports"
import { RateLimit } from "@pointsman/http"
import { Effect, Layer, Redacted } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { type Reply, serve } from "./support/Web.ts"
import { newKey, write } from "./support/Workspaces.ts"
import { apiKeyOf, keyOf, keys as keysOfWorld, type World, workspaceOf } from "./support/World.ts"

const path = "/api/v1/merchants"

const keys = {
  acme: keysOfWorld.acmeLive,
  globex: keysOfWorld.globexLive,
  acmeTest: keysOfWorld.acme,
  acmeTestReader: keyOf("sandbox", 50),
  acmeReader: keyOf("production", 51),
  acmePayments: keyOf("production", 52),
  revoked: keysOfWorld.revokedLive,
  unknown: keysOfWorld.unknown,
  shop: keyOf("production", 53),
  shopPayments: keyOf("production", 54),
  shopTest: keyOf("sandbox", 55),
  suspended: keysOfWorld.closedLive,
  suspendedTest: keyOf("sandbox", 56)
} as const

/** A workspace that is no partner, and keys that lack scopes. */
const writeMore = (world: World) =>
  write(world, {
    workspaces: [workspaceOf("shop")],
    apiKeys: [
      apiKeyOf(keys.acmeTestReader, "acme", { scopes: ["payments:read"] }),
      apiKeyOf(keys.acmeReader, "acme", { scopes: ["merchants:read"] }),
      apiKeyOf(keys.acmePayments, "acme", { scopes: ["payments:read", "merchants:write"] }),
      apiKeyOf(keys.shop, "shop"),
      apiKeyOf(keys.shopPayments, "shop", { scopes: ["payments:read"] }),
      apiKeyOf(keys.shopTest, "shop"),
      apiKeyOf(keys.suspendedTest, "closed", { scopes: [] })
    ]
  })

const answerOf = (reply: Reply): string => `${reply.status} ${reply.body.error?.code ?? "created"}`
const bodyOf = (email: string, fields: object = {}) => ({ name: "Corner shop", email, country: "NL", ...fields })
const oversizeGarbage = "{".repeat(50_000)
const padded = (size: number): string => {
  const start = JSON.stringify(bodyOf("padded@shop.example")).slice(0, -1)
  return `${start},"pad":"${"x".repeat(size - start.length - 10)}"}`
}

describe.each(stores)("partners over %s", (_name, store) => {
  const world = usedWorld(store)
  beforeAll(() => writeMore(world))

  let count = 0
  let partners = 0
  const newEmail = () => `owner-${++count}@shop.example`
  const invite = (fields: object = {}, key: string | undefined = keys.acme) =>
    world.send(path, { key, body: bodyOf(newEmail(), fields) })
  const list = async (key: string, query = "?limit=100") => (await world.send(`${path}${query}`, { key })).body
  const idsOf = (page: { readonly data: ReadonlyArray<{ readonly id: string }> }) => page.data.map(({ id }) => id)
  /** A partner of its own with one live key, for tests that count. */
  const newPartner = async (allowance: number) => {
    const id = `partner-${++partners}`
    await write(world, { workspaces: [workspaceOf(id, { partner: { allowance } })] })
    return { id, key: await newKey(world, id, "production") }
  }
  const hash = (text: string) => world.run(Effect.flatMap(Secrets, (secrets) => secrets.hash(text)))

  test("a provisioned merchant is answered, listed, and its owner invited", async () => {
    const body = { name: "  Grüße 👋 ", email: "Ann.Owner+x@Shop.Example", country: "DE", category: "food", extra: [1] }
    const reply = await world.send(path, { key: keys.acme, body })
    expect(reply.status).toBe(201)
    const { extra: _, ...fields } = body
    const { created, id, ...rest } = reply.body.data
    expect(rest).toEqual({ ...fields, status: "invited" })
    expect(id).toMatch(/^mer_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
    expect((await list(keys.acme)).data[0]).toEqual(reply.body.data)

    const invitation = world.invitations.find(({ merchant }) => merchant.id === id)
    const token = invitation === undefined ? "" : Redacted.value(invitation.token)
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u)
    expect(invitation?.merchant.invitationHash).toBe(await hash(token))
    // Neither the token nor its hash is returned.
    expect(JSON.stringify([reply.body, await list(keys.acme)])).not.toContain(token)
    expect(JSON.stringify(reply.body)).not.toContain(await hash(token))
    const { apiKeys, workspaces } = await world.run(Effect.flatMap(Directory, (directory) => directory.contents))
    expect(workspaces).toContainEqual(workspaceOf(id, { name: body.name, country: "DE", category: "food" }))
    expect(apiKeys.filter(({ workspaceId }) => workspaceId === id)).toEqual([])
  })

  test("a merchant without a category has null", async () => {
    expect((await invite()).body.data.category).toBeNull()
  })

  test("an address invited again in any case is 409, without an invitation", async () => {
    const email = newEmail()
    expect((await invite({ email })).status).toBe(201)
    const before = [idsOf(await list(keys.acme)), world.invitations.length]
    for (const spelling of [email, email.toUpperCase(), email.replace("owner", "Owner")]) {
      expect(answerOf(await invite({ email: spelling, name: "Another" }))).toBe("409 already_invited")
    }
    expect([idsOf(await list(keys.acme)), world.invitations.length]).toEqual(before)
    // The address is taken for this partner alone.
    expect((await invite({ email }, keys.globex)).status).toBe(201)
  })

  test("an allowance of 0 is 429, and the list is empty", async () => {
    const partner = await newPartner(0)
    const refused = await invite({}, partner.key)
    expect([answerOf(refused), refused.headers.get("retry-after")]).toEqual(["429 merchant_limit", null])
    expect(await list(partner.key)).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  test("pages of many merchants have each once, newest first", async () => {
    const partner = await newPartner(10)
    const made: Array<string> = []
    for (let index = 0; index < 7; index++) made.push((await invite({}, partner.key)).body.data.id)
    const read: Array<string> = []
    let next: string | null = null
    do {
      const page = await list(partner.key, `?limit=3${next === null ? "" : `&before=${next}`}`)
      expect(page.next_cursor).toBe(page.has_more ? page.data.at(-1).id : null)
      read.push(...idsOf(page))
      next = page.next_cursor
    } while (next !== null)
    expect(read).toEqual(made.toReversed())
    expect(idsOf(await list(partner.key, ""))).toEqual(read)
    expect(idsOf(await list(partner.key, `?before=${made[1]?.toUpperCase().replace("MER", "mer")}`))).toEqual([made[0]])
  })

  const refusals: ReadonlyArray<readonly [key: keyof typeof keys, post: string, get: string]> = [
    ["unknown", "401 unauthorized", "401 unauthorized"],
    ["revoked", "401 unauthorized", "401 unauthorized"],
    ["suspended", "403 workspace_suspended", "403 workspace_suspended"],
    ["suspendedTest", "403 workspace_suspended", "403 workspace_suspended"],
    ["acmeTest", "403 live_key_required", "403 live_key_required"],
    ["acmeTestReader", "403 live_key_required", "403 live_key_required"],
    ["shopTest", "403 live_key_required", "403 live_key_required"],
    ["acmeReader", "403 insufficient_scope", "422 validation_error"],
    ["acmePayments", "413 payload_too_large", "403 insufficient_scope"],
    ["shopPayments", "403 insufficient_scope", "403 insufficient_scope"],
    ["shop", "403 not_a_partner", "403 not_a_partner"],
    ["acme", "413 payload_too_large", "422 validation_error"]
  ]
  test.each(refusals)("the key %s with all else wrong is %s for POST and %s for GET", async (name, post, get) => {
    const key = keys[name]
    expect(answerOf(await world.send(path, { key, body: oversizeGarbage }))).toBe(post)
    expect(answerOf(await world.send(`${path}?limit=0`, { key }))).toBe(get)
  })

  test("no key, a malformed one and a query are 401", async () => {
    for (const key of [undefined, "", keys.acme.slice(0, -1), `${keys.acme}0`, "ps_live_"]) {
      expect(answerOf(await world.send(path, { key, body: bodyOf("a@b.example") }))).toBe("401 unauthorized")
      expect(answerOf(await world.send(`${path}?api_key=${keys.acme}`, { key }))).toBe("401 unauthorized")
    }
  })

  test("a key that may only write merchants creates one", async () => {
    expect((await invite({}, keys.acmePayments)).status).toBe(201)
    expect((await world.send(path, { key: keys.acmeReader })).status).toBe(200)
  })

  const lone = "\ud800"
  const wrong: ReadonlyArray<readonly [fields: unknown, field: string]> = [
    [{ name: "" }, "`name`"],
    [{ name: "x".repeat(121) }, "`name`"],
    [{ name: "a\u0000b" }, "`name`"],
    [{ name: lone }, "`name`"],
    [{ name: 5 }, "`name`"],
    [{ name: null }, "`name`"],
    [{ name: undefined }, "`name`"],
    [{ email: "nobody" }, "`email`"],
    [{ email: "a@b@c" }, "`email`"],
    [{ email: "a b@c.example" }, "`email`"],
    [{ email: "a@b.example\r\nBcc: c@d.example" }, "`email`"],
    [{ email: "a\u0000@b.example" }, "`email`"],
    [{ email: `${"x".repeat(250)}@b.ex` }, "`email`"],
    [{ email: undefined }, "`email`"],
    [{ email: ["a@b.example"] }, "`email`"],
    [{ country: "NLD" }, "`country`"],
    [{ country: "nl" }, "`country`"],
    [{ country: "XX" }, "`country`"],
    [{ country: undefined }, "`country`"],
    [{ category: "x".repeat(65) }, "`category`"],
    [{ category: null }, "`category`"],
    [{ category: 7 }, "`category`"]
  ]
  test.each(wrong)("%j is 422 and names only the field", async (fields, field) => {
    const reply = await invite(fields as object)
    expect(answerOf(reply)).toBe("422 validation_error")
    expect(reply.body.error.message.match(/`[a-z]+`/gu)).toEqual([field])
  })

  test("several wrong fields are each named in a provision", async () => {
    const reply = await world.send(path, { key: keys.acme, body: {} })
    expect(reply.body.error.message.match(/`[a-z]+`/gu)).toEqual(["`name`", "`email`", "`country`"])
  })

  test("names at the limits are accepted, counted in code points", async () => {
    for (const name of ["x", "👋".repeat(120)]) expect((await invite({ name })).body.data.name).toBe(name)
    const domain = "@shop.example"
    const email = `${"x".repeat(254 - domain.length)}${domain}`
    expect((await invite({ email })).body.data.email).toBe(email)
  })

  const bodies: ReadonlyArray<readonly [what: string, body: string, answer: string]> = [
    ["nothing", "", "400 invalid_json"],
    ["half a body", '{"name":', "400 invalid_json"],
    ["a key twice", '{"name":"a","name":"b"}', "400 invalid_json"],
    ["a list", "[]", "422 validation_error"],
    ["null", "null", "422 validation_error"],
    ["text", '"name"', "422 validation_error"],
    ["16,385 bytes of good fields", padded(16_385), "413 payload_too_large"]
  ]
  test.each(bodies)("a provision with %s is refused", async (_what, body, answer) => {
    expect(answerOf(await world.send(path, { key: keys.acme, body }))).toBe(answer)
  })

  test("exactly 16,384 bytes are created; as text they are 415", async () => {
    expect((await world.send(path, { key: keys.acme, body: padded(16_384) })).status).toBe(201)
    const headers = { "content-type": "text/plain" }
    const reply = await world.send(path, { key: keys.acme, body: padded(100), headers })
    expect(answerOf(reply)).toBe("415 unsupported_media_type")
  })

  const queries = [
    "limit=0",
    "limit=101",
    "limit=x",
    "before=1",
    "before=evt_1",
    "before=",
    "before=mer_",
    "limit=1&limit=2"
  ]
  test.each(queries)("the query %s of a list is 422", async (query) => {
    expect(answerOf(await world.send(`${path}?${query}`, { key: keys.acme }))).toBe("422 validation_error")
  })

  test("no server failure was logged by all of the above", () => {
    expect(world.servers[0]?.log).toEqual([])
  })
})

describe("a store that fails", () => {
  const cause = new Error("hunter2")
  const failures = [
    ["StorageError", new StorageError({ operation: "provision", cause }), "500 internal_error"],
    ["CommitUnknown", new CommitUnknown({ operation: "provision", cause }), "500 internal_error"],
    ["ApiKeyRevoked", new ApiKeyRevoked(), "401 unauthorized"],
    ["NotAPartner", new NotAPartner(), "403 not_a_partner"]
  ] as const
  test.each(failures)("the answer to %s says so and hides the cause", async (...row) => {
    const [name, failure, answer] = row
    const web = serve(scripted({ provisionMerchant: () => Effect.fail(failure) }).layer)
    const reply = await web.send(path, { key: "partner", body: bodyOf("a@b.example") })
    await web.close()
    expect(answerOf(reply)).toBe(answer)
    expect(JSON.stringify(reply.body)).not.toContain("hunter2")
    expect(web.log.filter((line) => line.includes("hunter2"))).toHaveLength(answer.startsWith("500") ? 1 : 0)
    // A caller of an unknown result must not be told to send it again.
    expect(reply.body.error.message.includes("may be sent again")).toBe(name === "StorageError")
  })

  test("a failed read of a list is 500 and only the log knows why", async () => {
    const web = serve(scripted({ merchants: () => new StorageError({ operation: "list", cause }) }).layer)
    const reply = await web.send(path, { key: "partner" })
    await web.close()
    expect(answerOf(reply)).toBe("500 internal_error")
    expect(web.log).toEqual([expect.stringContaining("hunter2")])
  })
})

describe("what core is asked", () => {
  test("core gets the caller with its key and the details", async () => {
    const script = scripted()
    const web = serve(script.layer)
    await web.send(path, { key: "partner", body: bodyOf("a@b.example") })
    await web.send(`${path}?limit=7`, { key: "partnerReader" })
    await web.close()
    expect(script.asked).toEqual([
      [
        "provisionMerchant",
        expect.objectContaining({
          tenant: { workspaceId: "acme", environment: "production" },
          apiKeyHash: "hash-of-the-key"
        }),
        { name: "Corner shop", email: "a@b.example", country: "NL", category: null }
      ],
      ["merchants", "acme", { before: undefined, limit: 7 }]
    ])
  })
})

describe("the rate limiter's place", () => {
  test("a used-up rate of a partner is 429 after every 403 and before the body", async () => {
    const asked: Array<string> = []
    const limiter = Layer.succeed(RateLimit.RateLimit, {
      take: (apiKey) => {
        asked.push(apiKey.hash)
        return Effect.fail(new RateLimit.RateExceeded({ retryAfterMillis: 1200 }))
      }
    })
    const web = serve(scripted().layer, undefined, [limiter])
    for (const key of ["sandbox", "production", "partnerReader"]) {
      expect((await web.send(path, { key, body: oversizeGarbage })).status).toBe(403)
    }
    expect(asked).toEqual([])
    for (const body of [oversizeGarbage, undefined]) {
      const reply = await web.send(path, { key: "partner", body })
      expect([answerOf(reply), reply.headers.get("retry-after")]).toEqual(["429 rate_limited", "2"])
    }
    await web.close()
  })
})
