/** What was answered on the way, and what is there in the end. Gives the sentences that are not true. */
import { holdsMoney } from "./Books.ts"
import { type Answer, type Evidence, type PaymentShown, unless, type Wish } from "./Evidence.ts"

/** Answers that say that nothing moved. */
const nothingMoved: ReadonlySet<string> = new Set([
  "psp_error",
  "not_capturable",
  "not_voidable",
  "capture_conflict",
  "void_conflict",
  "no_provider_ref",
  "not_refundable",
  "refund_conflict",
  "invalid_amount"
])

/** Answers that leave it open what moved. */
const leftOpen: ReadonlySet<string> = new Set([
  "idempotency_in_progress",
  "refund_pending",
  "capture_result_unknown",
  "void_result_unknown",
  "refund_result_unknown"
])

/** Under one key these are final. */
const standing: ReadonlySet<string> = new Set([
  "capture_result_unknown",
  "void_result_unknown",
  "refund_result_unknown"
])

/** Answers of a server whose database was away. The first one says that nothing was sent, and leaves the key free. */
const ofOutages: ReadonlySet<string> = new Set(["internal_error", "payment_result_unknown", "state_unconfirmed"])

/** Whether a client may have learned, or must assume, that it happened. */
export const mayHaveMoved = ({ answers, lost }: Wish): boolean =>
  lost > 0 ||
  answers.some(
    ({ code }) =>
      code === null || leftOpen.has(code) || code === "payment_result_unknown" || code === "state_unconfirmed"
  )

/** Also where the database is back, `state_unconfirmed` remains under its key. */
const isExcused = (code: string, { answers }: Wish, answer: Answer): boolean =>
  ofOutages.has(code) &&
  (answer.duringOutage || (code === "state_unconfirmed" && answers.some(({ duringOutage }) => duringOutage)))

export const wrongWithWish = (
  wish: Wish,
  final: ReadonlyMap<string, PaymentShown>,
  evidence: Evidence
): ReadonlyArray<string> => {
  const { answers, key, name } = wish
  const acknowledged = answers.filter(({ payment }) => payment !== null)
  const stand = answers.filter(({ code }) => code === null || standing.has(code))
  return [
    ...answers.flatMap((answer) => {
      const { code, status } = answer
      return unless(
        code === null
          ? status === (wish.kind === "create" ? 201 : 200)
          : nothingMoved.has(code) || leftOpen.has(code) || isExcused(code, wish, answer),
        `${name}: answered ${status} ${code}`
      )
    }),
    ...unless(
      key === null || new Set(stand.map(({ text }) => text)).size <= 1,
      `${name}: its key was answered in ${new Set(stand.map(({ text }) => text)).size} ways`
    ),
    ...acknowledged.flatMap(({ payment }) =>
      payment === null
        ? []
        : [
            ...wrongWithShown(name, payment, final, evidence),
            ...unless(isAboutWish(wish, payment), `${name}: answered with another payment, ${payment.payment_id}`)
          ]
    ),
    ...(acknowledged.length > 0 ? wrongWithDone(wish, final, evidence) : []),
    ...unless(
      mayHaveMoved(wish) || !hasMoved(wish, evidence),
      `${name}: it moved, and the response said that it did not`
    )
  ]
}

const isAboutWish = ({ kind, name, paymentId }: Wish, payment: PaymentShown): boolean =>
  kind === "create" ? payment.reference === name : payment.payment_id === paymentId

/** By the books; of captures and voids these do not know who asked for them. */
const hasMoved = ({ kind, name }: Wish, { books }: Evidence): boolean =>
  kind === "create"
    ? books.charges.some((charge) => charge.reference === name && holdsMoney(charge))
    : kind === "refund" && books.refunds.some(({ reason, status }) => reason === name && status === "succeeded")

