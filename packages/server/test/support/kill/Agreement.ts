/**
 * What has to be true when everything has come to rest: between the API and the provider's books, between what was
 * answered on the way and what is there now, between the timelines and what webhooks and followers heard. Pure; gives
 * the sentences that are not true.
 */
import { isDeepStrictEqual } from "node:util"
import { type Books, type ChargeEntry, holdsMoney, type OperationEntry } from "./Books.ts"

/** A payment as the API shows it, as far as it is read here. Amounts in minor units. */
export interface PaymentShown {
  readonly payment_id: string
  readonly reference: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly capture_method: string
  readonly captured_amount: number
  readonly refunded_amount: number
  readonly refund_pending_amount: number
  readonly created: string
}

export interface EventShown {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly data: { readonly payment_id: string } & Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly status: number
  /** The error's code; `null` for a 2xx. */
  readonly code: string | null
  readonly payment: PaymentShown | null
  /** The whole body as it came. */
  readonly text: string
}

/** One thing that the merchant wanted, however often it was asked for. */
export interface Wish {
  readonly kind: "create" | "capture" | "void" | "refund"
  /** A create's `reference`, a refund's `reason`: by this the provider's books know it, too. */
  readonly name: string
  /** Of what is captured, voided or refunded. */
  readonly paymentId: string | null
  readonly key: string | null
  /** Minor units; `null` for all there is. */
  readonly amount: number | null
  readonly answers: Array<Answer>
  /** How often no answer came, as the server was killed. */
  lost: number
}

export interface Evidence {
  readonly wishes: ReadonlyArray<Wish>
  /** Payments that were read on the way, each as it was shown. */
  readonly seen: ReadonlyArray<PaymentShown>
  /** All payments in the end. */
  readonly payments: ReadonlyArray<PaymentShown>
  /** By payment id, oldest first. */
  readonly timelines: ReadonlyMap<string, ReadonlyArray<EventShown>>
  /** All events in the end, oldest first. */
  readonly events: ReadonlyArray<EventShown>
  /** What the follower saw, in the order in which it did. */
  readonly followed: ReadonlyArray<EventShown>
  readonly endpoints: ReadonlyArray<{
    readonly name: string
    readonly wants: (type: string) => boolean
    readonly heard: ReadonlyMap<
      string,
      { readonly bodies: ReadonlySet<string>; readonly deliveryIds: ReadonlySet<string> }
    >
  }>
  readonly books: Books
}

export const disagreements = (evidence: Evidence): ReadonlyArray<string> => {
  const final = new Map(evidence.payments.map((payment) => [payment.payment_id, payment]))
  return [
    ...evidence.payments.flatMap((payment) => wrongWithPayment(payment, evidence)),
    ...wrongWithBooks(final, evidence),
    ...evidence.wishes.flatMap((wish) => wrongWithWish(wish, final, evidence)),
    ...evidence.seen.flatMap((seen) => wrongWithShown("a read", seen, final, evidence)),
    ...wrongWithEvents(evidence),
    ...evidence.endpoints.flatMap((endpoint) => wrongWithEndpoint(endpoint, evidence.events))
  ]
}

const unless = (isTrue: boolean, sentence: string): ReadonlyArray<string> => (isTrue ? [] : [sentence])

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)

// The API and the provider's books.

/** To the cent: what the provider has of a payment is what the API shows of it. */
const wrongWithPayment = (payment: PaymentShown, { books }: Evidence): ReadonlyArray<string> => {
  const id = payment.payment_id
  const charges = books.charges.filter((charge) => charge.paymentId === id)
  const holding = charges.filter(holdsMoney)
  const given = sum(books.refunds.filter((one) => one.paymentId === id && one.status === "succeeded").map(amountOf))
  const charge = holding[0]
  const captured = charge?.status === "captured" ? charge.capturedAmount : 0
  return [
    ...unless(holding.length <= 1, `${id}: ${holding.length} charges hold its money`),
    ...unless(
      charge === undefined || (charge.amount === payment.amount && charge.currency === payment.currency),
      `${id}: the provider was asked for ${charge?.amount} ${charge?.currency}, not ${payment.amount} ${payment.currency}`
    ),
    ...unless(
      truthOf(charges, given).includes(payment.status),
      `${id}: it is ${payment.status}, and by the books ${truthOf(charges, given).join(" or ")}`
    ),
    ...unless(
      payment.captured_amount === captured,
      `${id}: ${payment.captured_amount} captured, by the books ${captured}`
    ),
    ...unless(payment.refunded_amount === given, `${id}: ${payment.refunded_amount} refunded, by the books ${given}`),
    ...unless(payment.refund_pending_amount === 0, `${id}: ${payment.refund_pending_amount} of refunds still pending`)
  ]
}

const amountOf = ({ amount }: { readonly amount: number }): number => amount

