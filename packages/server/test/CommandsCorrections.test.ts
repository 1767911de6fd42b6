/** `pointsman corrections`: a shell has no identity, so that a second person signs in with a password. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

const [ann, jo] = ["ann@acme.example", "jo@acme.example"]
const passwordOf = (login: string) => `${login}-has-a-long-password`

/** A server whose only payment is unknown, and two operators with passwords. */
const setUp = async () => {
  const { create, data, folder, provider, run, server } = await openShop({
    configured: (provider) => ({ fourEyes: { EUR: 1000 }, workspaces: [workspaceWith([connectionTo(provider)])] })
  })
  provider.always("lookUpCharge", () => "drop")
  provider.next("charge", () => "drop")
  const id = await create("order-1001")
  for (const login of [ann, jo]) {
    await run("operators", "add", login, "--role", "operations", "--by", "root")
    const link = (await run("operators", "link", login, "--by", "root")).stdout.trim()
    const send = (method: string, path: string, body: unknown, cookie = "") =>
      fetch(`${server.url}/console/api${path}`, {
        method,
        headers: { "content-type": "application/json", origin: server.url, cookie },
        body: JSON.stringify(body)
      })
    const session = await send("POST", "/session/link", { token: link.split("/").at(-1) })
    const cookie = (session.headers.get("set-cookie") ?? "").split(";", 1)[0]
    assert.strictEqual((await send("PUT", "/password", { password: passwordOf(login) }, cookie)).status, 200)
  }
  const as = (login: string, words: ReadonlyArray<string>, password: string | undefined = passwordOf(login)) =>
    runHere(folder, [...words, "--operator", login], { POINTSMAN_OPERATOR_PASSWORD: password })
  const statement = ["unknown", "settle", id, "--charge", "captured", "--amount", "1999", "--reference", "ch_1"]
  return {
    id,
    data,
    run,
    as,
    statement: [...statement, "--evidence", "dashboard", "--by", "Jo"],
    decide: (act: string, login: string, ...more: ReadonlyArray<string>) => as(login, ["corrections", act, id, ...more])
  }
}

describe("pointsman corrections", () => {
  it("one of two operators proposes an amount at the limit, and the other decides", async () => {
    const { as, data, decide, id, run, statement } = await setUp()
    assert.deepStrictEqual((await run("corrections", "list")).stderr, "No corrections wait for a second person.\n")
    assert.include((await run(...statement)).stderr, "--by: an amount like this needs a second person (four eyes)")
    const wrong = await as(jo, [...statement, "--file-sha256", "abc"])
    assert.include(wrong.stderr, "--file-sha256: expected the SHA-256")

    // Withdrawn or rejected, it leaves the payment as it was.
    await as(jo, statement)
    const withdrawn = await decide("withdraw", jo)
    assert.include(withdrawn.stdout, "The correction is withdrawn. The payment is UNKNOWN.")
    await as(jo, statement)
    const card = await decide("reject", ann, "--reason", "4111 1111 1111 1111")
    assertRefused(card, "`--reason` must not contain a card number. Nothing was recorded.")
    const rejected = await decide("reject", ann, "--reason", "another amount")
    assert.include(rejected.stdout, "The correction is rejected: another amount. The payment is UNKNOWN.")

    const sha256 = "ab".repeat(32)
    const evidence = ["--file-sha256", sha256, "--case", "case 17", "--json"]
    const proposed = documentOf(await as(jo, [...statement, ...evidence])).data
    assert.deepStrictEqual([proposed.status, proposed.review.reasons], ["UNKNOWN", ["unknown", "correction"]])
    assert.deepInclude(proposed.proposed_correction, {
      state: "proposed",
      proposed_by: jo,
      file_sha256: sha256,
      evidence_reference: "case 17"
    })
    const [listed] = await data("corrections", "list")
    assert.strictEqual(listed.payment.payment_id, id)
    assert.match((await run("corrections", "list")).stdout, /€19\.99 +jo@acme\.example/u)
    assert.match((await run("corrections", "show", id)).stdout, /^State +proposed$/mu)

    const approve = ["corrections", "approve", id]
    for (const [refused, said] of [
      [await run(...approve, "--operator", ann), "POINTSMAN_OPERATOR_PASSWORD: expected the password"],
      [await as(ann, approve, "a-wrong-password"), "the login or the password is wrong"],
      [await decide("approve", jo), "nobody approves their own correction"]
    ] as const) {
      assertRefused(refused, said)
      for (const login of [ann, jo]) assert.notInclude(refused.stderr, passwordOf(login))
    }

    const approved = documentOf(await decide("approve", ann, "--json")).data
    assert.deepInclude(approved, { state: "approved", decided_by: ann })
    const states = each(await data("corrections", "show", id), "state")
    assert.deepStrictEqual(states, ["withdrawn", "rejected", "approved"])
    const entries: ReadonlyArray<Record<"action" | "actor", string>> = await data("audit", "list")
    const by = entries.filter(({ action }) => action === "correction.approving").map(({ actor }) => actor)
    assert.deepStrictEqual([new Set(by), by.at(-1)], [new Set([ann, jo]), ann])
    assert.strictEqual((await run("audit", "verify")).code, 0)
  })
})
