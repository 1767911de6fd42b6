/** In which language a page is, and that everything on it is in that language. */
import {
  ActionNotOffered,
  HostedSuspended,
  type Payment,
  PaymentResultUnknown,
  paymentStates,
  statusOf
} from "@pointsman/core"
import { amountText } from "@pointsman/core/internal"
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { languages, readerOf } from "../../src/hosted/Reader.ts"
import { awaiting, hostedWeb, inProduction, type Shown } from "./HostedWeb.ts"

const payHeadings = {
  en: "Pay Acme",
  de: "An Acme zahlen",
  fr: "Payer Acme",
  es: "Pagar a Acme",
  it: "Paga Acme",
  pt: "Pagar a Acme",
  nl: "Acme betalen",
  pl: "Płatność dla: Acme",
  sv: "Betala till Acme",
  da: "Betal til Acme",
  ja: "Acme へのお支払い",
  ar: "الدفع إلى Acme"
} as const satisfies Record<(typeof languages)[number], string>

/** Every text of a language, cut where a page puts something into it. */
const textsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.split(/\{[a-z]+\}/u).map((part) => part.trim())
    : Object.values(value as Record<string, unknown>).flatMap(textsOf)

/** What of a page's words is in no text of its language. */
const foreignWords = (page: Shown, language: (typeof languages)[number], own: ReadonlyArray<string>): string =>
  [...textsOf(readerOf(language).texts), ...own]
    // As the page's words are read.
    .map((text) => text.replace(/\s+/gu, " "))
    .filter((text) => text !== "")
    .toSorted((one, other) => other.length - one.length)
    .reduce((words, text) => words.replaceAll(text, " "), page.words)
    .trim()

const expectIn = (page: Shown, language: (typeof languages)[number]) => {
  expect(page.headers.get("content-language")).toBe(language)
  expect(page.headers.get("vary")).toBe("accept-language")
  expect(page.text).toContain(`<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}">`)
}

describe("what the customer pays for", () => {
  const lines = [
    { name: "Ticket <1>", quantity: 2, amountMinor: 2499 },
    { name: "Voucher", quantity: 1, amountMinor: -500 }
  ]
  const purchase = { description: "Zwei Karten & mehr", locale: "de-AT", lines }

  test.each([awaiting, inProduction(awaiting)])(
    "a page shows description and lines in the language of the payment's locale",
    async (payment) => {
      const page = await hostedWeb({ ...payment, purchase }).get("/hosted/token", { "accept-language": "fr" })
      expectIn(page, "de")
      expect(page.words).toContain("Zwei Karten & mehr")
      expect(page.words.replace(/\s+/gu, " ")).toMatch(/2 × Ticket <1>.?€ 24,99.*Voucher.?-€ 5,00/u)
      expect(page.text).toContain("<bdi>Ticket &lt;1&gt;</bdi>")
    }
  )

  test("the browser's language decides when a locale has no texts", async () => {
    const unknown = { description: null, locale: "fi", lines: null }
    const page = await hostedWeb({ ...awaiting, purchase: unknown }).get("/hosted/token", { "accept-language": "fr" })
    expectIn(page, "fr")
    expect(page.text).not.toContain("<dl class=")
  })
})

