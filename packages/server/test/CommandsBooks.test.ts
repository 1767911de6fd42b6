/** `pointsman books` on payments that a running server made. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const ofAcme = ["--workspace", "acme", "--environment", "production"]

/** Two captured payments, of which one is refunded in part and the other has a refund whose result is not known. */
const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const server = await startServerHere({
    folder,
    configuration: configurationWith(connectionTo(provider))
  })
  const create = async (reference: string): Promise<string> => {
    const made = await pay(server, `order-${reference}`, { reference })
    assert.strictEqual(made.status, 201)
    return made.body.data.payment_id
  }
  const refund = (id: string, amount: number) =>
    server.request("POST", `${path}/${id}/refunds`, { key: liveKey, body: { amount } })
  const taken = await create("taken")
  assert.strictEqual((await refund(taken, 500)).status, 200)
  const open = await create("open")
  provider.next("refund", () => ({ status: 500, body: {} }))
  assert.strictEqual((await refund(open, 700)).status, 502)
  return { run: (...words: ReadonlyArray<string>) => runHere(folder, ["books", ...words]), taken }
}

describe("pointsman books", () => {
  it("printed books add up to zero, with what is unknown beside them", async () => {
    const { run, taken } = await setUp()
    const [beancount, ledger, csv, balance, text, none, backwards] = await Promise.all([
      run("export", ...ofAcme, "--format", "beancount"),
      run("export", ...ofAcme, "--from", "1 day", "--format", "ledger"),
      run("export", ...ofAcme, "--format", "csv"),
      run("balance", ...ofAcme, "--json"),
      run("balance", ...ofAcme),
      run("export", ...ofAcme, "--to", "2020-01-01", "--format", "ledger"),
      run("export", ...ofAcme, "--from", "2020-02-01", "--to", "2020-01-01", "--format", "csv")
    ])
    assert.deepStrictEqual(
      each([beancount, ledger, csv, balance, text, none, backwards], "code"),
      [0, 0, 0, 0, 0, 0, 1]
    )
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
