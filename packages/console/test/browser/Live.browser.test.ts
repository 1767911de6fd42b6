/** Pages that follow changes, the list's filters and a payment's path, in a real browser. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { usedListeningWorld } from "../support/ListeningWorld.ts"
import { mount } from "../support/World.ts"

/** Paths under the mount, of requests that came. */
const asked: Array<string> = []
/** As for an operator with too many pages. */
let refusesStreams = false

const { here, listening } = usedListeningWorld({
  role: "support",
  refusalOf: (path) => {
    asked.push(path)
    return refusesStreams && path.startsWith(`${mount}/live/`) ? 429 : undefined
  }
})

const voidPayment = async (id: string) => {
  const cookie = await here.signInAgain("jo")
  const headers = { "idempotency-key": `void-${id}` }
  await here.send(`/api/workspaces/acme/sandbox/payments/${id}/void`, { method: "POST", cookie, headers })
}

await describeInChromium("live pages in a browser", (browser) => {
  test.each([false, true])("a payment's page shows a change; streams refused: %s asks without one only", (isRefused) =>
    visit(browser, {}, async ({ page }) => {
      refusesStreams = isRefused
      const { id } = await here.pay("acme", "sandbox", "manual")
      await listening.signIn(page)
      const path = `${mount}/payments/acme/sandbox/${id}`
      const stream = isRefused
        ? undefined
        : page.waitForResponse((response) => response.url().endsWith(`/live/acme/sandbox?payment=${id}`))
      await page.goto(`${listening.url}${path}`)
      expect((await stream)?.headers()["content-type"] ?? "text/event-stream").toBe("text/event-stream")
      // Behind the first look after the stream opened.
      await page.waitForTimeout(5_500)
      const before = asked.filter((one) => one === path).length
      await page.waitForTimeout(5_500)
      expect(asked.filter((one) => one === path).length > before).toBe(isRefused)
      await voidPayment(id)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
      refusesStreams = false
    })
  )

  test("a hidden page holds no connection, and shows what changed once visible", () =>
    visit(browser, {}, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "manual")
      await listening.signIn(page)
      const closed = page.waitForEvent("requestfinished", (request) => request.url().includes("payment="))
      const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("payment="))
      await page.goto(`${listening.url}${mount}/payments/acme/sandbox/${id}`)
      const hide = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
           document.dispatchEvent(new Event("visibilitychange"))`
        )
      await page.waitForTimeout(1_000)
      await hide(true)
      await Promise.race([closed, failed])
      await voidPayment(id)
      await page.waitForTimeout(1_500)
      expect(await page.getByText("Cancelled", { exact: true }).count()).toBe(0)
      await hide(false)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    }))

  test("times are those of the reader's zone, with UTC in their title, after changes too", () =>
    visit(browser, { timezoneId: "Asia/Tokyo", locale: "en-GB" }, async ({ page }) => {
      const { createdAt, id } = await here.pay("acme", "sandbox", "manual")
      await listening.signIn(page)
      await page.goto(`${listening.url}${mount}/payments/acme/sandbox/${id}`)
      const utc = `${new Date(createdAt).toISOString().slice(0, 19).replace("T", " ")} UTC`
      const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long", timeZone: "Asia/Tokyo" })
      const check = async () => {
        const first = page.locator("main time").first()
        expect([await first.getAttribute("title"), await first.textContent()]).toEqual([utc, local.format(createdAt)])
      }
      await check()
      await voidPayment(id)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
      await check()
    }))

  test("four actions type, remove and export the list's filters", () =>
    visit(browser, {}, async ({ page }) => {
      await here.pay("acme", "sandbox", "automatic")
      await listening.signIn(page)
      await page.getByText("More filters").click()
      await page.getByLabel("Currency").fill("EUR")
      await page.getByRole("button", { name: "Find" }).click()
      await page.waitForURL(/currency=EUR/u)
      const download = page.waitForEvent("download")
      await page.getByRole("link", { name: "Export as CSV" }).click()
      expect((await download).suggestedFilename()).toBe("payments-acme-sandbox.csv")
      await page.getByRole("link", { name: "Remove the filter Currency: EUR" }).click()
      await page.waitForURL(`${listening.url}${mount}/payments/acme/sandbox`)
    }))
})
