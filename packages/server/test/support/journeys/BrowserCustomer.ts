/** A customer in a real browser. */
import type { Page } from "playwright-core"
import type { Customer } from "./Customer.ts"

export const customerOn = (page: Page): Customer => ({
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
