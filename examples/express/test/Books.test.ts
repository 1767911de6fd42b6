import { createReadStream, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it, onTestFinished } from "vitest"
import { balances, readReport } from "../src/Books.ts"
import { openPointsman } from "../src/Shop.ts"
import { shopFolder } from "./support/ShopProcess.ts"

it("a paid order is settled by a report, with its fee and payout in the books", async () => {
  const folder = shopFolder()
  const pointsman = await openPointsman(folder, "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE=")
  onTestFinished(() => pointsman.close())
  const { payment } = await pointsman.create({ amount: 450, currency: "EUR", country: "NL", reference: "1001" })
  const [attempt] = (await pointsman.paymentFile(payment.id)).attempts
  const now = new Date().toISOString()
  const path = join(folder, "report.csv")
  writeFileSync(
    path,
    [
      "row_id,kind,gross,currency,occurred_at,attempt_id,fee,net,payout_id",
      `txn_1,charge,450,EUR,${now},${attempt?.id},12,438,po_1`,
      `txn_2,charge,700,EUR,${now},,0,700,po_1`,
      `po_1,payout,-1138,EUR,${now},,,,po_1`,
      ""
    ].join("\n")
  )
  const difference = "first/txn_2: missing_here, 700 EUR, here nothing"
  assert.deepStrictEqual(await readReport(pointsman, "first", path, "Jo"), { rows: 3, differences: [difference] })
  assert.strictEqual((await pointsman.payment(payment.id)).settlement?.payout_id, "po_1")
  // An upload of the same report changes nothing.
  const again = await readReport(pointsman, "first", createReadStream(path), "Jo")
  assert.deepStrictEqual(again, { rows: 3, differences: [difference] })
  assert.deepStrictEqual(Object.fromEntries(await balances(pointsman)), {
    "Assets:Receivable:First:EUR": 0,
    "Assets:Payouts:First:EUR": 1138,
    "Income:Sales:First:EUR": -450,
    "Expenses:Fees:First:EUR": 12,
    "Equity:Unexplained:First:EUR": -700
  })
})