describe("the language of a page", () => {
  test.each(languages)("a page is in %s for a browser that prefers it", async (language) => {
    const page = await hostedWeb(awaiting).get("/hosted/token", { "accept-language": language })
    expectIn(page, language)
    expect(page.heading).toBe(payHeadings[language])
    expect(page.text).toContain(`<title>${payHeadings[language]}`)
  })

  test.each([
    [undefined, "en"],
    ["*", "en"],
    ["fi, ko;q=0.5", "en"],
    ["fi, sv;q=0.5", "sv"],
    ["de-AT", "de"],
    ["DE-at", "de"],
    ["zh-Hant-TW, ja-JP;q=0.8, en;q=0.9", "en"],
    ["pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt"],
    ["ar-EG,en;q=0.1", "ar"],
    ["de;q=0, fr;q=0.2", "fr"],
    ["deutsch, de_DE, fr", "fr"],
    ["constructor, __proto__, it", "it"],
    [`${"xx,".repeat(10)}de`, "en"]
  ] as const)("a page for Accept-Language %j is in %s", async (header, language) => {
    expectIn(
      await hostedWeb(awaiting).get("/hosted/token", header === undefined ? {} : { "accept-language": header }),
      language
    )
  })

  test.each([
    ["fr", "de-AT", "de", "de-AT"],
    ["fr", "fi", "fr", "fr"],
    ["fr", "no locale", "fr", "fr"],
    ["fr", "", "fr", "fr"],
    ["fr", null, "fr", "fr"],
    [undefined, "ar-u-nu-arab", "ar", "ar"],
    [undefined, "fi", "en", "en-GB"]
  ] as const)(
    "Accept-Language %j and a payment's locale %j give %s, with amounts as in %s",
    (header, locale, language, amounts) => {
      expect(readerOf(header, locale)).toMatchObject({ language, locale: amounts })
    }
  )
})

describe("the texts of a page", () => {
  const declined: Payment = { ...awaiting, state: "Declined", declineCategory: "insufficient_funds" }
  const expired: Payment = { ...awaiting, state: "Cancelled", updatedAt: Date.UTC(2026, 10, 21, 11, 30) }
  const payments = [...paymentStates.map((state): Payment => ({ ...awaiting, state })), declined, expired]

  test.each(languages)("%s has all words of any page of a payment", async (language) => {
    for (const payment of payments.flatMap((one) => [one, inProduction(one)])) {
      const own = [
        "Acme",
        "order-1",
        amountText(payment.money, language),
        statusOf[payment.state],
        "insufficient_funds"
      ]
      for (const path of ["/hosted/token", "/hosted/token?step=challenge", "/hosted/token/return"]) {
        const page = await hostedWeb(payment).get(path, { "accept-language": language })
        if (page.status === 303) continue
        expect(foreignWords(page, language, own)).toBe("")
        expectIn(page, language)
      }
    }
  })

  const failures = [
    () => new ActionNotOffered(),
    () => new HostedSuspended(),
    () => new StorageError({ operation: "read", cause: "lost" }),
    () => new PaymentResultUnknown({ paymentId: "p", cause: "lost" }),
    () => Effect.die("lost")
  ]

  test.each(languages)("%s has all words of the page of a failed request", async (language) => {
    const headers = { "accept-language": language }
    const pressed = { method: "POST", headers, body: new URLSearchParams({ action: "approve" }) }
    const pages = [
      ...failures.map(
        (fail) => () => hostedWeb(awaiting, { answers: { actOnHostedPage: fail } }).send("/hosted/token", pressed)
      ),
      () => hostedWeb(awaiting).get("/hosted/unknown", headers),
      () => hostedWeb(awaiting).get("/hosted/token/other", headers),
      () => hostedWeb(awaiting).send("/hosted/token", { method: "PUT", headers }),
      ...["x", "x".repeat(2_000)].map(
        (action) => () =>
          hostedWeb(awaiting).send("/hosted/token", { ...pressed, body: new URLSearchParams({ action }) })
      )
    ]
    for (const open of pages) {
      const page = await open()
      expect(page.status).toBeGreaterThanOrEqual(400)
      expect(foreignWords(page, language, [page.headers.get("x-request-id") ?? ""])).toBe("")
      expectIn(page, language)
    }
  })

  test("no longer text of two languages is the same", () => {
    for (const language of languages) {
      for (const other of languages.filter((one) => one !== language)) {
        const theirs = new Set(textsOf(readerOf(other).texts))
        const same = textsOf(readerOf(language).texts).filter((text) => text.length > 12 && theirs.has(text))
        expect(same).toEqual([])
      }
    }
  })
})
