/** What a page is sent with, and what the routes take. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { scripted } from "../support/Scripted.ts"
import { serve } from "../support/Web.ts"
import { awaiting, hostedWeb, inProduction } from "./HostedWeb.ts"

const hosted = awaiting.hosted as NonNullable<typeof awaiting.hosted>

/** Of the one style element, as the browser computes it. */
const styleHashOf = (text: string): string => {
  const styles = Array.from(text.matchAll(/<style>(.*?)<\/style>/gsu), (match) => match[1] ?? "")
  expect(styles).toHaveLength(1)
  return createHash("sha256")
    .update(styles[0] ?? "")
    .digest("base64")
}

const policy = (styleHash: string, formAction: string) =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action ${formAction}; ` +
  "frame-ancestors 'none'; base-uri 'none'"

const common = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
}

const https = "'self' https:"
const httpToo = "'self' https: http:"

describe("the headers of a page", () => {
  test.each([
    ["everything https", {}, "https://pay.example", https],
    ["a return_url of http", { returnUrl: "http://shop.example/" }, "https://pay.example", httpToo],
    ["a cancel_url of http", { cancelUrl: "HTTP://shop.example/" }, "https://pay.example", httpToo],
    ["a server of http", {}, "http://127.0.0.1:3000", httpToo]
  ])("%s: the page's policy lets forms end there and nothing else", async (_, change, baseUrl, formAction) => {
    const page = await hostedWeb({ ...awaiting, hosted: { ...hosted, ...change } }, { baseUrl }).get()
    expect(page.headers.get("content-security-policy")).toBe(policy(styleHashOf(page.text), formAction))
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(Object.fromEntries(page.headers)).toMatchObject(common)
    expect(page.headers.get("x-request-id")).toMatch(/^req_/u)
  })

  test.each([
    ["/hosted/token?step=challenge", 200],
    ["/hosted/unknown", 404],
    ["/hosted/unknown/return", 404],
    ["/hosted/token/other", 404],
    ["/hosted/", 404]
  ])("%s is %i, as a page with the same headers", async (path, status) => {
    const page = await hostedWeb(awaiting).get(path)
    expect(page.status).toBe(status)
    expect(page.headers.get("content-security-policy")).toBe(policy(styleHashOf(page.text), https))
    expect(Object.fromEntries(page.headers)).toMatchObject(common)
    expect(page.headers.get("x-request-id")).toMatch(/^req_/u)
  })

  test("a redirect does not disclose the address with the token, and is not cached", async () => {
    const { post } = hostedWeb(awaiting, {
      answers: { actOnHostedPage: () => Effect.succeed({ payment: { ...awaiting, state: "Captured" }, acted: true }) }
    })
    const page = await post({ action: "approve" })
    expect(page.status).toBe(303)
    expect(Object.fromEntries(page.headers)).toMatchObject(common)
    expect(page.headers.get("x-request-id")).toMatch(/^req_/u)
  })

  test("every page has no script and no handler in its markup, and fetches nothing", async () => {
    for (const payment of [awaiting, inProduction(awaiting), { ...awaiting, state: "Captured" as const }]) {
      const { text } = await hostedWeb(payment).get()
      expect(text).not.toMatch(/<script|\son[a-z]+=|\sstyle=|\ssrc=|@import|url\(/iu)
      const links = Array.from(text.matchAll(/href="([^"]*)"/gu), (match) => match[1] ?? "")
      expect(links.filter((link) => !/^(?:data:image\/svg\+xml,|\?|https:\/\/shop\.example\/)/u.test(link))).toEqual([])
    }
  })
})

describe("the routes", () => {
  test.each(["/hosted/token", "/hosted/token/return", "/hosted/unknown"])(
    "HEAD of %s is as GET without the body",
    async (path) => {
      const { send } = hostedWeb(awaiting)
      const [head, get] = [await send(path, { method: "HEAD" }), await send(path)]
      expect(head.status).toBe(get.status)
      expect(head.text).toBe("")
      expect(head.headers.get("content-security-policy")).toBe(get.headers.get("content-security-policy"))
    }
  )

  test.each([
    ["PUT", "/hosted/token", "GET, HEAD, POST"],
    ["DELETE", "/hosted/token", "GET, HEAD, POST"],
    ["PATCH", "/hosted/unknown", "GET, HEAD, POST"],
    ["OPTIONS", "/hosted/token", "GET, HEAD, POST"],
    ["POST", "/hosted/token/return", "GET, HEAD"],
    ["PUT", "/hosted/token/return", "GET, HEAD"]
  ])("%s %s is 405, names %s and asks core nothing", async (method, path, allow) => {
    const { script, send } = hostedWeb(awaiting)
    const page = await send(path, { method })
    expect(page.status).toBe(405)
    expect(page.headers.get("allow")).toBe(allow)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(script.asked).toEqual([])
  })

  test.each(["/hosted/unknown", "/hosted/TOKEN", "/hosted/token%20", "/hosted/%00", `/hosted/${"x".repeat(100)}`])(
    "%s, which no payment has, is a page 404",
    async (path) => {
      const page = await hostedWeb(awaiting).get(path)
      expect(page).toMatchObject({ status: 404, heading: "Payment page not found" })
    }
  )

  test("a post to a token that no payment has is a page 404", async () => {
    const page = await hostedWeb(awaiting).post({ action: "approve" }, "/hosted/unknown")
    expect(page).toMatchObject({ status: 404, heading: "Payment page not found" })
  })

  test.each([`/hosted/${"x".repeat(101)}`, "/hosted/%zz"])(
    "%s, which the router does not read, is 404 all the same",
    async (path) => {
      expect((await hostedWeb(awaiting).get(path)).status).toBe(404)
    }
  )

  test("links and forms of the page stay under a prefix before the server", async () => {
    const { post, get, script } = hostedWeb(inProduction(awaiting), { baseUrl: "https://shop.example/pay" })
    const page = await get()
    expect(page.text).toContain('<form method="post">')
    await post({ action: "continue" })
    expect(script.asked.at(-1)).toEqual(["openCheckout", "token", "https://shop.example/pay/hosted/token/return"])
  })

  test("there is no page without a base URL", async () => {
    const reply = await serve(scripted().layer).send("/hosted/token")
    expect(reply.status).toBe(404)
    expect(reply.body.error.code).toBe("not_found")
  })
})
