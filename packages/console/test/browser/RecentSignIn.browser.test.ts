/** A form that takes a recent sign-in, in a real browser: by keyboard, with the virtual authenticator of Chromium. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, visit } from "../../../http/test/browser/Visitor.ts"
import { addPasskey, checkPage, usedListeningWorld, withAuthenticator } from "../support/ListeningWorld.ts"
import { mount } from "../support/World.ts"

// Long enough to send a form, and short enough to wait for.
const recentMillis = 3_000

const { listening } = usedListeningWorld({
  role: "admin",
  hostname: "localhost",
  options: { recentSignIn: { minutes: recentMillis / 60_000 } }
})

await describeInChromium("a recent sign-in in a browser", (browser) => {
  test.each(["light", "dark"] as const)(
    "a passkey in the %s sends a filled form after an older sign-in, accessibly",
    (colorScheme) =>
      visit(browser, { colorScheme }, async (visitor) => {
        const { page } = visitor
        await withAuthenticator(page)
        const url = `${listening.url}${mount}`
        await listening.signIn(page)
        await addPasskey(page, url, "Laptop")
        await page.goto(`${url}/keys/acme/sandbox/new`)
        await page.getByLabel("Name (optional)").fill(`shop ${colorScheme}`)
        await page.getByLabel("All, also those that are added later").check()
        await page.waitForTimeout(recentMillis)
        await page.getByRole("button", { name: "Create the key" }).press("Enter")
        await page.getByRole("heading", { name: "Sign in again" }).waitFor()
        for (const viewport of [sizes.narrow, sizes.desktop]) {
          await page.setViewportSize(viewport)
          await checkPage(visitor)
        }
        await page.getByRole("button", { name: "Continue with a passkey" }).focus()
        await page.keyboard.press("Enter")
        await page.getByText("Copy the key now.").waitFor()
        await page.getByRole("link", { name: "Done" }).click()
        expect(await page.getByText(`shop ${colorScheme}`).count()).toBe(1)
      })
  )
})
