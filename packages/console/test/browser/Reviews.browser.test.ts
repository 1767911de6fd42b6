/** Reviews in a real browser: settling with a double click, and a file as evidence. */
import { createHash } from "node:crypto"
import { Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { openArea, usedListeningWorld } from "../support/ListeningWorld.ts"
import { mount } from "../support/World.ts"

const { here, listening } = usedListeningWorld({ role: "operations" }, async (here) => {
  here.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "timeout" }))
})

await describeInChromium("reviews in a browser", (browser) => {
  test("an operator settles an unknown result in four actions, with a double click", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "automatic", "order-4")
      await listening.signIn(page)
      await openArea(page, "Reviews")
      await page.getByRole("link", { name: "order-4" }).click()
      await page.getByRole("link", { name: "Captured…" }).click()
      await page.getByLabel("Amount in EUR").fill("19.99")
      await page.getByLabel("Provider’s reference").fill("ch_4")
      await page.getByLabel("Evidence").fill("The provider’s dashboard")
      await page.getByRole("button", { name: "Record" }).dblclick()
      await page.waitForURL(`${listening.url}${mount}/payments/acme/sandbox/${id}?notice=settled`)
      await page.getByText("Captured", { exact: true }).first().waitFor()
    }))

  test("the hash of a file chosen as evidence is filled in, and the file not sent", () =>
    visit(browser, {}, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "automatic", "order-5")
      await listening.signIn(page)
      await page.goto(`${listening.url}${mount}/reviews/acme/sandbox/${id}`)
      await page.getByRole("link", { name: "Captured…" }).click()
      const buffer = Buffer.from("a screenshot")
      const file = { name: "screenshot.png", mimeType: "image/png", buffer }
      await page.getByLabel("File that shows it (optional)", { exact: true }).setInputFiles(file)
      const hash = createHash("sha256").update(buffer).digest("hex")
      await expect.poll(() => page.getByLabel("SHA-256").inputValue()).toBe(hash)
      await page.getByLabel("Amount in EUR").fill("19.99")
      await page.getByLabel("Provider’s reference").fill("ch_5")
      await page.getByLabel("Evidence").fill("The provider’s dashboard")
      const sent = page.waitForRequest((request) => request.method() === "POST")
      await page.getByRole("button", { name: "Record" }).click()
      expect((await sent).postData()).toContain(`file=${hash}`)
      await page.waitForURL(/notice=settled$/u)
    }))
})
