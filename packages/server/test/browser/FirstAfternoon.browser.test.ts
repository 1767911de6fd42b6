/**
 * A newcomer's first afternoon: from `pointsman init` to a payment on the provider's own test page, in a real browser. It counts
 * the commands that a person types, and the time but for the download of packages, which are linked here.
 */
import { assert, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { customerOn } from "../support/journeys/BrowserCustomer.ts"
import {
  enterKeys,
  install,
  openProvider,
  payAtProvider,
  payOnSimulator,
  startShop,
  writeShop
} from "../support/NewShop.ts"

const commandsAtMost = 12
const minutesAtMost = 5

await describeInChromium("a shop's first afternoon", (browser) => {
  test(
    "a customer pays Express with the simulator, and then on Stripe's test page",
    {
      timeout: minutesAtMost * 60_000
    },
    () =>
      visit(browser, {}, async ({ page }) => {
        const commands: Array<string> = []
        const typed = <A>(command: string, does: () => A): A => {
          commands.push(command)
          return does()
        }
        const customer = customerOn(page)
        const folder = await typed("npx pointsman init", () => writeShop("express", "stripe"))
        typed("npm install", () => install(folder))
        const simulated = await typed("npm start", () => startShop(folder))
        await payOnSimulator(simulated, customer)
        await typed("Ctrl-C", simulated.stop)
        const opened = await openProvider("stripe")
        typed("an editor on .env", () => enterKeys(folder, "stripe", opened.standIn))
        const shop = await typed("npm start", () => startShop(folder))
        await payAtProvider(shop, opened, customer)
        assert.match(page.url(), /\/thanks\?payment_id=[\w-]+&status=CAPTURED$/u)
        assert.isAtMost(commands.length, commandsAtMost)
      })
  )
})
