/**
 * The form for evidence of what the provider's record says.
 *
 * The form names the record that it was made from. A double click and a reload are recorded once, and a form that is older
 * than the record is refused.
 */
import type { OperatorStatement, PossibleStatement, ReviewFile } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Result } from "effect"
import { type ConsoleError, failure } from "../api/Errors.ts"
import { amountExpected, asTyped, field, formPage, hidden, readAmount } from "../frame/Forms.ts"
import type { Document } from "../frame/Layout.ts"
import { type Answer, page, pathOf, recordOf, type Visit } from "../frame/Page.ts"
import type { PaymentPath } from "../payments/PaymentDesk.ts"
import * as Desk from "./ReviewDesk.ts"
import { revisionOf } from "./ReviewRecords.ts"
import { becomesText, providerShows, statementName, subjectText } from "./ReviewWords.ts"
import { fieldsOf, type Statement, statementOf } from "./Statements.ts"

const { html } = InProcess

/** Which statement a form is for. */
export const evidenceQuery = (stated: OperatorStatement): URLSearchParams => {
  switch (stated._tag) {
    case "Charge":
      return new URLSearchParams({ about: "charge", says: stated.says, subject: stated.attemptId ?? "" })
    case "Refund":
      return new URLSearchParams({ about: "refund", says: stated.says, subject: stated.refundId })
    case "NothingToChange":
      return new URLSearchParams({ about: "nothing" })
  }
}

const nameOf = (query: URLSearchParams): string =>
  ["about", "says", "subject"].map((name) => query.get(name) ?? "").join(" ")

const statementNotFound = failure("not_found", "The payment has no such statement.")

/** The statement that the address or the form names. */
const possibleOf = (file: ReviewFile, query: URLSearchParams) => {
  const found = file.statements.find(({ stated }) => nameOf(evidenceQuery(stated)) === nameOf(query))
  return found === undefined ? Effect.fail(statementNotFound) : Effect.succeed(found)
}

const form = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "payment")
  const file = yield* Desk.reviewFile(path)
  const possible = yield* possibleOf(file, visit.query)
  const answer: Answer = Result.isFailure(possible.outcome)
    ? refusedPage(visit, path, possible.stated, possible.outcome.failure)
    : evidencePage(visit, path, file, possible)
  return answer
})

const refusedPage = (visit: Visit, path: PaymentPath, stated: OperatorStatement, reason: string): Document => ({
  problem: failure("statement_refused", `This cannot be stated now: ${reason}.`),
  title: statementName(stated),
  isSmall: true,
  main: html`<p><a class="button" href="${visit.mount}${pathOf("reviews", path, path.payment)}">Back</a></p>`
})

const evidencePage = (
  visit: Visit,
  path: PaymentPath,
  file: ReviewFile,
  possible: PossibleStatement,
  problem?: ConsoleError
): Document => {
  const { outcome, stated } = possible
  const { payment } = file
  const { amount, reference } = fieldsOf(possible)
  const here = `${visit.mount}${pathOf("reviews", path, path.payment)}`
  const typed = (name: string) => visit.form.get(name) ?? ""
  return formPage({
    title: `${statementName(stated)}: ${payment.reference ?? payment.id}`,
    problem,
    action: `${here}/evidence`,
    fields: html`<p><strong>${subjectText(stated, file)}.</strong> The provider’s page shows ${providerShows(stated)}</p>
${Result.isFailure(outcome) ? undefined : html`<p>The payment becomes: ${becomesText(outcome.success)}.</p>`}
${hidden("revision", typed("revision") || revisionOf(file))}
${[...evidenceQuery(stated)].map(([name, value]) => hidden(name, value))}
${
  amount
    ? field({
        name: "amount",
        label: `Amount in ${payment.money.currency}, as the provider’s page shows it`,
        value: typed("amount"),
        attributes: html`inputmode="decimal" autocomplete="off" required`
      })
    : undefined
}
${
  reference === "none"
    ? undefined
    : field({
        name: "reference",
        label: `Provider’s reference${reference === "required" ? "" : " (optional)"}`,
        value: typed("reference"),
        attributes: html`${asTyped}${reference === "required" ? html` required` : undefined}`
      })
}
<div data-hash="file" hidden><label for="file-chosen">File that shows it (optional)</label>
<input id="file-chosen" type="file"></div>
${field({
  name: "file",
  label: "SHA-256 of a file that shows it (optional)",
  value: typed("file"),
  attributes: html`${asTyped} pattern="[0-9a-fA-F]{64}" maxlength="64"`,
  hint: "64 hexadecimal digits, computed here from the file that you choose. The file stays with you: keep it."
})}
${field({
  name: "case",
  label: "The provider's support case or other reference (optional)",
  value: typed("case"),
  attributes: html`${asTyped} maxlength="255"`
})}
<div><label for="evidence">Evidence: what you saw, and where</label>
<textarea id="evidence" name="evidence" rows="3" maxlength="2000" required aria-describedby="evidence-hint">${typed("evidence")}</textarea>
<p id="evidence-hint" class="soft">It is on the payment’s timeline under your name, and in the webhook to the merchant. Write no secrets.</p></div>`,
    button: `Record “${statementName(stated)}”`,
    back: here
  })
}

const submit = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "payment")
  const file = yield* Desk.reviewFile(path)
  const possible = yield* possibleOf(file, visit.form)
  return yield* send(visit, path, file, possible).pipe(
    Effect.map(
      ({ proposed }): Answer =>
        proposed === null
          ? { redirect: `${pathOf("payments", path, path.payment)}?notice=settled` }
          : { redirect: `${pathOf("reviews", path, path.payment)}?notice=proposed` }
    ),
    Effect.catch((problem: ConsoleError) => Effect.succeed<Answer>(evidencePage(visit, path, file, possible, problem)))
  )
})

const send = Effect.fnUntraced(function* (
  visit: Visit,
  path: PaymentPath,
  { payment: { money } }: ReviewFile,
  possible: PossibleStatement
) {
  const { amount } = fieldsOf(possible)
  const minorUnits = amount ? readAmount(visit.form.get("amount") ?? "", money.currency) : null
  if (minorUnits === undefined) {
    return yield* Effect.fail(failure("validation_error", `Amount: expected ${amountExpected(money.currency)}.`))
  }
  const stated = yield* statementOf(
    statementIn(possible.stated, minorUnits, visit.form.get("reference")?.trim() || null)
  )
  // Browsers send the ends of lines as CR and LF.
  const evidence = (visit.form.get("evidence") ?? "").replaceAll("\r\n", "\n").trim()
  return yield* Desk.settle(path, {
    stated,
    evidence,
    revision: visit.form.get("revision") ?? "",
    fileHash: visit.form.get("file")?.trim().toLowerCase() || undefined,
    providerReference: visit.form.get("case")?.trim() || undefined
  })
})

const statementIn = (
  stated: OperatorStatement,
  amount: number | null,
  provider_reference: string | null
): Statement => {
  switch (stated._tag) {
    case "Charge":
      return { about: "charge", says: stated.says, attempt_id: stated.attemptId, amount, provider_reference }
    case "Refund":
      return { about: "refund", says: stated.says, refund_id: stated.refundId, provider_reference }
    case "NothingToChange":
      return { about: "nothing" }
  }
}

const at = "/reviews/:workspace/:environment/:payment/evidence"

export const evidencePages = [page("GET", at, "review.resolve", form), page("POST", at, "review.resolve", submit)]
