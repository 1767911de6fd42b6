/** The console below a path that a proxy takes off, in a real browser: links, styles, the script, the cookie and forms. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { checkPage, usedListeningWorld } from "../support/ListeningWorld.ts"

const basePath = "/büro"
const shown = `${encodeURI(basePath)}/admin/desk`

const { here, listening } = usedListeningWorld({
  role: "support",
  options: { mount: "/admin/desk", basePath },
  // As a proxy passes it on.
  pathOf: (path) => path.slice(encodeURI(basePath).length)
})

await describeInChromium("the console below another path", (browser) => {
  test.each([
    ["light", sizes.desktop],
    ["dark", sizes.narrow]
  ] as const)("no page in the %s leads out of the path when an operator refunds", (colorScheme, size) =>
    visit(browser, { colorScheme }, async (visitor) => {
      const { origins, page } = visitor
      const outside: Array<string> = []
      page.on("request", (request) => {
        if (!new URL(request.url()).pathname.startsWith(`${shown}/`)) outside.push(request.url())
      })
      await page.setViewportSize(size)
      const { id } = await here.pay("acme", "sandbox", "automatic")
      await listening.signIn(page, "jo", `${listening.url}${shown}`)
      expect(await page.evaluate("getComputedStyle(document.querySelector('header')).display")).toBe("flex")
      await page.getByLabel("Search").fill(id)
      await page.getByRole("button", { name: "Find" }).click()
      await page.getByRole("link", { name: "Refund…" }).click()
      await page.getByLabel("Amount in EUR").fill("4.99")
      await page.getByLabel("Reason").fill("damaged")
      await page.getByRole("button", { name: "Refund", exact: true }).click()
      await page.waitForURL(/notice=refunded$/u)
      await checkPage(visitor)
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.waitForURL(`${listening.url}${shown}/sign-in`)
      expect(outside).toEqual([])
      expect(origins()).toEqual([listening.url])
    })
  )
})
