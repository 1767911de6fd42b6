/** `pointsman routing` beside a running server, on payments that it made. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, type CommandEnd, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

const dead = { url: "http://127.0.0.1:9", apiKey: "none" }

const routing = {
  mode: "failover",
  order: ["main", "backup"],
  control: { share: 0, order: ["backup"] },
  rules: [{ name: "big tickets", when: { amount: { min: 10_000 } }, use: { mode: "fixed", order: ["backup"] } }]
}

/** A server whose first connection is dead, and two payments that it made: a small one and a big one. */
const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const connections = [connectionTo(dead), { ...connectionTo(provider, "backup"), name: "The backup" }]
  const workspace = { ...workspaceWith(connections), routing: { production: routing } }
  const server = await startServerHere({ folder, configuration: { workspaces: [workspace, { id: "globex" }] } })
  const create = async (amount: number): Promise<string> => {
    const made = await pay(server, `order-${amount}`, { amount, card_brand: "visa" })
    assert.deepStrictEqual([made.status, made.body.data.status], [201, "CAPTURED"])
    return made.body.data.payment_id
  }
  const configured = (name: string, change: object, connection: object = {}): string => {
    const path = join(folder, `${name}.json`)
    const changed = [connectionTo(provider), { ...connectionTo(provider, "backup"), ...connection }]
    const wanted = { ...workspaceWith(changed), routing: { production: { ...routing, ...change } } }
    writeFileSync(path, JSON.stringify({ workspaces: [wanted] }))
    return path
  }
  const run = (...words: ReadonlyArray<string>) => runHere(folder, ["routing", ...words])
  return { small: await create(1_999), big: await create(20_000), configured, provider, run }
}

interface RateView {
  readonly connection_id: string
  readonly segment: string | null
  readonly success_rate: number
}

/** The server writes what it learned every few seconds; a test that never sees it runs into its own time-out. */
const ratesWhen = async (
  isSo: (rates: ReadonlyArray<RateView>) => boolean,
  look: () => Promise<CommandEnd>
): Promise<ReadonlyArray<RateView>> => {
  for (;;) {
    const rates: ReadonlyArray<RateView> = documentOf(await look()).data
    if (isSo(rates)) return rates
    await sleep(500)
  }
}

describe("pointsman routing", () => {
  it("an explained payment says what decided, in which order, and what happened", async () => {
    const { big, run, small } = await setUp()
    const [text, json, ruled, absent, rates] = await Promise.all([
      run("explain", small),
      run("explain", small, "--json"),
      run("explain", big),
      run("explain", "01a1fe08-9226-7266-a33a-e3e7f1609a4e"),
      ratesWhen(
        (all) => all.length === 4,
        () => run("rates", "--workspace", "acme", "--json")
      )
    ])
    assert.strictEqual(text.code, 0)
    for (const said of [
      /€19\.99 by card \(visa\), from a customer in NL/u,
      /No rule matches\.\n.*drew 0\.\d+: that is outside the control group/u,
      /1\. main \(main\), priority 1\.\n\s+2\. The backup \(backup\)/u,
      /Attempt 1 at main \(main\): not sent.*Nothing was executed, so the next connection was tried\./u,
      /Attempt 2 at The backup \(backup\): captured/u
    ]) {
      assert.match(text.stdout, said)
    }
    const { attempts, explanation, routing } = documentOf(json).data
    assert.deepInclude(routing, { path: "engine", rule: null, mode: "failover", strategy: "order", max_attempts: 2 })
    assert.deepStrictEqual(each(routing.candidates, "connection_id"), ["main", "backup"])
    assert.deepStrictEqual(each(attempts, "outcome"), ["not_sent", "captured"])
    assert.isAbove(explanation.length, 2)
    assert.match(ruled.stdout, /The rule "big tickets" is the first that matches\..*mode is fixed/su)
    const told = ({ connection_id, segment, success_rate }: (typeof rates)[number]) => [
      connection_id,
      segment,
      success_rate
    ]
    assert.deepStrictEqual(rates.map(told), [
      ["backup", null, 1],
      ["backup", "EUR NL card visa", 1],
      ["main", null, 0],
      ["main", "EUR NL card visa", 0]
    ])
    assertRefused(absent, /Payment "01a1fe08.* not found/u)
  })

  it("a replay says what would move, and asks no provider", async () => {
    const { big, configured, provider, run, small } = await setUp()
    const asked = provider.calls.length
    const moves = configured("moves", { order: ["backup", "main"] }, { supports: { amount: { EUR: { max: 9_999 } } } })
    const words = ["replay", "--workspace", "acme", "--since", "2026-01-01", "--config", moves]
    const [own, json, text, short, when, noDay, backwards, whose, wrong, empty] = await Promise.all([
      run("replay", "--workspace", "acme", "--since", "1 hour", "--json"),
      run(...words, "--json"),
      run(...words),
      run(...words, "--limit", "1", "--json"),
      run("replay", "--workspace", "acme", "--since", "yesterday"),
      run("replay", "--workspace", "acme", "--since", "2026-02-31"),
      run("replay", "--workspace", "acme", "--since", "2026-02-02", "--until", "2026-02-01"),
      run("replay", "--since", "1 hour"),
      run("replay", "--workspace", "acme", "--since", "1 hour", "--config", configured("wrong", { order: ["nope"] })),
      run("replay", "--workspace", "acme", "--since", "1 hour", "--environment", "sandbox", "--json")
    ])
    const same = { payments: 2, same: 2, reordered: 0, moved: 0, nowhere: 0, differing: [] }
    assert.deepInclude(documentOf(own).data, same)
    const { differing, ...counted } = documentOf(json).data
    assert.deepStrictEqual(counted, {
      payments: 2,
      same: 0,
      reordered: 0,
      moved: 1,
      nowhere: 1,
      moves: [
        { from: "main", to: "backup", payments: 1, amounts: { EUR: 1999 } },
        { from: "backup", to: null, payments: 1, amounts: { EUR: 20_000 } }
      ],
      nowhere_because: { AMOUNT_OUT_OF_RANGE: 1 },
      all_shown: true
    })
    assert.deepStrictEqual(
      differing.map((one: { payment_id: string; verdict: string }) => [one.payment_id, one.verdict]),
      [
        [small, "moved"],
        [big, "nowhere"]
      ]
    )
    assert.match(text.stdout, /FROM\s+TO\s+PAYMENTS.*main\s+backup\s+1\s+50 %\s+€19\.99/su)
    assert.deepInclude(documentOf(short).data, { all_shown: false, moved: 1, nowhere: 1 })
    assert.strictEqual(provider.calls.length, asked)

    assertRefused(when, /2026-11-01.*7 days/su)
    assertRefused(noDay, /2026-11-01.*7 days/su)
    assertRefused(backwards, /--until: expected a time after --since/u)
    assertRefused(whose, /--workspace: expected one of acme, globex/u)
    assertRefused(wrong, /routing\.production\.order\[0\]/u)
    assert.strictEqual(documentOf(empty).data.payments, 0)
  })
})
