/** `pointsman books` on payments that a running server made. */
import { assert, describe, it } from "vitest"
import { documentOf } from "./support/CommandProcess.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

const ofAcme = ["--workspace", "acme", "--environment", "production"]

describe("pointsman books", () => {
  it("printed books add up to zero, with what is unknown beside them", async () => {
    const { create, provider, refund, run } = await openShop()
    const taken = await create("taken")
    assert.strictEqual((await refund(taken, { amount: 500 })).status, 200)
    const open = await create("open")
    provider.next("refund", () => ({ status: 500, body: {} }))
    assert.strictEqual((await refund(open, { amount: 700 })).status, 502)
    const books = (act: string, ...words: ReadonlyArray<string>) => run("books", act, ...ofAcme, ...words)
    const ends = await Promise.all([
      books("export", "--format", "beancount"),
      books("export", "--from", "1 day", "--format", "ledger"),
      books("export", "--format", "csv"),
      books("balance", "--json"),
      books("balance"),
      books("export", "--to", "2020-01-01", "--format", "ledger"),
      books("export", "--from", "2020-02-01", "--to", "2020-01-01", "--format", "csv")
    ])
    const [beancount, ledger, csv, balance, text, none, backwards] = ends
    assert.deepStrictEqual(each(ends, "code"), [0, 0, 0, 0, 0, 0, 1])
    assert.match(beancount.stdout, /^plugin "beancount\.plugins\.auto_accounts"\n\n\d{4}-/u)
    assert.match(beancount.stdout, /\* "Refund"\n {2}id: "evt_[^"]+"\n {2}payment: "[^"]+"\n {2}reference: "taken"\n/u)
    assert.match(ledger.stdout, / {4}Income:Sales:Main:EUR {2}-19\.99 EUR\n/u)
    assert.match(beancount.stderr, /^The period is open until \d{4}-/u)

    const rows = csv.stdout.split("\r\n").slice(1, -1)
    assert.strictEqual(rows.length, 6)
    const amounts = rows.map((row) => Number(row.split(",")[5]))
    assert.strictEqual(Math.round(100 * amounts.reduce((sum, one) => sum + one, 0)), 0)
    assert.strictEqual(rows.filter((row) => row.includes(taken)).length, 4)

    assert.deepStrictEqual(documentOf(balance).data.accounts, [
      { account: "Assets:Receivable:Main:EUR", connection: "main", currency: "EUR", amount: 3498 },
      { account: "Income:Refunds:Main:EUR", connection: "main", currency: "EUR", amount: 500 },
      { account: "Income:Sales:Main:EUR", connection: "main", currency: "EUR", amount: -3998 }
    ])
    assert.deepStrictEqual(documentOf(balance).data.pending, [
      { what: "refund", connection: "main", currency: "EUR", amount: 700, count: 1 }
    ])
    assert.match(text.stdout, /Assets:Receivable:Main:EUR +34\.98 +EUR\n/u)
    assert.match(text.stdout, /\nrefund +main +1 +7\.00 +EUR\n/u)
    assert.deepStrictEqual([none.stdout, none.stderr], ["", ""])
    assert.match(backwards.stderr, /--from: expected a time before the end of the period, 2020-01-01T00:00:00\.000Z\./u)
  })
})
