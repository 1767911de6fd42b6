/** The pages as the guide shows them, over a shop with a day of payments. `POINTSMAN_PICTURES=all` takes the pictures anew. */
import { writeFile } from "node:fs/promises"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, takesPictures, visit } from "../../../http/test/browser/Visitor.ts"
import { folderOfPictures } from "../support/GuidePictures.ts"
import { checkPage, listen } from "../support/ListeningWorld.ts"
import { openShop } from "../support/Shop.ts"
import { smallPng } from "../support/SmallPng.ts"
import { mount } from "../support/World.ts"

let shop: Awaited<ReturnType<typeof openShop>>
let listening: Awaited<ReturnType<typeof listen>> | undefined

beforeAll(async () => {
  shop = await openShop()
  listening = await listen(shop.here)
}, 60_000)
afterAll(() => listening?.close())

const at = (area: string, rest = "") => `/${area}/nordwind/production${rest}`
/** Follows a link of the page, so that the picture shows what an operator finds. */
const follow = (name: string | RegExp) => (page: Page) =>
  page.locator("main table").getByRole("link", { name }).first().click()

type Picture = readonly [name: string, path: () => string, open?: (page: Page) => Promise<void>]

const pictures: ReadonlyArray<Picture> = [
  ["day", () => at("day")],
  ["payments", () => at("payments")],
  ["payment", () => at("payments", `/${shop.damaged.id}`)],
  ["refund", () => at("payments", `/${shop.large.id}/refund`)],
  ["reviews", () => at("reviews")],
  ["review", () => at("reviews", `/${shop.lost.id}`)],
  ["disputes", () => at("disputes")],
  ["dispute", () => at("disputes"), follow("dsp_201")],
  [
    "dispute-evidence",
    () => at("disputes"),
    async (page) => {
      await follow("dsp_201")(page)
      await page.getByRole("link", { name: "Write evidence…" }).click()
    }
  ],
  ["reconciliation", () => at("reconciliation")],
  ["report", () => at("reconciliation"), follow("stripe-2026-11-24.csv")],
  ["differences", () => at("reconciliation", "/differences")],
  ["payouts", () => at("reconciliation", "/payouts")],
  ["payout", () => at("reconciliation", "/payouts"), follow("po_stripe_1124")],
  ["books", () => at("books", "?until=2026-12-01")],
  ["messages", () => at("messages")],
  [
    "message",
    () => at("messages"),
    (page) => page.getByRole("row").filter({ hasText: "Unreadable" }).getByRole("link").click()
  ],
  ["webhooks", () => at("webhooks")],
  [
    "delivery",
    () => at("webhooks", "?state=refused"),
    (page) => page.getByRole("region", { name: "Deliveries" }).getByRole("link").first().click()
  ],
  ["routing", () => at("routing")],
  ["routing-preview", () => at("routing", "/preview?amount=49.90&currency=EUR&country=NL&card_brand=visa")],
  ["routing-history", () => at("routing", "/history")],
  ["connections", () => at("connections")],
  ["connection", () => at("connections", "/stripe-eu")],
  ["keys", () => at("keys")],
  ["key", () => at("keys", "/new")],
  ["partners", () => "/partners?workspace=nordwind"],
  ["partner", () => "/partners/harbour"],
  ["operators", () => "/operators"],
  ["operator", () => "/operators", follow("Jo Lind")],
  ["audit", () => "/audit"],
  ["account", () => "/account"]
]

/** More of a page says no more to a reader of the guide. */
const tallest = 860

const take = async (page: Page, name: string) => {
  if (!takesPictures) return
  const { height, width } = await page.evaluate<{ height: number; width: number }>(
    "({ height: Math.ceil(document.querySelector('main').getBoundingClientRect().bottom), width: innerWidth })"
  )
  const clip = { x: 0, y: 0, width, height: Math.min(height, tallest) }
  await writeFile(`${folderOfPictures}/${name}.png`, smallPng(await page.screenshot({ fullPage: true, clip })))
}

const looks = [
  { suffix: "", only: undefined, options: { viewport: sizes.desktop, colorScheme: "light" } },
  { suffix: "-dark", only: ["day", "payments"], options: { viewport: sizes.desktop, colorScheme: "dark" } },
  { suffix: "-phone", only: ["day", "payments", "payment"], options: { viewport: sizes.phone, colorScheme: "light" } }
] as const

await describeInChromium("the pages that the guide shows", (browser) => {
  test.each(looks)(
    "axe finds nothing in the look '$suffix' and only tables scroll sideways",
    ({ only, options, suffix }) =>
      visit(browser, { ...options, timezoneId: "Europe/Amsterdam" }, async (visitor) => {
        const { page } = visitor
        const { here } = shop
        const url = `${listening?.url}${mount}`
        // How long ago something was is counted by the browser.
        await page.clock.setFixedTime(shop.now)
        await page.goto(`${url}/sign-in`)
        await checkPage(visitor, "sign-in")
        if (suffix === "") await take(page, "sign-in")
        await page.goto(`${url}/link/${await here.linkOf("ann@nordwind.example")}`)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByRole("heading", { name: "Today", exact: true }).waitFor()
        for (const [name, path, open] of pictures) {
          await page.goto(`${url}${path()}`)
          if (open !== undefined) {
            await open(page)
            await page.waitForLoadState()
          }
          await checkPage(visitor, name)
          if (suffix === "-phone") {
            await page.setViewportSize(sizes.narrow)
            expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true)
            await page.setViewportSize(options.viewport)
          }
          if ((only ?? [name]).some((one) => one === name)) await take(page, `${name}${suffix}`)
        }
      })
  )
})
