/** An operator in a real browser, in front of a listening server. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { usedListeningWorld } from "../support/ListeningWorld.ts"
import { mount } from "../support/World.ts"

const { here, listening } = usedListeningWorld({ role: "support" })

await describeInChromium("the console in a browser", (browser) => {
  test.each([true, false])(
    "with JavaScript: %s, an operator's double click on refund makes one refund",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        const { id } = await here.pay("acme", "sandbox", "automatic")
        const before = here.provider.refunds.length
        await listening.signIn(page)
        await page.getByLabel("Search").fill(id)
        await page.getByRole("button", { name: "Find" }).click()
        await page.getByRole("link", { name: "Refund…" }).click()
        await page.getByLabel("Amount in EUR").fill("4.99")
        await page.getByLabel("Reason").fill("damaged")
        await page.getByRole("button", { name: "Refund", exact: true }).dblclick()
        await page.waitForURL(/notice=(?:refunded|in_progress)$/u)
        await page.reload()
        await page.getByText("Partially refunded").waitFor()
        // The form, and what was typed into it, is still there behind the page.
        await page.goBack()
        await page.getByLabel("Amount in EUR").fill("4.99")
        await page.getByLabel("Reason").fill("damaged")
        await page.getByRole("button", { name: "Refund", exact: true }).click()
        await page.waitForURL(/notice=refunded$/u)
        expect(here.provider.refunds.length).toBe(before + 1)
        expect(origins()).toEqual([listening.url])
      })
  )

  test("an open page shows a change of its payment by itself", () =>
    visit(browser, {}, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "manual")
      await listening.signIn(page)
      await page.goto(`${listening.url}${mount}/payments/acme/sandbox/${id}`)
      await page.getByText("Authorized", { exact: true }).first().waitFor()
      const cookie = await here.signInAgain("jo")
      const headers = { "idempotency-key": "void-in-the-background" }
      await here.send(`/api/workspaces/acme/sandbox/payments/${id}/void`, { method: "POST", cookie, headers })
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    }))
})
