import { afterAll, describe, expect, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const web = serve(scripted().layer, { home: true })
afterAll(web.close)

const get = (path: string, method = "GET", origin = web) =>
  origin.fetch(new Request(`http://pointsman.test${path}`, { method }))

describe("the page at /", () => {
  test("/ without a key is a page whose links lead to what is served", async () => {
    const response = await get("/")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const html = await response.text()
    expect(html).toContain("<title>Pointsman</title>")
    const links = Array.from(html.matchAll(/<a [^>]*href="([^"]*)"/gu), ([, link = ""]) => link)
    expect(links).toEqual(["./docs", "./api/v1/openapi.json"])
    for (const link of links) expect((await get(new URL(link, "http://pointsman.test/").pathname)).status).toBe(200)
  })

  test("the page's policy runs and sends nothing, and takes only its own style", async () => {
    const response = await get("/")
    const policy = String(response.headers.get("content-security-policy"))
    expect(
      policy
        .replace(/'sha256-[A-Za-z0-9+/]{43}='/u, "<hash>")
        .split("; ")
        .toSorted()
    ).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src data:",
      "style-src <hash>"
    ])
    expect(await response.text()).not.toMatch(/<script|<form|<iframe| on[a-z]+=| style=|https?:/u)
  })

  test("HEAD of / has the headers of GET and no body", async () => {
    const [got, head] = [await get("/"), await get("/", "HEAD")]
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const name of ["content-type", "content-security-policy"]) {
      expect(head.headers.get(name)).toBe(got.headers.get(name))
    }
  })

  test("another method or another spelling of / is 405 or 404", async () => {
    const posted = await get("/", "POST")
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    expect((await get("//")).status).toBe(404)
  })

  test("no link leads to docs or the console, nor is a page served, if left out", async () => {
    const bare = serve(scripted().layer, { home: true, docs: false })
    const html = await (await get("/", "GET", bare)).text()
    expect(html).not.toContain("./docs")
    expect(html).not.toContain("onsole")
    await bare.close()
    const withConsole = serve(scripted().layer, { home: { console: "./console" } })
    expect(await (await get("/", "GET", withConsole)).text()).toContain(
      '<a class="button" href="./console">Console</a>'
    )
    await withConsole.close()
    const without = serve(scripted().layer)
    expect((await without.send("/")).status).toBe(404)
    await without.close()
  })
})
