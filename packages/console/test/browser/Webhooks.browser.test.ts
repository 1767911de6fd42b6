/** An admin in a real browser, at the pages of webhooks. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { addEndpoint, deliver } from "../support/Webhooks.ts"
import { mount, type World, world } from "../support/World.ts"

let here: World
let server: Server
let url: string
const at = "/webhooks/acme/sandbox"

const toRequest = async (request: IncomingMessage): Promise<Request> => {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const body = await text(request)
  return new Request(`${url}${request.url}`, {
    method: request.method ?? "GET",
    headers,
    ...(body === "" ? {} : { body })
  })
}

beforeAll(async () => {
  here = world()
  server = createServer(async (request, response) => {
    const answer = await here.handler(await toRequest(request))
    response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await here.run(
    (await here.operators).add({ login: "jo", displayName: "Jo", grants: [{ workspaceId: null, role: "admin" }] })
  )
  await addEndpoint(here)
  await addEndpoint(here, { id: "whe_books", events: ["payment.captured", "payment.declined", "payment.refunded"] })
  await addEndpoint(here, { id: "whe_old", active: false })
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

await describeInChromium("the pages of webhooks in a browser", (browser) => {
  test.each([true, false])(
    "with JavaScript: %s, when an admin clicks twice on sending again and on rotating, then each is done once, in few actions",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        await here.pay("acme", "sandbox", "automatic")
        await deliver(here, 410)
        await signIn(page)
        await page.getByRole("link", { name: "Webhooks", exact: true }).click()
        await page.getByRole("region", { name: "Deliveries" }).getByRole("link").first().click()
        await page.getByRole("button", { name: "Send again" }).dblclick()
        await page.waitForURL(/notice=(?:scheduled|already)$/u)
        expect(await deliver(here, 200)).toHaveLength(1)
        await page.reload()
        await page.getByText("Delivered").waitFor()
        await page.getByText("HTTP 410").waitFor()

        await page.getByRole("link", { name: "Webhooks", exact: true }).click()
        await page.getByRole("link", { name: "https://shop.example/hooks/whe_shop?…" }).first().click()
        await page.getByRole("link", { name: "Rotate the secret…" }).click()
        await page.getByRole("button", { name: "Rotate the secret" }).dblclick()
        await page.getByText("Copy the secret now").waitFor()
        const secret = await page.locator("pre").textContent()
        await page.reload()
        expect(await page.locator("pre").textContent()).toBe(secret)
        expect(page.url()).not.toContain("whsec")
        expect(origins()).toEqual([url])
      })
  )

  test.each(["light", "dark"] as const)(
    "given the pages in the %s, then axe finds nothing, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async ({ accessibilityFaults, page }) => {
        const { id } = await here.pay("acme", "sandbox", "automatic")
        const [first] = await deliver(here, 410)
        const delivery = first?.headers["x-service-delivery-id"] ?? ""
        await signIn(page)
        const check = async () => {
          expect(await accessibilityFaults()).toEqual([])
          // Nothing but a table scrolls sideways.
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url()).toBe(true)
        }
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          const paths = [
            at,
            `/webhooks/globex/sandbox`,
            `${at}?state=refused&payment=${id}`,
            `${at}/deliveries/${delivery}?notice=already`,
            `${at}/endpoints/whe_shop`,
            `${at}/endpoints/whe_shop/secret`,
            `/payments/acme/sandbox/${id}`
          ]
          for (const path of paths) {
            await page.goto(`${url}${mount}${path}`)
            await check()
          }
          await page.goto(`${url}${mount}${at}/endpoints/whe_books/secret`)
          await page.getByRole("button", { name: "Rotate the secret" }).click()
          await page.getByText("Copy the secret now").waitFor()
          await check()
        }
      })
  )
})
