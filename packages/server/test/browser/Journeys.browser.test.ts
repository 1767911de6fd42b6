/** Customers in a real browser who pay on a provider's own page, in front of a whole server. */
import type { Page } from "playwright-core"
import { describe, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import type { Customer } from "../support/journeys/Customer.ts"
import { playJourney, variations } from "../support/journeys/Journeys.ts"
import { providers } from "../support/journeys/Providers.ts"

const customerOn = (page: Page): Customer => ({
  goTo: async (address) => void (await page.goto(address)),
  fill: async (label, text) => {
    const field = page.getByLabel(label, { exact: true })
    const isChoice = await field.evaluate((element) => element.nodeName === "SELECT")
    await (isChoice ? field.selectOption(text) : field.fill(text))
  },
  choose: (label) => page.getByLabel(label, { exact: true }).check(),
  press: async (button) => {
    const target = page.getByRole("button", { name: button, exact: true })
    try {
      await Promise.all([page.waitForEvent("framenavigated"), target.click()])
      // Chromium sometimes never closes a tab that it is just loading.
      await page.waitForLoadState()
    } catch (cause) {
      // The tab may be closed while the provider answers.
      if (!page.isClosed()) throw cause
    }
  },
  sees: (heading) => page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor(),
  isAt: (address) => page.waitForURL(address),
  closeTab: () => page.close()
})

const ofSandbox = variations.filter(({ isOfSandbox = false }) => isOfSandbox)

await describeInChromium("customers' journeys", (browser) => {
  describe.each(providers)("a customer who pays at $name", (provider) => {
    test.each(variations)("$name", { timeout: 60_000 }, (variation) =>
      visit(browser, {}, ({ page }) => playJourney(provider, variation, customerOn(page)))
    )
    test.each(ofSandbox)("with a test key, $name", { timeout: 60_000 }, (variation) =>
      visit(browser, {}, ({ page }) => playJourney(provider, variation, customerOn(page), "test"))
    )
  })
})
