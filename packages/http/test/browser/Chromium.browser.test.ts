import { afterEach, describe, expect, test, vi } from "vitest"
import { describeInChromium, startChromium } from "./Chromium.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

await describeInChromium("a Chromium for tests", (browser) => {
  test("pages of two contexts one after the other both show text", async () => {
    for (const text of ["first", "second"]) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.setContent(`<p>${text}</p>`)
      expect(await page.innerText("p")).toBe(text)
      await context.close()
    }
  })
})

describe("where no Chromium starts", () => {
  test("an error names CHROMIUM_PATH when it names no browser", async () => {
    vi.stubEnv("CHROMIUM_PATH", "/bin/false")
    expect(await startChromium()).toEqual({ reason: expect.stringMatching(/CHROMIUM_PATH: /u) })
  })

  test("the suite fails in CI instead of being skipped", async () => {
    vi.stubEnv("CHROMIUM_PATH", "/bin/false")
    vi.stubEnv("CI", "true")
    await expect(describeInChromium("a page", () => {})).rejects.toThrow("a page: no Chromium starts")
  })
})
