/**
 * The page of `/docs`, by Scalar from Effect's own copy of it. The page holds its script of 3 MB and the document,
 * requests nothing from other hosts, and its policy makes the browser enforce that.
 */
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { productIcon } from "./hosted/PageBrand.ts"
import { openApiDocument } from "./openapi/Document.ts"
import type { Content } from "./StaticAnswer.ts"

export interface DocsOptions {
  readonly baseUrl: string | undefined
  /** Markdown that the page begins with. */
  readonly note: string | undefined
}

/** What Scalar must leave out: its fonts lie elsewhere, and so does the client that it links to. */
const scalar = {
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  // A hidden element is wider than a phone, which would then scale down the whole page.
  customCss: "#api-reference-container { overflow-x: clip }",
  authentication: { preferredSecurityScheme: "bearer" }
}

/** The contract under the product's name: the document itself is named by what it describes. */
const documentOf = ({ baseUrl, note }: DocsOptions) => {
  const { info, ...document } = openApiDocument(baseUrl)
  const description = [note, info.description].filter((text) => text !== undefined).join("\n\n")
  return { ...document, info: { ...info, title: `Pointsman: ${info.title}`, description } }
}

export const docsContent = Effect.fnUntraced(function* (path: `/${string}`, options: DocsOptions) {
  const api = ApiV1.annotate(OpenApi.Transform, () => documentOf(options))
  const router = yield* HttpRouter.make
  const request = HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
  const response = yield* Effect.scoped(
    Layer.build(HttpApiScalar.layer(api, { path, scalar })).pipe(
      Effect.andThen(router.asHttpEffect()),
      Effect.provideService(HttpRouter.HttpRouter, router),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
  )
  const html = (yield* Effect.promise(() => HttpServerResponse.toWeb(response).text()))
    .replace("<html>", '<html lang="en">')
    // Without an icon a browser asks for it elsewhere.
    .replace("<head>", `<head><link rel="icon" href="${productIcon}">`)
  const content: Content = {
    contentType: "text/html; charset=utf-8",
    text: html,
    headers: {
      "content-security-policy": policyOf(yield* Effect.forEach(inlineScripts(html), hashOf)),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    }
  }
  return content
}, Effect.orDie)

const inlineScripts = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/<script>([\s\S]*?)<\/script>/gu), ([, script]) => script ?? "")

const hashOf = Effect.fnUntraced(function* (script: string) {
  const { digest } = yield* Digest.Digest
  return `'sha256-${Base64.encode(yield* digest(Digest.sha256, new TextEncoder().encode(script)))}'`
}, Effect.provide(Digest.layerWebCrypto))

/** Scalar writes its styles itself, and draws small pictures from `data:`. Requests go only to this server. */
const policyOf = (scripts: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
