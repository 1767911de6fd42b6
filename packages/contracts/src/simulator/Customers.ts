/** What customers do: they open the page of a payment, go to the provider's checkout, pay there, and come back. */
import type { Payment, Pointsman } from "@pointsman/core"
import { Effect, Exit } from "effect"
import type { Asking, Work } from "./Asked.ts"
import type { Draw } from "./Draw.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import type { Plan } from "./Plan.ts"
import type { Provider } from "./Provider.ts"
import { hour, minute } from "./Time.ts"
import { short } from "./Words.ts"

const returnUrl = "https://pay.example/hosted/token/return"

export const makeCustomers = (provider: Provider, plan: Plan, { ask, hears }: Asking) => {
  const sentToCheckout = new Set<string>()

  /** Does something on the page of a payment. */
  const visit = (draw: Draw, process: MortalProcess, payment: Payment) => {
    const { id } = payment
    const onPage =
      <A>(work: (it: Pointsman["Service"], token: string) => Effect.Effect<A, unknown>): Work<A> =>
      (it) =>
        Effect.flatMap(it.pageToken(id), (token) => work(it, token))
    if (draw.chance(0.1)) {
      const what = `cancel the page of ${short(id)}`
      const cancel = onPage((it, token) => it.actOnHostedPage(token, { _tag: "Cancel" }))
      return ask(process, what, cancel, hears(what))
    }
    if (draw.chance(sentToCheckout.has(id) ? 0.6 : 0.1)) {
      const what = `come back from the checkout of ${short(id)}`
      const comeBack = onPage((it, token) => it.returnFromCheckout(token))
      return ask(process, what, comeBack, hears(what))
    }
    if (payment.tenant.environment === "sandbox") {
      const what = `approve on the page of ${short(id)}`
      const approve = onPage((it, token) => it.actOnHostedPage(token, { _tag: "Approve" }))
      return ask(process, what, approve, hears(what))
    }
    const openCheckout = onPage((it, token) => it.openCheckout(token, returnUrl))
    return ask(process, `open the checkout of ${short(id)}`, openCheckout, (exit) => {
      if (Exit.isSuccess(exit) && exit.value._tag === "Redirect") sentToCheckout.add(id)
    })
  }

  /** Pays on the provider's checkout. */
  const pay = (draw: Draw, { id }: Payment) => {
    const later = draw.pick([null, null, 2 * minute, 5 * hour])
    const becomes = draw.pick(["done", "done", "refused"])
    plan.note(`the customer of ${short(id)} pays at the provider: ${becomes}`)
    provider.pay(id, { becomes, later })
  }

  return {
    /** Whether the customer of a payment was sent to the provider's checkout: only that customer knows its address. */
    isSentToCheckout: ({ id }: Payment) => sentToCheckout.has(id),
    ...{ visit, pay }
  }
}
