/** Erases the texts of a payment that its own record does not hold: the data of its events and the bodies of its messages. */
import type { Tenant } from "@pointsman/core"
import type { TextErasure } from "@pointsman/core/ports"
import { copy, forTenant, type State, tenantKey } from "./State.ts"

/** Gives how many messages had a body. */
export const eraseTexts = (state: State, tenant: Tenant, { events, paymentId }: TextErasure): number => {
  const stored = forTenant(state, tenant)
  const replaced = new Map(copy(events).map(({ data, id }) => [id, data]))
  for (const [at, event] of stored.events.entries()) {
    const data = replaced.get(event.id)
    if (data !== undefined && event.paymentId === paymentId) stored.events[at] = { ...event, data }
  }
  for (const delivery of state.deliveries.values()) {
    const data = replaced.get(delivery.event.id)
    const isOfPayment =
      tenantKey(delivery.delivery.tenant) === tenantKey(tenant) && delivery.event.paymentId === paymentId
    if (data !== undefined && isOfPayment) delivery.event = { ...delivery.event, data }
  }
  let emptied = 0
  for (const [name, message] of stored.messages) {
    if (message.paymentId !== paymentId || message.body === "") continue
    // An empty body is not sealed: there is nothing to decrypt.
    stored.messages.set(name, { ...message, body: "", isSealed: false })
    emptied += 1
  }
  return emptied
}
