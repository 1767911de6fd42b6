/** Keeping evidence, submitting it, and accepting a dispute. The key of the form is the idempotency key: it is sent once. */
import {
  type Dispute,
  type EvidenceTaken,
  evidenceFileTypes,
  evidenceLimits,
  type SubmissionKind
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleCode, type ConsoleError, failure } from "../api/Errors.ts"
import { field, formPage, hidden, isFormKey, newKey } from "../frame/Forms.ts"
import type { Document, Html } from "../frame/Layout.ts"
import { type Answer, page, pathOf, recordOf, type Visit } from "../frame/Page.ts"
import { count } from "../reconciliation/ReconciliationWords.ts"
import * as Desk from "./DisputeDesk.ts"
import type { Notice } from "./DisputePages.ts"
import { anyEvidence, disputedAmount, evidenceLabel, longTexts } from "./DisputeWords.ts"

const { html } = InProcess

const nameOf = ({ id, providerDisputeId }: Dispute): string => providerDisputeId ?? id

const noticed = (path: Desk.DisputePath, notice: Notice): Answer => ({
  redirect: `${pathOf("disputes", path, path.dispute)}?notice=${notice}`
})

const typed = html`autocomplete="off"`
/** Of the types that are kept. A browser shows only such files, and what is sent is checked by its contents. */
const accepted = evidenceFileTypes.join(",")

const evidenceForm = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "dispute")
  const dispute = yield* Desk.dispute(path)
  return evidencePage(visit, path, dispute, yield* Desk.evidenceTaken(path), {})
})

const evidencePage = (
  visit: Visit,
  path: Desk.DisputePath,
  dispute: Dispute,
  { fields, isSent }: EvidenceTaken,
  given: Readonly<Record<string, string>>,
  problem?: ConsoleError
): Document => {
  const here = `${visit.mount}${pathOf("disputes", path, dispute.id)}`
  const { evidence } = dispute
  const kept = evidence === null ? [] : [...evidence.texts, ...evidence.files.map(({ name }) => name)]
  const { files, texts } = fields ?? anyEvidence
  return formPage({
    title: `Evidence for ${nameOf(dispute)}`,
    problem,
    action: `${here}/evidence`,
    takesFiles: true,
    fields: html`<p>Fill in what applies. Nothing is sent until you submit it.</p>
${isSent ? undefined : html`<p class="note">This connection sends no evidence. Answer the dispute on the provider’s own pages.</p>`}
${kept.length === 0 ? undefined : html`<p class="note">This takes the place of everything that is kept now, files too: ${kept.join(", ")}.</p>`}
<p class="soft" id="files-hint">Files are PDF, JPEG or PNG: up to ${evidenceLimits.files}, of ${count(evidenceLimits.fileBytes)} bytes together. A text has up to ${count(evidenceLimits.textLength)} characters.</p>
${problem === undefined ? undefined : html`<p class="soft">Choose files again: a browser does not keep them.</p>`}
${files.map(fileField)}
${texts.map((name) => textField(name, given[name] ?? ""))}`,
    button: "Keep",
    back: here
  })
}

const textField = (name: string, value: string): Html =>
  longTexts.has(name)
    ? html`<div><label for="${name}">${evidenceLabel(name)}</label>
<textarea id="${name}" name="${name}" rows="3">${value}</textarea></div>`
    : field({ name, label: evidenceLabel(name), value, attributes: typed })

const fileField = (name: string): Html =>
  html`<div><label for="${name}">${evidenceLabel(name)}</label>
<input id="${name}" name="${name}" type="file" accept="${accepted}" aria-describedby="files-hint"></div>`

const tooLarge = failure(
  "payload_too_large",
  `Nothing was kept: the form is too large. Files may have ${count(evidenceLimits.fileBytes)} bytes together.`
)

/** A browser sends an empty file for each field in which none was chosen, and the ends of lines as CR and LF. */
const filledIn = ({ files, texts }: Desk.Evidence): Desk.Evidence => ({
  texts: Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) => {
      const text = value.replaceAll("\r\n", "\n").trim()
      return text === "" ? [] : [[name, text] as const]
    })
  ),
  files: files.filter(({ bytes }) => bytes.length > 0)
})

