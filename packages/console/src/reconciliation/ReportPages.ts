/** Reading a report from a file. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import { asTyped, field, formPage, select } from "../frame/Forms.ts"
import { type Answer, page, pathOf, tenantOf, type Visit } from "../frame/Page.ts"
import { connections } from "./ReconciliationDesk.ts"
import { count } from "./ReconciliationWords.ts"
import { readReport, reportBytes } from "./ReportForm.ts"

const { html } = InProcess

const form = Effect.fnUntraced(function* (visit: Visit, problem?: ConsoleError) {
  const tenant = yield* tenantOf(visit)
  const here = `${visit.mount}${pathOf("reconciliation", tenant)}`
  const choices = (yield* connections(tenant)).map(({ id, name }) => [id, name] as const)
  return formPage({
    title: "Read a report",
    problem,
    action: `${here}/read`,
    takesFiles: true,
    fields: html`<p>What its rows state is applied to the payments: those whose messages were lost are put right, and what is paid out is settled. A file that was read before changes nothing.</p>
${problem === undefined ? undefined : html`<p class="soft">Choose the file again: a browser does not keep it.</p>`}
${select({ name: "connection", label: "Connection", choices, selected: visit.query.get("connection") ?? undefined })}
<div><label for="file">File</label>
<input id="file" name="file" type="file" required aria-describedby="file-hint">
<p id="file-hint" class="soft">As the provider gives it, also as .gz: up to ${count(reportBytes)} bytes. The command pointsman reconcile run takes larger files.</p></div>
${field({ name: "format", label: "Format, if the first line does not tell", attributes: asTyped })}`,
    button: "Read the report",
    back: here
  })
})

/** A refusal is shown above the form. */
const read = Effect.fnUntraced(function* (visit: Visit) {
  const tenant = yield* tenantOf(visit)
  return yield* readReport(tenant, visit.request).pipe(
    Effect.map(
      ({ id, isKnown }): Answer => ({
        redirect: `${pathOf("reconciliation", tenant, "reports", id)}${isKnown ? "?notice=known" : ""}`
      })
    ),
    Effect.catch((problem: ConsoleError) => form(visit, problem))
  )
})

const at = "/reconciliation/:workspace/:environment/read"

export const reportPages = [
  page("GET", at, "difference.close", (visit) => form(visit)),
  page("POST", at, "difference.close", read)
]
