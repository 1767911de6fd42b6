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
    page.on("request", (request) => requests.push(request.url()))
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text())
    })
    page.on("pageerror", (error) => errors.push(String(error)))
    await page.goto(`${server.url}/docs`)
    await page.getByRole("heading", { name: "Create a payment" }).first().waitFor()
    return { page, requests, errors, close: () => context.close() }
  }

  const seeAll = async ({ page }: Seen) => {
    for (const name of ["Retrieve a payment", "Refund a captured payment", "The machine-readable contract"]) {
      await page.evaluate(() => window.scrollBy(0, window.innerHeight * 8))
      await page.getByText(name).first().scrollIntoViewIfNeeded()
    }
  }

  test("given the page, when all of it is read, then nothing is asked of another origin and nothing fails", async () => {
    const seen = await open()
    await seeAll(seen)
    await seen.page.waitForLoadState("networkidle")
    expect(seen.requests).toEqual([`${server.url}/docs`])
    expect(seen.errors).toEqual([])
    await seen.close()
  })

  test("given a script that asks another origin, when it runs in the page, then the policy stops it", async () => {
    const seen = await open()
    const answer = await seen.page.evaluate(() =>
      fetch("http://localhost:1/elsewhere").then(
        () => "answered",
        () => "stopped"
      )
    )
    expect([answer, seen.errors.join("\n")]).toEqual(["stopped", expect.stringContaining("Content Security Policy")])
    await seen.close()
  })

  test.each(["light", "dark"] as const)("given a phone in %s colours, then the page fits it", async (colorScheme) => {
    const seen = await open({ colorScheme, viewport: { width: 390, height: 800 }, isMobile: true })
    const [width, background] = await seen.page.evaluate(() => [
      document.documentElement.scrollWidth,
      getComputedStyle(document.body).backgroundColor
    ])
    expect(width).toBeLessThanOrEqual(390)
    expect(background).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(15, 15, 15)")
    expect([seen.requests, seen.errors]).toEqual([[`${server.url}/docs`], []])
    await seen.close()
  })

  test("given a sandbox key, when a request is tried from the page, then it goes to this server alone", async () => {
    const seen = await open()
    const status = await seen.page.evaluate(
      (key) => fetch("/api/v1/payments", { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status),
      keys.acme
    )
    expect(status).toBe(200)
    expect(seen.requests.every((url) => url.startsWith(server.url))).toBe(true)
    await seen.close()
  })
})
