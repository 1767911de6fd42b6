/** `pointsman operators` on the database of a server. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

describe("pointsman operators", () => {
  it("operators are added, linked and removed by name, and bad words are named", async () => {
    const folder = temporaryFolder()
    await startServerHere({ folder, configuration: { workspaces: [{ id: "acme" }, { id: "globex" }] } })
    const run = (...words: ReadonlyArray<string>) => runHere(folder, ["operators", ...words])

    assert.deepStrictEqual(await run("list"), { code: 0, stdout: "", stderr: "No operators found.\n" })
    const ann = await run("add", "Ann@example.com", "--role", "admin", "--by", "root")
    assert.deepStrictEqual([ann.code, ann.stdout], [0, ""])
    assert.match(ann.stderr, /^Added Ann@example\.com\. `pointsman operators link Ann@example\.com` prints/u)
    const jo = await run(
      ...["add", "jo", "--name", "Jo D", "--role", "support", "--workspace", "acme, globex", "--by", "root", "--json"]
    )
    const { created, id, ...shown } = documentOf(jo).data
    assert.match(id, /^opr_/u)
    assert.match(created, /^\d{4}-\d\d-\d\dT/u)
    const roles = ["acme", "globex"].map((workspace_id) => ({ workspace_id, role: "support" }))
    assert.deepStrictEqual(shown, { login: "jo", name: "Jo D", active: true, roles, has_password: false })

    for (const [words, expected] of [
      [["add", "jo d", "--role", "viewer"], "login: expected 1 to 254 characters without spaces"],
      [["add", "JO", "--role", "viewer"], "login: expected a new one; JO is an operator already."],
      [["add", "x", "--role", "viewer", "--name", " "], "--name: expected 1 to 120 characters"],
      [
        ["add", "x", "--role", "viewer", "--workspace", "none"],
        '--workspace: expected one of acme, globex; workspace "none"'
      ],
      [["add", "x", "--role", "viewer", "--workspace", "acme,acme"], "--workspace: expected one role or more"],
      [["link", "nobody"], "login: expected that of an active operator; nobody not found."],
      [["link", "jo", "--console-url", "shop.example"], "an http or https URL without query and fragment"],
      [["remove", "nobody"], "login: expected that of an active operator; nobody not found."],
      [["change", "nobody", "--name", "No"], "login: expected that of an active operator; nobody not found."],
      [["change", "jo"], "--name or --role: expected one of them or both."],
      [["change", "jo", "--name", "Jo", "--workspace", "acme"], "--role: expected with --workspace."],
      [["change", "jo", "--role", "none", "--workspace", "acme,globex"], "--workspace: expected one role or more"],
      [["change", "ann@example.com", "--role", "viewer"], "is the only one with the role admin in all workspaces."],
      [["remove", "ann@example.com"], "is the only one with the role admin in all workspaces."]
    ] as const) {
      assertRefused(await run(...words), expected)
    }

    const changed = await run(
      ...["change", "JO", "--role", "operations", "--workspace", "globex", "--name", "Jo E", "--by", "root", "--json"]
    )
    assert.deepInclude(documentOf(changed).data, {
      login: "jo",
      name: "Jo E",
      roles: [
        { workspace_id: "acme", role: "support" },
        { workspace_id: "globex", role: "operations" }
      ]
    })
    const fewer = await run("change", "jo", "--role", "none", "--workspace", "acme", "--by", "root")
    assert.strictEqual(fewer.stderr, "jo has operations (globex) now.\n")

    const link = await run("link", "ann@EXAMPLE.com", "--by", "root", "--port", "3210")
    assert.match(link.stdout, /^http:\/\/127\.0\.0\.1:3210\/console\/link\/[A-Za-z0-9_-]{43}\n$/u)
    assert.include(link.stderr, "It signs Ann@example.com in once, until ")
    const elsewhere = await run("link", "jo", "--console-url", "http://shop.example/desk/", "--by", "root")
    assert.match(elsewhere.stdout, /^http:\/\/shop\.example\/desk\/link\/[A-Za-z0-9_-]{43}\n$/u)
    assert.strictEqual((await run("remove", "jo", "--by", "root")).code, 0)
    assert.notInclude((await run("list")).stdout, "jo")
    const all = await run("list", "--all")
    assert.match(all.stdout, /^jo +Jo E +operations \(globex\) +removed +no +\d/mu)
    assert.match(all.stdout, /^Ann@example\.com +Ann@example\.com +admin \(all workspaces\) +active +no +\d/mu)

    const { data } = documentOf(await runHere(folder, ["audit", "list", "--json"]))
    const about = data.filter(({ action }: { readonly action: string }) => action.startsWith("operator."))
    const acts = ["added", "added", "changed", "changed", "linked", "linked", "removed"].map((act) => `operator.${act}`)
    assert.deepStrictEqual([each(about, "action"), each(about, "actor")], [acts, acts.map(() => "root")])
    assert.notInclude(JSON.stringify(data), link.stdout.trim().slice(-43))
  })
})
