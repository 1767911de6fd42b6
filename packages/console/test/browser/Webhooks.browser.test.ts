/** An admin in a real browser, at the pages of webhooks. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { checkPage, type ListeningWorld, listeningWorld } from "../support/ListeningWorld.ts"
import { openArea } from "../support/OpenArea.ts"
import { addEndpoint, deliver } from "../support/Webhooks.ts"
import { mount, type World } from "../support/World.ts"

let listening: ListeningWorld
let here: World
let url: string
const at = "/webhooks/acme/sandbox"

beforeAll(async () => {
  listening = await listeningWorld({ role: "admin" })
  ;({ here, url } = listening)
  await addEndpoint(here)
  await addEndpoint(here, { id: "whe_books", events: ["payment.captured", "payment.declined", "payment.refunded"] })
  await addEndpoint(here, { id: "whe_old", active: false })
})
afterAll(() => listening.close())

await describeInChromium("the pages of webhooks in a browser", (browser) => {
  test.each([true, false])(
    "with JavaScript: %s, double clicks send again and rotate once, in few actions",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        await here.pay("acme", "sandbox", "automatic")
        await deliver(here, 410)
        await listening.signIn(page)
        await openArea(page, "Webhooks")
        await page.getByRole("region", { name: "Deliveries" }).getByRole("link").first().click()
        await page.getByRole("button", { name: "Send again" }).dblclick()
        await page.waitForURL(/notice=(?:scheduled|already)$/u)
        expect(await deliver(here, 200)).toHaveLength(1)
        await page.reload()
        await page.getByText("Delivered").waitFor()
        await page.getByText("HTTP 410").waitFor()

        await openArea(page, "Webhooks")
        await page.getByRole("link", { name: "https://shop.example/hooks/whe_shop?…" }).first().click()
        await page.getByRole("link", { name: "Rotate the secret…" }).click()
        await page.getByRole("button", { name: "Rotate the secret" }).dblclick()
        await page.getByText("Copy the secret now").waitFor()
        const secret = await page.locator(".secret").textContent()
        await page.reload()
        expect(await page.locator(".secret").textContent()).toBe(secret)
        expect(page.url()).not.toContain("whsec")
        expect(origins()).toEqual([url])
      })
  )

  test.each(["light", "dark"] as const)(
    "axe finds nothing on the pages in the %s, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async (visitor) => {
        const { page } = visitor
        const { id } = await here.pay("acme", "sandbox", "automatic")
        const [first] = await deliver(here, 410)
        const delivery = first?.headers["x-service-delivery-id"] ?? ""
        await listening.signIn(page)
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          const paths = [
            at,
            `/webhooks/globex/sandbox`,
            `${at}?state=refused&payment=${id}`,
            `${at}/deliveries/${delivery}?notice=already`,
            `${at}/endpoints/whe_shop`,
            `${at}/endpoints/whe_shop/secret`,
            `${at}/endpoints/whe_shop/active`,
            `${at}/new/endpoint`,
            `/payments/acme/sandbox/${id}`
          ]
          for (const path of paths) {
            await page.goto(`${url}${mount}${path}`)
            await checkPage(visitor)
          }
          await page.goto(`${url}${mount}${at}/endpoints/whe_books/secret`)
          await page.getByRole("button", { name: "Rotate the secret" }).click()
          await page.getByText("Copy the secret now").waitFor()
          await checkPage(visitor)
        }
      })
  )
})
