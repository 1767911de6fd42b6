/** Signing in by passkeys and by OpenID Connect in a real browser. The authenticator is Chromium's virtual one. */
import { Redacted } from "effect"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { client, type Issuer, startIssuer } from "../support/Issuer.ts"
import {
  addPasskey,
  checkPage,
  type ListeningWorld,
  listen,
  listeningWorld,
  withAuthenticator
} from "../support/ListeningWorld.ts"
import { mount, type World } from "../support/World.ts"

let issuer: Issuer
let listening: ListeningWorld
let here: World
let url: string

beforeAll(async () => {
  issuer = await startIssuer()
  listening = await listeningWorld({
    role: "viewer",
    // An address has no passkeys.
    hostname: "localhost",
    options: { oidc: { issuer: issuer.issuer, ...client, clientSecret: Redacted.make(client.clientSecret) } }
  })
  here = listening.here
  url = `${listening.url}${mount}`
  const grants = [{ workspaceId: null, role: "viewer" as const }]
  await here.run((await here.operators).add({ login: "jo@example.com", displayName: "Jo", grants }))
})
afterAll(async () => {
  issuer.close()
  await listening.close()
})

const signOut = async (page: Page) => {
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.waitForURL(`${url}/sign-in`)
}
const signInByPasskey = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" }).click()

await describeInChromium("signing in to the console in a browser", (browser) => {
  test("an added passkey signs in, not twice by one response, and not once removed", () =>
    visit(browser, {}, async ({ accessibilityFaults, origins, page }) => {
      await withAuthenticator(page)
      await listening.signIn(page)
      await addPasskey(page, url, "Laptop")
      expect(await accessibilityFaults()).toEqual([])
      await page.getByLabel("Name of the passkey").fill("Laptop again")
      await page.getByRole("button", { name: "Add a passkey" }).click()
      await page.getByText("This device has a passkey of yours").waitFor()
      await signOut(page)

      let sent: string | null = null
      page.on("request", (request) => {
        if (request.url() === `${url}/api/session/passkey`) sent = request.postData()
      })
      await page.goto(`${url}/payments/acme/production`)
      await signInByPasskey(page)
      await page.waitForURL(`${url}/payments/acme/production`)
      const again = await here.send("/api/session/passkey", { body: JSON.parse(sent ?? "") })
      expect(again.status).toBe(401)

      await page.goto(`${url}/account`)
      await page.getByRole("button", { name: "Remove Laptop" }).click()
      await page.getByText("No passkeys yet.").waitFor()
      await signOut(page)
      await signInByPasskey(page)
      await page.getByText("the passkey is wrong").waitFor()
      expect(await accessibilityFaults()).toEqual([])
      expect(origins()).toEqual([listening.url])
    }))

  test("the page says that there is no passkey, or that a user is not verified", () =>
    visit(browser, {}, async ({ page }) => {
      const { authenticatorId, devtools } = await withAuthenticator(page)
      await page.goto(`${url}/sign-in`)
      await signInByPasskey(page)
      await page.getByText("No passkey was used").waitFor()
      await listening.signIn(page)
      await addPasskey(page, url, "Phone")
      await signOut(page)
      await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false })
      await signInByPasskey(page)
      await page.getByText("No passkey was used").waitFor()
    }))

  test("a passkey's response from another origin of the host is refused", () =>
    visit(browser, {}, async ({ page }) => {
      await withAuthenticator(page)
      await listening.signIn(page)
      await addPasskey(page, url, "Key")
      await signOut(page)
      const other = await listen(here, { hostname: "localhost" })
      try {
        await page.goto(`${other.url}${mount}/sign-in`)
        // What was signed for the other port is sent to this one.
        const bodies: Array<string> = []
        await page.route("**/api/session/passkey", async (route) => {
          bodies.push(route.request().postData() ?? "")
          await route.fulfill({ status: 401, json: { error: { code: "sign_in_refused", message: "Kept." } } })
        })
        await signInByPasskey(page)
        await expect.poll(() => bodies.length).toBe(1)
        const headers = { host: new URL(listening.url).host }
        const [body = ""] = bodies
        expect((await here.send("/api/session/passkey", { body: JSON.parse(body), headers })).status).toBe(401)
      } finally {
        other.close()
      }
    }))

  test("an operator is signed in by the link to an account at the issuer", () =>
    visit(browser, {}, async ({ page }) => {
      await page.goto(`${url}/payments/globex/sandbox`)
      await page.getByRole("link", { name: "Sign in with single sign-on" }).click()
      await page.waitForURL(`${url}/payments/globex/sandbox`)
      await page.goto(`${url}/account`)
      await page.getByText("passkeys cannot be added in this session").waitFor()
    }))

  test.each(["light", "dark"] as const)(
    "axe finds nothing on the pages in the %s, on a phone and a desktop",
    (colorScheme) =>
      visit(browser, { colorScheme }, async (visitor) => {
        const { page } = visitor
        await withAuthenticator(page)
        await listening.signIn(page)
        await addPasskey(page, url, `Device with a long name ${"x".repeat(80)} ${colorScheme}`)
        for (const viewport of [sizes.narrow, sizes.phone, sizes.desktop]) {
          await page.setViewportSize(viewport)
          for (const path of ["/account", "/account?notice=removed", "/sign-in", "/sign-in/oidc/callback?code=x"]) {
            await page.goto(`${url}${path}`)
            await checkPage(visitor)
          }
        }
      })
  )
})
