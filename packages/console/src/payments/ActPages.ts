/** Capturing, voiding and refunding. The key of the form is the idempotency key, so that money moves once. */
import type { CorrectionState } from "@pointsman/core"
import { decimalText } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { type ConsoleCode, type ConsoleError, failure } from "../api/Errors.ts"
import { amountExpected, field, formPage, hidden, isFormKey, newKey, readAmount } from "../frame/Forms.ts"
import { type Answer, orShow, page, pathOf, recordOf, type Visit } from "../frame/Page.ts"
import { ConsoleSettings } from "../gate/Settings.ts"
import * as Desk from "./PaymentDesk.ts"
import { type Notice, refundable } from "./PaymentPages.ts"
import type { PaymentFile } from "./PaymentRecords.ts"
import { money } from "./PaymentWords.ts"

const { html } = InProcess

type Act = "capture" | "void" | "refund"

const titles = { capture: "Capture", void: "Void", refund: "Refund" } as const
const meanings = {
  capture: "The provider takes the money of the authorization, once.",
  void: "The provider releases the authorization: the customer pays nothing.",
  refund: "The provider gives the money back. It cannot be undone."
} as const

const doneNotice = { capture: "captured", void: "voided", refund: "refunded" } as const

/** Minor units at most. */
const mostOf = (act: Act, { amount, ...payment }: PaymentFile["payment"]): number =>
  act === "refund" ? refundable(payment) : amount

const form = (act: Act) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* recordOf(visit, "payment")
    const key = visit.query.get("key")
    if (!isFormKey(key)) return { redirect: `${pathOf("payments", path, path.payment, act)}?key=${yield* newKey}` }
    const { view } = yield* Desk.paymentFile(path)
    return yield* actPage(act, visit, path, view, key)
  })

const actPage = Effect.fnUntraced(function* (
  act: Act,
  visit: Visit,
  path: Desk.PaymentPath,
  { payment }: PaymentFile,
  key: string,
  problem?: ConsoleError
) {
  const { currency } = payment
  const limit = act === "refund" ? (yield* ConsoleSettings).refundLimits[currency] : undefined
  const most = decimalText({ minorUnits: mostOf(act, payment), currency })
  const here = `${visit.mount}${pathOf("payments", path, path.payment)}`
  return formPage({
    title: `${titles[act]} ${payment.reference ?? payment.id}`,
    problem,
    action: `${here}/${act}`,
    fields: html`<p>${meanings[act]}${limit === undefined ? undefined : ` Above ${money(limit, currency)} in all, another operator has to approve it.`}</p>
${hidden("key", key)}
${
  act === "void"
    ? undefined
    : field({
        name: "amount",
        label: `Amount in ${currency}, at most ${most}`,
        value: visit.form.get("amount") ?? most,
        attributes: html`inputmode="decimal" autocomplete="off" required`
      })
}
${
  act === "refund"
    ? field({
        name: "reason",
        label: "Reason (optional)",
        value: visit.form.get("reason") ?? "",
        attributes: html`maxlength="200" autocomplete="off"`
      })
    : undefined
}`,
    button: titles[act],
    back: here
  })
})

/** What may have happened at the provider is shown by the payment's page, and not by a form that asks for it again. */
const noticeOf: Partial<Record<ConsoleCode, Notice>> = {
  refund_pending: "in_progress",
  idempotency_in_progress: "in_progress",
  capture_result_unknown: "unknown",
  void_result_unknown: "unknown",
  refund_result_unknown: "unknown"
}

/** A form that is sent again shows what became of its proposal. */
const proposalNotice: Readonly<Record<CorrectionState, Notice>> = {
  proposed: "proposed",
  approved: "in_progress",
  rejected: "closed",
  withdrawn: "closed",
  overtaken: "closed"
}

const submit = (act: Act) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* recordOf(visit, "payment")
    const key = visit.form.get("key") ?? ""
    if (!isFormKey(key)) return yield* Effect.fail(failure("validation_error", "`key` must be that of the form."))
    const { view } = yield* Desk.paymentFile(path)
    const noticed = (notice: Notice): Answer => ({
      redirect: `${pathOf("payments", path, path.payment)}?notice=${notice}`
    })
    return yield* send(act, visit, path, view, key).pipe(
      Effect.map((sent) =>
        noticed("proposed" in sent && sent.proposed !== null ? proposalNotice[sent.proposed.state] : doneNotice[act])
      ),
      Effect.catch(
        orShow((problem: ConsoleError) => {
          const notice = noticeOf[problem.error.code]
          return notice === undefined ? actPage(act, visit, path, view, key, problem) : Effect.succeed(noticed(notice))
        })
      )
    )
  })

const send = Effect.fnUntraced(function* (
  act: Act,
  visit: Visit,
  path: Desk.PaymentPath,
  { payment: { currency } }: PaymentFile,
  idempotencyKey: string
) {
  if (act === "void") return yield* Desk.voidPayment(path, { amountMinor: null, idempotencyKey })
  const amountMinor = readAmount(visit.form.get("amount") ?? "", currency)
  if (amountMinor === undefined) {
    return yield* Effect.fail(failure("invalid_amount", `Amount: expected ${amountExpected(currency)}.`))
  }
  if (act === "capture") return yield* Desk.capture(path, { amountMinor, idempotencyKey })
  const text = visit.form.get("reason")?.trim() ?? ""
  const { reason = null } = yield* Desk.checkedRefund(text === "" ? {} : { reason: text })
  return yield* Desk.refund(path, { amountMinor, reason, idempotencyKey })
})

const at = (act: Act): `/${string}` => `/payments/:workspace/:environment/:payment/${act}`

export const actPages = [
  page("GET", at("capture"), "payment.capture", form("capture")),
  page("POST", at("capture"), "payment.capture", submit("capture")),
  page("GET", at("void"), "payment.void", form("void")),
  page("POST", at("void"), "payment.void", submit("void")),
  page("GET", at("refund"), "payment.refund", form("refund")),
  page("POST", at("refund"), "payment.refund", submit("refund"))
]
