/** Providers' messages: the list, one of them with its body, and applying it again. */
import { Pointsman } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { everywhere, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const at = "/messages/acme/sandbox"
const api = "/api/workspaces/acme/sandbox"

const pageOf = (path: string, cookie: string, status = 200) => pageAt(here, path, cookie, status)

const unknown = async () => {
  here.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "timeout" }))
  return (await here.pay("acme", "sandbox", "automatic")).id
}

const fileOf = (id: string) =>
  here.run(
    Effect.flatMap(Pointsman, ({ paymentFile }) => paymentFile({ workspaceId: "acme", environment: "sandbox" }, id))
  )

/** Kept as unreadable; its connector can read it by now. */
const kept = async (id: string) => {
  const [attempt] = (await fileOf(id)).attempts
  await here.receive("acme", "sandbox", JSON.stringify({ id: "msg_1", attempt: attempt?.id, says: "captured" }))
}

const messagesIn = async (cookie: string, query = "") =>
  (await bodyOf(await here.send(`${api}/messages${query}`, { cookie }))).data

describe("providers' messages", () => {
  it("messages of the tenant are listed, in pages and by their result", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    assert.include(await pageOf(at, cookie), "No messages found.")
    for (const n of [1, 2, 3]) await here.receive("acme", "sandbox", `{"n":${n}}`)
    await here.receive("acme", "production", "{}")
    await here.receive("globex", "sandbox", "{}")
    assert.lengthOf([...(await pageOf(at, cookie)).matchAll(/>Unreadable<\/td>/gu)], 3)
    assert.include(await pageOf(`${at}?outcome=applied`, cookie), "No messages found.")
    const first = await bodyOf(await here.send(`${api}/messages?limit=2`, { cookie }))
    const second = await bodyOf(await here.send(`${api}/messages?limit=2&before=${first.next_cursor}`, { cookie }))
    const ids = [...first.data, ...second.data].map(({ id }) => id)
    assert.deepStrictEqual([first.has_more, second.has_more, new Set(ids).size], [true, false, 3])
    for (const [query, field] of [
      ["before=x", "`before`"],
      ["outcome=lost", "`outcome`"],
      ["limit=0", "`limit`"]
    ] as const) {
      const response = await here.send(`${api}/messages?${query}`, { cookie })
      assert.strictEqual(response.status, 422)
      assert.include((await bodyOf(response)).error.message, field)
    }
    await pageOf(`${at}?before=x`, cookie, 422)
  })

  it("a body that tries to mislead is shown as text", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    await here.receive("acme", "sandbox", '{"a":"</pre><script>x\u202e\u0000"}')
    const [{ connection_id: connection, id }] = await messagesIn(cookie)
    const text = await pageOf(`${at}/message?${new URLSearchParams({ connection, id }).toString()}`, cookie)
    assert.include(text, "&lt;/pre&gt;&lt;script&gt;x\\u{202e}\\u{0}")
  })

  it("a kept message applied twice changes the payment once, answered alike", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const id = await unknown()
    await kept(id)
    const [{ connection_id: connection, id: message }] = await messagesIn(cookie)
    const form = { connection, id: message }
    const path = `${at}/message?${new URLSearchParams(form).toString()}`
    const before = await pageOf(path, cookie)
    assert.include(before, "Its connector could not read it.")
    assert.include(before, "the payment that it names")
    const post = () => here.send(`${at}/message`, { cookie, form })
    const both = await Promise.all([post(), post()])
    for (const response of [...both, await post()]) {
      assert.strictEqual(response.status, 303)
      assert.strictEqual(response.headers.get("location"), `/console${path}&notice=decided`)
    }
    const after = await pageOf(`${path}&notice=decided`, cookie)
    assert.include(after, "It changed the payment.")
    assert.notInclude(after, '<button class="main">Apply')
    const { payment, timeline } = await fileOf(id)
    assert.strictEqual(payment.state, "Captured")
    assert.lengthOf(
      timeline.filter(({ type }) => type === "payment.captured"),
      1
    )
    assert.include(await pageOf(`/payments/acme/sandbox/${id}`, cookie), "<h2>Messages</h2>")
    const answered = await here.send(`${api}/message/apply`, { cookie, body: form })
    assert.deepInclude((await bodyOf(answered)).data, { outcome: "applied", payment_id: id })
    assert.lengthOf(await messagesIn(cookie, `?payment=${id}&connection=${connection}&outcome=applied`), 1)
    const support = await here.signIn("ann", everywhere("support"))
    assert.notInclude(await pageOf(`/payments/acme/sandbox/${id}`, support), "<h2>Messages</h2>")
    await pageOf(path, support, 403)
  })

  it("the page and the API say why a message still cannot be read", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    await here.receive("acme", "sandbox", '{"says":"nothing"}')
    const [{ connection_id: connection, id }] = await messagesIn(cookie)
    const response = await here.send(`${at}/message`, { cookie, form: { connection, id } })
    assert.strictEqual(response.status, 409)
    assert.include(await response.text(), "Nothing was applied: it cannot be read: says.")
    const answered = await here.send(`${api}/message/apply`, { cookie, body: { connection, id } })
    assert.deepStrictEqual([answered.status, (await bodyOf(answered)).error.code], [409, "message_not_applicable"])
    const { data } = await bodyOf(await here.send(`${api}/message?connection=${connection}&id=${id}`, { cookie }))
    assert.deepInclude(data, { outcome: "unreadable", reason: "says", body: '{"says":"nothing"}' })
  })
})
