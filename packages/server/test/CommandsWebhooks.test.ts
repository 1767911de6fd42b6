/** `pointsman webhooks` beside a running server, at a receiver that first refuses what it is sent. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { serveHttp } from "./support/HttpHere.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

/** Answers 400 until it is mended; keeps the delivery ids. */
const startReceiver = async () => {
  const heard: Array<string> = []
  const receiver = { url: "", heard, isMended: false }
  const { url } = await serveHttp((request, response) => {
    heard.push(String(request.headers["x-service-delivery-id"]))
    response.writeHead(receiver.isMended ? 200 : 400).end()
  })
  return Object.assign(receiver, { url: `${url}/hook` })
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u

describe("pointsman webhooks", () => {
  it("the running server resends a delivery once its receiver is repaired", async () => {
    const receiver = await startReceiver()
    const provider = await startProvider()
    const folder = temporaryFolder()
    const secret = "whsec_of_the_receiver"
    const server = await startServerHere({
      folder,
      configuration: {
        workspaces: [
          {
            ...workspaceWith([connectionTo(provider)]),
            webhooks: [{ environment: "production", url: receiver.url, events: ["payment.captured"], secret }]
          },
          { id: "globex" }
        ]
      },
      environment: { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" }
    })
    const run = (...words: ReadonlyArray<string>) => runHere(folder, ["webhooks", ...words])
    const payments: Array<string> = []
    for (const reference of ["first", "second"]) {
      const made = await pay(server, `order-${reference}`, { reference })
      payments.push(made.body.data.payment_id)
    }
    const acme = ["list", "--workspace", "acme", "--environment", "production"]
    // A receiver hears of a delivery before the server has written its answer down.
    const count = async (status: string) => documentOf(await run(...acme, "--status", status, "--json")).data.length
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
    assert.include(receiver.heard, id)
    assert.deepStrictEqual(rest, {
      workspace_id: "acme",
      environment: "production",
      status: "refused",
      event_type: "payment.captured",
      payment_id: payments[0],
      url: receiver.url,
      attempts: 1,
      next_attempt_at: null
    })
    const lines = text.stdout.trimEnd().split("\n")
    assert.lengthOf(lines, 3)
    const column = (name: string) => (lines[0] as string).indexOf(name)
    for (const [at, one] of [newer, older].entries()) {
      const line = lines[at + 1] as string
      assert.strictEqual(line.indexOf(one.id), column("DELIVERY"))
      assert.strictEqual(line.indexOf("refused"), column("STATUS"))
      assert.strictEqual(line.indexOf(receiver.url), column("ENDPOINT"))
    }
    assert.deepStrictEqual(
      [documentOf(first).data[0].id, documentOf(first).has_more, documentOf(first).next_cursor],
      [newer.id, true, newer.id]
    )
    assert.deepStrictEqual(noWorkspace, {
      code: 1,
      stdout: "",
      stderr: "--workspace: expected one of acme, globex.\n"
    })

    receiver.isMended = true
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
    assert.strictEqual(
      sent.stdout,
      `Delivery ${id} to ${receiver.url} is scheduled: a running server sends it within a second.\n`
    )
    assert.deepStrictEqual(unknown, {
      code: 1,
      stdout: "",
      stderr: 'Delivery "dlv_01a1fe08-9226-7266-a33a-e3e7f1609a4e" not found.\n'
    })
    assert.deepStrictEqual(wrong, {
      code: 1,
      stdout: "",
      stderr: 'Delivery "evt_?[2J" not found: expected an id such as dlv_019a8c3e-….\n'
    })
    assert.deepStrictEqual([usage.code, usage.stdout], [1, ""])
    assert.include(usage.stderr, 'Invalid value for flag --limit: "0". Expected: a whole number from 1 to 100')

    await until("it is delivered", async () => (await count("delivered")) === 1)
    assert.strictEqual(receiver.heard[2], id)
    const [attempts, again, delivered] = await Promise.all([
      run("attempts", id),
      run("redeliver", id, "--json"),
      run(...acme, "--status", "delivered", "--json")
    ])
    assert.match(attempts.stdout, /^Status {8}delivered$/mu)
    assert.match(attempts.stdout, /^ATTEMPT {2}SENT .*ENDED .*ANSWER\n1 .* 400\n2 .* 200\n$/mu)
    assert.deepStrictEqual(again, {
      code: 1,
      stdout: "",
      stderr: `The delivery ${id} is delivered: expected one that was refused or given up. It has arrived.\n`
    })
    assert.deepStrictEqual(
      documentOf(delivered).data.map((one: { readonly id: string; readonly attempts: number }) => [
        one.id,
        one.attempts
      ]),
      [[id, 2]]
    )
    // What the commands printed names no secret, and the server told nothing of them.
    for (const end of [text, document, attempts]) assert.notInclude(end.stdout + end.stderr, secret)
    assert.match(server.stderr(), /^timestamp=\S+ level=INFO fiber=\S+ message=audit .*\n$/u)
  })
})
