/** Keeping evidence, submitting it, and accepting a dispute. The key of the form is the idempotency key: it is sent once. */
import type { Dispute, SubmissionKind } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleCode, type ConsoleError, failure } from "../api/Errors.ts"
import { isFormKey, newKey } from "../frame/FormKey.ts"
import { field, formPage, hidden } from "../frame/Forms.ts"
import type { Document, Html } from "../frame/Layout.ts"
import { type Answer, page, pathOf, type Visit } from "../frame/Page.ts"
import * as Desk from "./DisputeDesk.ts"
import { disputeOf, type Notice } from "./DisputePages.ts"
import { disputedAmount, type EvidenceText, evidenceTexts, longTexts } from "./DisputeWords.ts"

const { html } = InProcess

const nameOf = ({ id, providerDisputeId }: Dispute): string => providerDisputeId ?? id

const noticed = (path: Desk.DisputePath, notice: Notice): Answer => ({
  redirect: `${pathOf("disputes", path, path.dispute)}?notice=${notice}`
})

const names = Object.keys(evidenceTexts) as ReadonlyArray<EvidenceText>

const evidenceForm = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* disputeOf(visit)
  const answer: Answer = evidencePage(visit, path, yield* Desk.dispute(path))
  return answer
})

const evidencePage = (visit: Visit, path: Desk.DisputePath, dispute: Dispute, problem?: ConsoleError): Document => {
  const here = `${visit.mount}${pathOf("disputes", path, dispute.id)}`
  const { evidence } = dispute
  const kept = evidence === null ? [] : [...evidence.texts, ...evidence.files.map(({ name }) => name)]
  return formPage({
    title: `Evidence for ${nameOf(dispute)}`,
    problem,
    action: `${here}/evidence`,
    fields: html`<p>Fill in what applies. Nothing is sent until you submit it. Files are added through the API.</p>
${kept.length === 0 ? undefined : html`<p class="note">This takes the place of everything that is kept now: ${kept.join(", ")}.</p>`}
${names.map((name) => textField(name, visit.form.get(name) ?? ""))}`,
    button: "Keep",
    back: here
  })
}

const textField = (name: EvidenceText, value: string): Html =>
  longTexts.has(name)
    ? html`<div><label for="${name}">${evidenceTexts[name]}</label>
<textarea id="${name}" name="${name}" rows="3">${value}</textarea></div>`
    : field({ name, label: evidenceTexts[name], value, attributes: html`autocomplete="off"` })

const keep = Effect.fnUntraced(function* (visit: Visit) {
  const path = yield* disputeOf(visit)
  const dispute = yield* Desk.dispute(path)
  // Browsers send the ends of lines as CR and LF.
  const texts = names.flatMap((name) => {
    const text = (visit.form.get(name) ?? "").replaceAll("\r\n", "\n").trim()
    return text === "" ? [] : [[name, text] as const]
  })
  return yield* Desk.keepTexts(path, Object.fromEntries(texts)).pipe(
    Effect.as(noticed(path, "kept")),
    Effect.catch((problem: ConsoleError) => Effect.succeed<Answer>(evidencePage(visit, path, dispute, problem)))
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
    const path = yield* disputeOf(visit)
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
    const path = yield* disputeOf(visit)
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
