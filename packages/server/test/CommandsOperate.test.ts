/** `pointsman payments capture`, `void` and `refund` beside a running server. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import type { CommandEnd } from "./support/CommandProcess.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const environment = {
  POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second"
}

interface Entry {
  readonly actor: string
  readonly action: string
  readonly subject: string
}

const setUp = async () => {
  const { clock, push } = makeMovedClock()
  const { data, read, run, ...shop } = await openShop({ environment, clock })
  return {
    ...shop,
    push,
    read,
    operate: (act: string, id: string, ...more: ReadonlyArray<string>) =>
      run("payments", act, id, ...more, "--by", "Jo"),
    isSettled: (id: string) =>
      until("the server settles it", async () => (await read(id)).status === "PARTIALLY_REFUNDED"),
    audit: async () => {
      const entries: ReadonlyArray<Entry> = await data("audit", "list")
      return entries
        .filter(({ action }) => action.startsWith("payment."))
        .map(({ action, actor, subject }) => [actor, action, subject])
    }
  }
}

const assertRefused = ({ code, stderr }: CommandEnd, said: RegExp) => {
  assert.strictEqual(code, 1)
  assert.match(stderr, said)
  assert.notMatch(stderr, /\n\s+at /u)
}

describe("pointsman payments capture, void and refund", () => {
  it("authorized payments are captured and voided once, and named before", async () => {
    const { audit, callsOf, create, operate, read } = await setUp()
    const manual = { capture_method: "manual" }
    const [taken, released] = [await create("taken", manual), await create("released", manual)]
    const key = ["--idempotency-key", "desk-0001"]
    assert.deepStrictEqual(await operate("capture", taken, "--amount", "500", ...key), {
      code: 0,
      stdout:
        `Capture payment ${taken} (taken): €5.00, for Jo. Idempotency key: desk-0001\n` +
        "The payment is CAPTURED: €5.00 captured, €0.00 refunded.\n",
      stderr: ""
    })
    assert.deepInclude(await read(taken), { status: "CAPTURED", captured_amount: 500 })
    const again = await operate("capture", taken, "--amount", "500", ...key, "--json")
    assert.deepInclude(JSON.parse(again.stdout).data, { status: "CAPTURED", captured_amount: 500 })
    assert.lengthOf(callsOf("capture"), 1)
    assertRefused(await operate("capture", taken), /\(not_capturable\)$/mu)
    assertRefused(await operate("capture", taken, "--amount", "400", ...key), /\(idempotency_key_reuse\)$/mu)
    assertRefused(await operate("capture", taken, "--amount", "4.00"), /a whole number of minor units above 0/u)

    assert.match((await operate("void", released)).stdout, /\nThe payment is CANCELLED: €0\.00 captured/u)
    assert.lengthOf(callsOf("void"), 1)
    assertRefused(await operate("void", "01a1fe08-9226-7266-a33a-e3e7f1609a4e"), /not found/u)

    const captures = Array(4).fill(["Jo", "payment.capturing", taken])
    assert.deepStrictEqual(await audit(), [...captures, ["Jo", "payment.voiding", released]])
  })

  it("a refund with a lost answer is one when repeated, and the server settles it", async () => {
    const { callsOf, create, isSettled, operate, provider, read } = await setUp()
    const id = await create("refunded")
    provider.next("refund", (call) => {
      call.execute()
      return "drop"
    })
    const refund = ["--amount", "500", "--reason", "damaged"]
    const lost = await operate("refund", id, ...refund)
    assertRefused(lost, /\(refund_result_unknown\)$/mu)
    const [, key = ""] = /Idempotency key: (\S+)\n/u.exec(lost.stdout) ?? []
    assert.strictEqual((await operate("refund", id, ...refund, "--idempotency-key", key)).stderr, lost.stderr)
    await isSettled(id)
    assert.strictEqual((await read(id)).refunded_amount, 500)
    assert.lengthOf(callsOf("refund"), 1)

    // A command without a key is a refund of its own, here of all that is left.
    const all = /The payment is REFUNDED: €19\.99 captured, €19\.99 refunded\.\n$/u
    assert.match((await operate("refund", id)).stdout, all)
    assert.lengthOf(callsOf("refund"), 2)
  })

  it("a server settles a refund that the provider executed for a killed command", async () => {
    const { callsOf, create, folder, isSettled, provider, push, read } = await setUp()
    const id = await create("killed")
    const executed = Promise.withResolvers<void>()
    provider.next("refund", (call) => {
      call.execute()
      executed.resolve()
      return "silent"
    })
    const env = { PATH: process.env["PATH"] ?? "", ...environment }
    const words = ["payments", "refund", id, "--amount", "500", "--by", "Jo"]
    const command = spawn(process.execPath, [bundledMain, ...words], { cwd: folder, env, stdio: "ignore" })
    await executed.promise
    command.kill("SIGKILL")
    // Longer than the claim window, which is 15 minutes.
    push(16 * 60_000)
    await isSettled(id)
    assert.deepInclude(await read(id), { refunded_amount: 500, refund_pending_amount: 0 })
    assert.lengthOf(callsOf("refund"), 1)
  })

  it("a refund with a wrong reason, or without a writable audit trail, is not sent", async () => {
    const { audit, callsOf, create, folder, operate } = await setUp()
    const id = await create("kept")
    const card = await operate("refund", id, "--reason", "card 4111 1111 1111 1111")
    assertRefused(card, /`reason` must not contain a card number\.? \(validation_error\)/u)
    assert.notInclude(card.stdout + card.stderr, "4111")
    assertRefused(await operate("refund", id, "--reason", "x".repeat(201)), /reason.*\(validation_error\)/u)
    assert.deepStrictEqual(await audit(), [])
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    db.exec("alter table audit_entries rename to lost")
    db.close()
    assertRefused(await operate("refund", id), /failed before anything was sent/u)
    assert.lengthOf(callsOf("refund"), 0)
  })
})
