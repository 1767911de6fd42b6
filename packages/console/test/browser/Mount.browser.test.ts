/** The console below a path that a proxy takes off, in a real browser: links, styles, the script, the cookie and forms. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { type World, world } from "../support/World.ts"

const basePath = "/büro"
const shown = `${encodeURI(basePath)}/admin/desk`

let here: World
let server: Server
let url: string

/** As a proxy passes it on. */
const toRequest = async (request: IncomingMessage): Promise<Request> => {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const body = await text(request)
  const path = (request.url ?? "").slice(encodeURI(basePath).length)
  return new Request(`${url}${path}`, { method: request.method ?? "GET", headers, ...(body === "" ? {} : { body }) })
}

beforeAll(async () => {
  here = world({ mount: "/admin/desk", basePath })
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

await describeInChromium("the console below another path", (browser) => {
  test.each([
    ["light", sizes.desktop],
    ["dark", sizes.narrow]
  ] as const)(
    "given the pages in the %s, when an operator refunds, then nothing leads out of the path",
    (colorScheme, size) =>
      visit(browser, { colorScheme }, async ({ accessibilityFaults, origins, page }) => {
        const outside: Array<string> = []
        page.on("request", (request) => {
          if (!new URL(request.url()).pathname.startsWith(`${shown}/`)) outside.push(request.url())
        })
        await page.setViewportSize(size)
        const { id } = await here.pay("acme", "sandbox", "automatic")
        await page.goto(`${url}${shown}/link/${await here.linkOf("jo")}`)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.waitForURL(`${url}${shown}/payments/acme/sandbox`)
        expect(await page.evaluate("getComputedStyle(document.querySelector('header')).display")).toBe("flex")
        await page.getByLabel("Search").fill(id)
        await page.getByRole("button", { name: "Find" }).click()
        await page.getByRole("link", { name: "Refund…" }).click()
        await page.getByLabel("Amount in EUR").fill("4.99")
        await page.getByLabel("Reason").fill("damaged")
        await page.getByRole("button", { name: "Refund", exact: true }).click()
        await page.waitForURL(/notice=done$/u)
        expect(await accessibilityFaults()).toEqual([])
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.waitForURL(`${url}${shown}/sign-in`)
        expect(outside).toEqual([])
        expect(origins()).toEqual([url])
      })
  )
})