/** What was answered 2xx has happened. */
const wrongWithDone = (
  { amount, kind, name, paymentId }: Wish,
  final: ReadonlyMap<string, PaymentShown>,
  { books, timelines }: Evidence
): ReadonlyArray<string> => {
  const payment = final.get(paymentId ?? "")
  switch (kind) {
    case "create":
      return []
    case "capture":
      return unless(
        payment?.captured_amount === (amount ?? payment?.amount),
        `${name}: acknowledged a capture of ${amount ?? payment?.amount}, and ${payment?.captured_amount} is captured`
      )
    case "void":
      return unless(
        payment?.status === "CANCELLED",
        `${name}: acknowledged a void, and the payment is ${payment?.status}`
      )
    case "refund": {
      const refund = books.refunds.find(({ reason, status }) => reason === name && status === "succeeded")
      const isReported = timelines
        .get(paymentId ?? "")
        ?.some(
          ({ data, type }) =>
            type === "payment.refunded" &&
            data["refund_id"] === refund?.refundId &&
            data["refund_amount"] === refund?.amount
        )
      return [
        ...unless(refund !== undefined, `${name}: acknowledged, and the provider gave nothing back`),
        ...unless(isReported === true, `${name}: acknowledged, and the timeline does not show it`)
      ]
    }
  }
}

/** What a status may still become. */
const mayBecome: Readonly<Record<string, ReadonlyArray<string>>> = {
  AUTHORIZED: ["AUTHORIZED", "CAPTURED", "PARTIALLY_REFUNDED", "REFUNDED", "CANCELLED"],
  CAPTURED: ["CAPTURED", "PARTIALLY_REFUNDED", "REFUNDED"],
  PARTIALLY_REFUNDED: ["PARTIALLY_REFUNDED", "REFUNDED"],
  REFUNDED: ["REFUNDED"],
  DECLINED: ["DECLINED"],
  FAILED: ["FAILED"],
  CANCELLED: ["CANCELLED"]
}

/** The event, or one of the events, that a timeline has where a payment was shown with the status. */
const toldBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  PENDING: ["payment.created"],
  UNKNOWN: ["payment.unknown", "payment.capture_unknown", "payment.void_unknown"],
  AUTHORIZED: ["payment.authorized"],
  CAPTURED: ["payment.captured"],
  PARTIALLY_REFUNDED: ["payment.refunded"],
  REFUNDED: ["payment.refunded"],
  DECLINED: ["payment.declined"],
  FAILED: ["payment.failed"],
  CANCELLED: ["payment.cancelled"]
}

/** What was shown of a payment is still true of it, and its timeline contains it. */
export const wrongWithShown = (
  where: string,
  shown: PaymentShown,
  final: ReadonlyMap<string, PaymentShown>,
  { timelines }: Evidence
): ReadonlyArray<string> => {
  const payment = final.get(shown.payment_id)
  if (payment === undefined) return [`${where}: ${shown.payment_id} was shown, and is not there`]
  const types = timelines.get(shown.payment_id)?.map(({ type }) => type) ?? []
  return [
    ...(["reference", "amount", "currency", "capture_method", "created"] as const).flatMap((field) =>
      unless(shown[field] === payment[field], `${where}: ${field} was ${shown[field]}, and is ${payment[field]}`)
    ),
    ...unless(
      mayBecome[shown.status]?.includes(payment.status) ?? true,
      `${where}: ${shown.payment_id} was ${shown.status}, and is ${payment.status}`
    ),
    ...unless(
      toldBy[shown.status]?.some((type) => types.includes(type)) ?? false,
      `${where}: ${shown.payment_id} was ${shown.status}, of which its timeline tells nothing: ${types.join(", ")}`
    ),
    ...unless(
      shown.captured_amount === 0 || shown.captured_amount === payment.captured_amount,
      `${where}: ${shown.captured_amount} were captured, and ${payment.captured_amount} are`
    ),
    ...unless(
      shown.refunded_amount <= payment.refunded_amount,
      `${where}: ${shown.refunded_amount} were refunded, and ${payment.refunded_amount} are`
    )
  ]
}
