import { gunzipSync } from "node:zlib"
import { errorCodes } from "@pointsman/http/api"
import { afterAll, describe, expect, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const web = serve(scripted().layer, { baseUrl: "https://payments.pointsman.test" })
afterAll(web.close)

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  web.fetch(new Request(`http://pointsman.test${path}`, { headers, method }))

describe("the reference page", () => {
  test("/docs is a page that holds the contract, without a key", async () => {
    const response = await get("/docs")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const html = await response.text()
    expect(html).toMatch(/^<!doctype html>\s*<html lang="en">/u)
    expect(html).toContain('"operationId":"createPayment"')
    expect(html).toContain("https://payments.pointsman.test")
    expect(html).toContain("<title>Pointsman: Payment orchestration API</title>")
    // Whatever is not in the page itself would have to come from elsewhere.
    const head = html.slice(0, html.indexOf("<script>"))
    expect(head).not.toMatch(/<link(?! rel="icon" href="data:)|<iframe|src=/u)
    expect(html.match(/<script[^>]* src=/gu)).toBeNull()
  })

  test("the page's policy has no wildcard and names the scripts by what they are", async () => {
    const policy = String((await get("/docs")).headers.get("content-security-policy"))
    const directives = Object.fromEntries(
      policy.split("; ").map((directive) => {
        const [name = "", ...sources] = directive.split(" ")
        return [name, sources]
      })
    )
    const { "script-src": scripts, ...rest } = directives
    expect(scripts).toHaveLength(2)
    for (const script of scripts ?? []) expect(script).toMatch(/^'sha256-[A-Za-z0-9+/]{43}='$/u)
    expect(rest).toEqual({
      "default-src": ["'none'"],
      "style-src": ["'unsafe-inline'"],
      "img-src": ["'self'", "data:"],
      "connect-src": ["'self'"],
      "base-uri": ["'none'"],
      "form-action": ["'none'"],
      "frame-ancestors": ["'none'"]
    })
  })

  test("HEAD of /docs has the headers of GET and no body", async () => {
    const [got, head] = [await get("/docs"), await get("/docs", {}, "HEAD")]
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const name of ["content-type", "etag", "content-security-policy"]) {
      expect(head.headers.get(name)).toBe(got.headers.get(name))
    }
  })

  test("another method for /docs is 405 with Allow", async () => {
    const response = await get("/docs", {}, "POST")
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    expect(await response.json()).toMatchObject({ error: { code: "method_not_allowed" } })
  })

  test("a note is at the beginning of /docs, and the contract does not have it", async () => {
    const noted = serve(scripted().layer, { docsNote: "**Use** the printed key." })
    const html = await (await noted.fetch(new Request("http://pointsman.test/docs"))).text()
    expect(html).toContain('"description":"**Use** the printed key.\\n\\nCreate a payment')
    expect(JSON.stringify((await noted.send("/api/v1/openapi.json")).body)).not.toContain("printed key")
    await noted.close()
    expect(await (await get("/docs")).text()).not.toContain("printed key")
  })

  test("the page that is left out has no route", async () => {
    const bare = serve(scripted().layer, { docs: false })
    expect((await bare.send("/docs")).status).toBe(404)
    expect((await bare.send("/docs", { method: "POST" })).status).toBe(404)
    expect((await bare.send("/api/v1/openapi.json")).status).toBe(200)
    await bare.close()
  })
})

describe("the page of codes", () => {
  test("the doc_url of an error leads to the explanation of its code", async () => {
    for (const path of ["/api/v1/payments", "/api/v1/none", "/elsewhere"]) {
      const response = await get(path)
      const { error } = (await response.json()) as { readonly error: Readonly<Record<string, string>> }
      expect([path, error["request_id"]]).toEqual([path, response.headers.get("x-request-id")])
      const { hash, origin, pathname } = new URL(String(error["doc_url"]))
      expect([origin, hash]).toEqual(["https://payments.pointsman.test", `#${error["code"]}`])
      expect(await (await get(pathname)).text()).toContain(`id="${error["code"]}"`)
    }
  })

  test("the page of errors has an anchor and a status for each code, and no script", async () => {
    const response = await get("/docs/errors")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const html = await response.text()
    for (const [code, { status }] of Object.entries(errorCodes)) {
      expect(html).toMatch(new RegExp(`id="${code}".*?Status ${status}<`, "u"))
    }
    expect(html).not.toContain("<script")
  })

  test("an error has no doc_url where there is no such page", async () => {
    for (const options of [{ docs: false, baseUrl: "https://payments.pointsman.test" }, {}]) {
      const bare = serve(scripted().layer, options)
      const { body } = await bare.send("/api/v1/payments")
      expect(Object.keys(body.error).sort()).toEqual(["code", "message"])
      await bare.close()
    }
  })
})

describe("the contract and the page, which do not change while the server runs", () => {
  test.each(["/docs", "/api/v1/openapi.json"])("%s is 304 when it is asked for again", async (path) => {
    const first = await get(path)
    const etag = String(first.headers.get("etag"))
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/u)
    for (const known of [etag, `"another", ${etag}`]) {
      const again = await get(path, { "if-none-match": known })
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
      expect(again.headers.get("x-request-id")).toMatch(/^req_/u)
    }
    expect((await get(path, { "if-none-match": 'W/"another"' })).status).toBe(200)
  })

  test.each(["/docs", "/api/v1/openapi.json"])(
    "%s compressed by gzip is the same text, and far smaller",
    async (path) => {
      const plain = await (await get(path)).text()
      for (const accepted of ["gzip", "br, gzip;q=0.5", "deflate, GZIP ; q=1.0"]) {
        const response = await get(path, { "accept-encoding": accepted })
        expect([response.headers.get("content-encoding"), response.headers.get("vary")]).toEqual([
          "gzip",
          "accept-encoding"
        ])
        const bytes = new Uint8Array(await response.arrayBuffer())
        expect(bytes.length).toBeLessThan(plain.length / 3)
        expect(gunzipSync(bytes).toString()).toBe(plain)
      }
      for (const refused of ["gzip;q=0", "gzip; q=0.000", "br", "", "xgzip"]) {
        const response = await get(path, { "accept-encoding": refused })
        expect([refused, response.headers.get("content-encoding")]).toEqual([refused, null])
      }
    }
  )

  test("the contract is JSON and needs no key", async () => {
    const reply = await web.send("/api/v1/openapi.json")
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(reply.body).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: "https://payments.pointsman.test" }]
    })
  })
})
