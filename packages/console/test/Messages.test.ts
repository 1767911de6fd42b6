/** Providers' messages: the list, one of them with its body, and applying it again. */
import { assert, beforeEach, describe, it } from "vitest"
import { everywhere, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, silence } from "./support/World.ts"

const here = usedWorld()
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("jo", everywhere("operations"))
})

const at = "/messages/acme/sandbox"
const api = "/api/workspaces/acme/sandbox"

const pageOf = (path: string, status = 200, by = cookie) => pageAt(here, path, by, status)

/** Kept as unreadable; its connector can read it by now. */
const kept = async (id: string) => {
  const [attempt] = (await here.fileOf(id)).attempts
  await here.receive("acme", "sandbox", JSON.stringify({ id: "msg_1", attempt: attempt?.id, says: "captured" }))
}

const messagesIn = async (query = "") => (await bodyOf(await here.send(`${api}/messages${query}`, { cookie }))).data

describe("providers' messages", () => {
  it("messages of the tenant are listed, in pages and by their result", async () => {
    assert.include(await pageOf(at), "No messages found.")
    for (const n of [1, 2, 3]) await here.receive("acme", "sandbox", `{"n":${n}}`)
    await here.receive("acme", "production", "{}")
    await here.receive("globex", "sandbox", "{}")
    assert.lengthOf([...(await pageOf(at)).matchAll(/>Unreadable<\/td>/gu)], 3)
    assert.include(await pageOf(`${at}?outcome=applied`), "No messages found.")
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
    await pageOf(`${at}?before=x`, 422)
  })

  it("a body that tries to mislead is shown as text", async () => {
    await here.receive("acme", "sandbox", '{"a":"</pre><script>x\u202e\u0000"}')
    const [{ connection_id: connection, id }] = await messagesIn()
    const text = await pageOf(`${at}/message?${new URLSearchParams({ connection, id }).toString()}`)
    assert.include(text, "&lt;/pre&gt;&lt;script&gt;x\\u{202e}\\u{0}")
  })

  it("a kept message applied twice changes the payment once, answered alike", async () => {
    here.provider.onCharge = () => silence
    const { id } = await here.pay("acme", "sandbox", "automatic")
    await kept(id)
    const [{ connection_id: connection, id: message }] = await messagesIn()
    const form = { connection, id: message }
    const path = `${at}/message?${new URLSearchParams(form).toString()}`
    const before = await pageOf(path)
    assert.include(before, "Its connector could not read it.")
    assert.include(before, "the payment that it names")
    const post = () => here.send(`${at}/message`, { cookie, form })
    const both = await Promise.all([post(), post()])
    for (const response of [...both, await post()]) {
      assert.strictEqual(response.status, 303)
      assert.strictEqual(response.headers.get("location"), `/console${path}&notice=decided`)
    }
    const after = await pageOf(`${path}&notice=decided`)
    assert.include(after, "It changed the payment.")
    assert.notInclude(after, '<button class="main">Apply')
    const { payment, timeline } = await here.fileOf(id)
    assert.strictEqual(payment.state, "Captured")
    assert.strictEqual(timeline.filter(({ type }) => type === "payment.captured").length, 1)
    assert.include(await pageOf(`/payments/acme/sandbox/${id}`), "<h2>Messages</h2>")
    const answered = await here.send(`${api}/message/apply`, { cookie, body: form })
    assert.deepInclude((await bodyOf(answered)).data, { outcome: "applied", payment_id: id })
    assert.lengthOf(await messagesIn(`?payment=${id}&connection=${connection}&outcome=applied`), 1)
    const support = await here.signIn("ann", everywhere("support"))
    assert.notInclude(await pageOf(`/payments/acme/sandbox/${id}`, 200, support), "<h2>Messages</h2>")
    await pageOf(path, 403, support)
  })

  it("the page and the API say why a message still cannot be read", async () => {
    await here.receive("acme", "sandbox", '{"says":"nothing"}')
    const [{ connection_id: connection, id }] = await messagesIn()
    const response = await here.send(`${at}/message`, { cookie, form: { connection, id } })
    assert.strictEqual(response.status, 409)
    assert.include(await response.text(), "Nothing was applied: it cannot be read: says.")
    const answered = await here.send(`${api}/message/apply`, { cookie, body: { connection, id } })
    assert.deepStrictEqual([answered.status, (await bodyOf(answered)).error.code], [409, "message_not_applicable"])
    const { data } = await bodyOf(await here.send(`${api}/message?connection=${connection}&id=${id}`, { cookie }))
    assert.deepInclude(data, { outcome: "unreadable", reason: "says", body: '{"says":"nothing"}' })
  })
})
