/** `pointsman payments` and `usage` on payments that a running server made. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import { assertRefused, type CommandEnd, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, testKey, workspaceWith } from "./support/Configurations.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u
const list = ["payments", "list", "--workspace", "acme", "--environment", "production"]

/** Two production payments: one taken and partly refunded, one declined; and one in the sandbox. */
const setUp = async () => {
  const shop = await openShop({
    configured: (provider) => {
      const acme = workspaceWith([connectionTo(provider)])
      const keys = [...acme.keys, { environment: "sandbox", secret: testKey }]
      const connections = [...acme.connections, { id: "simulated", environment: "sandbox", connector: "sandbox" }]
      return { workspaces: [{ ...acme, keys, connections }, { id: "globex" }] }
    }
  })
  const create = (reference: string, key = liveKey, change: object = {}) =>
    shop.create(reference, { metadata: { order: reference }, ...change }, key)
  const taken = await create("taken")
  assert.strictEqual((await shop.refund(taken, { amount: 500 })).body.data.status, "PARTIALLY_REFUNDED")
  shop.provider.next("charge", () => ({
    status: 200,
    body: { provider_reference: "ch_declined", status: "declined", decline: { code: "51", category: "hard" } }
  }))
  const declined = await create("declined")
  return { ...shop, create, declined, simulated: await create("simulated", testKey), taken }
}

const idsOf = (end: CommandEnd): ReadonlyArray<string> => each(documentOf(end).data, "payment_id")

describe("pointsman payments and usage", () => {
  it("payments are listed, shown and counted as recorded, and no provider is asked", async () => {
    const { declined, events, provider, run, simulated, taken } = await setUp()
    const before = provider.calls.length

    const [all, first, older, refused, shown, shownText, takenText, sandbox, noPayment, used, backwards] =
      await Promise.all([
        run(...list, "--json"),
        run(...list, "--limit", "1", "--json"),
        run(...list, "--before", declined),
        run(...list, "--status", "DECLINED", "--json"),
        run("payments", "show", taken, "--json"),
        run("payments", "show", declined),
        run("payments", "show", taken),
        run("payments", "show", simulated, "--json"),
        run("payments", "show", "01a1fe08-9226-7266-a33a-e3e7f1609a4e"),
        run("usage", "--workspace", "acme", "--from", "1 day", "--json"),
        run("usage", "--workspace", "acme", "--from", "2020-02-01", "--until", "2020-01-01")
      ])
    assert.deepStrictEqual(idsOf(all), [declined, taken])
    const { created, provider_reference, updated, ...row } = documentOf(all).data[1]
    for (const at of [created, updated]) assert.match(at, time)
    assert.isString(provider_reference)
    const amounts = { authorized_amount: 1999, captured_amount: 1999, refunded_amount: 500, refund_pending_amount: 0 }
    assert.deepInclude(row, { ...amounts, payment_id: taken, reference: "taken", state: "partially_refunded" })
    const { has_more, next_cursor } = documentOf(first)
    assert.deepStrictEqual([idsOf(first), has_more, next_cursor], [[declined], true, declined])
    assert.match(
      older.stdout,
      new RegExp(`^PAYMENT .*\\n${taken} .* PARTIALLY_REFUNDED +€19\\.99 +€19\\.99 +€5\\.00 +main +taken\\n$`, "u")
    )
    assert.deepStrictEqual(idsOf(refused), [declined])
    const found = await Promise.all([
      run(...list, "--reference", "taken", "--json"),
      run(...list, "--amount", "1999", "--currency", "EUR", "--created-from", "1 day", "--json"),
      run(...list, "--provider-reference", provider_reference, "--connection", "main", "--json"),
      run(...list, "--created-before", "1 day", "--json"),
      run(...list, "--metadata", "order=taken", "--json")
    ])
    assert.deepStrictEqual(found.map(idsOf), [[taken], [declined, taken], [taken], [], [taken]])
    assert.match((await run(...list, "--currency", "eur")).stderr, /--currency.*three uppercase letters/u)

    const file = documentOf(shown).data
    assert.deepInclude(file, { payment_id: taken, review: null, needs_operator: false, next_check_at: null })
    assert.deepInclude(file.attempts[0], { connection_id: "main", outcome: "captured", amount: 1999 })
    assert.deepInclude(file.refunds[0], { state: "succeeded", amount: 500, currency: "EUR" })
    assert.deepStrictEqual(file.events, await events(taken))
    assert.match(
      shownText.stdout,
      /^Status +DECLINED \(declined\)\nDeclined +\w+ \(51\)\nAdvice +use_another_method\nNext +-$/mu
    )
    assert.match(shownText.stdout, /^att_\S+ .* ch_declined /mu)
    for (const said of [
      /^Amount +€19\.99\nAuthorized +€19\.99\nCaptured +€19\.99\nRefunded +€5\.00, and €0\.00 pending$/mu,
      /^att_\S+ +main +€19\.99 /mu,
      /^rf_\S+ +api +succeeded +€5\.00 /mu,
      / payment\.refunded .*refund_amount: €5\.00, refunded_total: €5\.00,/u
    ]) {
      assert.match(takenText.stdout, said)
    }
    assert.deepInclude(documentOf(sandbox).data, { payment_id: simulated, environment: "sandbox" })
    assertRefused(noPayment, /^Payment "01a1fe08-9226-7266-a33a-e3e7f1609a4e" not found\.$/mu)

    // Of production alone, and whatever the provider answered.
    assert.deepInclude(documentOf(used).data, { workspace_id: "acme", payments: 2 })
    assertRefused(backwards, /^--from: expected a time before the end of the period, 2020-01-01T00:00:00\.000Z\.$/mu)
    assert.strictEqual(provider.calls.length, before)
  })

  it.runIf(existsSync("/usr/bin/script"))(
    "a terminal's list fits it, with whole ids and the colours it takes",
    async () => {
      const { create, folder, taken } = await setUp()
      const reference = `order of ${"a customer ".repeat(4)}`.trim()
      const long = await create(reference)
      const listed = (columns: number, environment: Readonly<Record<string, string>> = {}): string => {
        const line = [process.execPath, bundledMain, ...list].map((word) => `'${word}'`).join(" ")
        const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", TERM: "xterm", ...environment }
        const words = ["-qec", `stty cols ${columns}; ${line}`, "/dev/null"]
        return execFileSync("/usr/bin/script", words, { cwd: folder, env, encoding: "utf8", input: "" }).replaceAll(
          "\r",
          ""
        )
      }

      const wide = listed(150)
      assert.include(wide, "\u001b[31mDECLINED\u001b[39m")
      const plain = stripVTControlCharacters(wide)
      assert.isAtMost(Math.max(...plain.split("\n").map((line) => line.length)), 150)
      assert.match(plain, new RegExp(`^${long} .* CAPTURED +€19\\.99 .*order of a customer .*…$`, "mu"))
      assert.match(plain, new RegExp(`^${taken} .* PARTIALLY_REFUNDED `, "mu"))

      const narrow = listed(80, { NO_COLOR: "1" })
      assert.notInclude(narrow, "\u001b")
      assert.match(narrow, new RegExp(`^PAYMENT +${long}$`, "mu"))
      assert.match(narrow, new RegExp(`^REFERENCE +${reference}$`, "mu"))
    }
  )
})
