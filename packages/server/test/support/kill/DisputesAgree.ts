/**
 * What has to be true of disputes when everything has come to rest: of the provider's books, of what the API shows and
 * answered, and of what the endpoint heard. Pure; gives the sentences that are not true.
 */
import type { DisputeBook } from "./DisputingProvider.ts"
import type { EventShown } from "./Evidence.ts"
import { unless } from "./Evidence.ts"
import type { Heard } from "./MoodyReceiver.ts"

/** One key under which a dispute was answered, again and again. */
export interface DisputeWish {
  readonly disputeId: string
  readonly kind: "submit" | "accept"
  readonly key: string
  /** The status of the last response, at rest, and its code. */
  readonly last: string
}

/** As the API shows it. */
export interface DisputeShown {
  readonly id: string
  readonly payment_id: string
  readonly status: string
  readonly evidence_due_by: string
}

/** A server ran long enough to announce what was due by its clock. */
export interface Watched {
  /** Epoch milliseconds by the clock that everybody goes by. */
  readonly at: number
  /** The disputes that were recorded by then, and not answered while it looked, by our ids. */
  readonly waiting: ReadonlySet<string>
}

export interface DisputeEvidence {
  /** By the provider's id. */
  readonly books: ReadonlyMap<string, DisputeBook>
  readonly shown: ReadonlyArray<DisputeShown>
  /** By our id. */
  readonly events: ReadonlyMap<string, ReadonlyArray<EventShown>>
  readonly wishes: ReadonlyArray<DisputeWish>
  readonly watched: ReadonlyArray<Watched>
  /** By event id. */
  readonly heard: ReadonlyMap<string, Heard>
}

const day = 24 * 60 * 60_000
const reminderDays = [7, 3, 1]

/** Answers under a key that leave open what became of it. */
const open: ReadonlySet<string> = new Set(["409 dispute_pending", "502 dispute_result_unknown"])

export const disputeDisagreements = (evidence: DisputeEvidence): ReadonlyArray<string> => [
  ...unless(evidence.shown.length === evidence.books.size, `${evidence.books.size} disputes were opened`),
  ...evidence.shown.flatMap((dispute) => {
    const book = [...evidence.books.values()].find(({ paymentId }) => paymentId === dispute.payment_id)
    if (book === undefined) return [`${dispute.id}: the provider has no such dispute`]
    const events = evidence.events.get(dispute.id) ?? []
    return [
      ...wrongAnswers(dispute, book, events),
      ...wrongWishes(
        book,
        evidence.wishes.filter(({ disputeId }) => disputeId === dispute.id)
      ),
      ...wrongReminders(dispute, events, evidence.watched),
      ...events.flatMap(({ id, type }) => unheard(id, type, evidence.heard))
    ].map((what) => `${dispute.id}: ${what}`)
  })
]

const wrongAnswers = ({ status }: DisputeShown, book: DisputeBook, events: ReadonlyArray<EventShown>) => {
  const { arrived, executed, lookedUp } = book
  const ids = arrived.map(({ operationId }) => operationId)
  const expected = executed === undefined ? "needs_response" : executed.kind === "submit" ? "under_review" : "accepted"
  const confirmed = { submit: "dispute.submitted", accept: "dispute.accepted" } as const
  const count = (type: string) => events.filter((event) => event.type === type).length
  const own = arrived.find(({ operationId }) => operationId === executed?.operationId)
  return [
    ...unless(new Set(ids).size === ids.length, `an answer was sent more than once: ${ids.join(", ")}`),
    ...unless(!arrived.some(({ isSecond }) => isSecond), "an answer was sent after another one was taken"),
    ...unless(status === expected, `it is ${status}, and at the provider ${expected}`),
    ...(["submit", "accept"] as const).flatMap((kind) => {
      const wanted = executed?.kind === kind ? 1 : 0
      return unless(count(confirmed[kind]) === wanted, `${count(confirmed[kind])} events ${confirmed[kind]}`)
    }),
    ...unless(
      own === undefined || own.isAnswered || (lookedUp.get(own.operationId) ?? 0) > 0,
      "the answer was not answered, and its result was not looked up"
    )
  ]
}

const wrongWishes = ({ executed }: DisputeBook, wishes: ReadonlyArray<DisputeWish>) => [
  ...wishes.flatMap(({ key, last }) => unless(!open.has(last), `the key ${key} is answered ${last} for ever`)),
  ...unless(
    executed !== undefined || wishes.every(({ last }) => !last.startsWith("200")),
    "its answer was confirmed, and the provider has none"
  ),
  ...unless(
    executed === undefined || wishes.some(({ kind, last }) => kind === executed.kind && last.startsWith("200")),
    "the provider has an answer, and no key is told so"
  )
]

const announced = (events: ReadonlyArray<EventShown>): ReadonlyArray<number> =>
  events.flatMap(({ data, type }) => (type === "dispute.evidence_due" ? [Number(data["days"])] : []))

/** The last reminder that is due at a time, in days, where it is not among the events. */
export const missedReminder = (
  { evidence_due_by: dueBy }: DisputeShown,
  events: ReadonlyArray<EventShown>,
  at: number
): number | undefined => {
  const days = reminderDays.findLast((one) => Date.parse(dueBy) - one * day <= at)
  return days === undefined || announced(events).includes(days) ? undefined : days
}

const wrongReminders = (dispute: DisputeShown, events: ReadonlyArray<EventShown>, watched: ReadonlyArray<Watched>) => {
  const told = announced(events)
  return [
    ...unless(
      told.every((days, at) => at === 0 || days < (told[at - 1] ?? 0)),
      `its reminders are of ${told.join(", ")} days`
    ),
    ...watched.flatMap(({ at, waiting }) => {
      const days = waiting.has(dispute.id) ? missedReminder(dispute, events, at) : undefined
      const seen = events.map(({ created, data, type }) => `${created} ${type} ${data["days"] ?? ""}`)
      return unless(
        days === undefined,
        `at ${new Date(at).toISOString()}, ${days} days before its deadline, nobody was reminded: ${seen.join(", ")}`
      )
    })
  ]
}

const unheard = (id: string, type: string, heard: DisputeEvidence["heard"]): ReadonlyArray<string> => {
  const one = heard.get(id)
  if (one === undefined) return [`${type} ${id} did not reach the endpoint`]
  return unless(one.deliveryIds.size === 1, `${type} ${id} arrived under ${one.deliveryIds.size} ids of deliveries`)
}