/** With files, or as a form without any. */
const readForm = ({ form, request }: Visit) =>
  InProcess.isEvidenceForm(request)
    ? Effect.map(
        Effect.mapError(InProcess.readEvidence(request), (refused) =>
          refused.error.code === "payload_too_large" ? tooLarge : refused
        ),
        filledIn
      )
    : Effect.succeed(filledIn({ texts: Object.fromEntries(form), files: [] }))

const keep = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* recordOf(visit, "dispute")
  const dispute = yield* Desk.dispute(path)
  const taken = yield* Desk.evidenceTaken(path)
  const refused = (given: Readonly<Record<string, string>>) => (problem: ConsoleError) =>
    Effect.succeed<Answer>(evidencePage(visit, path, dispute, taken, given, problem))
  return yield* readForm(visit).pipe(
    Effect.matchEffect({
      onFailure: refused({}),
      onSuccess: (evidence) =>
        Desk.keepEvidence(path, evidence).pipe(Effect.as(noticed(path, "kept")), Effect.catch(refused(evidence.texts)))
    })
  )
})

const titles = { submit: "Submit evidence for", accept: "Accept" } as const
const buttons = { submit: "Submit evidence", accept: "Accept the dispute" } as const

const meaning = (kind: SubmissionKind, dispute: Dispute): Html => {
  if (kind === "accept") return html`<p>You give up ${disputedAmount(dispute)}, for good.</p>`
  const { evidence } = dispute
  const kept = evidence === null ? [] : [...evidence.texts, ...evidence.files.map(({ name }) => name)]
  return html`<p>The provider gets ${kept.join(", ") || "nothing: no evidence is kept"}. It decides on that, and most providers take evidence once.</p>`
}

const form = (kind: SubmissionKind) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* recordOf(visit, "dispute")
    const key = visit.query.get("key")
    const answer: Answer = isFormKey(key)
      ? answerPage(kind, visit, path, yield* Desk.dispute(path), key)
      : { redirect: `${pathOf("disputes", path, path.dispute, kind)}?key=${yield* newKey}` }
    return answer
  })

const answerPage = (
  kind: SubmissionKind,
  visit: Visit,
  path: Desk.DisputePath,
  dispute: Dispute,
  key: string,
  problem?: ConsoleError
): Document => {
  const here = `${visit.mount}${pathOf("disputes", path, dispute.id)}`
  return formPage({
    title: `${titles[kind]} ${nameOf(dispute)}`,
    problem,
    action: `${here}/${kind}`,
    fields: html`${meaning(kind, dispute)}
${hidden("key", key)}`,
    button: buttons[kind],
    back: here
  })
}

/** What the provider may have is shown by the dispute's page, and not by a form that asks for it again. */
const noticeOf: Partial<Record<ConsoleCode, Notice>> = {
  dispute_pending: "in_progress",
  dispute_result_unknown: "unknown",
  state_unconfirmed: "unknown"
}

const submit = (kind: SubmissionKind) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* recordOf(visit, "dispute")
    const key = visit.form.get("key") ?? ""
    if (!isFormKey(key)) return yield* Effect.fail(failure("validation_error", "`key` must be that of the form."))
    const dispute = yield* Desk.dispute(path)
    return yield* Desk.answer(path, kind, key).pipe(
      Effect.as(noticed(path, "done")),
      Effect.catch((problem: ConsoleError) => {
        const notice = noticeOf[problem.error.code]
        return Effect.succeed<Answer>(
          notice === undefined ? answerPage(kind, visit, path, dispute, key, problem) : noticed(path, notice)
        )
      })
    )
  })

const at = (act: SubmissionKind | "evidence"): `/${string}` => `/disputes/:workspace/:environment/:dispute/${act}`

export const answerPages = [
  page("GET", at("evidence"), "dispute.answer", evidenceForm),
  page("POST", at("evidence"), "dispute.answer", keep),
  page("GET", at("submit"), "dispute.answer", form("submit")),
  page("POST", at("submit"), "dispute.answer", submit("submit")),
  page("GET", at("accept"), "dispute.answer", form("accept")),
  page("POST", at("accept"), "dispute.answer", submit("accept"))
]
