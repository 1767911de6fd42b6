/** `pointsman dev`, and what is used beside it: `trigger` and `listen`. */
import { createHmac } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { ProgressTo, withProgress } from "../src/commands/Output.ts"
import { outcomes } from "../src/commands/TriggerOutcomes.ts"
import { type RunningCommand, runHere, startHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { liveKey } from "./support/Configurations.ts"
import { type ServerHere, startDevHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"
import { startReceiver } from "./support/WebhookReceiver.ts"

/** What the server settles when it asks again takes seconds each; `POINTSMAN_LONG=all` runs all of them. */
const withLater = process.env["POINTSMAN_LONG"] === "all"
if (!withLater) {
  process.stderr.write(
    "server: most outcomes that are settled later are left out: they take seconds, and run with POINTSMAN_LONG=all, as in .ci/release\n"
  )
}

const start = (folder: string, words: ReadonlyArray<string>): RunningCommand => {
  const running = startHere(folder, words)
  onTestFinished(async () => void (await running.stop()))
  return running
}

/** Of no server here. */
const strangeKey = "ps_test_DcafYuMMfH1KuvrrUTPq0ZJICmIVOV6k2BhSWv"

const areRefused = async (
  folder: string,
  refusals: ReadonlyArray<readonly [words: ReadonlyArray<string>, said: RegExp]>,
  environment = {}
) => {
  for (const [words, said] of refusals) assertRefused(await runHere(folder, words, environment), said)
}

describe("pointsman dev", () => {
  it("a first start has demo payments, a dispute, report, page and webhooks, kept", async () => {
    const folder = temporaryFolder()
    const first = await startDevHere(folder)
    const [page = ""] = /^http\S+\/hosted\/\S+$/mu.exec(first.dev.stdout()) ?? []
    assert.include(await (await fetch(page)).text(), "19.99")
    assert.include(
      first.dev.stdout(),
      `curl -sS ${first.url}/api/v1/payments -H 'Authorization: Bearer ${first.sandboxKey}'`
    )
    assert.include(first.dev.stdout(), `  Docs      ${first.url}/docs\n`)
    assert.match(first.dev.stdout(), /^pointsman trigger unknown-then-captured /mu)
    const list = async ({ request }: Pick<ServerHere, "request">) =>
      (await request("GET", "/api/v1/payments?limit=100")).body.data
    await first.dev.printed(/^\S+Z {2}dispute\.opened /mu)
    const ofCommand = async (...words: ReadonlyArray<string>) =>
      documentOf(await runHere(folder, [...words, "--json"])).data
    assert.deepStrictEqual(each(await ofCommand("reconcile", "list"), "state"), ["done"])
    assert.lengthOf(await ofCommand("reconcile", "payouts"), 1)
    assert.deepStrictEqual(
      (await ofCommand("reconcile", "differences")).map(({ result }: { readonly result: string }) => result).toSorted(),
      ["amount_differs", "missing_here"]
    )
    const disputes = (await first.request("GET", "/api/v1/disputes")).body.data
    assert.deepStrictEqual(each(disputes, "status"), ["needs_response"])
    const made = await list(first)
    assert.deepStrictEqual([...new Set(made.map(({ status }: { readonly status: string }) => status))].toSorted(), [
      "AUTHORIZED",
      "CANCELLED",
      "CAPTURED",
      "CHARGEBACK",
      "DECLINED",
      "PARTIALLY_REFUNDED",
      "PENDING",
      "REFUNDED",
      "REQUIRES_ACTION",
      "SETTLED",
      "UNKNOWN"
    ])
    // Its own receiver has verified them.
    await first.dev.printed(/^\S+Z {2}payment\.requires_action +\S+ {2}REQUIRES_ACTION$/mu)
    const { checks } = documentOf(await runHere(folder, ["doctor", "--json"])).data
    const saysOf = (name: string) => checks.find(({ check }: { readonly check: string }) => check === name)
    assert.deepInclude(saysOf("server"), { verdict: "ok", says: `answers at ${first.url}` })
    assert.deepInclude(saysOf("base URL"), { verdict: "ok", says: first.url })
    assert.deepInclude(saysOf("webhooks"), { verdict: "ok" })
    assertRefused(
      await runHere(folder, ["dev", "--port", "0"]),
      /^A sandbox for this folder is already running at http/u
    )

    assert.strictEqual((await first.dev.stop()).code, 0)
    assert.isFalse(existsSync(join(folder, ".pointsman/dev.json")))
    const second = await startDevHere(folder)
    // One page more: those before it may be over.
    assert.deepStrictEqual([second.sandboxKey, (await list(second)).length], [first.sandboxKey, made.length + 1])
    await second.dev.stop()
    const third = await startDevHere(folder, ["--fresh"])
    assert.notStrictEqual(third.sandboxKey, first.sandboxKey)
    assert.lengthOf(await list(third), made.length)
    await third.dev.stop()
  })
})

describe("a dispute in the sandbox", () => {
  it("webhooks report the whole life of a reference that asks for one", async () => {
    const { dev, request, sandboxKey, url } = await startDevHere(temporaryFolder(), ["--memory"])
    const printed = (type: string) => dev.printed(new RegExp(`^\\S+Z {2}dispute\\.${type} `, "mu"))
    const opened = async (reference: string): Promise<string> => {
      const body = { amount: 4999, currency: "EUR", country: "NL", reference }
      const { payment_id } = (await request("POST", "/api/v1/payments", { body })).body.data
      const disputes = async () => (await request("GET", `/api/v1/disputes?payment=${payment_id}`)).body.data
      await until("a dispute is opened", async () => (await disputes()).length > 0)
      return (await disputes())[0].id
    }
    const id = await opened("simulate-dispute-won-1001")
    await printed("opened")
    const form = new FormData()
    form.set("product_description", "A chair.")
    const kept = await fetch(`${url}/api/v1/disputes/${id}/evidence`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandboxKey}` },
      body: form
    })
    assert.strictEqual(kept.status, 200)
    await kept.arrayBuffer()
    if (withLater) await printed("evidence_due")
    const answer = await request("POST", `/api/v1/disputes/${id}/submit`, { idempotencyKey: "dispute-1001" })
    assert.deepStrictEqual([answer.status, answer.body.data.status], [200, "under_review"])
    await printed("submitted")
    if (!withLater) return
    await printed("won")
    const won = await request("GET", `/api/v1/disputes/${id}`)
    assert.strictEqual(won.body.data.status, "won")
    const payment = await request("GET", `/api/v1/payments/${won.body.data.payment_id}`)
    assert.strictEqual(payment.body.data.status, "CAPTURED")
    const other = await opened("simulate-dispute-lost-1002")
    const accepted = await request("POST", `/api/v1/disputes/${other}/accept`, { idempotencyKey: "dispute-1002" })
    assert.deepStrictEqual([accepted.status, accepted.body.data.status], [200, "accepted"])
    await printed("accepted")
  })
})

describe("pointsman trigger and listen", () => {
  it("each triggered outcome of a sandbox ends, and listeners get every event once", async () => {
    const folder = temporaryFolder()
    // The settings of another server take no part.
    const { request, url } = await startDevHere(folder, ["--memory"], {
      POINTSMAN_DATABASE_URL: "postgres://user:password@127.0.0.1:9/elsewhere",
      POINTSMAN_CONFIG: "absent.json",
      POINTSMAN_WORKERS: "4"
    })
    const receiver = await startReceiver()
    receiver.status = (number) => (number % 2 === 0 ? 500 : 200)
    const listen = start(folder, ["listen", "--forward", receiver.url, "--json"])
    const [secret = ""] = await listen.printed(/whsec_\S+/u, "stderr")
    const lines = start(folder, ["listen", "--forward", "http://127.0.0.1:9/nobody"])
    await lines.printed(/signed with/u, "stderr")

    const idOf = ({ payment_id }: { readonly payment_id: string }) => payment_id
    // Of the dispute that was there before, there is news.
    const former = new Set((await request("GET", "/api/v1/payments?limit=100")).body.data.map(idOf))
    const chosen = outcomes.filter(
      ({ endsLater, name }) => endsLater !== true || withLater || name === "unknown-then-captured"
    )
    const ends = await Promise.all(chosen.map(({ name }) => runHere(folder, ["trigger", name, "--json"])))
    const documents = ends.map((end) => documentOf(end).data)
    assert.deepStrictEqual(
      documents.map(({ outcome, payment }) => [outcome, payment.status]),
      chosen.map(({ ends, name }) => [name, ends])
    )
    const ofName = (name: string) => documents.find(({ outcome }) => outcome === name)
    assert.deepInclude(ofName("refund-pending").payment, { captured_amount: 1999, refund_pending_amount: 1999 })
    assert.deepInclude(ofName("partially-captured").payment, { captured_amount: 999 })
    assert.strictEqual(ofName("declined:expired_card").payment.decline_category, "expired_card")
    const [created, captured, ...others] = ofName("capture-unknown").asked
    assert.deepInclude(created, { status: 201, code: null })
    assert.deepInclude(captured, { status: 502, code: "capture_result_unknown" })
    assert.match(captured.request, /\/capture$/u)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(each(ofName("failover").events, "type"), ["payment.created", "payment.captured"])

    const made = documents.flatMap(({ events }) => events)
    const told = () => Array.from(listen.stdout().matchAll(/^.+$/gmu), ([line]) => JSON.parse(line))
    const ofMade = () => told().filter((line) => !former.has(idOf(line)))
    await until("every event is heard", () => ofMade().length >= made.length)
    assert.deepStrictEqual(
      told().map(({ forwarded }) => forwarded.status),
      told().map((_, at) => (at % 2 === 0 ? 200 : 500))
    )
    const heard = ofMade()
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
    assert.deepStrictEqual(
      heard.map(({ event_id, payment_id, status, time, type }) => ({
        id: event_id,
        type,
        created: time,
        payment: [payment_id, status]
      })),
      made.toSorted(byId).map(({ created, data, id, type }) => ({
        id,
        type,
        created,
        payment: [data.payment_id, data.payment_status]
      }))
    )
    assert.deepStrictEqual(
      receiver.heard.map(({ body }) => JSON.parse(body)).filter(({ data }) => !former.has(idOf(data))),
      made.toSorted(byId)
    )
    for (const { body, headers } of receiver.heard) {
      const [, t = "", v1 = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(String(headers["x-service-signature"])) ?? []
      assert.strictEqual(v1, createHmac("sha256", secret).update(`${t}.${body}`).digest("hex"))
      assert.match(String(headers["x-service-delivery-id"]), /^dlv_[0-9a-f-]{36}$/u)
      assert.strictEqual(headers["x-service-event-id"], JSON.parse(body).id)
      assert.strictEqual(headers["content-type"], "application/json")
    }
    await lines.printed(/^\S+Z {2}payment\.captured +\S+ {2}CAPTURED +-> no answer$/mu)
    assert.strictEqual((await listen.stop()).code, 0)
    // What was there before is no news, and nothing was left at the server.
    assert.notInclude(listen.stdout(), (await request("GET", "/api/v1/payments?limit=100")).body.data.at(-1).payment_id)
    assert.match((await lines.stop()).stderr, /^Listening for events on http/u)

    const text = await runHere(folder, ["trigger", "refunded", "--amount", "500", "--currency", "JPY"])
    assert.match(text.stdout, /^Payment {3}\S+\nStatus {4}REFUNDED\nAmount {4}¥500/u)
    assert.match(text.stdout, /^POST \/payments\/\S+\/refunds +200 +-$/mu)
    // No key of this folder goes elsewhere, and one that the server does not know is refused.
    const strange = await startReceiver()
    await areRefused(folder, [
      [["listen", "--url", url, "--key", strangeKey], /rejected the API key/u],
      [["listen", "--url", "http://elsewhere.example"], /\.pointsman holds none\./u],
      [["listen", "--url", strange.url], /\.pointsman holds none\./u],
      [["trigger"], /^Expected an outcome/u],
      [["trigger", "captured", "--key", liveKey], /^POINTSMAN_API_KEY \(--key\): expected a sandbox key/u],
      [["trigger", "captured", "--currency", "EURO"], /responded with 422 validation_error/u]
    ])
    assert.lengthOf(strange.heard, 0)
  })

  it("no key goes to a foreign server, and the error says what is missing", async () => {
    const folder = temporaryFolder()
    const here = ["--url", "http://127.0.0.1:9"]
    await areRefused(folder, [
      [["listen"], /\.pointsman holds none\. Start a sandbox with `pointsman dev`/u],
      [["trigger", "captured", ...here, "--key", strangeKey], /^No response from/u],
      [["listen", ...here, "--key", "visible"], /^POINTSMAN_API_KEY \(--key\): expected an API key/u],
      [["listen", "--url", "ftp://x", "--key", strangeKey], /^POINTSMAN_URL \(--url\): expected/u]
    ])
    mkdirSync(join(folder, ".pointsman"))
    const there = { url: "http://pointsman.invalid", key: strangeKey }
    writeFileSync(join(folder, ".pointsman/dev.json"), JSON.stringify(there))
    const said = /^\.pointsman\/dev\.json refers to http:\/\/pointsman\.invalid, which is not on this machine/u
    const refusals = [
      [["listen"], said],
      [["trigger", "captured"], said],
      [["listen", "--url", there.url], /^No response from/u]
    ] as const
    await areRefused(folder, refusals, { POINTSMAN_API_KEY: strangeKey })
  })
})

it("long work has one line on a terminal, gone at the end, and none with --json", () => {
  const written = (json: boolean) => {
    const texts: Array<string> = []
    const work = withProgress(json, (tell) => Effect.andThen(tell("1 of 2"), tell("2 of 2")))
    Effect.runSync(Effect.provideService(work, ProgressTo, { write: (text) => texts.push(text) }))
    return texts
  }
  assert.deepStrictEqual(written(false), ["\r\u001b[2K1 of 2", "\r\u001b[2K2 of 2", "\r\u001b[2K"])
  assert.deepStrictEqual(written(true), [])
})
