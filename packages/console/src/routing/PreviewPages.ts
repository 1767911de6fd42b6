/** "Where would this payment go?": a form whose values are in the address, and the plan for such a payment. */
import {
  amountLimits,
  captureMethods,
  currencies,
  initiators,
  isCurrency,
  paymentMethodNames,
  paymentMethods
} from "@pointsman/core"
import { decimalText } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Effect, Result, Schema } from "effect"
import { failure } from "../api/Errors.ts"
import { valueWords } from "../api/RouteValue.ts"
import { amountExpected, field, named, readAmount, select } from "../frame/Forms.ts"
import type { Html } from "../frame/Layout.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { modeTexts } from "./ConditionText.ts"
import * as Desk from "./RoutingDesk.ts"
import { type Preview, type PreviewedRoute, PreviewQuery } from "./RoutingRecords.ts"
import { outcomesText, percent, successRange } from "./SuccessRange.ts"

const { html } = InProcess

const decode = Schema.decodeUnknownResult(PreviewQuery, { errors: "all" })

const show = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  const { query } = visit
  const isAsked = query.has("amount")
  const asked = isAsked ? readQuery(query) : undefined
  const here = `${visit.mount}${pathOf("routing", tenant)}`
  const found = asked === undefined || Result.isFailure(asked) ? undefined : yield* Desk.preview(tenant, asked.success)
  return {
    problem: asked !== undefined && Result.isFailure(asked) ? asked.failure : undefined,
    title: "Where would this payment go?",
    main: html`${form(`${here}/preview`, query)}
${found === undefined || asked === undefined || Result.isFailure(asked) ? undefined : previewView(found, asked.success.currency)}
<p><a href="${here}">Back to routing</a></p>`
  } satisfies Answer
})

/** The amount as operators type it; the rest as the payment API takes it, and an empty field as one that is not sent. */
const readQuery = (query: URLSearchParams) => {
  const text = (name: string) => query.get(name)?.trim() ?? ""
  const currency = text("currency").toUpperCase()
  const amount = isCurrency(currency) ? readAmount(text("amount"), currency) : undefined
  if (isCurrency(currency) && (amount === undefined || amount < amountLimits.minimum)) {
    const least = decimalText({ minorUnits: amountLimits.minimum, currency })
    return Result.fail(
      failure("validation_error", `Amount: expected ${amountExpected(currency)}, and at least ${least}.`)
    )
  }
  const fields = {
    // A wrong currency is what is reported then.
    amount: String(amount ?? 1),
    currency,
    country: text("country").toUpperCase(),
    method: text("method"),
    payment_method: text("payment_method"),
    card_brand: text("card_brand"),
    initiator: text("initiator"),
    capture_method: text("capture_method")
  }
  const given = Object.entries(fields).filter(([, value]) => value !== "")
  return Result.mapError(decode(Object.fromEntries(given)), ({ issue }) =>
    InProcess.validationError(issue, InProcess.createExpectations)
  )
}

const initiatorNames = { cit: "the customer", mit: "the merchant (recurring)" } as const

const form = (action: string, query: URLSearchParams): Html => {
  const value = (name: string, otherwise: string) => query.get(name) ?? otherwise
  return html`<form action="${action}" class="card fields">
${field({ name: "amount", label: "Amount", value: value("amount", decimalText({ minorUnits: 2000, currency: "EUR" })), attributes: html`inputmode="decimal" autocomplete="off" size="10" required` })}
${field({ name: "currency", label: "Currency", value: value("currency", "EUR"), attributes: html`list="currencies" autocomplete="off" size="5" maxlength="3" required` })}
<datalist id="currencies">${currencies.map((one) => html`<option value="${one}"></option>`)}</datalist>
${field({ name: "country", label: "Customer’s country", value: value("country", ""), attributes: html`autocomplete="off" size="5" maxlength="2" required aria-describedby="country-hint"` })}
${select({ name: "method", label: "Method", choices: named(paymentMethods), selected: query.get("method") ?? undefined })}
${select({
  name: "payment_method",
  label: "Payment method",
  choices: [["", "not named"], ...named(paymentMethodNames)],
  selected: query.get("payment_method") ?? undefined
})}
${field({ name: "card_brand", label: "Card brand", value: value("card_brand", ""), attributes: html`autocomplete="off" size="10" maxlength="20"` })}
${select({
  name: "initiator",
  label: "Started by",
  choices: initiators.map((one) => [one, initiatorNames[one]] as const),
  selected: query.get("initiator") ?? undefined
})}
${select({ name: "capture_method", label: "Capture", choices: named(captureMethods), selected: query.get("capture_method") ?? undefined })}
<button class="main">Show</button>
<p id="country-hint" class="soft wide">Two letters, such as NL. No provider is asked, and nothing is stored.</p>
</form>`
}

