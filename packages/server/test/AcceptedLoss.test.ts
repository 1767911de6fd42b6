/**
 * Records that were lost at providers without lists, which an operator accepted: Adyen, which cannot look a charge up and
 * answers a repeated key with its first answer, and an adapter that can. Midnight has passed when the keys come again.
 */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { adyenConnection, startAdyen } from "./support/AdyenWorld.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const day = 24 * 60 * 60_000
const untilMidnight = () => day - (Date.now() % day)

describe("a loss that an operator accepted", () => {
  it("given midnight since, when keys of lost charges come again, then nothing is charged again", async () => {
    // The loss is to be one of this day.
    if (untilMidnight() < 60_000) await sleep(untilMidnight())
    const [adyen, provider] = await Promise.all([startAdyen(), startProvider()])
    for (const list of ["listCharges", "listRefunds"] as const) {
      provider.always(list, () => ({ status: 501, body: { error: { code: "no_list", message: "none" } } }))
    }
    const folder = temporaryFolder()
    const connections = [
      { ...adyenConnection(adyen), supports: { currencies: ["EUR"] } },
      { ...connectionTo(provider), supports: { currencies: ["USD"] } }
    ]
    const workspace = { ...workspaceWith([]), connections, routing: { production: { mode: "failover" } } }
    const start = (clockAheadMillis = 0) =>
      startServer({ folder, configuration: { workspaces: [workspace] }, clockAheadMillis })
    const create = async (server: ServerProcess, currency: string, key = `order-in-${currency}`) => {
      const instruments = [
        { connection: "adyen", token: "shopper-1/M5N7TQ4TG5PFWR50" },
        { connection: "main", token: "token-1" }
      ]
      const body = { amount: 1999, currency, country: "NL", instruments }
      const answer = await server.request("POST", "/api/v1/payments", { key: liveKey, idempotencyKey: key, body })
      assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
      const { captured_amount, payment_status, recovered } = answer.body.data
      const isReplay = answer.headers.get("idempotent-replay") === "true"
      return { captured_amount, payment_status, isRecovered: recovered === true, isReplay }
    }
    const file = (name: string) => join(folder, ".pointsman", name)

    await (await start()).stop()
    copyFileSync(file("pointsman.db"), file("backup.db"))
    const since = new Date(Math.max(Date.now() - 60_000, Date.now() - (Date.now() % day))).toISOString()
    const first = await start()
    const charged = { payment_status: "CAPTURED", captured_amount: 1999, isRecovered: false, isReplay: false }
    for (const currency of ["EUR", "USD"]) assert.deepStrictEqual(await create(first, currency), charged)
    await first.stop()
    for (const suffix of ["-wal", "-shm"]) rmSync(file(`pointsman.db${suffix}`), { force: true })
    copyFileSync(file("backup.db"), file("pointsman.db"))
    const recovered = await runHere(folder, ["recover", "--json", "--since", since])
    assert.strictEqual(recovered.code, 1)
    const accepted = documentOf(await runHere(folder, ["recover", "--json", "--accept-loss"])).data
    assert.strictEqual(accepted.ended.outcome, "accepted")

    const later = await start(untilMidnight() + 1)
    // Adyen does not say that it had it before.
    assert.deepStrictEqual(await create(later, "EUR"), charged)
    assert.deepStrictEqual(await create(later, "USD"), { ...charged, isRecovered: true, isReplay: true })
    const sent = adyen.asked.filter(({ path }) => path.endsWith("/payments"))
    assert.deepStrictEqual(
      sent.map(({ key }) => key),
      [sent[0]?.key, sent[0]?.key]
    )
    assert.deepStrictEqual(sent[1]?.body, sent[0]?.body)
    assert.strictEqual(adyen.charges.size, 1)
    const charges = () => provider.calls.filter(({ operation }) => operation === "charge").length
    assert.strictEqual(charges(), 1)

    // Other orders are charged, and what was charged is on file.
    assert.deepStrictEqual(await create(later, "EUR", "another-order"), charged)
    assert.deepStrictEqual(await create(later, "USD", "another-dollar-order"), charged)
    assert.isTrue((await create(later, "EUR")).isReplay)
    assert.deepStrictEqual([adyen.charges.size, charges()], [2, 2])
    await later.stop()
  })
})
