/** Routing and connections in a real browser: plots, forms and tables, in the light, in the dark and on a phone. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { checkPage, openArea, usedListeningWorld } from "../support/ListeningWorld.ts"
import { routedShop } from "../support/RoutedShop.ts"

const { listening } = usedListeningWorld({ role: "admin" }, async (here) => {
  const rules = [
    { name: "a rule with a long name", when: { currency: ["EUR"], amount: { min: 100_000 } }, use: { mode: "fixed" } },
    { name: "never", when: { currency: ["EUR"], amount: { min: 200_000 } }, use: { mode: "failover" } }
  ] as const
  const connections = [
    { id: "backup" },
    { id: "dollars", supports: { currencies: ["USD"] } },
    { id: "fragile", priority: 0, circuitBreaker: { failures: 1, openMillis: 3_600_000 } }
  ]
  await routedShop(here, "sandbox", { mode: "auto", control: { share: 0.5, order: ["backup"] }, rules }, connections)
  here.provider.onCharge = ({ attemptId, connectionId }) =>
    Effect.succeed(
      connectionId === "fragile"
        ? { _tag: "Rejected", code: "E1", message: "no" }
        : { _tag: "Captured", providerRef: attemptId }
    )
  for (let number = 0; number < 6; number++) await here.pay("acme", "sandbox", "automatic")
})

await describeInChromium("routing and connections in a browser", (browser) => {
  test.each([true, false])(
    "four actions show and make a change of the routing, with JavaScript: %s",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async (visitor) => {
        const { page } = visitor
        await listening.signIn(page)
        await openArea(page, "Routing")
        await page.getByRole("link", { name: "Change the routing…" }).click()
        const routing = page.getByLabel("Routing, as in the configuration file")
        const before = await routing.inputValue()
        await routing.fill(before.replace("a rule with a long name", `renamed ${javaScriptEnabled}`))
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("heading", { name: "The new routing" }).waitFor()
        // Axe is a script.
        if (javaScriptEnabled) await checkPage(visitor)
        await page.getByRole("button", { name: "Change the routing" }).click()
        await page.getByText("The routing is changed.").waitFor()
        await page.getByText(`renamed ${javaScriptEnabled}`).first().waitFor()
        await page.getByRole("link", { name: "Change the routing…" }).click()
        await routing.fill(before)
        await page.getByRole("button", { name: "Check" }).click()
        await page.getByRole("button", { name: "Change the routing" }).click()
        await page.getByText("The routing is changed.").waitFor()
      })
  )

  test("four actions show where a payment would go without JavaScript, with a plot", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ origins, page }) => {
      await listening.signIn(page)
      await openArea(page, "Routing")
      await page.getByRole("link", { name: "Where would this payment go?" }).click()
      await page.getByLabel("Customer’s country").fill("nl")
      await page.getByRole("button", { name: "Show" }).click()
      await page.getByText("The connection does not accept EUR.").waitFor()
      await openArea(page, "Routing")
      await page.getByRole("link", { name: "Success over time" }).first().click()
      const drawn = page.getByRole("img", { name: "Success of fragile" })
      expect((await drawn.boundingBox())?.height).toBeGreaterThan(100)
      expect(origins()).toEqual([listening.url])
    }))
})
