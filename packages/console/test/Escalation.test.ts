/** An administrator of one workspace, with the addresses and ids of another one: nothing of it is shown or changed. */
import { type OperatorRole, operatorRoles } from "@pointsman/core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checked } from "./fuzz/Answers.ts"
import { type Planted, plantedWorld } from "./fuzz/PlantedWorld.ts"
import { sendTarget, splitUrl, type Target, takesFiles, targetsOf } from "./fuzz/Targets.ts"

let planted: Planted
let targets: ReadonlyArray<Target>
let acmeOnly: string
beforeAll(async () => {
  planted = await plantedWorld()
  targets = await targetsOf(planted)
  acmeOnly = await planted.here.signIn("acme-only", [{ workspaceId: "acme", role: "admin" }])
})
afterAll(() => planted.here.close())

const send = async (target: Target, cookie: string) => {
  const response = await sendTarget(planted, target, cookie)
  return {
    status: response.status,
    next: response.headers.get("location") ?? undefined,
    text: await checked(response, target.method, planted.secrets)
  }
}

/** What the session changed. */
const traces = async () => {
  const { here } = planted
  const { items } = await here.ask(({ auditEntries }) => auditEntries({ actor: "acme-only", limit: 100 }))
  const { captures, charges, refunds, voids } = here.provider
  return { calls: [charges, captures, voids, refunds].map(({ length }) => length), entries: items.length }
}

const named = /\/(?:globex|acme)\/(?:sandbox|production)/u
/** Whether it is about one record: by an id in its path, or in its fields. */
const isOfRecord = ({ form = [], path, query }: Target) =>
  /\/[\w-]*\d[\w-]{5,}/u.test(path) || [...query, ...form].some(([name]) => name === "id")

describe("an administrator of another workspace", () => {
  it("every page and endpoint of another workspace is forbidden and changes nothing", async () => {
    const before = await traces()
    const others = targets
      .filter(({ path }) => named.test(path))
      .map((target) => ({ ...target, path: target.path.replace("/acme/", "/globex/") }))
    assert.isAbove(others.length, 80)
    for (const target of others) {
      const { status, text } = await send(target, acmeOnly)
      assert.strictEqual(status, 403, `${target.method} ${target.path}`)
      assert.notInclude(text, "globex-only")
    }
    const audit = { method: "GET", path: "/audit/globex", query: [], form: undefined, json: undefined }
    assert.strictEqual((await send(audit, acmeOnly)).status, 403)
    assert.deepStrictEqual(await traces(), before)
  })

  it("ids of another workspace's records are not found in an own path, nothing changes", async () => {
    const before = await traces()
    const records = targets.filter((target) => target.path.includes("/globex/production") && isOfRecord(target))
    assert.isAbove(records.length, 15)
    for (const target of records) {
      for (const place of ["/acme/sandbox", "/acme/production"]) {
        const moved = { ...target, path: target.path.replace("/globex/production", place) }
        const first = await send(moved, acmeOnly)
        // A form that moves money gets its key first.
        const answer = first.next === undefined ? first : await send({ ...moved, ...splitUrl(first.next) }, acmeOnly)
        assert.strictEqual(answer.status, 404, `${target.method} ${moved.path}`)
        assert.notInclude(answer.text, "globex-only")
      }
    }
    assert.deepStrictEqual(await traces(), before)
  })
})

/** By hand, so that a change of the roles shows here: of the pages of an area, and of what its forms do. */
const leastRoles: Readonly<Record<OperatorRole, ReadonlyArray<string>>> = {
  viewer: ["day", "payments", "disputes", "webhooks"],
  support: ["capture", "void", "refund", "redeliver"],
  operations: [
    ...["reviews", "messages", "routing", "reconciliation", "books"],
    ...["disputes evidence", "disputes submit", "disputes accept"]
  ],
  admin: [
    ...["connections", "keys", "partners", "operators", "audit"],
    ...["routing change", "webhooks endpoint", "webhooks secret", "webhooks active"]
  ]
}
const leastOf = ({ path }: Target): number => {
  const [, area = ""] = path.split("/")
  const act = path.split("/").at(-1) ?? ""
  return operatorRoles.findLastIndex((role) =>
    [area, act, `${area} ${act}`].some((one) => leastRoles[role].includes(one))
  )
}

describe("a role below admin", () => {
  it("each page, form and change is forbidden to a role that lacks it, and no other", async () => {
    const ofPages = targets.filter(
      ({ endpoint, path }) =>
        (endpoint === undefined || endpoint === takesFiles) &&
        /^\/(?!live|go).*\/acme\/|^\/(?:operators|partners)/u.test(path)
    )
    assert.isAbove(ofPages.length, 80)
    for (const role of operatorRoles.filter((one) => one !== "admin")) {
      const cookie = await planted.here.signIn(`only-${role}`, [{ workspaceId: null, role }])
      for (const target of ofPages) {
        const isForbidden = leastOf(target) > operatorRoles.indexOf(role)
        const { status } = await send(target, cookie)
        assert.strictEqual(status === 403, isForbidden, `${role} ${target.method} ${target.path}`)
      }
    }
  })

  it("an admin of one workspace gets nothing of operators and partners", async () => {
    for (const target of targets.filter(({ path }) => /^(?:\/api)?\/(?:operators|partners)/u.test(path))) {
      assert.strictEqual((await send(target, acmeOnly)).status, 403, `${target.method} ${target.path}`)
    }
  })
})
