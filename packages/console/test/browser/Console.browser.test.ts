/** An operator in a real browser, in front of a listening server. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
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
  await here.run(
    (await here.operators).add({ login: "jo", displayName: "Jo", grants: [{ workspaceId: null, role: "support" }] })
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

await describeInChromium("the console in a browser", (browser) => {
  test.each([true, false])(
    "with JavaScript: %s, when an operator signs in, finds a payment and clicks twice on refund, then it is refunded once",
    (javaScriptEnabled) =>
      visit(browser, { javaScriptEnabled }, async ({ origins, page }) => {
        const { id } = await here.pay("acme", "sandbox", "automatic")
        const before = here.provider.refunds.length
        await signIn(page)
        await page.getByLabel("Search").fill(id)
        await page.getByRole("button", { name: "Find" }).click()
        await page.getByRole("link", { name: "Refund…" }).click()
        await page.getByLabel("Amount in EUR").fill("4.99")
        await page.getByLabel("Reason").fill("damaged")
        await page.getByRole("button", { name: "Refund", exact: true }).dblclick()
        await page.waitForURL(/notice=(?:done|in_progress)$/u)
        await page.reload()
        await page.getByText("Partially refunded").waitFor()
        // The form, and what was typed into it, is still there behind the page.
        await page.goBack()
        await page.getByLabel("Amount in EUR").fill("4.99")
        await page.getByLabel("Reason").fill("damaged")
        await page.getByRole("button", { name: "Refund", exact: true }).click()
        await page.waitForURL(/notice=done$/u)
        expect(here.provider.refunds.length).toBe(before + 1)
        expect(origins()).toEqual([url])
      })
  )

  test.each(["light", "dark"] as const)(
    "given the pages in the %s, then axe finds nothing, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async ({ accessibilityFaults, page }) => {
        const { id } = await here.pay("acme", "sandbox", "automatic")
        await page.goto(`${url}${mount}/sign-in`)
        expect(await accessibilityFaults()).toEqual([])
        await signIn(page)
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          for (const path of ["", `/${id}`, `/${id}/refund`]) {
            await page.goto(`${url}${mount}/payments/acme/sandbox${path}`)
            expect(await accessibilityFaults()).toEqual([])
            // Nothing but a table scrolls sideways.
            expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
          }
        }
      })
  )

  test("given an open page, when the payment changes, then the page shows it by itself", () =>
    visit(browser, {}, async ({ page }) => {
      const { id } = await here.pay("acme", "sandbox", "manual")
      await signIn(page)
      await page.goto(`${url}${mount}/payments/acme/sandbox/${id}`)
      await page.getByText("Authorized", { exact: true }).first().waitFor()
      const cookie = await here.signInAgain("jo")
      const headers = { "idempotency-key": "void-in-the-background" }
      await here.send(`/api/workspaces/acme/sandbox/payments/${id}/void`, { method: "POST", cookie, headers })
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    }))
})
