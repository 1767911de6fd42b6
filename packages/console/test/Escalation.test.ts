/** An administrator of one workspace, with the addresses and ids of another one: nothing of it is shown or changed. */
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checked } from "./fuzz/Answers.ts"
import { type Planted, plantedWorld } from "./fuzz/PlantedWorld.ts"
import { paramsOf, splitUrl, type Target, targetsOf, urlOf } from "./fuzz/Targets.ts"

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
  const { form, json, method } = target
  const response = await planted.here.send(urlOf(target), {
    method,
    cookie,
    headers: { "idempotency-key": "a-key-of-another" },
    ...(form === undefined ? {} : { form: Object.fromEntries(new URLSearchParams(paramsOf(form))) }),
    ...(json === undefined ? {} : { body: json })
  })
  return {
    status: response.status,
    next: response.headers.get("location") ?? undefined,
    text: await checked(response, method, planted.secrets)
  }
}

/** What the session changed. */
const traces = async () => {
  const { here } = planted
  const { items } = await here.run(
    Effect.flatMap(Pointsman, ({ auditEntries }) => auditEntries({ actor: "acme-only", limit: 100 }))
  )
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
    for (const path of [
      "/operators",
      "/operators/new",
      "/partners",
      "/partners/acme",
      "/audit/globex",
      "/api/operators"
    ]) {
      assert.strictEqual(
        (await send({ method: "GET", path, query: [], form: undefined, json: undefined }, acmeOnly)).status,
        403
      )
    }
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

describe("a viewer", () => {
  it("a viewer's own forms and endpoints that change something are forbidden", async () => {
    const cookie = await planted.here.signIn("reads-only", [{ workspaceId: "acme", role: "viewer" }])
    const changing = targets.filter(({ method, path }) => method !== "GET" && /\/acme\/|operators|partners/u.test(path))
    assert.isAbove(changing.length, 30)
    for (const target of changing) {
      assert.strictEqual((await send(target, cookie)).status, 403, `${target.method} ${target.path}`)
    }
  })
})
