/** A customer's acts on a hosted page. Approval charges as a direct create does; the others end the payment. */
import { Effect } from "effect"
import { writeFact } from "../../commit/WriteFact.ts"
import type { ChargeFact } from "../../decide/ChargeFact.ts"
import { PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { ActionNotOffered, type HostedAction, type HostedOutcome } from "../../decide/HostedOrder.ts"
import { type ChargeSimulation, leadsToProvider, type Payment, type Simulation } from "../../model/Payment.ts"
import { attemptInTurn, sendCharge } from "../create/CreatePayment.ts"
import { abandonForGood } from "../create/RecordCharge.ts"
import { beginHosted } from "./BeginHosted.ts"
import { findPage } from "./ViewHostedPage.ts"

/** Once begun it runs to its end, also when the customer goes away. */
export const actOnHostedPage = (token: string, action: HostedAction) => Effect.uninterruptible(act(token, action))

const act = Effect.fnUntraced(function* (token: string, action: HostedAction) {
  const payment = yield* findPage(token)
  if (leadsToProvider(payment) && action._tag !== "Cancel") return yield* new ActionNotOffered()
  switch (action._tag) {
    case "Approve":
      return yield* charge(payment, payment.simulation)
    case "ApproveAfterChallenge":
      return yield* charge(payment, authenticated(payment.simulation))
    case "Decline":
      // The simulator's raw code of a decline is its category.
      return yield* end(payment, { on: "CustomerDeclined", category: action.category, reason: action.category })
    case "Cancel":
      return yield* end(payment, { on: "CustomerCancelled" })
  }
})

const end = (payment: Payment, fact: ChargeFact) =>
  Effect.map(
    writeFact(payment, fact),
    (written): HostedOutcome => ({ payment: written.payment, acted: written.isWritten })
  )

const charge = Effect.fnUntraced(function* (page: Payment, simulation: Simulation | null) {
  const begun = yield* beginHosted(page)
  if (begun._tag === "Stands") return { payment: begun.payment, acted: begun.acted } satisfies HostedOutcome
  // From here on a provider may be asked: a bug must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    attemptInTurn(begun.plan, begun.inHand, {
      send: (inHand, beginBy) => sendCharge(inHand, { instruments: null, simulation }, beginBy),
      tooLate: abandonForGood
    }),
    (cause) => new PaymentResultUnknown({ paymentId: page.id, cause })
  )
  return { payment, acted: true } satisfies HostedOutcome
})

/** The customer passed the challenge that a direct charge would have been declined for. */
const authenticated = (simulation: Simulation | null): Simulation | null => {
  const charge = simulation?.charge
  if (simulation === null || charge === undefined) return simulation
  const passed = (outcome: ChargeSimulation): ChargeSimulation =>
    outcome === "requires_authentication" ? "approve" : outcome
  return { ...simulation, charge: typeof charge === "string" ? passed(charge) : charge.map(passed) }
}
