/** The pages, as a browser without scripts sees them. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { accessOf } from "../src/api/ConsoleApi.ts"
import { script } from "../src/frame/Script.ts"
import { style } from "../src/frame/Style.ts"
import { passkeyScript } from "../src/passkeys/PasskeyScript.ts"
import { assertFields, everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, password, silence } from "./support/World.ts"

const here = usedWorld()

const at = "/payments/acme/sandbox"

describe("signing in", () => {
  it("an operator without a session signs in and comes back to the page", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await here.send("/api/password", { method: "PUT", cookie, body: { password } })
    const asked = leadsTo(await here.send(`${at}?status=captured`))
    assert.strictEqual(asked, `/sign-in?next=${encodeURIComponent(`${at}?status=captured`)}`)
    const form = await pageOf(await here.send(asked))
    assert.include(form, `name="next" value="${at}?status=captured"`)
    const next = `${at}?status=captured`
    const wrong = await pageOf(await here.send("/sign-in", { form: { login: "jo", password: "wrong", next } }), 401)
    assert.include(wrong, "The login or the password is wrong.")
    const signed = await here.send("/sign-in", { form: { login: "jo", password, next } })
    assert.strictEqual(leadsTo(signed), next)
    assert.strictEqual((await here.send(next, { cookie: cookieOf(signed) })).status, 200)
  })

  it("a link that a program read first signs in once, and signing out ends it", async () => {
    await here.run((await here.operators).add({ login: "jo", displayName: "Jo", grants: everywhere("viewer") }))
    const path = `/link/${await here.linkOf("jo")}`
    for (let look = 0; look < 2; look++) assert.include(await pageOf(await here.send(path)), "The link works once.")
    const signed = await here.send(path, { method: "POST" })
    assert.strictEqual(leadsTo(signed), "/day")
    const cookie = cookieOf(signed)
    assert.strictEqual(leadsTo(await here.send("/payments", { cookie })), "/payments/acme/sandbox")
    assert.include(await pageOf(await here.send(path, { method: "POST" }), 401), "was used")
    assert.strictEqual(leadsTo(await here.send("/sign-out", { method: "POST", cookie })), "/sign-in")
    assert.match(leadsTo(await here.send(at, { cookie })), /^\/sign-in/u)
  })

  it("a password set on a link's page is changed only with the current one", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    const short = await here.send("/password", { cookie, form: { current: "", password: "short" } })
    assert.include(await pageOf(short, 422), "expected 12 to 256 characters")
    const set = await here.send("/password", { cookie, form: { current: "", password } })
    assert.strictEqual(leadsTo(set), "/day")
    const wrong = await here.send("/password", { cookie: cookieOf(set), form: { current: "no", password } })
    assert.include(await pageOf(wrong, 401), "The current password is needed")
  })
})

describe("payments", () => {
  it("payments are listed, filtered by address, found by id, and shown escaped", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    const captured = await here.pay("acme", "sandbox", "automatic")
    const authorized = await here.pay("acme", "sandbox", "manual")
    const all = await pageAt(here, at, cookie)
    assert.include(all, "order &lt;automatic&gt;")
    assert.include(all, "The acme &lt;shop&gt;, sandbox")
    assert.include(all, captured.id)
    const some = await pageAt(here, `${at}?status=AUTHORIZED`, cookie)
    assert.include(some, authorized.id)
    assert.notInclude(some, captured.id)
    const search = (text: string) => here.send(`${at}?search=${encodeURIComponent(text)}`, { cookie })
    assert.strictEqual(leadsTo(await search(captured.id.toUpperCase())), `${at}/${captured.id}`)
    const otherId = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"
    assert.include(await pageOf(await search(otherId)), "No payments found.")
    const named = await here.pay("acme", "sandbox", "manual", otherId)
    assert.strictEqual(leadsTo(await search(otherId)), `${at}/${named.id}`)
    // Each of them by what it alone has; both cost 19.99 EUR.
    for (const text of ["order <manual>", ` ${authorized.providerRef} `]) {
      assert.strictEqual(leadsTo(await search(text)), `${at}/${authorized.id}`, text)
    }
    assert.strictEqual(leadsTo(await search("order <a")), `${at}/${captured.id}`)
    const begun = await pageOf(await search("order"))
    for (const { id } of [authorized, captured]) assert.include(begun, id)
    for (const text of ["kind = manual", "manual"]) {
      const found = await pageOf(await search(text))
      for (const { id } of [authorized, named]) assert.include(found, id, text)
      assert.notInclude(found, captured.id, text)
    }
    for (const text of ["19.99", "19,99", "eur 19.99", "19.99EUR", ""]) {
      const found = await pageOf(await search(text))
      for (const { id } of [authorized, captured]) assert.include(found, id, text)
    }
    for (const text of ["1999", "19.98", "19.99 USD", "1999 JPY", "kind=other", "=", "<b>", "x".repeat(5_000)]) {
      assert.include(await pageOf(await search(text)), "No payments found.", text)
    }
    const one = await pageAt(here, `${at}/${captured.id}`, cookie)
    assert.include(one, "The acme-sandbox acquirer captured the payment")
    assert.include(one, "captured and kept")
    assert.include(one, "payment.captured")
    assert.notInclude(one, "Refund…")
    await pageAt(here, `${at}/01a1fe08-9226-7266-a33a-e3e7f1609a4e`, cookie, 404)
    await pageAt(here, "/payments/acme/staging", cookie, 404)
  })

  it("no page of unknown results shows a refund as done or denies a capture", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const { onCharge } = here.provider
    here.provider.onCharge = () => silence
    const unknown = await here.pay("acme", "sandbox", "automatic")
    const shown = await pageAt(here, `${at}/${unknown.id}`, cookie)
    assert.include(shown, '<span class="status unsure">Unknown</span>')
    assert.include(shown, "The customer may have been charged.")
    assert.notInclude(shown, "Nothing is captured")
    here.provider.onCharge = onCharge
    const { id } = await here.pay("acme", "sandbox", "automatic")
    here.provider.onRefund = () => silence
    const form = { key: "key-of-a-form", amount: "5.00", reason: "" }
    assert.match(leadsTo(await here.send(`${at}/${id}/refund`, { cookie, form })), /notice=unknown$/u)
    const refunding = await pageAt(here, `${at}/${id}`, cookie)
    assert.include(refunding, '<span class="status wait">Refund open</span>')
    assert.include(refunding, "€5.00 being refunded")
  })

  it("a refund form reloaded and sent twice at once makes one refund", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const asked = leadsTo(await here.send(`${at}/${id}/refund`, { cookie }))
    const key = new URLSearchParams(asked.split("?")[1]).get("key") ?? ""
    for (let look = 0; look < 2; look++) {
      const form = await pageAt(here, asked, cookie)
      assert.include(form, `name="key" value="${key}"`)
      assert.include(form, "Amount in EUR, at most 19.99")
    }
    const form = { key, amount: "5,00", reason: "damaged" }
    const post = () => here.send(`${at}/${id}/refund`, { cookie, form })
    const both = (await Promise.all([post(), post()])).map(leadsTo)
    assert.include(both, `${at}/${id}?notice=refunded`)
    assert.strictEqual(leadsTo(await post()), `${at}/${id}?notice=refunded`)
    assertFields(here.provider.refunds, "money", { minorUnits: 500, currency: "EUR" })
    const shown = await pageAt(here, `${at}/${id}?notice=refunded`, cookie)
    assert.include(shown, "Partially refunded")
    assert.include(shown, "damaged")
  })

  for (const act of ["capture", "void", "refund"] as const) {
    it(`a ${act} without a response asks once when sent again, and may have acted`, async () => {
      const cookie = await here.signIn("jo", everywhere("support"))
      const { id } = await here.pay("acme", "sandbox", act === "refund" ? "automatic" : "manual")
      here.provider.onCapture = () => silence
      here.provider.onVoid = () => silence
      here.provider.onRefund = () => silence
      const form = { key: "key-of-a-form", amount: "19.99", reason: "" }
      for (let turn = 0; turn < 2; turn++) {
        const sent = leadsTo(await here.send(`${at}/${id}/${act}`, { cookie, form }))
        assert.match(sent, /notice=(?:unknown|in_progress)$/u)
        assert.include(await pageAt(here, sent, cookie), turn === 0 ? "Do not try again." : "This page")
      }
      const { captures, refunds, voids } = here.provider
      assert.lengthOf([...captures, ...voids, ...refunds], 1)
    })
  }

  it("a wrong amount or reason is named by the form, which keeps its key, unsent", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const { id } = await here.pay("acme", "sandbox", "automatic")
    for (const amount of ["", "0", "-1", "1.234", "x", "1e3"]) {
      const page = await here.send(`${at}/${id}/refund`, { cookie, form: { key: "key-of-a-form", amount, reason: "" } })
      const text = await pageOf(page, 422)
      assert.include(text, "Amount: expected an amount in EUR, such as 10.00.")
      assert.include(text, `name="key" value="key-of-a-form"`)
    }
    const form = { key: "key-of-a-form", amount: "1", reason: "card 4111 1111 1111 1111" }
    assert.include(await pageOf(await here.send(`${at}/${id}/refund`, { cookie, form }), 422), "`reason`")
    const noKey = await here.send(`${at}/${id}/refund`, { cookie, form: { key: "", amount: "1", reason: "" } })
    assert.include(await pageOf(noKey, 422), "`key`")
    assert.lengthOf(here.provider.refunds, 0)
  })

  it("authorized payments captured in part and voided ask the provider once each", async () => {
    const cookie = await here.signIn("jo", everywhere("support"))
    const first = await here.pay("acme", "sandbox", "manual")
    const second = await here.pay("acme", "sandbox", "manual")
    const page = await pageAt(here, `${at}/${first.id}`, cookie)
    for (const act of ["Capture…", "Void…"]) assert.include(page, act)
    const capture = { key: "key-of-capture", amount: "19.98" }
    assert.match(leadsTo(await here.send(`${at}/${first.id}/capture`, { cookie, form: capture })), /notice=captured$/u)
    const none = await here.send(`${at}/${first.id}/void`, { cookie, form: { key: "key-of-a-void" } })
    assert.include(await pageOf(none, 409), "AUTHORIZED")
    const done = await here.send(`${at}/${second.id}/void`, { cookie, form: { key: "key-of-a-void" } })
    assert.match(leadsTo(done), /notice=voided$/u)
    assert.deepStrictEqual([here.provider.captures.length, here.provider.voids.length], [1, 1])
    assert.strictEqual(here.provider.captures[0]?.money.minorUnits, 1998)
  })
})

describe("what pages load", () => {
  it("an address that does not exist gets a page, and JSON from the API", async () => {
    assert.include(await pageOf(await here.send("/nowhere"), 404), "Page not found.")
    const response = await here.send("/api/nowhere")
    assert.deepStrictEqual([response.status, (await bodyOf(response)).error.code], [404, "not_found"])
  })

  it("the API's document names every operation and no secret's value", async () => {
    const document = await bodyOf(await here.send("/api/openapi.json"))
    const operations = Object.values<
      Record<string, { readonly summary: string; readonly tags: ReadonlyArray<string> }>
    >(document.paths).flatMap(Object.values)
    // Those of the group `entry` take no session.
    assert.lengthOf(
      operations.filter(({ tags }) => !tags.includes("entry")),
      Object.keys(accessOf).length
    )
    for (const { summary } of operations) assert.isNotEmpty(summary)
  })

  it("the look and the script are served from here, and small", async () => {
    for (const [path, type] of [
      ["/style.css", "text/css; charset=utf-8"],
      ["/console.js", "text/javascript; charset=utf-8"],
      ["/passkeys.js", "text/javascript; charset=utf-8"],
      ["/icon.svg", "image/svg+xml"]
    ] as const) {
      const response = await here.send(path)
      assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, type])
    }
    assert.isBelow(gzipSync(style + script + passkeyScript).length, 80_000)
  })
})
