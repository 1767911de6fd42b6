/**
 * One page, and the headers that it is sent with. There is no script, and nothing comes from elsewhere but a brand's
 * logo, whose origin is the only one that the policy names.
 *
 * `form-action` also governs where a post's answer redirects to, and where that redirects to in turn: a merchant's
 * address may well lead on to another host, and a provider's checkout is not known before it is opened. So a post may
 * end at any https address; at an http one only where the page itself or the merchant's address is http.
 */
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import { Html, html } from "./Html.ts"
import type { PageBrand } from "./PageBrand.ts"
import type { Reader } from "./Reader.ts"
import { style } from "./Style.ts"

export interface Document {
  readonly reader: Reader
  readonly status: number
  readonly title: string
  readonly main: Html
  /** `false`: no form of the page is ever sent. */
  readonly hasForm?: boolean | undefined
  readonly brand: PageBrand
  /** Whether a form of the page may end at an http address. */
  readonly isHttpAllowed?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** On every answer, redirects too: the address holds the token, and no other site receives it. */
export const commonHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
} as const

/** What makes a document an answer. Styles are named by their hashes, so that no other style is taken. */
export const makeRenderer = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const hashed = (text: string) =>
    Effect.map(
      digest.digest(Digest.sha256, new TextEncoder().encode(text)),
      (hash) => `'sha256-${Base64.encode(hash)}'`
    ).pipe(Effect.orDie)
  const commonHash = yield* hashed(style)
  return Effect.fnUntraced(function* (document: Document) {
    const { brand, hasForm = true, headers, isHttpAllowed = false, reader, status } = document
    const styles = brand.style === undefined ? [commonHash] : [commonHash, yield* hashed(brand.style)]
    return HttpServerResponse.text(page(document).text, {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...commonHeaders,
        "content-language": reader.language,
        vary: "accept-language",
        "content-security-policy": [
          "default-src 'none'",
          `style-src ${styles.join(" ")}`,
          `img-src data:${brand.imagesFrom === undefined ? "" : ` ${brand.imagesFrom}`}`,
          hasForm ? `form-action 'self' https:${isHttpAllowed ? " http:" : ""}` : "form-action 'none'",
          "frame-ancestors 'none'",
          "base-uri 'none'"
        ].join("; "),
        ...headers
      }
    })
  })
}).pipe(Effect.provide(Digest.layerWebCrypto), Effect.orDie)

export type Renderer = Effect.Success<typeof makeRenderer>

// Without an icon a browser asks for it elsewhere.
const page = ({ brand, main, reader, title }: Document): Html => html`<!doctype html>
<html lang="${reader.language}" dir="${reader.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${brand.icon}">
<style>${new Html(style)}</style>
${brand.style === undefined ? undefined : html`<style>${new Html(brand.style)}</style>`}
</head>
<body>
<main>
${main}
</main>
${brand.footer}
</body>
</html>
`