/** The statuses that are true of a payment at rest. */
const truthOf = (charges: ReadonlyArray<ChargeEntry>, given: number): ReadonlyArray<string> => {
  const charge = charges.find(holdsMoney)
  if (charge?.status === "authorized") return ["AUTHORIZED"]
  if (charge?.status === "captured") {
    return [given === 0 ? "CAPTURED" : given < charge.capturedAmount ? "PARTIALLY_REFUNDED" : "REFUNDED"]
  }
  if (charge !== undefined) return ["nothing yet"]
  if (charges.some(({ status }) => status === "pending")) return ["nothing yet"]
  if (charges.some(({ status }) => status === "canceled")) return ["CANCELLED"]
  const last = charges.at(-1)
  // The connection asked after a soft decline may have refused, or never have received it.
  return last === undefined ? ["FAILED"] : ["DECLINED", ...(last.decline?.soft === true ? ["FAILED"] : [])]
}

/** Nothing is executed twice, and nothing for nobody. */
const wrongWithBooks = (
  final: ReadonlyMap<string, PaymentShown>,
  { books, wishes }: Evidence
): ReadonlyArray<string> => {
  const wishOf = new Map(wishes.map((wish) => [wish.name, wish]))
  const taking = Map.groupBy(
    books.charges.filter((charge) => holdsMoney(charge) || charge.status === "canceled"),
    ({ reference }) => reference
  )
  const giving = Map.groupBy(
    books.refunds.filter(({ status }) => status !== "failed"),
    ({ reason }) => reason
  )
  return [
    ...[...books.asked].flatMap(([id, times]) =>
      unless(times === 1, `the provider was asked ${times} times for ${id}`)
    ),
    ...books.charges.flatMap(({ attemptId, paymentId, reference }) => [
      ...unless(final.has(paymentId), `${attemptId}: charged for ${paymentId}, which the API does not show`),
      ...unless(final.get(paymentId)?.reference === reference, `${attemptId}: charged under another reference`),
      ...unless(wishOf.has(reference), `${attemptId}: charged, and nobody asked for ${reference}`)
    ]),
    ...[...taking].flatMap(([name, charges]) =>
      unless(charges.length === 1, `${name} was charged ${charges.length} times`)
    ),
    ...[...giving].flatMap(([name, refunds]) =>
      unless(refunds.length === 1, `${name} was refunded ${refunds.length} times`)
    ),
    ...books.refunds.flatMap(({ amount, paymentId, reason }) => {
      const wish = wishOf.get(reason)
      return [
        ...unless(wish?.paymentId === paymentId, `${reason}: refunded on ${paymentId}, and nobody asked for that`),
        ...unless(
          wish === undefined || isAmountOf(amount, wish, wishes),
          `${reason}: ${amount} refunded, ${wish?.amount} asked for`
        )
      ]
    }),
    ...books.operations.flatMap((operation) =>
      unless(
        wishes.some((wish) => isWishFor(operation, wish, final) && mayHaveMoved(wish)),
        `${operation.paymentId}: a ${operation.kind} of ${operation.amount}, and nobody asked for it who was not told that it did not happen`
      )
    ),
    ...[...Map.groupBy(books.operations, ({ paymentId }) => paymentId)].flatMap(([id, operations]) =>
      unless(operations.length === 1, `${id}: ${operations.map(({ kind }) => kind).join(" and ")} of one authorization`)
    )
  ]
}

/**
 * As much as was asked for. Less where a refund of the whole balance held the rest, and only what became free of it by
 * another refund's failure was left.
 */
const isAmountOf = (refunded: number, { amount, paymentId }: Wish, wishes: ReadonlyArray<Wish>): boolean =>
  amount === null ||
  amount === refunded ||
  (refunded < amount &&
    wishes.some((other) => other.kind === "refund" && other.paymentId === paymentId && other.amount === null))

const isWishFor = (
  { amount, kind, paymentId }: OperationEntry,
  wish: Wish,
  final: ReadonlyMap<string, PaymentShown>
): boolean =>
  wish.kind === kind && wish.paymentId === paymentId && (wish.amount ?? final.get(paymentId)?.amount) === amount

// What was answered.

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

/** Under one key these stand for good. */
const standing: ReadonlySet<string> = new Set([
  "capture_result_unknown",
  "void_result_unknown",
  "refund_result_unknown"
])

const mayHaveMoved = ({ answers, lost }: Wish): boolean =>
  lost > 0 || answers.some(({ code }) => code === null || leftOpen.has(code))