const previewView = ({ routes: [first, ...others] }: Preview, currency: string): Html | undefined =>
  first === undefined
    ? undefined
    : html`${routeView(first, currency)}
${
  others.length === 0
    ? undefined
    : html`<h2>Other such payments</h2>
<p class="soft">Which of these routes a payment takes is drawn by its idempotency key, or by its id if it has none.</p>
<ul class="card">${others.map(
        (route) =>
          html`<li>${percent(route.share)}: ${route.candidates.map(({ name }) => name).join(", ") || "no connection"} <span class="soft">${deciderText(route)}${route.note === null ? undefined : ` ${route.note}`}</span></li>`
      )}</ul>`
}`

const deciderText = ({ path, rule }: PreviewedRoute): string =>
  path === "rule"
    ? `The rule “${rule}” is the first that matches.`
    : path === "control"
      ? "No rule matches, and the payment is in the control group."
      : "No rule matches."

const routeView = (route: PreviewedRoute, currency: string): Html => {
  const { candidates, degraded, excluded, max_attempts, mode, not_named, note, share } = route
  const attempts = max_attempts === 1 ? "One attempt" : `${max_attempts} attempts`
  return html`<h2>${share === 1 ? "The route" : `The route of ${percent(share)} of such payments`}</h2>
<div class="card">
<p>${deciderText(route)} Mode ${mode}: ${modeTexts[mode]}.${candidates.length === 0 ? undefined : ` ${attempts} at most.`}${note === null ? undefined : ` ${note}`}</p>
${degraded ? html`<p class="note">The circuit of every connection is open, so they are tried all the same.</p>` : undefined}
${
  candidates.length === 0
    ? html`<p class="note">No connection can accept the payment.</p>`
    : html`<ol>${candidates.map(
        ({ connection_id, name, priority, rates, score, value }) =>
          html`<li><strong>${name}</strong> <span class="soft">${connection_id}, priority ${priority}${
            score === null ? undefined : `, score ${score}`
          }${rates === null ? undefined : `, measured ${measured(rates.segment)} for such payments and ${measured(rates.connection)} over all${recalled(rates)}`}${valueWords(value, currency)}</span></li>`
      )}</ol>`
}
</div>
${
  excluded.length + not_named.length === 0
    ? undefined
    : html`<h2>Not asked</h2>
<ul class="card">${excluded.map(
        ({ code, connection_id, name, reason }) =>
          html`<li><strong>${name}</strong>: ${reason} <span class="soft">${connection_id}, ${code}</span></li>`
      )}${not_named.map(
        ({ connection_id, name }) =>
          html`<li><strong>${name}</strong>: The order of this route does not name it. <span class="soft">${connection_id}</span></li>`
      )}</ul>`
}`
}

const measured = (counts: { readonly succeeded: number; readonly failed: number }): string => {
  const range = successRange(counts)
  return range === undefined ? "nothing" : `${percent(range.rate)} of ${outcomesText(counts)} outcomes`
}

/** What value weighs besides. */
const recalled = ({ connection, segment }: NonNullable<PreviewedRoute["candidates"][number]["rates"]>): string =>
  connection.memory === undefined || segment.memory === undefined
    ? ""
    : `, since they last changed ${measured(segment.memory.long)} and ${measured(connection.memory.long)}`

export const previewPages = [page("GET", "/routing/:workspace/:environment/preview", "routing.read", show)]
