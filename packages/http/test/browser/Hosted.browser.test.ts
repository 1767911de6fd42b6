/** Customers in a real browser, in front of a listening server with the real core. */
import { paymentStates } from "@pointsman/core"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { languages } from "../../src/hosted/Reader.ts"
import { awaiting, hostedWeb, inProduction } from "../hosted/HostedWeb.ts"
import { describeInChromium } from "./Chromium.ts"
import { guidePicture, pictures, sizes, takesPictures, visit } from "./Visitor.ts"
import { brand, type Created, merchant, openWorld, type World } from "./World.ts"

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world.close()
  if (takesPictures) console.info(`Pictures of the hosted pages are in ${pictures}`)
})

const pageWidth = "document.documentElement.scrollWidth"
const widthOfImage = (image: { readonly naturalWidth?: number }) => image.naturalWidth
const mainBackground = "getComputedStyle(document.querySelector('button.main')).backgroundColor"
const headingOf = (page: Page) => page.getByRole("heading", { level: 1 }).innerText()
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole("link", { name }).click()
const backAtShop = ({ id }: Created, status: string) =>
  `${world.shop}/thanks?order=20417&payment_id=${id}&status=${status}#receipt`

await describeInChromium("the hosted page in a browser", (browser) => {
  describe.each([true, false])("with JavaScript: %s", (javaScriptEnabled) => {
    test("an approved sandbox payment is captured, and the customer back at the shop", () =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        const created = await world.create()
        await page.goto(created.page)
        expect(await headingOf(page)).toBe(`Pay ${merchant}`)
        await press(page, "Approve")
        await page.waitForURL(backAtShop(created, "CAPTURED"))
        expect(await headingOf(page)).toBe("Shop")
        expect(await world.statusOf(created.id)).toBe("CAPTURED")
        expect(origins()).toEqual([world.url, world.shop].sort())
      }))

    test("a payment is captured once its challenge is passed", () =>
      visit(browser, { javaScriptEnabled }, async ({ page }) => {
        const created = await world.create({ simulate: { charge: "requires_authentication" } })
        await page.goto(created.page)
        await follow(page, "Approve after a 3DS challenge")
        expect(await headingOf(page)).toBe("Confirm your identity")
        await press(page, "Yes, it is mine")
        await page.waitForURL(backAtShop(created, "CAPTURED"))
      }))

    test("a payment is declined for the chosen reason", () =>
      visit(browser, { javaScriptEnabled }, async ({ page }) => {
        const created = await world.create()
        await page.goto(created.page)
        await page.getByLabel("Decline with a reason").selectOption("Expired card")
        await press(page, "Decline")
        await page.waitForURL(backAtShop(created, "DECLINED"))
        await page.goto(created.page)
        expect(await page.getByText("expired_card").count()).toBe(1)
      }))

    test.each([true, false])("cancelling with cancel_url: %s leads there, else to return_url", (isThere) =>
      visit(browser, { javaScriptEnabled }, async ({ page }) => {
        const created = await world.create(isThere ? { cancel_url: `${world.shop}/basket` } : {})
        await page.goto(created.page)
        await press(page, "Cancel")
        await page.waitForURL(
          isThere ? `${world.shop}/basket?payment_id=${created.id}&status=CANCELLED` : backAtShop(created, "CANCELLED")
        )
        expect(await world.statusOf(created.id)).toBe("CANCELLED")
      })
    )
  })

  test("a customer who goes back after an approval sees that and can only return", () =>
    visit(browser, {}, async ({ page }) => {
      const created = await world.create()
      await page.goto(created.page)
      await press(page, "Approve")
      await page.waitForURL(backAtShop(created, "CAPTURED"))
      await page.goBack()
      expect(await headingOf(page)).toBe("Payment complete")
      expect(await page.getByRole("button").count()).toBe(0)
      await follow(page, `Back to ${merchant}`)
      await page.waitForURL(backAtShop(created, "CAPTURED"))
    }))

  test("the shop gets an event when a customer pays at the provider in production", () =>
    visit(browser, {}, async ({ origins, page }) => {
      const before = world.checkouts()
      const created = await world.create({}, "production")
      await page.goto(created.page)
      expect(world.checkouts()).toBe(before)
      await press(page, "Continue to payment")
      expect(new URL(page.url()).origin).toBe(world.provider)
      expect(world.checkouts()).toBe(before + 1)

      // Another tab is sent to the same checkout.
      const second = await page.context().newPage()
      await second.goto(created.page)
      await press(second, "Continue to payment")
      expect(second.url()).toBe(page.url())
      expect(world.checkouts()).toBe(before + 1)

      // Nobody paid yet, so the page says so and looks again by itself.
      await follow(page, "Done")
      await page.waitForURL(`${created.page}/return`)
      expect(await headingOf(page)).toBe("Your payment is not confirmed yet")
      const money = { minorUnits: 123_456, currency: "EUR" }
      world.record = { _tag: "Captured", providerRef: "ch_1", stated: money }
      await page.waitForURL(backAtShop(created, "CAPTURED"))
      expect(await world.statusOf(created.id, "production")).toBe("CAPTURED")
      expect(origins()).toEqual([world.url, world.shop, world.provider].sort())
      world.record = undefined
    }))

  test("Approve clicked twice at once charges the payment once", () =>
    visit(browser, {}, async ({ page }) => {
      const created = await world.create()
      await page.goto(created.page)
      await page.getByRole("button", { name: "Approve", exact: true }).dblclick()
      await expect.poll(() => world.statusOf(created.id)).toBe("CAPTURED")
      expect(await world.timelineOf(created.id)).toEqual(["payment.requires_action", "payment.captured"])
    }))

  test("a keyboard reaches Approve with every stop visible, and it is captured", () =>
    visit(browser, {}, async ({ page }) => {
      const created = await world.create()
      await page.goto(created.page)
      const stops: Array<string> = []
      for (let stop = 0; stop < 5; stop++) {
        await page.keyboard.press("Tab")
        stops.push(await page.evaluate("document.activeElement.innerText.split('\\n')[0]"))
        expect(await page.evaluate("getComputedStyle(document.activeElement).outlineWidth")).toBe("3px")
      }
      expect(stops).toEqual(["Approve", "Approve after a 3DS challenge", "Insufficient funds", "Decline", "Cancel"])
      for (let stop = 0; stop < 4; stop++) await page.keyboard.press("Shift+Tab")
      await page.keyboard.press("Enter")
      await page.waitForURL(backAtShop(created, "CAPTURED"))
    }))

  test("a page of a brand shows its logo, name, color and links", () =>
    visit(browser, {}, async ({ accessibilityFaults, origins, page, takePicture }) => {
      await page.route("https://cdn.example/logo.svg", (route) =>
        route.fulfill({
          contentType: "image/svg+xml",
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="80"><rect width="400" height="80"/></svg>'
        })
      )
      for (const environment of ["sandbox", "production"] as const) {
        await page.goto((await world.create({}, environment, "suedwind")).page)
        expect(await headingOf(page)).toBe(`Pay ${brand.name}`)
        expect(await page.getByRole("img", { name: brand.name ?? "" }).evaluate(widthOfImage)).toBe(400)
        expect(await page.evaluate(mainBackground)).toBe("rgb(18, 53, 36)")
        const links = await page.locator("footer a").all()
        expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual([brand.support, brand.terms])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          await takePicture(`brand-${environment}-${colorScheme}`)
          expect(await accessibilityFaults()).toEqual([])
        }
        await page.setViewportSize(sizes.narrow)
        expect(await page.evaluate(pageWidth)).toBe(sizes.narrow.width)
      }
      expect(origins()).toEqual([world.url, "https://cdn.example"].sort())
    }))

  test("a page shows brand, description and lines as the guide does", () =>
    visit(browser, {}, async ({ accessibilityFaults, page }) => {
      const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 232 40" width="232" height="40"><g fill="none" stroke="#123524" stroke-width="3"><path d="M5 15h22v8a11 11 0 0 1-22 0zM27 17h4a4 4 0 0 1 0 9h-5M4 38h24M12 10q-3-4 0-8M20 10q-3-4 0-8"/></g><text x="46" y="29" font-family="sans-serif" font-size="21" font-weight="700" fill="#123524">${brand.name}</text></svg>`
      await page.route(brand.logo ?? "", (route) => route.fulfill({ contentType: "image/svg+xml", body: logo }))
      const purchase = {
        description: "Your order of 24 November",
        lines: [
          { name: "Espresso machine", quantity: 1, amount: 114_900 },
          { name: "Espresso blend, 1 kg", quantity: 3, amount: 7_470 },
          { name: "Shipping", quantity: 1, amount: 1_086 }
        ]
      }
      await page.goto((await world.create(purchase, "sandbox", "suedwind")).page)
      expect(await page.getByText(purchase.description).count()).toBe(1)
      expect(await page.locator(".lines dt").allInnerTexts()).toEqual([
        "Espresso machine",
        "3 × Espresso blend, 1 kg",
        "Shipping"
      ])
      expect(await page.locator(".lines dd").allInnerTexts()).toEqual(["€1,149.00", "€74.70", "€10.86"])
      expect(await accessibilityFaults()).toEqual([])
      if (takesPictures) await page.screenshot({ path: guidePicture, fullPage: true })
    }))

  const approved = async (change: Readonly<Record<string, unknown>>) => {
    const created = await world.create(change)
    await fetch(created.page, { method: "POST", body: new URLSearchParams({ action: "approve" }), redirect: "manual" })
    // Looked at so often that it does not look again by itself, in the midst of the test.
    return `${created.page}?look=5`
  }
  const pages: ReadonlyArray<readonly [name: string, heading: string, open: () => Promise<string>]> = [
    ["buttons", `Pay ${merchant}`, async () => (await world.create()).page],
    ["challenge", "Confirm your identity", async () => `${(await world.create()).page}?step=challenge`],
    ["production", `Pay ${merchant}`, async () => (await world.create({}, "production")).page],
    ["complete", "Payment complete", () => approved({})],
    ["approved", "Payment approved", () => approved({ capture_method: "manual" })],
    ["declined", "Payment declined", () => approved({ simulate: { charge: "decline:insufficient_funds" } })],
    ["processing", "Your payment is being processed", () => approved({ simulate: { charge: "pending" } })],
    ["checking", "Your payment is being checked", () => approved({ simulate: { charge: "no_answer" } })],
    [
      "returned",
      "Your payment is not confirmed yet",
      async () => {
        const { page } = await world.create({}, "production")
        await fetch(page, { method: "POST", body: new URLSearchParams({ action: "continue" }), redirect: "manual" })
        return `${page}/return?look=5`
      }
    ],
    ["missing", "Payment page not found", async () => `${world.url}/hosted/nothing`],
    // Last: the clock goes on for all.
    [
      "expired",
      "This payment page has expired",
      async () => {
        const { page } = await world.create()
        world.setForward(30 * 60 * 1000)
        return page
      }
    ]
  ]

  test.each(pages)("the page %s has no finding of axe in light and dark, and fits 320 pixels", (name, heading, open) =>
    visit(browser, {}, async ({ accessibilityFaults, page, takePicture }) => {
      await page.goto(await open())
      expect(await headingOf(page)).toBe(heading)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        for (const size of ["phone", "desktop"] as const) {
          await page.setViewportSize(sizes[size])
          await takePicture(`${name}-${size}-${colorScheme}`)
        }
        expect(await accessibilityFaults()).toEqual([])
      }
      await page.setViewportSize(sizes.narrow)
      expect(await page.evaluate(pageWidth)).toBe(sizes.narrow.width)
    })
  )

  describe.each(languages)("in %s", (locale) => {
    const sandbox = () => world.create()
    const declined = () => approved({ simulate: { charge: "decline:insufficient_funds" } })
    const inLanguage: ReadonlyArray<readonly [name: string, open: () => Promise<string>]> = [
      ["buttons", async () => (await sandbox()).page],
      ["challenge", async () => `${(await sandbox()).page}?step=challenge`],
      ["production", async () => (await world.create({}, "production", "suedwind")).page],
      ["declined", declined],
      ["missing", async () => `${world.url}/hosted/nothing`]
    ]

    test.each(inLanguage)("the page %s in this language has no finding of axe, and fits 320 pixels", (name, open) =>
      visit(browser, { locale, viewport: sizes.narrow }, async ({ accessibilityFaults, page, takePicture }) => {
        await page.route("https://cdn.example/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: "" }))
        await page.goto(await open())
        expect(await page.locator("html").getAttribute("lang")).toBe(locale)
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          await takePicture(`${name}-narrow-${locale}-${colorScheme}`)
          expect(await accessibilityFaults()).toEqual([])
        }
        expect(await page.evaluate(pageWidth)).toBe(sizes.narrow.width)
      })
    )

    test("the page of a payment in any state fits 320 pixels", () =>
      visit(browser, { locale, viewport: sizes.narrow }, async ({ page }) => {
        for (const state of paymentStates) {
          for (const payment of [{ ...awaiting, state }, inProduction({ ...awaiting, state })]) {
            const { text } = await hostedWeb(payment, { merchant }).get("/hosted/token", { "accept-language": locale })
            await page.setContent(text)
            expect([state, await page.evaluate(pageWidth)]).toEqual([state, sizes.narrow.width])
          }
        }
      }))
  })
})
