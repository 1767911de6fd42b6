/** A customer's browser: what it complains of, whom it asks, how it looks to axe, and a picture of it. */
import { fileURLToPath } from "node:url"
import axe from "axe-core"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { expect } from "vitest"

/** Where pictures of the pages go, for who asks for them with `POINTSMAN_PICTURES=all`: no test reads them. */
export const pictures = fileURLToPath(new URL("../../artifacts/hosted/", import.meta.url))
/** Shown by the guide to hosted pages. */
export const guidePicture = fileURLToPath(new URL("../../../../docs/guides/hosted-page.png", import.meta.url))
export const takesPictures = process.env["POINTSMAN_PICTURES"] === "all"

export const sizes = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
  narrow: { width: 320, height: 640 }
} as const

export interface Visitor {
  readonly page: Page
  /** Of everything that was loaded. */
  readonly origins: () => ReadonlyArray<string>
  readonly takePicture: (name: string) => Promise<void>
  /** What axe finds wrong with the page as it is shown now. */
  readonly accessibilityFaults: () => Promise<ReadonlyArray<string>>
}

/** Runs with a browser of its own cookies and history, and fails on whatever its console tells as an error. */
export const visit = async (
  browser: Browser,
  options: BrowserContextOptions,
  use: (visitor: Visitor) => Promise<void>
): Promise<void> => {
  const context = await browser.newContext({ viewport: sizes.phone, locale: "en-GB", ...options })
  try {
    const complaints: Array<string> = []
    const origins = new Set<string>()
    context.on("request", (request) => {
      if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin)
    })
    context.on("console", (message) => {
      // Chromium's own line about the status of a page that was opened.
      const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/u.test(message.text())
      if ((message.type() === "error" || message.type() === "warning") && !isStatus) complaints.push(message.text())
    })
    context.on("weberror", (error) => complaints.push(String(error.error())))
    const page = await context.newPage()
    await use({
      page,
      origins: () => [...origins].sort(),
      takePicture: async (name) => {
        if (takesPictures) await page.screenshot({ path: `${pictures}${name}.png`, fullPage: true })
      },
      accessibilityFaults: () => accessibilityFaults(page)
    })
    expect(complaints).toEqual([])
  } finally {
    await context.close()
  }
}

/** By WCAG 2.2 AA, and axe's own good practice. */
const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  // Not as a script of the page, whose policy allows none.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })"
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`)
}
