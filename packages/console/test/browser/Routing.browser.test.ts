/** Routing and connections in a real browser: plots, forms and tables, in the light, in the dark and on a phone. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { routedShop } from "../support/RoutedShop.ts"
import { mount, type World, world } from "../support/World.ts"

let here: World
let server: Server
let url: string

beforeAll(async () => {
  here = world()
  // No form of this test has a body.
  server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const answer = await here.handler(
      new Request(`${url}${request.url}`, {
        method: request.method ?? "GET",
        headers: headers.filter(([name]) => name !== "content-length")
      })
    )
    response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await here.run(
    (await here.operators).add({ login: "jo", displayName: "Jo", grants: [{ workspaceId: null, role: "admin" }] })
  )
  const rules = [
    { name: "a rule with a long name", when: { currency: ["EUR"], amount: { min: 100_000 } }, use: { mode: "fixed" } },
    { name: "never", when: { currency: ["EUR"], amount: { min: 200_000 } }, use: { mode: "failover" } }
  ] as const
  const connections = [
    { id: "backup" },
    { id: "dollars", supports: { currencies: ["USD"] } },
    { id: "off", active: false },
    { id: "broken", connector: "nowhere" },
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
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await here.close()
})

const signIn = async (page: Page) => {
  await page.goto(`${url}${mount}/link/${await here.linkOf("jo")}`)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${url}${mount}/payments/acme/sandbox`)
}

const preview = "/preview?amount=20&currency=EUR&country=NL"

await describeInChromium("routing and connections in a browser", (browser) => {
  test.each(["light", "dark"] as const)(
    "given the pages in the %s, then axe finds nothing, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async ({ accessibilityFaults, page }) => {
        await signIn(page)
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          const paths = [
            ...["", "/history", preview, "/preview?amount=0&currency=EUR"].map((path) => `routing/acme/sandbox${path}`),
            ...["", "/fragile", "/broken"].map((path) => `connections/acme/sandbox${path}`)
          ]
          for (const path of paths) {
            await page.goto(`${url}${mount}/${path}`)
            const summary = page.locator("summary").first()
            if ((await summary.count()) > 0) await summary.click()
            expect([path, await accessibilityFaults()]).toEqual([path, []])
            // Nothing but a table scrolls sideways.
            expect([path, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([
              path,
              true
            ])
          }
        }
      })
  )

  test("given no JavaScript, when an operator asks where a payment would go, then four actions show it, and a plot is drawn", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ origins, page }) => {
      await signIn(page)
      await page.getByRole("link", { name: "Routing" }).click()
      await page.getByRole("link", { name: "Where would this payment go?" }).click()
      await page.getByLabel("Customer’s country").fill("nl")
      await page.getByRole("button", { name: "Show" }).click()
      await page.getByText("The connection does not accept EUR.").waitFor()
      await page.getByRole("link", { name: "Routing" }).first().click()
      await page.getByRole("link", { name: "Success over time" }).first().click()
      const drawn = page.getByRole("img", { name: "Success of fragile" })
      expect((await drawn.boundingBox())?.height).toBeGreaterThan(100)
      expect(origins()).toEqual([url])
    }))
})
