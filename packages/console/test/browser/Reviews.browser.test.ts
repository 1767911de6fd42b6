/** Reviews and messages in a real browser: settling with a double click, and what axe finds. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Unanswered } from "@pointsman/core/connector"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { mount, type World, world } from "../support/World.ts"

let here: World
let server: Server
let url: string

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
  here.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "timeout" }))
  await here.receive("acme", "sandbox", '{"says":"nothing","name":"A long text that is in one line of the body"}')
  await here.run(
    (await here.operators).add({ login: "jo", displayName: "Jo", grants: [{ workspaceId: null, role: "operations" }] })
  )
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

await describeInChromium("reviews and messages in a browser", (browser) => {
  test("given an unknown result, when an operator settles it in four actions, with a double click, then it is settled", () =>
    visit(browser, { javaScriptEnabled: false }, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "automatic", "order-4")
      await signIn(page)
      await page.getByRole("link", { name: "Reviews" }).click()
      await page.getByRole("link", { name: "order-4" }).click()
      await page.getByRole("link", { name: "Captured…" }).click()
      await page.getByLabel("Amount in EUR").fill("19.99")
      await page.getByLabel("Provider’s reference").fill("ch_4")
      await page.getByLabel("Evidence").fill("The provider’s dashboard")
      await page.getByRole("button", { name: "Record" }).dblclick()
      await page.waitForURL(`${url}${mount}/payments/acme/sandbox/${id}?notice=done`)
      await page.getByText("Captured", { exact: true }).first().waitFor()
    }))

  test.each(["light", "dark"] as const)(
    "given the pages in the %s, then axe finds nothing, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async ({ accessibilityFaults, page }) => {
        const { id } = await here.pay("acme", "sandbox", "automatic")
        await signIn(page)
        await page.goto(`${url}${mount}/messages/acme/sandbox`)
        const message = await page.getByRole("link", { name: "sha256:" }).first().getAttribute("href")
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          for (const path of [
            `${mount}/reviews/acme/sandbox`,
            `${mount}/reviews/acme/production`,
            `${mount}/reviews/acme/sandbox/${id}`,
            `${mount}/payments/acme/sandbox/${id}`,
            `${mount}/messages/acme/sandbox`,
            message
          ]) {
            await page.goto(`${url}${path}`)
            expect(await accessibilityFaults(), `${path}`).toEqual([])
            // Nothing but a table scrolls sideways.
            expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${path}`).toBe(true)
          }
          await page.goto(`${url}${mount}/reviews/acme/sandbox/${id}`)
          await page.getByRole("link", { name: "Captured…" }).click()
          expect(await accessibilityFaults()).toEqual([])
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
        }
      })
  )
})
