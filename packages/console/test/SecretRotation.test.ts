/** Endpoints, and the rotation of their secrets, by the API and by the pages. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { everywhere, keyedForm, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { addEndpoint, deliver, firstSecret } from "./support/Webhooks.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const at = "/webhooks/acme/sandbox/endpoints/whe_shop"
const api = "/api/workspaces/acme/sandbox/webhook-endpoints"

/** Of the page that shows it. */
const secretIn = (page: string): string => {
  const [, text = ""] = /<code class="secret">(.*)<\/code>/u.exec(page) ?? []
  return text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
}

const openForm = (cookie: string) => keyedForm(here, `${at}/secret`, cookie)

const isSignedWith = async (secrets: ReadonlyArray<string>) => {
  await here.pay("acme", "sandbox", "automatic")
  for (const { body, headers } of await deliver(here, 200)) {
    const [time, ...tags] = (headers["x-service-signature"] ?? "").split(",")
    const expected = secrets.map(
      (secret) =>
        `v1=${createHmac("sha256", secret)
          .update(`${time?.slice(2)}.`)
          .update(body)
          .digest("hex")}`
    )
    assert.deepStrictEqual(tags, expected)
  }
}

describe("endpoints", () => {
  it("endpoints are listed with events, state and secret's age, addresses hidden", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await addEndpoint(here)
    await addEndpoint(here, { id: "whe_old", active: false, events: ["payment.captured", "payment.declined"] })
    await addEndpoint(here, { id: "whe_live", environment: "production" })
    const { data } = await bodyOf(await here.send(api, { cookie }))
    assert.deepStrictEqual(data, [
      {
        id: "whe_shop",
        url: "https://shop.example/hooks/whe_shop?…",
        events: ["*"],
        active: true,
        secret_rotated: null,
        previous_secret: null
      },
      {
        id: "whe_old",
        url: "https://shop.example/hooks/whe_old?…",
        events: ["payment.captured", "payment.declined"],
        active: false,
        secret_rotated: null,
        previous_secret: null
      }
    ])
    assert.deepStrictEqual((await bodyOf(await here.send(`${api}/whe_shop`, { cookie }))).data, data[0])
    const list = await pageAt(here, "/webhooks/acme/sandbox", cookie)
    for (const text of ["All events", "payment.captured, payment.declined", "Inactive", "Never rotated"]) {
      assert.include(list, text)
    }
    const page = await pageAt(here, at, cookie)
    for (const text of ["token=", firstSecret, "Rotate the secret"]) assert.notInclude(page, text)
    await pageAt(here, "/webhooks/acme/sandbox/endpoints/whe_live", cookie, 404)
  })

  it("the page says that both sign if a configuration has a secret before", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await addEndpoint(here, { sealedPreviousSecret: "webhook-endpoint:whe_shop:secret|whsec_zeroth" })
    assert.include(await pageAt(here, at, cookie), "the configuration’s previous secret signs too")
  })
})

describe("rotating a secret", () => {
  it("a form reloaded and sent twice shows one new secret, and names the operator", async () => {
    const cookie = await here.signIn("jo@example.com", everywhere("admin"))
    await addEndpoint(here)
    assert.include(await pageAt(here, at, cookie), "Rotate the secret…")
    const { address, fields } = await openForm(cookie)
    for (let look = 0; look < 2; look++) {
      assert.include(await pageAt(here, address, cookie), `name="key" value="${fields["key"]}"`)
    }
    const post = () => here.send(`${at}/secret`, { cookie, form: { ...fields, overlap: "86400" } })
    const first = await pageOf(await post())
    assert.include(first, "No other page shows it")
    assert.include(first, "Both secrets sign until")
    const secret = secretIn(first)
    assert.match(secret, /^whsec_./u)
    assert.strictEqual(secretIn(await pageOf(await post())), secret)
    await isSignedWith([secret, firstSecret])
    assert.strictEqual(
      here.log.filter((line) => line.includes("endpoint.secret_rotated") && line.includes("jo@example.com")).length,
      1
    )
    assert.notInclude(here.log.join("\n"), JSON.stringify(secret).slice(1, -1))
    const page = await pageAt(here, at, cookie)
    assert.match(page, /Rotated <time .*; the former secret signs too until <time/u)
    assert.strictEqual(secretIn(page), "")
  })

  it("the form says that the older secret stops during an overlap", async () => {
    const cookie = await here.signIn("jo", everywhere("admin"))
    await addEndpoint(here)
    const { fields } = await openForm(cookie)
    await here.send(`${at}/secret`, { cookie, form: { ...fields, overlap: "3600" } })
    const { page } = await openForm(cookie)
    assert.include(page, "The older one stops at once.")
  })

  it("the API rotates once for one key, and names bad fields", async () => {
    const cookie = await here.signIn("jo", everywhere("admin"))
    await addEndpoint(here)
    const post = (body: unknown, endpoint = "whe_shop", key = "rotate-once-1") =>
      here.send(`${api}/${endpoint}/secret`, { cookie, body, headers: { "idempotency-key": key } })
    const body = { overlap_seconds: 60, secret_rotated: null }
    const { data } = await bodyOf(await post(body))
    assert.deepStrictEqual((await bodyOf(await post(body))).data, data)
    assert.isString(data.endpoint.secret_rotated)
    assert.isString(data.endpoint.previous_secret.until)
    const refused = async (response: Response) => {
      const { error } = await bodyOf(response)
      return [response.status, error.code, error.message]
    }
    assert.deepStrictEqual((await refused(await post(body, "whe_shop", "another-key"))).slice(0, 2), [
      409,
      "endpoint_changed"
    ])
    assert.deepStrictEqual((await refused(await post({ ...body, secret_rotated: "yesterday" }))).slice(0, 2), [
      409,
      "endpoint_changed"
    ])
    assert.deepStrictEqual((await refused(await post(body, "whe_none"))).slice(0, 2), [404, "not_found"])
    for (const overlap_seconds of [-1, 604_801, 1.5, "60"]) {
      assert.deepStrictEqual(await refused(await post({ ...body, overlap_seconds })), [
        422,
        "validation_error",
        "`overlap_seconds` must be an integer from 0 to 604800."
      ])
    }
    assert.deepStrictEqual(await refused(await post({ overlap_seconds: 60 })), [
      422,
      "validation_error",
      "`secret_rotated` must be that of the endpoint when it was read, or null."
    ])
  })

  it("a wrong form, or one of another workspace, rotates nothing", async () => {
    await addEndpoint(here)
    const form = { key: "key-of-a-form", seen: "never", overlap: "0" }
    const cookie = await here.signIn("jo", everywhere("admin"))
    const post = (more: Partial<typeof form>) => here.send(`${at}/secret`, { cookie, form: { ...form, ...more } })
    assert.include(await pageOf(await post({ overlap: "5" }), 422), "`overlap` must be one of 3600, 86400, 604800, 0")
    assert.include(await pageOf(await post({ key: "" }), 422), "`key` and `seen`")
    assert.include(await pageOf(await post({ seen: "" }), 422), "`key` and `seen`")
    await pageAt(here, at.replace("whe_shop", "whe_none"), cookie, 404)
    await pageAt(here, at.replace("acme", "globex"), cookie, 404)
    await isSignedWith([firstSecret])
  })
})
