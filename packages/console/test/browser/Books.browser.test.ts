/** Reports, differences and disputes in a real browser without scripts, and what axe finds. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { checkPage, type ListeningWorld, listeningWorld } from "../support/ListeningWorld.ts"
import { openArea } from "../support/OpenArea.ts"
import { readReport, rowOf, stateDispute } from "../support/Reports.ts"
import { mount, type World } from "../support/World.ts"

const tenant = { workspaceId: "acme", environment: "sandbox" as const }
const day = 86_400_000

let listening: ListeningWorld
let here: World
let url: string

beforeAll(async () => {
  listening = await listeningWorld({ role: "operations" })
  ;({ here, url } = listening)
  const gross = { minorUnits: 700, currency: "EUR" }
  await readReport(here.run, { connectionId: "acme-sandbox" }, [
    rowOf("txn_1", { kind: "charge", ref: "unknown", gross }),
    rowOf("txn_2", { kind: "charge", ref: "unknown too", gross }),
    rowOf("po_1", { payoutId: "po_1" })
  ])
})
afterAll(() => listening.close())

const disputed = async (disputeId: string) => {
  const { providerRef } = await here.pay("acme", "sandbox", "automatic")
  const dueBy = Date.now() + 3.5 * day
  return stateDispute(here.run, "acme-sandbox", tenant, { providerRef, disputeId, dueBy })
}

await describeInChromium("reports and disputes in a browser", (browser) => {
  test("an operator closes a difference by the keyboard", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ page }) => {
      await listening.signIn(page)
      await openArea(page, "Reconciliation")
      await page.getByRole("link", { name: "Differences", exact: true }).click()
      const row = page.getByRole("row").filter({ hasText: "txn_1" })
      await row.getByText("Close…").focus()
      await page.keyboard.press("Enter")
      await page.keyboard.press("Tab")
      await page.keyboard.type("A sale at the terminal")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.getByRole("status").getByText("Closed.").waitFor()
      await expect.poll(() => row.count()).toBe(0)
    }))

  test("evidence by a double click reaches the provider once from the page", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ page }) => {
      await disputed("du_sent")
      await listening.signIn(page)
      await openArea(page, "Disputes")
      await page.getByRole("link", { name: "du_sent" }).click()
      await page.getByRole("link", { name: "Write evidence…" }).click()
      await page.getByLabel("What was sold").fill("A chair")
      const buffer = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(1_000_000)])
      await page.getByLabel("Receipt").setInputFiles({ name: "receipt.pdf", mimeType: "application/pdf", buffer })
      await page.getByRole("button", { name: "Keep" }).click()
      await page.getByRole("link", { name: "Submit evidence…" }).click()
      await page.getByRole("button", { name: "Submit evidence" }).dblclick()
      await page.getByText("Done: the provider has it").waitFor()
      expect(here.provider.submissions.map(({ texts }) => texts)).toEqual([{ product_description: "A chair" }])
      expect(here.provider.submissions[0]?.files.map(({ bytes, name }) => [name, bytes.length])).toEqual([
        ["receipt", 1_000_009]
      ])
    }))

  // The pictures of the guide are taken in the light on a desktop.
  test.each([
    ["light", "narrow"],
    ["dark", "desktop"]
  ] as const)("axe finds nothing on the pages in the %s, when the screen is %s", (colorScheme, size) =>
    visit(browser, { colorScheme }, async (visitor) => {
      const { page } = visitor
      const { id, paymentId } = await disputed(`du_${colorScheme}`)
      await listening.signIn(page)
      const reports = `${mount}/reconciliation/acme/sandbox`
      const dispute = `${mount}/disputes/acme/sandbox/${id}`
      await page.goto(`${url}${reports}`)
      const report = await page.getByRole("link", { name: "november.csv" }).first().getAttribute("href")
      await page.setViewportSize(sizes[size])
      for (const path of [
        reports,
        report,
        `${mount}/reconciliation/acme/production`,
        `${reports}/differences?state=all`,
        `${reports}/payouts`,
        `${reports}/payout?connection=acme-sandbox&payout=po_1`,
        `${reports}/read`,
        `${mount}/books/acme/sandbox?until=2100-01-01`,
        `${mount}/books/acme/sandbox/journal?month=never&format=csv`,
        `${mount}/disputes/acme/sandbox`,
        `${mount}/disputes/acme/production`,
        dispute,
        `${dispute}/evidence`,
        `${dispute}/submit`,
        `${dispute}/accept`,
        `${mount}/payments/acme/sandbox/${paymentId}`
      ]) {
        await page.goto(`${url}${path}`)
        await checkPage(visitor)
      }
      await page.goto(`${url}${reports}/differences`)
      await page.getByText("Close…").first().click()
      await checkPage(visitor)
    })
  )
})
