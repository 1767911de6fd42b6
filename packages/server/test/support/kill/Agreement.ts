/**
 * What has to be true when everything has come to rest: between the API and the provider's books, between what was
 * answered on the way and what is there now, between the timelines and what webhooks and followers heard. Pure; gives
 * the sentences that are not true.
 */
import { wrongWithShown, wrongWithWish } from "./AnswersHold.ts"
import { wrongWithBooks, wrongWithPayment } from "./BooksAgree.ts"
import { wrongWithEndpoint, wrongWithEvents } from "./EventsHeard.ts"
import type { Evidence } from "./Evidence.ts"
import type { Town } from "./Rest.ts"

/** What those who outlive every server found wrong by themselves. */
export const wrongIn = ({ follower, merchant, provider, receiver }: Town): ReadonlyArray<string> => [
  ...merchant.unreadable,
  ...follower.refused.map((answer) => `the follower was answered ${answer}`),
  ...provider.refusedMessages.map((message) => `the provider's message was refused: ${message}`),
  ...receiver.unsigned.map((event) => `not signed as the guide says: ${event}`)
]

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
