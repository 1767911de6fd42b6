/** The page of `/`: what answers here, and where its reference is. There is no script, and nothing comes from elsewhere. */
import { Effect } from "effect"
import { makeRenderer } from "./hosted/Document.ts"
import { html } from "./hosted/Html.ts"
import { pageBrandOf } from "./hosted/PageBrand.ts"
import { readerOf } from "./hosted/Reader.ts"

export interface HomeOptions {
  readonly hasDocs: boolean
  /** The path of the console, relative to this page; without it no link leads there. */
  readonly console: string | undefined
}

const title = "Pointsman"

export const homeResponse = Effect.fnUntraced(function* (options: HomeOptions) {
  const render = yield* makeRenderer
  const reader = readerOf(undefined)
  const brand = pageBrandOf(null, title, reader)
  return yield* render({ brand, reader, status: 200, title, main: main(options), hasForm: false })
})

// A proxy may serve the page under a path of its own: the links are relative.
const main = ({ console, hasDocs }: HomeOptions) => html`<div class="body">
<h1>Pointsman</h1>
<p class="soft text">A payment orchestration server. Its API is at <code>/api/v1</code> and needs an API key.</p>
<div class="actions">
${hasDocs ? html`<a class="button main" href="./docs">API reference</a>` : undefined}
<a class="button" href="./api/v1/openapi.json">OpenAPI document</a>
${console === undefined ? undefined : html`<a class="button" href="${console}">Console</a>`}
</div>
<p class="soft text">The guides are in the folder <code>docs/guides</code> of the source code. Begin with <code>README.md</code>.</p>
</div>`
