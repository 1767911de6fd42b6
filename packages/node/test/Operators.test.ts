/** Who may use the console, managed by the program. */
import { assert, describe, it } from "vitest"
import type { OperatorEdit, OperatorOrder } from "../src/index.ts"
import { failureOf, folder, inFiles, open } from "./support/Shop.ts"

const consoleUrl = "https://shop.example/desk"
const jo: OperatorOrder = { login: "jo@shop.example", name: "Jo", role: "support", workspaces: ["shop"] }

describe("operators", () => {
  it("an operator is listed, removed, and added again under the same id", async () => {
    const { pointsman } = await open(inFiles(folder()))
    const added = await pointsman.operators.add(jo)
    assert.deepInclude(added, {
      login: "jo@shop.example",
      name: "Jo",
      active: true,
      roles: [{ role: "support", workspace_id: "shop" }],
      has_password: false
    })
    assert.match(added.id, /^opr_/u)
    assert.match(added.created, /^\d{4}-\d\d-\d\dT.*Z$/u)
    assert.deepStrictEqual(await pointsman.operators.list(), [added])
    const removed = await pointsman.operators.remove("JO@shop.example")
    assert.deepStrictEqual(removed, { ...added, active: false })
    assert.deepStrictEqual(await pointsman.operators.list(), [removed])
    const again = await pointsman.operators.add({ login: "jo@shop.example", role: "admin" })
    assert.deepInclude(again, { id: added.id, name: "jo@shop.example", roles: [{ role: "admin", workspace_id: null }] })
  })

  it("the audit trail has a name in `by`, and `library` without it", async () => {
    const { lines, pointsman } = await open()
    await pointsman.operators.add(jo, { by: "root" })
    await pointsman.operators.createLink(jo.login, { consoleUrl })
    const audited = lines
      .filter(({ message }) => message === "audit")
      .map(({ fields }) => [fields["actor"], fields["action"]])
    assert.deepStrictEqual(audited.slice(-2), [
      ["root", "operator.added"],
      ["library", "operator.linked"]
    ])
  })

  it("a link is below the console's URL, and no log line has its token", async () => {
    const { lines, pointsman } = await open()
    await pointsman.operators.add(jo)
    for (const given of [consoleUrl, `${consoleUrl}/`]) {
      const { expires, login, url } = await pointsman.operators.createLink(jo.login, { consoleUrl: given })
      assert.strictEqual(login, jo.login)
      const [, token = ""] = /^https:\/\/shop\.example\/desk\/link\/([\w-]{20,})$/u.exec(url) ?? []
      assert.notStrictEqual(token, "")
      assert.isAbove(Date.parse(expires), Date.now() + 10 * 60_000)
      assert.notInclude(JSON.stringify(lines), token)
    }
  })

  it.each([
    [{ ...jo, role: "owner" }, /`role` must be one of viewer, support, operations, admin/u],
    [{ ...jo, login: "" }, /`login` must be 1 to 254 characters/u],
    [{ ...jo, login: 7 }, /`login` must be a text/u],
    [{ ...jo, name: " " }, /`name` must be 1 to 120 characters/u],
    [{ ...jo, name: 7 }, /`name` must be a text/u],
    [{ ...jo, workspaces: [] }, /`workspaces` must be one role or more/u],
    [{ ...jo, workspaces: "shop" }, /`workspaces` must be a list/u],
    [{ ...jo, workspaces: ["castle"] }, /`workspaces` must be ids of configured workspaces; "castle" not found/u],
    [{ ...jo, displayName: "Jo" }, /`displayName` is not a field of `order`/u]
  ])("the order %o is refused and the field named", async (order, message) => {
    const { pointsman } = await open()
    const failure = await failureOf(pointsman.operators.add(order as OperatorOrder))
    assert.deepInclude(failure, { code: "validation_error", moneyMayHaveMoved: false })
    assert.match(String(failure), message)
    assert.deepStrictEqual(await pointsman.operators.list(), [])
  })

  it("another name and roles are stored, the rest stays, and the trail says who did it", async () => {
    const { lines, pointsman } = await open(inFiles(folder()))
    const { edit } = pointsman.operators
    const added = await pointsman.operators.add(jo)
    const named = await edit("JO@shop.example", { name: "Jo Doe" }, { by: "root" })
    assert.deepStrictEqual(named, { ...added, name: "Jo Doe" })
    const roles = [
      { role: "operations", workspace_id: "shop" },
      { role: "viewer", workspace_id: null }
    ] as const
    const changed = await edit(jo.login, { roles })
    assert.deepStrictEqual(changed, { ...named, roles })
    // A repeated edit changes nothing.
    assert.deepStrictEqual(await edit(jo.login, { name: "Jo Doe", roles }), changed)
    assert.deepStrictEqual(await pointsman.operators.list(), [changed])
    const audited = lines.filter(({ fields }) => fields["action"] === "operator.changed")
    assert.deepStrictEqual(
      audited.map(({ fields }) => fields["actor"]),
      ["root", "library"]
    )
  })

  it.each([
    [{}, /`order` must have `name` or `roles`/u],
    [{ name: undefined }, /`order` must have `name` or `roles`/u],
    [{ name: " " }, /`name` must be 1 to 120 characters/u],
    [{ name: 7 }, /`name` must be a text/u],
    [{ roles: [] }, /`roles` must be one role or more/u],
    [{ roles: "admin" }, /`roles` must be a list of \{role, workspace_id\}: role one of viewer, support/u],
    [{ roles: [{ role: "owner", workspace_id: null }] }, /`roles` must be a list/u],
    [{ roles: [{ role: "admin" }] }, /`roles` must be a list/u],
    [{ roles: [{ role: "admin", workspace_id: undefined }] }, /`roles` must be a list/u],
    [{ roles: [{ role: "admin", workspace_id: null, workspace: "shop" }] }, /`roles` must be a list/u],
    [{ roles: [{ role: "viewer", workspace_id: "castle" }] }, /`roles\[\]\.workspace_id` must be ids of .*"castle"/u],
    [{ role: "admin" }, /`role` is not a field of `order`: expected one of name, roles/u]
  ])("the edit %o is refused and the field named", async (order, message) => {
    const { pointsman } = await open()
    const added = await pointsman.operators.add(jo)
    const failure = await failureOf(pointsman.operators.edit(jo.login, order as OperatorEdit))
    assert.deepInclude(failure, { code: "validation_error", moneyMayHaveMoved: false })
    assert.match(String(failure), message)
    assert.deepStrictEqual(await pointsman.operators.list(), [added])
  })

  it("the error says why something cannot be done", async () => {
    const { pointsman } = await open()
    await pointsman.operators.add(jo)
    const { add, createLink, edit, remove } = pointsman.operators
    await add({ login: "max", role: "viewer" })
    await add({ login: "zoe", role: "admin" })
    const roles = [{ role: "viewer", workspace_id: null }] as const
    assert.deepInclude(await failureOf(edit("zoe", { roles })), { code: "last_admin", moneyMayHaveMoved: false })
    await remove("max")
    for (const login of ["ann", "max"]) {
      assert.deepInclude(await failureOf(edit(login, { name: "Ann" })), { code: "not_found" })
    }
    assert.deepInclude(await failureOf(add(jo)), { code: "login_taken", moneyMayHaveMoved: false })
    assert.deepInclude(await failureOf(remove("ann")), { code: "not_found" })
    assert.deepInclude(await failureOf(createLink("ann", { consoleUrl })), { code: "not_found" })
    for (const wrong of ["shop.example/desk", "ftp://shop.example", `${consoleUrl}?x`, `${consoleUrl}#x`]) {
      assert.match(String(await failureOf(createLink(jo.login, { consoleUrl: wrong }))), /`consoleUrl` must be/u)
    }
    assert.match(String(await failureOf(remove(jo.login, { by: " " }))), /`by` must be a name of 1 to 120/u)
    assert.match(
      String(await failureOf(edit(jo.login, { name: "Jo" }, { by: "" }))),
      /`by` must be a name of 1 to 120/u
    )
    assert.lengthOf(await pointsman.operators.list(), 3)
    await pointsman.close()
    assert.deepInclude(await failureOf(pointsman.operators.list()), { code: "closed" })
  })
})
