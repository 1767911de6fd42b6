/** Differences and disputes in a real browser without scripts. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { openArea, usedListeningWorld } from "../support/ListeningWorld.ts"
import { readReport, rowOf, stateDispute } from "../support/Reports.ts"

const tenant = { workspaceId: "acme", environment: "sandbox" as const }
const day = 86_400_000

const { here, listening } = usedListeningWorld({ role: "operations" }, async (here) => {
  const gross = { minorUnits: 700, currency: "EUR" }
  await readReport(here.run, { connectionId: "acme-sandbox" }, [
    rowOf("txn_1", { kind: "charge", ref: "unknown", gross })
  ])
})

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
})
