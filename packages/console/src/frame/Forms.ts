/** Parts of pages with forms. */
import { InProcess } from "@pointsman/http"
import { momentExpected, readMoment } from "../api/Moment.ts"
import type { Html } from "./Layout.ts"

const { html } = InProcess

/** A secret that only this answer shows. A click selects all of it. */
export const secretView = (text: string): Html => html`<p><code class="secret">${text}</code></p>`

export const options = (values: ReadonlyArray<string>, selected: string): ReadonlyArray<Html> =>
  values.map(
    (value) => html`<option value="${value}"${value === selected ? html` selected` : undefined}>${value}</option>`
  )

/** Of a field of an address or a form: `undefined` where it is empty, and the clause that says what is wrong. */
export const momentIn = (
  fields: URLSearchParams,
  name: string
): { readonly at: number | undefined; readonly fault: string | undefined } => {
  const text = fields.get(name)?.trim() ?? ""
  const at = text === "" ? undefined : readMoment(text)
  return { at, fault: text !== "" && at === undefined ? `\`${name}\` must be ${momentExpected}` : undefined }
}
