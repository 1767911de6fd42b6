/**
 * Capturing, voiding and refunding.
 *
 * The idempotency key is made once, when the form is asked for, and is in its address: a reload, a double click and a
 * second tab send the same key, and money moves once.
 */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ConsoleCode, type ConsoleError, consoleCodes, failure } from "../api/Errors.ts"
import { alert, type Document } from "../frame/Layout.ts"
import { type Answer, page, pathOf, type Visit } from "../frame/Page.ts"
import { amountExpected, decimalText, readAmount } from "./Amounts.ts"
import * as Desk from "./PaymentDesk.ts"
import { type Notice, paymentOf, refundable } from "./PaymentPages.ts"
import type { PaymentFile } from "./PaymentRecords.ts"

const { html } = InProcess

type Act = "capture" | "void" | "refund"

const titles = { capture: "Capture", void: "Void", refund: "Refund" } as const
const meanings = {
  capture: "The provider takes the money of the authorization, once.",
  void: "The provider releases the authorization: the customer pays nothing.",
  refund: "The provider gives the money back. It cannot be undone."
} as const

export const keyShape = /^[ -~]{8,200}$/u

export const newKey = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return `console-${yield* random.uuidV7()}`
}).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** Minor units at most. */
const mostOf = (act: Act, { amount, ...payment }: PaymentFile["payment"]): number =>
  act === "refund" ? refundable(payment) : amount

const form = (act: Act) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* paymentOf(visit)
    const key = visit.query.get("key")
    if (key === null || !keyShape.test(key)) {
      const answer: Answer = { redirect: `${pathOf("payments", path, path.payment, act)}?key=${yield* newKey}` }
      return answer
    }
    const { view } = yield* Desk.paymentFile(path)
    const answer: Answer = formPage(act, visit, path, view, key)
    return answer
  })

const formPage = (
  act: Act,
  visit: Visit,
  path: Desk.PaymentPath,
  { payment }: PaymentFile,
  key: string,
  problem?: ConsoleError
): Document => {
  const { currency } = payment
  const most = decimalText(mostOf(act, payment), currency)
  const here = `${visit.mount}${pathOf("payments", path, path.payment)}`
  return {
    status: problem === undefined ? 200 : consoleCodes[problem.error.code].status,
    title: `${titles[act]} ${payment.reference ?? payment.id}`,
    isSmall: true,
    main: html`${alert(problem?.error.message)}
<form method="post" action="${here}/${act}" class="card stack">
<p>${meanings[act]}</p>
<input type="hidden" name="key" value="${key}">
${
  act === "void"
    ? undefined
    : html`<div><label for="amount">Amount in ${currency}, at most ${most}</label>
<input id="amount" name="amount" inputmode="decimal" autocomplete="off" value="${visit.form.get("amount") ?? most}" required></div>`
}
${
  act === "refund"
    ? html`<div><label for="reason">Reason (optional)</label><input id="reason" name="reason" maxlength="200" autocomplete="off" value="${visit.form.get("reason") ?? ""}"></div>`
    : undefined
}
<button class="main">${titles[act]}</button>
<a class="button" href="${here}">Back</a>
</form>`
  }
}

/** What may have happened at the provider is shown by the payment's page, and not by a form that asks for it again. */
const noticeOf: Partial<Record<ConsoleCode, Notice>> = {
  refund_pending: "in_progress",
  idempotency_in_progress: "in_progress",
  capture_result_unknown: "unknown",
  void_result_unknown: "unknown",
  refund_result_unknown: "unknown"
}

const submit = (act: Act) =>
  Effect.fnUntraced(function* (visit: Visit) {
    const path = yield* paymentOf(visit)
    const key = visit.form.get("key") ?? ""
    if (!keyShape.test(key)) return yield* Effect.fail(failure("validation_error", "`key` must be that of the form."))
    const { view } = yield* Desk.paymentFile(path)
    const noticed = (notice: Notice): Answer => ({
      redirect: `${pathOf("payments", path, path.payment)}?notice=${notice}`
    })
    return yield* send(act, visit, path, view, key).pipe(
      Effect.as(noticed("done")),
      Effect.catch((problem: ConsoleError) => {
        const notice = noticeOf[problem.error.code]
        return Effect.succeed(notice === undefined ? formPage(act, visit, path, view, key, problem) : noticed(notice))
      })
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
