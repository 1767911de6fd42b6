import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Listening, listen } from "../support/Listening.ts"
import { keys, realCore } from "../support/RealCore.ts"
import { describeInChromium } from "./Chromium.ts"

let server: Listening
beforeAll(async () => {
  server = await listen(realCore)
})
afterAll(() => server.close())

interface Seen {
  readonly page: Page
  /** Every request that the page makes, whether it gets anywhere or not. */
  readonly requests: ReadonlyArray<string>
  /** Errors of the console, of scripts, and of what the policy forbids. */
  readonly errors: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

await describeInChromium("the reference page in a browser", (browser) => {
  const open = async (options: Parameters<typeof browser.newContext>[0] = {}): Promise<Seen> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const requests: Array<string> = []
    const errors: Array<string> = []
    page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`))
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text())
    })
    page.on("pageerror", (error) => errors.push(String(error)))
    await page.goto(`${server.url}/docs`)
    await page.getByRole("heading", { name: "Create a payment" }).first().waitFor()
    return { page, requests, errors, close: () => context.close() }
  }

  test("the page's parts are all that is requested, and none fails", {
    timeout: 60_000
  }, async () => {
    const seen = await open({ viewport: { width: 1300, height: 900 } })
    for (const part of ["Events", "Webhooks", "Models"]) {
      await seen.page.locator("aside, nav").getByText(part, { exact: true }).first().click()
    }
    await seen.page.getByText("payment.refund_failed").first().waitFor()
    await seen.page.waitForLoadState("networkidle")
    expect([seen.requests, seen.errors]).toEqual([[`GET ${server.url}/docs`], []])
    await seen.close()
  })

  test("the policy stops a script of the page that asks another origin", async () => {
    const seen = await open()
    const answer = await seen.page.evaluate(
      `fetch("http://localhost:1/elsewhere").then(() => "answered", () => "stopped")`
    )
    expect([answer, seen.errors.join("\n")]).toEqual(["stopped", expect.stringContaining("Content Security Policy")])
    await seen.close()
  })

  test.each([
    ["light", "rgb(255, 255, 255)"],
    ["dark", "rgb(15, 15, 15)"]
  ] as const)("the page fits a phone in %s colours", async (colorScheme, background) => {
    const seen = await open({ colorScheme, viewport: { width: 390, height: 800 }, isMobile: true })
    expect(await seen.page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    expect(await seen.page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background)
    expect([seen.requests, seen.errors]).toEqual([[`GET ${server.url}/docs`], []])
    await seen.close()
  })

  test("a request tried from the page with a sandbox key goes only to this server", async () => {
    const seen = await open({ viewport: { width: 1300, height: 900 } })
    await seen.page.getByPlaceholder("Token").first().fill(keys.acme)
    await seen.page
      .getByRole("button", { name: /Test Request/u })
      .first()
      .click()
    const answered = seen.page.waitForResponse((response) => response.request().method() === "POST")
    await seen.page.getByRole("button", { name: /^Send/u }).first().click()
    const { data } = await (await answered).json()
    expect(data).toMatchObject({ status: "CAPTURED", amount: 1999 })
    expect(seen.requests).toEqual([`GET ${server.url}/docs`, `POST ${server.url}/api/v1/payments`])
    await seen.close()
  })
})
