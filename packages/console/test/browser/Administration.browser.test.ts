/** An administrator in a real browser: keys and operators. */
import { expect, test } from "vitest"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { visit } from "../../../http/test/browser/Visitor.ts"
import { checkPage, openArea, usedListeningWorld } from "../support/ListeningWorld.ts"
import { bodyOf, mount } from "../support/World.ts"

const { here, listening } = usedListeningWorld({ role: "admin" })

const keysOf = async (workspace: string) => {
  const cookie = await here.signInAgain("jo")
  return (await bodyOf(await here.send(`/api/workspaces/${workspace}/sandbox/keys`, { cookie }))).data
}

await describeInChromium("administration in a browser", (browser) => {
  test("a double click on create and a reload create one key, shown at first", () =>
    visit(browser, {}, async (visitor) => {
      const { page } = visitor
      await listening.signIn(page)
      await openArea(page, "Keys")
      await page.getByRole("link", { name: "Create a key…" }).click()
      await page.getByLabel("Name (optional)").fill("shop")
      await page.getByLabel("payments:read").check()
      await page.getByRole("button", { name: "Create the key" }).dblclick()
      await page.getByText(/^ps_test_[0-9A-Za-z]{38}$/u).waitFor()
      await checkPage(visitor)
      expect(await keysOf("acme")).toHaveLength(1)
      await page.reload()
      await page.getByText("The key was created before").waitFor()
      expect(await page.getByText(/ps_test_[0-9A-Za-z]{38}/u).count()).toBe(0)
      expect(await keysOf("acme")).toHaveLength(1)
      await page.getByRole("link", { name: "All keys" }).click()
      await page.getByRole("link", { name: "Revoke…" }).click()
      await page.getByRole("button", { name: "Revoke the key" }).click()
      await page.getByText("The key is revoked.").waitFor()
    }))

  test("a new operator's roles count with its link, and change on its page", () =>
    visit(browser, {}, async ({ page }) => {
      await listening.signIn(page)
      await openArea(page, "Operators")
      await page.getByRole("link", { name: "Add an operator…" }).click()
      await page.getByLabel("E-mail or name").fill("kim@example.com")
      await page.getByLabel("Name", { exact: true }).fill("Kim")
      await page.getByLabel("Workspace", { exact: true }).selectOption({ label: "The acme <shop>" })
      await page.getByRole("button", { name: "Add, and show a sign-in link" }).dblclick()
      const link = (await page.getByText(/\/console\/link\//u).textContent()) ?? ""
      expect(new URL(link).origin).toBe(listening.url)
      await visit(browser, {}, async ({ page: theirs }) => {
        await theirs.goto(link)
        await theirs.getByRole("button", { name: "Sign in" }).click()
        await theirs.waitForURL(`${listening.url}${mount}/day/acme/sandbox`)
        expect(await theirs.getByRole("link", { name: "Keys", includeHidden: true }).count()).toBe(0)
        await page.getByRole("link", { name: "Done" }).click()
        await page.getByLabel("The acme <shop>").selectOption("admin")
        await page.getByRole("button", { name: "Save" }).click()
        await page.getByText("Saved.").waitFor()
        await theirs.reload()
        expect(await theirs.getByRole("link", { name: "Keys", includeHidden: true }).count()).toBe(2)
      })
    }))
})
