/** The page of `/docs/errors`: every code, each at an anchor of its name. */
import { Effect } from "effect"
import { documentedCodes } from "./ErrorTable.ts"
import { makeRenderer } from "./hosted/Document.ts"
import { html } from "./hosted/Html.ts"
import { pageBrandOf } from "./hosted/PageBrand.ts"
import { readerOf } from "./hosted/Reader.ts"

const title = "Errors of the API"

const codes = documentedCodes.map(
  ({ code, meaning, status }) =>
    html`<section class="group" id="${code}"><h1><code>${code}</code></h1><p>${meaning.replaceAll("`", "")}</p><p class="soft">Status ${status}</p></section>`
)

export const errorsResponse = Effect.gen(function* () {
  const render = yield* makeRenderer
  const reader = readerOf(undefined)
  const brand = pageBrandOf(null, "Pointsman", reader)
  const main = html`<div class="body"><h1>${title}</h1>
<p class="soft text">Decide by <code>code</code>: it is stable. A <code>message</code> may change.</p>
<div class="actions">${codes}</div></div>`
  return yield* render({ brand, reader, status: 200, title, main, hasForm: false })
})
