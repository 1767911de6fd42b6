/** The routes as Next calls them, and, where asked for, a Next that was built. */
import { assert, describe, it, onTestFinished } from "vitest"
import { tryConsole } from "../../express/test/support/ConsoleVisit.ts"
import { apiKey, shopFolder } from "../../express/test/support/ShopProcess.ts"
import * as api from "../app/api/v1/[...path]/route.ts"
import * as checkout from "../app/checkout/route.ts"
import * as desk from "../app/desk/[[...path]]/route.ts"
import { closePointsman, pointsman, signInLink } from "../src/Shop.ts"
import { buildAndTry } from "./support/BuiltNext.ts"

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(`http://shop.example${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const prepare = () => {
  process.env["SHOP_FOLDER"] = shopFolder()
  process.env["SHOP_API_KEY"] = apiKey
  onTestFinished(async () => {
    await closePointsman()
    delete process.env["SHOP_FOLDER"]
    delete process.env["SHOP_API_KEY"]
  })
}

it("an order sent twice is paid once, and the API shows it", async () => {
  prepare()
  const order = { orderId: "1001", item: "tea" }
  const first = await checkout.POST(post("/checkout", order))
  assert.strictEqual(first.status, 201)
  const paid = (await first.json()) as { readonly status: string }
  assert.strictEqual(paid.status, "CAPTURED")
  assert.deepStrictEqual(await (await checkout.POST(post("/checkout", order))).json(), paid)
  assert.strictEqual((await checkout.POST(post("/checkout", { orderId: "1", item: "a castle" }))).status, 422)

  const authorization = `Bearer ${apiKey}`
  const body = { amount: 1999, currency: "EUR", country: "NL" }
  assert.strictEqual((await api.POST(post("/api/v1/payments", body, { authorization }))).status, 201)
  const listed = await api.GET(new Request("http://shop.example/api/v1/payments", { headers: { authorization } }))
  const { data } = (await listed.json()) as { readonly data: ReadonlyArray<{ readonly reference: string | null }> }
  assert.deepStrictEqual(
    data.map(({ reference }) => reference),
    [null, "1001"]
  )
  const removal = new Request("http://shop.example/api/v1/payments", { method: "DELETE" })
  assert.strictEqual((await api.DELETE(removal)).status, 405)
})

it("the routes' console shows the payments and takes a form after a link", async () => {
  prepare()
  await checkout.POST(post("/checkout", { orderId: "1001", item: "tea" }))
  const link = await signInLink(await pointsman(), "jo", "http://shop.example/desk")
  await tryConsole(link, (url, init) => (init.method === "POST" ? desk.POST : desk.GET)(new Request(url, init)))
})

// A minute where nothing else runs, and needs the packages built: `npm run build`, then POINTSMAN_NEXT=build. The checks do so.
describe.runIf(process.env["POINTSMAN_NEXT"] === "build")("a Next that was built", () => {
  it("an order sent again was paid once under next build and next start", buildAndTry, 600_000)
})
