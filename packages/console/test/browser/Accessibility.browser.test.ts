/** Every page that a link of the console leads to, in a real browser: what axe finds, and what scrolls sideways. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { type Planted, plantedWorld } from "../fuzz/PlantedWorld.ts"
import { shapeOf, targetsOf, urlOf } from "../fuzz/Targets.ts"
import { checkPage, listen } from "../support/ListeningWorld.ts"
import { mount } from "../support/World.ts"

let planted: Planted
let listening: Awaited<ReturnType<typeof listen>>
let url: string
/** One of each shape, and some that no link leads to. */
let paths: ReadonlyArray<string>

beforeAll(async () => {
  planted = await plantedWorld()
  const pages = (await targetsOf(planted)).filter(
    ({ method, path }) => method === "GET" && !/^\/(?:api|live|nowhere|link)\b|\.\w+$|\/journal$/u.test(path)
  )
  paths = [
    ...new Map(
      pages.map((target) => [shapeOf(target).replace(/\w+\/(?:sandbox|production)/u, ""), urlOf(target)])
    ).values(),
    ...["?currency=euros&created_from=soon", "?search=nothing"].map((query) => `/payments/acme/sandbox${query}`),
    ...["reviews", "reconciliation", "disputes", "webhooks"].map((area) => `/${area}/acme/production`),
    "/reconciliation/acme/sandbox/differences?state=all",
    "/sign-in"
  ]
  listening = await listen(planted.here)
  url = `${listening.url}${mount}`
}, 60_000)
afterAll(async () => {
  listening.close()
  await planted.here.close()
})

/** Each by its form: what only an answer shows. */
const answers: ReadonlyArray<readonly [path: () => string, button: string, shown: string]> = [
  [() => "/keys/globex/sandbox/new", "Create the key", "`scopes` must be"],
  [() => `/operators/${planted.ids["operator"]}`, "New sign-in link", "It is shown only once"],
  [() => `/partners/acme/${planted.ids["merchant"]}/invite`, "Create a token", "It is shown only once"],
  [() => "/webhooks/acme/sandbox/endpoints/whe_shop/secret", "Rotate the secret", "Copy the secret now"]
]

const openDetails = async (page: Page) => {
  const summary = page.locator("main summary").first()
  if ((await summary.count()) > 0) await summary.click()
}

await describeInChromium("the pages of the console", (browser) => {
  test.each([
    ["light", "narrow"],
    ["dark", "desktop"]
  ] as const)(
    "axe finds nothing on any page in the %s, when the screen is %s",
    { timeout: 300_000 },
    (colorScheme, size) =>
      visit(browser, { colorScheme, viewport: sizes[size] }, async (visitor) => {
        const { page } = visitor
        await page.goto(`${url}/link/${await planted.here.linkOf("admin")}`)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.waitForURL(`${url}/day/**`)
        expect(paths.length).toBeGreaterThan(60)
        for (const path of paths) {
          await page.goto(`${url}${path}`)
          await openDetails(page)
          await checkPage(visitor, path)
        }
        for (const [path, button, shown] of answers) {
          await page.goto(`${url}${path()}`)
          await page.getByRole("button", { name: button }).click()
          await page.getByText(shown).first().waitFor()
          await checkPage(visitor, path())
        }
      })
  )
})
