/** `pointsman payments capture`, `void` and `refund` beside a running server. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { type CommandEnd, documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"
const environment = {
  POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second"
}

const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const { clock, push } = makeMovedClock()
  const configuration = configurationWith(connectionTo(provider))
  const server = await startServerHere({ folder, configuration, environment, clock })
  const create = async (reference: string, captureMethod = "automatic"): Promise<string> => {
    const made = await pay(server, `order-${reference}`, { reference, capture_method: captureMethod })
    assert.strictEqual(made.status, 201)
    return made.body.data.payment_id
  }
  return {
    create,
    folder,
    provider,
    push,
    asked: (operation: string) => provider.calls.filter((call) => call.operation === operation).length,
    read: async (id: string) => (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data,
    run: (...words: ReadonlyArray<string>) => runHere(folder, ["payments", ...words], environment),
    audit: async () =>
      documentOf(await runHere(folder, ["audit", "list", "--json"])).data.filter(
        ({ action }: { readonly action: string }) => action.startsWith("payment.")
      )
  }
}

const by = ["--by", "Jo"]

const assertRefused = ({ code, stderr }: CommandEnd, said: RegExp) => {
  assert.strictEqual(code, 1)
  assert.match(stderr, said)
  assert.notMatch(stderr, /\n\s+at /u)
}

describe("pointsman payments capture, void and refund", () => {
  it("authorized payments are captured and voided once, and named before", async () => {
    const { asked, audit, create, read, run } = await setUp()
    const [taken, released] = [await create("taken", "manual"), await create("released", "manual")]
    const key = ["--idempotency-key", "desk-0001"]
    const captured = await run("capture", taken, "--amount", "500", ...key, ...by)
    assert.deepStrictEqual([captured.code, captured.stderr], [0, ""])
    assert.strictEqual(
      captured.stdout,
      `Capture payment ${taken} (taken): €5.00, for Jo. Idempotency key: desk-0001\n` +
        "The payment is CAPTURED: €5.00 captured, €0.00 refunded.\n"
    )
    assert.deepInclude(await read(taken), { status: "CAPTURED", captured_amount: 500 })
    const again = await run("capture", taken, "--amount", "500", ...key, ...by, "--json")
    assert.deepInclude(documentOf(again).data, { status: "CAPTURED", captured_amount: 500 })
    assert.strictEqual(asked("capture"), 1)
    assertRefused(await run("capture", taken, ...by), /\(not_capturable\)$/mu)
    assertRefused(await run("capture", taken, "--amount", "400", ...key, ...by), /\(idempotency_key_reuse\)$/mu)
    assertRefused(await run("capture", taken, "--amount", "4.00", ...by), /a whole number of minor units above 0/u)

    assert.match((await run("void", released, ...by)).stdout, /\nThe payment is CANCELLED: €0\.00 captured/u)
    assert.strictEqual(asked("void"), 1)
    assertRefused(await run("void", "01a1fe08-9226-7266-a33a-e3e7f1609a4e", ...by), /not found/u)

    assert.deepStrictEqual(
      (await audit()).map((entry: { actor: string; action: string; subject: string }) => [
        entry.actor,
        entry.action,
        entry.subject
      ]),
      [...Array(4).fill(["Jo", "payment.capturing", taken]), ["Jo", "payment.voiding", released]]
    )
  })

  it("a refund with a lost answer is one when repeated, and the server settles it", async () => {
    const { asked, create, provider, read, run } = await setUp()
    const id = await create("refunded")
    provider.next("refund", (call) => {
      call.execute()
      return "drop"
    })
    const lost = await run("refund", id, "--amount", "500", "--reason", "damaged", ...by)
    assertRefused(lost, /\(refund_result_unknown\)$/mu)
    const [, key = ""] = /Idempotency key: (\S+)\n/u.exec(lost.stdout) ?? []
    const repeated = await run("refund", id, "--amount", "500", "--reason", "damaged", "--idempotency-key", key, ...by)
    assert.strictEqual(repeated.stderr, lost.stderr)
    await until("the server settles it", async () => (await read(id)).status !== "CAPTURED")
    assert.deepInclude(await read(id), { status: "PARTIALLY_REFUNDED", refunded_amount: 500 })
    assert.strictEqual(asked("refund"), 1)

    // A command without a key is a refund of its own, here of all that is left.
    assert.match(
      (await run("refund", id, ...by)).stdout,
      /The payment is REFUNDED: €19\.99 captured, €19\.99 refunded\.\n$/u
    )
    assert.strictEqual(asked("refund"), 2)
  })

  it("a server settles a refund that the provider executed for a killed command", async () => {
    const { asked, create, folder, provider, push, read } = await setUp()
    const id = await create("killed")
    const executed = Promise.withResolvers<void>()
    provider.next("refund", (call) => {
      call.execute()
      executed.resolve()
      return "silent"
    })
    const env = { PATH: process.env["PATH"] ?? "", ...environment }
    const words = ["payments", "refund", id, "--amount", "500", ...by]
    const command = spawn(process.execPath, [bundledMain, ...words], { cwd: folder, env, stdio: "ignore" })
    await executed.promise
    command.kill("SIGKILL")
    // Longer than the claim window, which is 15 minutes.
    push(16 * 60_000)
    await until("the server settles it", async () => (await read(id)).status !== "CAPTURED")
    assert.deepInclude(await read(id), { status: "PARTIALLY_REFUNDED", refunded_amount: 500, refund_pending_amount: 0 })
    assert.strictEqual(asked("refund"), 1)
  })

  it("a card number or a long text as a refund's reason is neither stored nor sent", async () => {
    const { asked, audit, create, run } = await setUp()
    const id = await create("reason")
    const card = await run("refund", id, "--reason", "card 4111 1111 1111 1111", ...by)
    assertRefused(card, /`reason` must not contain a card number\.? \(validation_error\)/u)
    assert.notInclude(card.stdout + card.stderr, "4111")
    assertRefused(await run("refund", id, "--reason", "x".repeat(201), ...by), /reason.*\(validation_error\)/u)
    assert.deepStrictEqual([asked("refund"), await audit()], [0, []])
  })

  it("a refund without a writable audit trail does not reach the provider", async () => {
    const { asked, create, folder, run } = await setUp()
    const id = await create("kept")
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    db.exec("alter table audit_entries rename to lost")
    db.close()
    assertRefused(await run("refund", id, ...by), /failed before anything was sent/u)
    assert.strictEqual(asked("refund"), 0)
  })
})
