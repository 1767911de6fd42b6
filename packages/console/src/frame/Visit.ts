/** What a page is asked, and how it is answered. */
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Document } from "./Layout.ts"

export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly mount: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Of a post; empty otherwise, and for a form with files, which only the page that takes it reads. */
  readonly form: URLSearchParams
}

type Headers = Readonly<Record<string, string>>

/** `redirect`: a path under the mount. `elsewhere`: the URL of another site. A response is not a page: an export, say. */
export type Answer =
  | Document
  | { readonly redirect: string; readonly headers?: Headers }
  | { readonly elsewhere: string; readonly headers?: Headers }
  | HttpServerResponse.HttpServerResponse
