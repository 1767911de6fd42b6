/** `pointsman corrections`: a shell has no identity, so that a second person signs in with a password. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { type CommandEnd, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const passwords = { "jo@acme.example": "jo-has-a-long-password", "ann@acme.example": "ann-has-a-long-password" }
type Login = keyof typeof passwords

const assertRefused = ({ code, stderr, stdout }: CommandEnd, said: string) => {
  assert.deepStrictEqual([code, stdout], [1, ""], stderr)
  assert.include(stderr, said)
  for (const password of Object.values(passwords)) assert.notInclude(stderr, password)
}

/** A server whose only payment is unknown, and two operators with passwords. */
const setUp = async () => {
  const provider = await startProvider()
  provider.always("lookUpCharge", () => "drop")
  const folder = temporaryFolder()
  const configuration = { fourEyes: { EUR: 1000 }, workspaces: [workspaceWith([connectionTo(provider)])] }
  const server = await startServerHere({ folder, configuration })
  provider.next("charge", () => "drop")
  const made = await pay(server, "order-1001", { reference: "order-1001" })
  const run = (words: ReadonlyArray<string>, password?: string) =>
    runHere(folder, words, password === undefined ? {} : { POINTSMAN_OPERATOR_PASSWORD: password })
  for (const [login, password] of Object.entries(passwords)) {
    await run(["operators", "add", login, "--role", "operations", "--by", "root"])
    const link = (await run(["operators", "link", login, "--by", "root"])).stdout.trim()
    const send = (method: string, path: string, body: unknown, cookie = "") =>
      fetch(`${server.url}/console/api${path}`, {
        method,
        headers: { "content-type": "application/json", origin: server.url, cookie },
        body: JSON.stringify(body)
      })
    const session = await send("POST", "/session/link", { token: link.slice(link.lastIndexOf("/") + 1) })
    const cookie = (session.headers.get("set-cookie") ?? "").split(";", 1)[0]
    assert.strictEqual((await send("PUT", "/password", { password }, cookie)).status, 200)
  }
  const id: string = made.body.data.payment_id
  const settle = (more: ReadonlyArray<string>, login?: Login) =>
    run(
      [
        ...["unknown", "settle", id, "--charge", "captured", "--amount", "1999", "--reference", "ch_1"],
        ...["--evidence", "dashboard", "--by", "Jo", ...more],
        ...(login === undefined ? [] : ["--operator", login])
      ],
      login === undefined ? undefined : passwords[login]
    )
  const decide = (act: string, login: Login, more: ReadonlyArray<string> = []) =>
    run(["corrections", act, id, "--operator", login, ...more], passwords[login])
  return { decide, folder, id, run, settle }
}

describe("pointsman corrections", () => {
  it("one of two operators proposes an amount at the limit, and the other approves it", async () => {
    const { decide, id, run, settle } = await setUp()
    assert.deepStrictEqual((await run(["corrections", "list"])).stderr, "No corrections wait for a second person.\n")

    const nameless = await settle([])
    assert.deepStrictEqual(nameless.code, 1)
    assert.include(nameless.stderr, "--by: an amount like this needs a second person (four eyes)")
    assert.include(
      (await settle(["--file-sha256", "abc"], "jo@acme.example")).stderr,
      "--file-sha256: expected the SHA-256"
    )
    const proof = ["--file-sha256", "ab".repeat(32), "--case", "case 17", "--json"]
    const proposed = documentOf(await settle(proof, "jo@acme.example")).data
    assert.deepStrictEqual([proposed.status, proposed.review.reasons], ["UNKNOWN", ["unknown", "correction"]])
    assert.deepInclude(proposed.proposed_correction, {
      state: "proposed",
      proposed_by: "jo@acme.example",
      file_sha256: "ab".repeat(32),
      evidence_reference: "case 17"
    })

    const [listed] = documentOf(await run(["corrections", "list", "--json"])).data
    assert.strictEqual(listed.payment.payment_id, id)
    assert.match((await run(["corrections", "list"])).stdout, /€19\.99 +jo@acme\.example/u)
    assert.match((await run(["corrections", "show", id])).stdout, /^State +proposed$/mu)

    const operator = ["--operator", "ann@acme.example"]
    assertRefused(
      await run(["corrections", "approve", id, ...operator]),
      "POINTSMAN_OPERATOR_PASSWORD: expected the password"
    )
    assertRefused(
      await run(["corrections", "approve", id, ...operator], "a-wrong-password"),
      "the login or the password is wrong"
    )
    assertRefused(await decide("approve", "jo@acme.example"), "nobody approves their own correction")
    assertRefused(await decide("withdraw", "ann@acme.example"), "reject it instead")
    assertRefused(await decide("reject", "jo@acme.example", ["--reason", "no"]), "it is your own: withdraw it")

    const approved = await decide("approve", "ann@acme.example")
    assert.deepStrictEqual(approved, {
      code: 0,
      stdout: "The correction is approved. The payment is CAPTURED.\n",
      stderr: ""
    })
    const again = documentOf(await decide("approve", "ann@acme.example", ["--json"])).data
    assert.deepInclude(again, { state: "approved", decided_by: "ann@acme.example" })
    const { data } = documentOf(await run(["audit", "list", "--json"]))
    const by = data
      .filter(({ action }: { readonly action: string }) => action.startsWith("correction."))
      .map(({ action, actor }: { readonly action: string; readonly actor: string }) => [action, actor])
    assert.deepInclude(by, ["correction.approving", "jo@acme.example"])
    assert.deepStrictEqual(by.at(-1), ["correction.approving", "ann@acme.example"])
    assert.strictEqual((await run(["audit", "verify"])).code, 0)
  })

  it("a proposal that is rejected or withdrawn leaves the payment as it was", async () => {
    const { decide, id, run, settle } = await setUp()
    await settle([], "jo@acme.example")
    assert.include(
      (await decide("withdraw", "jo@acme.example")).stdout,
      "The correction is withdrawn. The payment is UNKNOWN."
    )
    await settle([], "jo@acme.example")
    const card = await decide("reject", "ann@acme.example", ["--reason", "4111 1111 1111 1111"])
    assertRefused(card, "`--reason` must not contain a card number. Nothing was recorded.")
    const rejected = await decide("reject", "ann@acme.example", ["--reason", "another amount"])
    assert.include(rejected.stdout, "The correction is rejected: another amount. The payment is UNKNOWN.")
    const states = documentOf(await run(["corrections", "show", id, "--json"])).data.map(
      ({ state }: { readonly state: string }) => state
    )
    assert.deepStrictEqual(states, ["withdrawn", "rejected"])
  })
})
