/** What merchants and browsers bring: hostile names, locales, currencies, addresses. */
import type { Payment } from "@pointsman/core"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { awaiting, hostedWeb } from "./HostedWeb.ts"

const hosted = awaiting.hosted as NonNullable<typeof awaiting.hosted>

describe("a hostile name", () => {
  const names = [
    `</style><script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `' autofocus onfocus='alert(1)`,
    `</title><base href="https://evil.example/">`,
    `<!-- & &lt;b&gt; \${7*7} {{7*7}}`,
    `\u202Eevil\u2066`
  ]
  const states = ["AwaitingCustomer", "Captured", "ChargePending", "Cancelled"] as const

  test.each(names)("the merchant %j is text on any page", async (merchant) => {
    const plain = (path: string, payment: Payment) => hostedWeb(payment, { merchant: "Acme" }).get(path)
    const named = (path: string, payment: Payment) => hostedWeb(payment, { merchant }).get(path)
    for (const state of states) {
      for (const path of ["/hosted/token", "/hosted/token?step=challenge", "/hosted/token/return"]) {
        const page = await named(path, { ...awaiting, state })
        const other = await plain(path, { ...awaiting, state })
        expect(page.status).toBe(other.status)
        // The same elements, whatever the name.
        expect(page.text.match(/<[a-z/!][^\s>]*/giu)).toEqual(other.text.match(/<[a-z/!][^\s>]*/giu))
        expect(page.words).toBe(other.words.replaceAll("Acme", merchant.replace(/\s+/gu, " ").trim()))
      }
    }
  })

  test.each(names)("the reference %j is isolated text", async (reference) => {
    const page = await hostedWeb({ ...awaiting, reference }).get()
    const other = await hostedWeb({ ...awaiting, reference: "order" }).get()
    expect(page.text.match(/<[a-z/!][^\s>]*/giu)).toEqual(other.text.match(/<[a-z/!][^\s>]*/giu))
    expect(page.words).toContain(`Reference ${reference.trim()}`)
    expect(page.text).toMatch(/<dd><bdi>[^<]*<\/bdi><\/dd>/u)
  })
})

describe("the amount", () => {
  const nbsp = "\u00A0"
  test.each([
    [undefined, "EUR", 123_456, "€1,234.56", "en-GB"],
    ["", "EUR", 123_456, "€1,234.56", "en-GB"],
    ["de", "EUR", 123_456, `1.234,56${nbsp}€`, "de"],
    ["nl-NL,nl;q=0.9", "EUR", 123_456, `€${nbsp}1.234,56`, "nl-NL"],
    ["ar", "EUR", 123_456, `\u200F1,234.56${nbsp}€`, "ar"],
    ["fi", "EUR", 123_456, "€1,234.56", "en-GB"],
    ["en-US", "JPY", 123_456, "¥123,456", "en-US"],
    ["ja-JP", "JPY", 123_456, "￥123,456", "ja-JP"],
    ["en-US", "KWD", 123_456, `KWD${nbsp}123.456`, "en-US"],
    ["en-US", "KRW", 50, "₩50", "en-US"],
    ["en-US", "USD", 100_000_000, "$1,000,000.00", "en-US"],
    ["en-AU", "USD", 50, `USD${nbsp}0.50`, "en-AU"],
    // Written without decimals by habit, and with two by the list that amounts are counted by.
    ["en-US", "HUF", 123_456, `HUF${nbsp}1,234.56`, "en-US"],
    ["fr;q=0.3, de;q=0.8", "EUR", 50, `0,50${nbsp}€`, "de"],
    ["fr;q=0, de;q=0.1", "EUR", 50, `0,50${nbsp}€`, "de"],
    ["de;q=2, fr", "EUR", 50, `0,50${nbsp}€`, "fr"],
    ["*, tlh, xx-invalid-locale-tag, de", "EUR", 50, `0,50${nbsp}€`, "de"],
    ["en-US-u-nu-arab", "EUR", 123_456, "€1,234.56", "en-US"],
    [`${"fr;q=0,".repeat(1_000)}de`, "EUR", 50, "€0.50", "en-GB"]
  ])("Accept-Language %j shows %s %i as %s", async (language, currency, minorUnits, text, locale) => {
    const page = await hostedWeb({ ...awaiting, money: { minorUnits, currency } }).get(
      "/hosted/token",
      language === undefined ? {} : { "accept-language": language }
    )
    expect(page.text).toContain(`<bdi lang="${locale}">${text}</bdi>`)
    expect(page.text).toContain(`<html lang="${locale.slice(0, 2)}" dir="${locale === "ar" ? "rtl" : "ltr"}">`)
  })
})

describe("the address to go back to", () => {
  const sentTo = async (payment: Payment): Promise<string | null> => {
    const { post } = hostedWeb(awaiting, {
      answers: { actOnHostedPage: () => Effect.succeed({ payment, acted: true }) }
    })
    return (await post({ action: "approve" })).location
  }
  const added = `payment_id=${awaiting.id}&status=CAPTURED`

  test.each([
    ["https://shop.example", `https://shop.example/?${added}`],
    ["https://shop.example/a/b", `https://shop.example/a/b?${added}`],
    ["https://shop.example/?", `https://shop.example/?${added}`],
    ["https://shop.example/?a=1", `https://shop.example/?a=1&${added}`],
    ["https://shop.example/?a=1&b=x%20y+z&c", `https://shop.example/?a=1&b=x%20y+z&c&${added}`],
    ["https://shop.example/#top", `https://shop.example/?${added}#top`],
    ["https://shop.example/#/route?inner=1", `https://shop.example/?${added}#/route?inner=1`],
    ["https://shop.example/?status=mine&payment_id=7", `https://shop.example/?status=mine&payment_id=7&${added}`],
    [
      "https://shop.example/?next=https%3A%2F%2Fx%2F%3Fy%3D1",
      `https://shop.example/?next=https%3A%2F%2Fx%2F%3Fy%3D1&${added}`
    ],
    [
      "https://bücher.example/düsseldorf?größe=groß#süß",
      `https://xn--bcher-kva.example/d%C3%BCsseldorf?gr%C3%B6%C3%9Fe=gro%C3%9F&${added}#s%C3%BC%C3%9F`
    ],
    ["https://shop.example/☕?q=☕", `https://shop.example/%E2%98%95?q=%E2%98%95&${added}`],
    ["https://shop.example:8443/x", `https://shop.example:8443/x?${added}`],
    ["http://127.0.0.1:9000/x", `http://127.0.0.1:9000/x?${added}`],
    ['https://shop.example/"onclick="x', `https://shop.example/%22onclick=%22x?${added}`]
  ])("return_url %s after a payment is %s", async (returnUrl, expected) => {
    const paid: Payment = { ...awaiting, state: "Captured", hosted: { ...hosted, returnUrl } }
    expect(await sentTo(paid)).toBe(expected)
    const page = await hostedWeb(paid).get()
    expect(page.hrefs).toEqual([expected])
  })

  const cancelUrl = "https://shop.example/basket"
  const cancelled = `payment_id=${awaiting.id}&status=CANCELLED`
  test.each([
    ["Cancelled", cancelUrl, `${cancelUrl}?${cancelled}`],
    ["Cancelled", null, `https://shop.example/thanks?order=1&${cancelled}#receipt`],
    ["Captured", cancelUrl, `https://shop.example/thanks?order=1&${added}#receipt`]
  ] as const)("%s with cancel_url %s is %s", async (state, cancelUrl, expected) => {
    expect(await sentTo({ ...awaiting, state, hosted: { ...hosted, cancelUrl } })).toBe(expected)
  })

  test("a stored address that is no web address leads no customer there", async () => {
    const page = await hostedWeb({
      ...awaiting,
      state: "Captured",
      hosted: { ...hosted, returnUrl: "javascript:alert(1)" }
    }).get()
    expect(page.status).toBe(500)
    expect(page.text).not.toContain("javascript")
  })
})
