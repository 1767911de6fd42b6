/**
 * The site in a real browser: every page on a phone, the main ones in all sizes and colours, and search.
 * `POINTSMAN_PICTURES=all` takes pictures of the main pages besides, into `checks/docs/artifacts/pictures`.
 */
import type { Server } from "node:http"
import { join } from "node:path"
import axe from "axe-core"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeInChromium } from "../../../../packages/http/test/browser/Chromium.ts"
import { root } from "../../../tidy/Files.ts"
import { addresses, buildSite, serveSite } from "../../Site.ts"

let site: { readonly url: string; readonly server: Server } | undefined
/** Half a minute alone, and more beside other work. */
const buildWithinMillis = 300_000

beforeAll(async () => {
  await buildSite()
  site = await serveSite()
}, buildWithinMillis)
afterAll(() => site?.server.close())

const takesPictures = process.env["POINTSMAN_PICTURES"] === "all"
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const
const colours = ["light", "dark"] as const

const mainPages = [
  "/",
  "/start.html",
  "/concepts/one-payment.html",
  "/concepts/unknown.html",
  "/concepts/packages.html",
  "/concepts/compared.html",
  "/guides/configuration.html",
  "/reference/api.html",
  "/reference/events.html",
  "/reference/proofs.html",
  "/states/payment.html",
  "/api/"
]

interface Seen {
  readonly page: Page
  /** What the console tells, and what was asked of anybody but the site. */
  readonly complaints: ReadonlyArray<string>
}

const visit = async (browser: Browser, options: BrowserContextOptions, use: (seen: Seen) => Promise<void>) => {
  const context = await browser.newContext({ locale: "en-GB", ...options })
  try {
    const complaints: Array<string> = []
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== "data:" && protocol !== "blob:" && origin !== site?.url) complaints.push(`asks ${request.url()}`)
    })
    context.on("response", (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
    })
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
    })
    context.on("weberror", (error) => complaints.push(String(error.error())))
    const page = await context.newPage()
    await use({ page, complaints })
    expect(complaints).toEqual([])
  } finally {
    await context.close()
  }
}

const open = async (page: Page, address: string) => {
  await page.goto(`${site?.url}${address}`, { waitUntil: "networkidle" })
}

/** How far the page can be pushed sideways, and what sticks out; pictures that are not there. */
const faultsOfLayout = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const faults = []
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
    if (wide > 0) faults.push("wider than the screen by " + wide)
    for (const image of document.querySelectorAll("img")) {
      if (image.complete && image.naturalWidth === 0) faults.push("no picture " + image.getAttribute("src"))
    }
    return faults
  })()`)

const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })"
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html.slice(0, 160))
          .slice(0, 5)
          .join(" | ")}`
    )
}

await describeInChromium("the site in a browser", (browser) => {
  describe.each(colours)("in %s colours", (colorScheme) => {
    describe.each(["phone", "desktop"] as const)("on a %s", (size) => {
      test("the main pages fit, have no complaint and are accessible", async () => {
        await visit(browser, { colorScheme, viewport: sizes[size], isMobile: size === "phone" }, async ({ page }) => {
          const faults: Array<string> = []
          for (const address of mainPages) {
            await open(page, address)
            if (takesPictures) {
              const name = `${address.replaceAll(/\W+/gu, "-").replaceAll(/^-|-html$|-$/gu, "") || "home"}-${size}-${colorScheme}`
              await page.screenshot({ path: join(root, "checks/docs/artifacts/pictures", `${name}.png`) })
            }
            const found = [...(await faultsOfLayout(page)), ...(await accessibilityFaults(page))]
            faults.push(...found.map((fault) => `${address}: ${fault}`))
          }
          expect(faults).toEqual([])
        })
      })
    })
  })

  test("every page fits on a phone, without a complaint", {
    timeout: 300_000
  }, async () => {
    const all = addresses().filter((address) => address !== "/404.html")
    expect(all.length).toBeGreaterThan(60)
    await visit(browser, { viewport: sizes.phone, isMobile: true }, async ({ page }) => {
      const faults: Array<string> = []
      for (const address of all) {
        await page.goto(`${site?.url}${encodeURI(address)}`, { waitUntil: "load" })
        faults.push(...(await faultsOfLayout(page)).map((fault) => `${address}: ${fault}`))
      }
      expect(faults).toEqual([])
    })
  })

  test.each(Object.entries(sizes))("the page of a searched word is found first on a %s", async (_, viewport) => {
    await visit(browser, { viewport }, async ({ page }) => {
      await open(page, "/start.html")
      await page.keyboard.press("Control+k")
      await page.getByRole("searchbox").fill("UNKNOWN")
      const results = page.locator(".VPLocalSearchBox .result")
      await results.first().waitFor()
      expect(await results.first().getAttribute("href")).toContain("/concepts/unknown.html")
      if (takesPictures) {
        await page.screenshot({ path: join(root, "checks/docs/artifacts/pictures", `search-${viewport.width}.png`) })
      }
      await results.first().click()
      await page.getByRole("heading", { level: 1, name: "UNKNOWN" }).waitFor()
    })
  })

  test("each link in the list of pages leads to a page with a heading", async () => {
    await visit(browser, { viewport: sizes.desktop }, async ({ page }) => {
      await open(page, "/start.html")
      const links: ReadonlyArray<string> = await page.evaluate(
        `Array.from(document.querySelectorAll(".VPSidebar a"), (link) => link.getAttribute("href"))`
      )
      expect(links.length).toBeGreaterThan(50)
      const there = new Set(addresses())
      const paths = links.map((link) => decodeURIComponent(link).replace(/\/$/u, "/index.html"))
      expect(paths.filter((path) => !there.has(path))).toEqual([])
    })
  })
})