const wrongWithWish = (
  wish: Wish,
  final: ReadonlyMap<string, PaymentShown>,
  evidence: Evidence
): ReadonlyArray<string> => {
  const { answers, key, name } = wish
  const acknowledged = answers.filter(({ payment }) => payment !== null)
  const stand = answers.filter(({ code }) => code === null || standing.has(code))
  return [
    ...answers.flatMap(({ code, status }) =>
      unless(
        code === null ? status === (wish.kind === "create" ? 201 : 200) : nothingMoved.has(code) || leftOpen.has(code),
        `${name}: answered ${status} ${code}`
      )
    ),
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
    ...unless(mayHaveMoved(wish) || !hasMoved(wish, evidence), `${name}: it moved, and was told that it did not`)
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
      const isTold = timelines
        .get(paymentId ?? "")
        ?.some(
          ({ data, type }) =>
            type === "payment.refunded" &&
            data["refund_id"] === refund?.refundId &&
            data["refund_amount"] === refund?.amount
        )
      return [
        ...unless(refund !== undefined, `${name}: acknowledged, and the provider gave nothing back`),
        ...unless(isTold === true, `${name}: acknowledged, and the timeline does not tell of it`)
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

/** What was shown of a payment is still true of it, and its timeline tells of it. */
const wrongWithShown = (
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

// Events.

/** Once in a timeline, whatever happened; a refund's are once for each refund. */
const onceInLife: ReadonlySet<string> = new Set([
  "payment.created",
  "payment.captured",
  "payment.declined",
  "payment.failed",
  "payment.cancelled"
])
const onceForRefund: ReadonlySet<string> = new Set(["payment.refunded", "payment.refund_failed"])
/** A provider that never lies gives no reason for them. */
const neverTold: ReadonlySet<string> = new Set(["payment.conflict", "payment.amount_mismatch"])

const wrongWithEvents = ({ books, events, followed, payments, timelines }: Evidence): ReadonlyArray<string> => {
  const byId = new Map(events.map((event) => [event.id, event]))
  const told = [...timelines.values()].flat()
  return [
    ...unless(byId.size === events.length, "an event id stands twice"),
    ...told.flatMap((event) =>
      unless(isDeepStrictEqual(byId.get(event.id), event), `${event.id}: its timeline and the list of events differ`)
    ),
    ...unless(told.length === events.length, `${told.length} events in timelines, ${events.length} in the list`),
    ...wrongWithFollowed(events, followed),
    ...payments.flatMap(({ payment_id }) => wrongWithTimeline(payment_id, timelines.get(payment_id) ?? [])),
    ...books.refunds
      .filter(({ status }) => status === "succeeded")
      .flatMap(({ paymentId, refundId }) =>
        unless(
          timelines.get(paymentId)?.some(isAbout("payment.refunded", refundId)) ?? false,
          `${refundId}: given back, and the timeline does not tell of it`
        )
      )
  ]
}

const isAbout =
  (wanted: string, refundId: string) =>
  ({ data, type }: EventShown): boolean =>
    type === wanted && data["refund_id"] === refundId

const wrongWithTimeline = (paymentId: string, timeline: ReadonlyArray<EventShown>): ReadonlyArray<string> => {
  const names = timeline.flatMap(({ data, type }) =>
    onceInLife.has(type) ? [type] : onceForRefund.has(type) ? [`${type} of ${data["refund_id"]}`] : []
  )
  return [
    ...unless(timeline[0]?.type === "payment.created", `${paymentId}: its timeline begins with ${timeline[0]?.type}`),
    ...unless(
      timeline.every(({ data }) => data.payment_id === paymentId),
      `${paymentId}: another's event`
    ),
    ...unless(new Set(names).size === names.length, `${paymentId}: told twice: ${names.join(", ")}`),
    ...timeline.flatMap(({ id, type }) => unless(!neverTold.has(type), `${paymentId}: ${type}, ${id}`))
  ]
}

/** Every event, once, and in order. */
const wrongWithFollowed = (
  events: ReadonlyArray<EventShown>,
  followed: ReadonlyArray<EventShown>
): ReadonlyArray<string> => {
  const at = events.findIndex((event, index) => !isDeepStrictEqual(event, followed[index]))
  if (at >= 0) return [`the follower saw ${followed[at]?.id ?? "nothing"} where ${events[at]?.id} stands`]
  return unless(followed.length === events.length, `the follower saw ${followed.length} of ${events.length} events`)
}

/** Every event that the endpoint wants reached it, as the API shows it, under one delivery; and nothing else did. */
const wrongWithEndpoint = (
  { heard, name, wants }: Evidence["endpoints"][number],
  events: ReadonlyArray<EventShown>
): ReadonlyArray<string> => {
  const wanted = new Map(events.filter(({ type }) => wants(type)).map((event) => [event.id, event]))
  return [
    ...[...wanted].flatMap(([id, event]) => {
      const one = heard.get(id)
      if (one === undefined) return [`${name} never heard of ${id}, ${event.type}`]
      return [
        ...unless(
          [...one.bodies].every((body) => isDeepStrictEqual(JSON.parse(body), event)),
          `${name} heard of ${id} what the API does not show`
        ),
        ...unless(one.deliveryIds.size === 1, `${name} heard of ${id} under ${one.deliveryIds.size} delivery ids`)
      ]
    }),
    ...[...heard.keys()].flatMap((id) => unless(wanted.has(id), `${name} heard of ${id}, which is not for it`))
  ]
}
