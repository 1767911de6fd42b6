/** An admin in a real browser, at the pages of webhooks. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { openArea, usedListeningWorld } from "../support/ListeningWorld.ts"
import { addEndpoint, deliver } from "../support/Webhooks.ts"

const { here, listening } = usedListeningWorld({ role: "admin" }, async (here) => {
  await addEndpoint(here)
})

await describeInChromium("the pages of webhooks in a browser", (browser) => {
  test.each([true, false])(
    "with JavaScript: %s, double clicks send again and rotate once, in few actions",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        await here.pay("acme", "sandbox", "automatic")
        await deliver(here, 410)
        await listening.signIn(page)
        await openArea(page, "Webhooks")
        await page.getByRole("region", { name: "Deliveries" }).getByRole("link").first().click()
        await page.getByRole("button", { name: "Send again" }).dblclick()
        await page.waitForURL(/notice=(?:scheduled|already)$/u)
        expect(await deliver(here, 200)).toHaveLength(1)
        await page.reload()
        await page.getByText("Delivered").waitFor()
        await page.getByText("HTTP 410").waitFor()

        await openArea(page, "Webhooks")
        await page.getByRole("link", { name: "https://shop.example/hooks/whe_shop?…" }).first().click()
        await page.getByRole("link", { name: "Rotate the secret…" }).click()
        await page.getByRole("button", { name: "Rotate the secret" }).dblclick()
        await page.getByText("Copy the secret now").waitFor()
        const secret = await page.locator(".secret").textContent()
        await page.reload()
        expect(await page.locator(".secret").textContent()).toBe(secret)
        expect(page.url()).not.toContain("whsec")
        expect(origins()).toEqual([listening.url])
      })
  )
})
