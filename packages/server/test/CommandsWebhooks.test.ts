/** `pointsman webhooks` beside a running server, at a receiver that first refuses what it is sent. */
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"
import { startReceiver } from "./support/WebhookReceiver.ts"

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u
const secret = "whsec_of_the_receiver"

describe("pointsman webhooks", () => {
  it("the running server resends a delivery once its receiver is repaired", async () => {
    const receiver = await startReceiver()
    receiver.status = () => 400
    const { url } = receiver
    const heard = () => receiver.heard.map(({ headers }) => headers["x-service-delivery-id"])
    const shop = await openShop({
      configured: (provider) => {
        const webhooks = [{ environment: "production", url, events: ["payment.captured"], secret }]
        return { workspaces: [{ ...workspaceWith([connectionTo(provider)]), webhooks }, { id: "globex" }] }
      },
      environment: { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" }
    })
    const run = (...words: ReadonlyArray<string>) => shop.run("webhooks", ...words)
    const payments = [await shop.create("first"), await shop.create("second")]
    const acme = ["list", "--workspace", "acme", "--environment", "production"]
    // A receiver hears of a delivery before the server has written its answer down.
    const count = async (status: string) => (await shop.data("webhooks", ...acme, "--status", status)).length
    await until("both are refused", async () => (await count("refused")) === 2)

    const [document, text, first, noWorkspace] = await Promise.all([
      run(...acme, "--status", "refused", "--json"),
      run(...acme),
      run(...acme, "--limit", "1", "--json"),
      run("list", "--environment", "production")
    ])
    const { data, ...page } = documentOf(document)
    assert.deepStrictEqual(page, { has_more: false, next_cursor: null })
    assert.lengthOf(data, 2)
    // Newest first.
    const [newer, older] = data
    assert.deepStrictEqual([older.payment_id, newer.payment_id], payments)
    const { created, endpoint_id, event_id, id, ...rest } = older
    assert.match(created, time)
    assert.match(endpoint_id, /^whe_/u)
    assert.match(event_id, /^evt_/u)
    assert.include(heard(), id)
    assert.deepStrictEqual(rest, {
      workspace_id: "acme",
      environment: "production",
      status: "refused",
      event_type: "payment.captured",
      payment_id: payments[0],
      url,
      attempts: 1,
      next_attempt_at: null
    })
    const [, line = "", ...others] = text.stdout.trimEnd().split("\n")
    for (const shown of [newer.id, " refused ", url]) assert.include(line, shown)
    assert.lengthOf(others, 1)
    assert.deepStrictEqual(
      [documentOf(first).data[0].id, documentOf(first).has_more, documentOf(first).next_cursor],
      [newer.id, true, newer.id]
    )
    assertRefused(noWorkspace, /^--workspace: expected one of acme, globex\.\n$/u)

    receiver.status = () => 200
    const [second, before, sent, unknown, wrong, usage] = await Promise.all([
      run(...acme, "--limit", "1", "--before", newer.id),
      run("attempts", id, "--json"),
      run("redeliver", id),
      run("redeliver", "dlv_01a1fe08-9226-7266-a33a-e3e7f1609a4e"),
      run("attempts", "evt_\u001b[2J"),
      run("list", "--environment", "production", "--limit", "0", "--json")
    ])
    assert.include(second.stdout, id)
    assert.notInclude(second.stdout, newer.id)
    assert.deepStrictEqual(documentOf(before).data.attempts[0].response_status, 400)
    assert.deepStrictEqual([sent.code, sent.stderr], [0, ""])
    const said = `Delivery ${id} to ${url} is scheduled: a running server sends it within a second.\n`
    assert.strictEqual(sent.stdout, said)
    assertRefused(unknown, /^Delivery "dlv_01a1fe08-9226-7266-a33a-e3e7f1609a4e" not found\.\n$/u)
    assertRefused(wrong, /^Delivery "evt_\?\[2J" not found: expected an id such as dlv_019a8c3e-…\.\n$/u)
    assertRefused(usage, 'Invalid value for flag --limit: "0". Expected: a whole number from 1 to 100')

    await until("it is delivered", async () => (await count("delivered")) === 1)
    assert.strictEqual(heard()[2], id)
    const [attempts, again, delivered] = await Promise.all([
      run("attempts", id),
      run("redeliver", id, "--json"),
      run(...acme, "--status", "delivered", "--json")
    ])
    assert.match(attempts.stdout, /^Status {8}delivered$/mu)
    assert.match(attempts.stdout, /^ATTEMPT {2}SENT .*ENDED .*ANSWER\n1 .* 400\n2 .* 200\n$/mu)
    assertRefused(
      again,
      `The delivery ${id} is delivered: expected one that was refused or given up. It has arrived.\n`
    )
    const last = documentOf(delivered).data
    assert.deepStrictEqual([each(last, "id"), each(last, "attempts")], [[id], [2]])
    // What the commands printed names no secret, and the server told nothing of them.
    for (const end of [text, document, attempts]) assert.notInclude(end.stdout + end.stderr, secret)
    assert.match(shop.server.stderr(), /^timestamp=\S+ level=INFO fiber=\S+ message=audit .*\n$/u)
  })
})
