/** The payment that a message is about: by our ids, then by the provider's ids of its charge, capture or refund. */
import { Effect, Option } from "effect"
import type { MessageAbout } from "../../model/ProviderStatement.ts"
import type { MessageBook, MessageSubject } from "../../model/StoredMessage.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { Retention } from "../../ports/Retention.ts"
import { Settlements } from "../../ports/Settlements.ts"

export const findCharge = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string, about: MessageAbout) {
  const subject = subjectOf(connectionId, about)
  const found = yield* (yield* Ledger).bookOf(tenant, subject)
  return Option.isSome(found) || !("connectionId" in subject) ? found : yield* findPart(tenant, subject)
})

/** Most messages name the charge: this is a second question for those that do not. */
const findPart = Effect.fnUntraced(function* (
  tenant: Tenant,
  { connectionId, providerRef }: Extract<MessageSubject, { readonly providerRef: string }>
) {
  const ours = { attemptIds: [], operationIds: [], refundIds: [] }
  const theirs = { providerRefundIds: [providerRef], providerRefs: [providerRef] }
  const { books } = yield* (yield* Settlements).booksNamed(tenant, connectionId, { ...ours, ...theirs })
  const [book, ...others] = books
  return book === undefined
    ? Option.none()
    : Option.some<MessageBook>({ book, others: others.map(({ payment }) => payment.id) })
})

/** The payment that retention removed, where the message names its charge by the provider's reference; `null` for none. */
export const removedPayment = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string, about: MessageAbout) {
  const subject = subjectOf(connectionId, about)
  return "connectionId" in subject ? yield* (yield* Retention).removedPaymentOf(tenant, subject) : null
})

const subjectOf = (connectionId: string, about: MessageAbout): MessageSubject => {
  if (about._tag === "Refund") return { refundId: about.refundId }
  if (about._tag === "Operation") return { operationId: about.operationId }
  return "attemptId" in about.charge ? about.charge : { connectionId, ...about.charge }
}
