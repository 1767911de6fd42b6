/** `pointsman routing` beside a running server, on payments that it made. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { untilAnswer } from "./support/Until.ts"

const dead = { url: "http://127.0.0.1:9", apiKey: "none" }

const routing = {
  mode: "failover",
  order: ["main", "backup"],
  control: { share: 0, order: ["backup"] },
  rules: [{ name: "big tickets", when: { amount: { min: 10_000 } }, use: { mode: "fixed", order: ["backup"] } }]
}

/** A server whose first connection is dead, and two payments that it made: a small one and a big one. */
const setUp = async () => {
  const { clock, push } = makeMovedClock()
  const { create, data, folder, provider, run } = await openShop({
    clock,
    configured: (provider) => {
      const connections = [connectionTo(dead), { ...connectionTo(provider, "backup"), name: "The backup" }]
      return { workspaces: [{ ...workspaceWith(connections), routing: { production: routing } }, { id: "globex" }] }
    }
  })
  const configured = (name: string, change: object, connection: object = {}): string => {
    const path = join(folder, `${name}.json`)
    const changed = [connectionTo(provider), { ...connectionTo(provider, "backup"), ...connection }]
    const wanted = { ...workspaceWith(changed), routing: { production: { ...routing, ...change } } }
    writeFileSync(path, JSON.stringify({ workspaces: [wanted] }))
    return path
  }
  const card = { card_brand: "visa" }
  return {
    small: await create("small", card),
    big: await create("big", { ...card, amount: 20_000 }),
    configured,
    provider,
    push,
    run: (...words: ReadonlyArray<string>) => run("routing", ...words),
    data: (...words: ReadonlyArray<string>) => data("routing", ...words)
  }
}

describe("pointsman routing", () => {
  it("an explained payment says what decided, in which order, and what happened", async () => {
    const { big, data, push, run, small } = await setUp()
    const [text, json, ruled, absent] = await Promise.all([
      run("explain", small),
      run("explain", small, "--json"),
      run("explain", big),
      run("explain", "01a1fe08-9226-7266-a33a-e3e7f1609a4e")
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
    // The server writes what it learned every few seconds.
    const rates: ReadonlyArray<Record<"connection_id" | "segment" | "success_rate", unknown>> = await untilAnswer(
      "the rates are written",
      () => {
        push(1_000)
        return data("rates", "--workspace", "acme")
      },
      ({ length }) => length === 4
    )
    assert.deepStrictEqual(
      rates.map(({ connection_id, segment, success_rate }) => [connection_id, segment, success_rate]),
      [
        ["backup", null, 1],
        ["backup", "EUR NL card visa", 1],
        ["main", null, 0],
        ["main", "EUR NL card visa", 0]
      ]
    )
    assertRefused(absent, /Payment "01a1fe08.* not found/u)
  })

  it("a replay says what would move, and asks no provider", async () => {
    const { big, configured, provider, run, small } = await setUp()
    const asked = provider.calls.length
    const moves = configured("moves", { order: ["backup", "main"] }, { supports: { amount: { EUR: { max: 9_999 } } } })
    const replay = (since: string, ...words: ReadonlyArray<string>) =>
      run("replay", "--workspace", "acme", "--since", since, ...words)
    const moved = ["2026-01-01", "--config", moves] as const
    const [own, json, text, short, when, noDay, backwards, whose, wrong, empty] = await Promise.all([
      replay("1 hour", "--json"),
      replay(...moved, "--json"),
      replay(...moved),
      replay(...moved, "--limit", "1", "--json"),
      replay("yesterday"),
      replay("2026-02-31"),
      replay("2026-02-02", "--until", "2026-02-01"),
      run("replay", "--since", "1 hour"),
      replay("1 hour", "--config", configured("wrong", { order: ["nope"] })),
      replay("1 hour", "--environment", "sandbox", "--json")
    ])
    const counts = { payments: 2, same: 2, reordered: 0, moved: 0, nowhere: 0 }
    assert.deepInclude(documentOf(own).data, { ...counts, differing: [] })
    const { differing, ...counted } = documentOf(json).data
    assert.deepStrictEqual(counted, {
      ...counts,
      same: 0,
      moved: 1,
      nowhere: 1,
      moves: [
        { from: "main", to: "backup", payments: 1, amounts: { EUR: 1999 } },
        { from: "backup", to: null, payments: 1, amounts: { EUR: 20_000 } }
      ],
      nowhere_because: { AMOUNT_OUT_OF_RANGE: 1 },
      all_shown: true
    })
    assert.deepStrictEqual(each(differing, "payment_id"), [small, big])
    assert.deepStrictEqual(each(differing, "verdict"), ["moved", "nowhere"])
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
