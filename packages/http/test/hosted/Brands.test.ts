/** A workspace's brand on its pages: what it adds to them, and to their policy. */
import { createHash } from "node:crypto"
import type { Brand } from "@pointsman/core"
import { describe, expect, test } from "vitest"
import { awaiting, hostedWeb, inProduction, type Shown } from "./HostedWeb.ts"

const dataLogo = "data:image/svg+xml;base64,PHN2Zy8+"

const directive = (page: Shown, name: string): string | undefined =>
  page.headers
    .get("content-security-policy")
    ?.split("; ")
    .find((one) => one.startsWith(`${name} `))

const styleHashes = (page: Shown): ReadonlyArray<string> =>
  Array.from(
    page.text.matchAll(/<style>(.*?)<\/style>/gsu),
    (match) =>
      `'sha256-${createHash("sha256")
        .update(match[1] ?? "")
        .digest("base64")}'`
  )

const open = (brand: Brand | undefined, path?: string) =>
  hostedWeb(awaiting, brand === undefined ? {} : { brand }).get(path)

describe("a brand", () => {
  test("a page without a brand has neither logo nor links, and one style", async () => {
    const page = await open(undefined)
    expect(page.text).not.toMatch(/<img|<footer/u)
    expect(directive(page, "img-src")).toBe("img-src data:")
    expect(directive(page, "style-src")).toBe(`style-src ${styleHashes(page)[0]}`)
    expect(page.text).toContain('<link rel="icon" href="data:image/svg+xml,')
  })

  test.each([
    ["https://cdn.example/logo.svg?v=2", "https://cdn.example/logo.svg?v=2", "img-src data: https://cdn.example"],
    [
      "https://CDN.example:8443/a b.png",
      "https://cdn.example:8443/a%20b.png",
      "img-src data: https://cdn.example:8443"
    ],
    [
      "https://bücher.example/x.png",
      "https://xn--bcher-kva.example/x.png",
      "img-src data: https://xn--bcher-kva.example"
    ],
    [dataLogo, dataLogo, "img-src data:"]
  ])("only the origin of the logo %s may be asked", async (logo, source, policy) => {
    const page = await open({ logo })
    expect(page.text).toContain(`<img class="logo" src="${source}" alt="Acme">`)
    expect(directive(page, "img-src")).toBe(policy)
    expect(directive(page, "default-src")).toBe("default-src 'none'")
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
  })

  test("the button has a brand's color by a style that the policy names", async () => {
    const page = await open({ color: "#0B5FFF" })
    const hashes = styleHashes(page)
    expect(hashes).toHaveLength(2)
    expect(directive(page, "style-src")).toBe(`style-src ${hashes.join(" ")}`)
    expect(page.text).toContain("--main: #0B5FFF; --main-over: #0951d9;")
    expect(page.text).toContain("%230B5FFF")
  })

  test("links are below a page in German, with German texts", async () => {
    const brand = { support: "mailto:help@shop.example", terms: "https://shop.example/agb?a=1&b=2" }
    const page = await hostedWeb(inProduction(awaiting), { brand }).get("/hosted/token", { "accept-language": "de" })
    expect(page.hrefs).toEqual(["mailto:help@shop.example", "https://shop.example/agb?a=1&b=2"])
    expect(page.words).toMatch(/Abbrechen Hilfe Geschäftsbedingungen$/u)
  })

  test.each(["AwaitingCustomer", "CheckoutOpen", "Captured", "ChargePending", "Cancelled"] as const)(
    "the brand is on the page of a payment in %s",
    async (state) => {
      for (const payment of [{ ...awaiting, state }, inProduction({ ...awaiting, state })]) {
        const page = await hostedWeb(payment, { brand: { logo: dataLogo, terms: "https://shop.example/t" } }).get()
        expect(page.text).toContain('class="logo"')
        expect(page.hrefs.at(-1)).toBe("https://shop.example/t")
      }
    }
  )

  test("no brand is on a page without a payment", async () => {
    const page = await open({ logo: dataLogo, color: "#0b5fff", terms: "https://shop.example/t" }, "/hosted/unknown")
    expect(page.text).not.toMatch(/<img|<footer|0b5fff/u)
  })
})

describe("a stored brand that no configuration would be allowed", () => {
  test.each<Brand>([
    { color: "#fff;}</style><script>" },
    { color: "red" },
    { logo: "http://cdn.example/logo.png" },
    { logo: "https://a;b/logo.png" },
    { logo: "javascript:alert(1)" },
    { support: "javascript:alert(1)" },
    { support: "data:text/html,x" },
    { terms: "javascript:alert(1)" },
    { terms: "http://shop.example/" }
  ])("%j is left out of the page", async (brand) => {
    const plain = await open(undefined)
    const page = await open(brand)
    expect(page.text).toBe(plain.text)
    expect(page.headers.get("content-security-policy")).toBe(plain.headers.get("content-security-policy"))
  })

  test("markup in any field is text on the page", async () => {
    const page = await open({
      logo: 'data:image/png;base64,"><script>alert(1)</script>',
      support: 'mailto:"><script>alert(1)</script>@shop.example',
      terms: 'https://shop.example/"><script>'
    })
    expect(page.text).not.toContain("<script")
  })
})
