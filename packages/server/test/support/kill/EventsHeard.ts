/** The timelines, and what followers and endpoints heard of them. Gives the sentences that are not true. */
import { isDeepStrictEqual } from "node:util"
import { type EventShown, type Evidence, unless } from "./Evidence.ts"

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

export const wrongWithEvents = ({ books, events, followed, payments, timelines }: Evidence): ReadonlyArray<string> => {
  const byId = new Map(events.map((event) => [event.id, event]))
  const told = [...timelines.values()].flat()
  return [
    ...unless(byId.size === events.length, "an event id occurs twice"),
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
          `${refundId}: given back, and the timeline does not show it`
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
    ...timeline.flatMap(({ id, type }) =>
      unless(!neverTold.has(type), `${paymentId}: ${type}, ${id}, in the timeline ${JSON.stringify(timeline)}`)
    )
  ]
}

/** Every event, once, and in order. */
const wrongWithFollowed = (
  events: ReadonlyArray<EventShown>,
  followed: ReadonlyArray<EventShown>
): ReadonlyArray<string> => {
  const at = events.findIndex((event, index) => !isDeepStrictEqual(event, followed[index]))
  if (at >= 0) return [`the follower saw ${followed[at]?.id ?? "nothing"} instead of ${events[at]?.id}`]
  return unless(followed.length === events.length, `the follower saw ${followed.length} of ${events.length} events`)
}

/** Every event that the endpoint wants reached it, as the API shows it, under one delivery; and nothing else did. */
export const wrongWithEndpoint = (
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
