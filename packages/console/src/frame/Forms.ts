/** Fields and pages of forms. */
import { amountLimits } from "@pointsman/core"
import { decimalText, scaleOf } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsoleError } from "../api/Errors.ts"
import { momentExpected, readMoment } from "../api/Records.ts"
import type { Document, Html } from "./Layout.ts"

const { html } = InProcess

interface Field {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  /** More attributes of the input. */
  readonly attributes?: Html
  readonly hint?: string
  readonly isWide?: boolean
}

const wide = (isWide: boolean): Html | undefined => (isWide ? html` class="wide"` : undefined)

export const field = ({ attributes, hint, isWide = false, label, name, value = "" }: Field): Html =>
  html`<div${wide(isWide)}><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" ${attributes}${
    hint === undefined
      ? html`></div>`
      : html` aria-describedby="${name}-hint">
<p id="${name}-hint" class="soft">${hint}</p></div>`
  }`

/** Of what a program reads: a browser leaves it as it was typed. */
export const asTyped = html`autocomplete="off" autocapitalize="none" spellcheck="false"`

const dateField = (name: string, label: string, query: URLSearchParams): Html =>
  field({ name, label, value: query.get(name) ?? "", attributes: html`type="date"` })

export const hidden = (name: string, value: string | number): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

type Choice = readonly [value: string, text: string]

export const options = (choices: ReadonlyArray<Choice>, selected: string | undefined): ReadonlyArray<Html> =>
  choices.map(
    ([value, text]) =>
      html`<option value="${value}"${value === selected ? html` selected` : undefined}>${text}</option>`
  )

/** Choices that are called by their values. */
export const named = (values: ReadonlyArray<string>): ReadonlyArray<Choice> => values.map((one) => [one, one])

interface Select {
  readonly name: string
  readonly label: string
  readonly choices: ReadonlyArray<Choice>
  readonly selected: string | undefined
  readonly isWide?: boolean
}

export const select = ({ choices, isWide = false, label, name, selected }: Select): Html =>
  html`<div${wide(isWide)}><label for="${name}">${label}</label><select id="${name}" name="${name}">${options(choices, selected)}</select></div>`

/** The choice of no filter. */
export const all: Choice = ["", "All"]

/** Of a field of an address or a form: `undefined` where it is empty, and the clause that says what is wrong. */
export const momentIn = (
  fields: URLSearchParams,
  name: string
): { readonly at: number | undefined; readonly fault: string | undefined } => {
  const text = fields.get(name)?.trim() ?? ""
  const at = text === "" ? undefined : readMoment(text)
  return { at, fault: text !== "" && at === undefined ? `\`${name}\` must be ${momentExpected}` : undefined }
}

/** The fields `from` and `until`, and the clauses that say what is wrong with them. */
export const periodIn = (fields: URLSearchParams) => {
  const from = momentIn(fields, "from")
  const until = momentIn(fields, "until")
  return {
    period: { from: from.at, until: until.at },
    faults: [from.fault, until.fault].filter((fault) => fault !== undefined)
  }
}

export const periodFields = (query: URLSearchParams): ReadonlyArray<Html> => [
  dateField("from", "From", query),
  dateField("until", "Before", query)
]

interface FormPage {
  readonly title: string
  /** Where the form is sent to. */
  readonly action: string
  /** What is asked and what follows. */
  readonly fields: Html
  readonly button: string
  /** Where "Back" leads. */
  readonly back: string
  readonly problem?: ConsoleError | undefined
  /** Whether it is as wide as other pages. */
  readonly isWide?: boolean
  /** What is shown before it. */
  readonly before?: Html | undefined
  /** Whether a field of it takes a file. */
  readonly takesFiles?: boolean
  /** Whether its answer shows a secret once: a second click does not replace it. */
  readonly showsSecret?: boolean
}

/** A form that changes something. */
export const formPage = (form: FormPage): Document => ({
  title: form.title,
  problem: form.problem,
  isSmall: form.isWide !== true,
  main: html`${form.before}<form method="post" action="${form.action}" class="card stack"${form.takesFiles === true ? html` enctype="multipart/form-data"` : undefined}${form.showsSecret === true ? html` data-once="yes"` : undefined}>
${form.fields}
<button class="main">${form.button}</button>
<a class="button" href="${form.back}">Back</a>
</form>`
})

interface SecretPage {
  readonly title: string
  /** What to do with it, and why now. */
  readonly advice: string
  readonly secret: string
  /** What it is for. */
  readonly more: Html
  /** Where "Done" leads. */
  readonly done: string
}

/** A secret that only this answer shows. A click selects all of it. */
export const secretPage = ({ advice, done, more, secret, title }: SecretPage): Document => ({
  title,
  isSmall: true,
  main: html`<div class="card stack">
<p class="note">${advice}</p>
<p><code class="secret">${secret}</code></p>
${more}
<a class="button" href="${done}">Done</a>
</div>`
})

// The key of one form: it is made once, when the form is asked for, and is in the form's address. A reload, a double click
// and a second tab send the same key, and what the form does is done once.

export const isFormKey = (text: string | null): text is string => text !== null && /^[ -~]{8,200}$/u.test(text)

export const newKey = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return `console-${yield* random.uuidV7()}`
}).pipe(Effect.provide(SecureRandom.layerWebCrypto))

export const amountExpected = (currency: string): string =>
  `an amount in ${currency}, such as ${decimalText({ minorUnits: 10 ** ((scaleOf(currency) ?? 0) + 1), currency })}`

/** Minor units; `undefined` for a text that is no amount of the currency. A comma is a point. */
export const readAmount = (text: string, currency: string): number | undefined => {
  const scale = scaleOf(currency) ?? 0
  const [, whole, fraction = ""] = /^(\d{1,12})(?:[.,](\d{1,4}))?$/u.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > scale) return undefined
  const minorUnits = Number(`${whole}${fraction.padEnd(scale, "0")}`)
  return minorUnits >= 1 && minorUnits <= amountLimits.maximum ? minorUnits : undefined
}
