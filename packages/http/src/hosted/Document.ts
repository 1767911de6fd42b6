/**
 * One page, and the headers that it is sent with. There is no script, and nothing comes from elsewhere.
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
import type { Reader } from "./Reader.ts"
import { style } from "./Style.ts"

export interface Document {
  readonly reader: Reader
  readonly status: number
  readonly title: string
  readonly main: Html
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

/** What makes a document an answer. The style is named by its hash, so that no other style is taken. */
export const makeRenderer = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const styleHash = Base64.encode(yield* digest.digest(Digest.sha256, new TextEncoder().encode(style)))
  return ({ headers, isHttpAllowed = false, main, reader, status, title }: Document) =>
    HttpServerResponse.text(page(reader, title, main).text, {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...commonHeaders,
        "content-language": reader.language,
        vary: "accept-language",
        "content-security-policy": [
          "default-src 'none'",
          `style-src 'sha256-${styleHash}'`,
          "img-src data:",
          `form-action 'self' https:${isHttpAllowed ? " http:" : ""}`,
          "frame-ancestors 'none'",
          "base-uri 'none'"
        ].join("; "),
        ...headers
      }
    })
}).pipe(Effect.provide(Digest.layerWebCrypto), Effect.orDie)

export type Renderer = Effect.Success<typeof makeRenderer>

// The icon is empty: without one a browser asks for it elsewhere.
const page = ({ direction, language }: Reader, title: string, main: Html): Html => html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`
