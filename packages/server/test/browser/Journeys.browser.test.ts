/** Customers in a real browser who pay on a provider's own page, in front of a whole server. */
import { describe, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { customerOn } from "../support/journeys/BrowserCustomer.ts"
import { playJourney, variations } from "../support/journeys/Journeys.ts"
import { providers } from "../support/journeys/Providers.ts"

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
