/**
 * Leads a customer to the provider's own page. It is opened once for a payment: the attempt is stored before the
 * provider is asked, and every further tab is sent to the page that was opened.
 */
import { Clock, Effect, Exit, Option, Redacted } from "effect"
import { askProvider, OpenConnections } from "../../call/CallProvider.ts"
import { PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { ActionNotOffered, type CheckoutStep } from "../../decide/HostedOrder.ts"
import { checkoutUrlContext } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import { leadsToProvider, type Payment } from "../../model/Payment.ts"
import { type CheckoutOpened, NotSent, type Rejected, Unanswered } from "../../model/ProviderStatement.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { StorageError } from "../../ports/StorageError.ts"
import { attemptInTurn, chargeCall, chargeDetails } from "../create/CreatePayment.ts"
import { abandonForGood, type ChargeInHand } from "../create/RecordCharge.ts"
import { beginHosted } from "./BeginHosted.ts"
import { findPage } from "./ViewHostedPage.ts"

/** Once begun it runs to its end, also when the customer goes away. */
export const openCheckout = (token: string, returnUrl: string) => Effect.uninterruptible(open(token, returnUrl))

const open = Effect.fnUntraced(function* (token: string, returnUrl: string) {
  const page = yield* findPage(token)
  if (!leadsToProvider(page)) return yield* new ActionNotOffered()
  const begun = yield* beginHosted(page, (connection) => opensCheckouts(connection, page))
  if (begun._tag === "Stands") return yield* stepOf(begun.payment)
  // From here on a provider may be asked: a bug must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    attemptInTurn(begun.plan, begun.inHand, {
      send: (inHand, beginBy) => sendOpening(inHand, returnUrl, beginBy),
      tooLate: abandonForGood
    }),
    (cause) => new PaymentResultUnknown({ paymentId: page.id, cause })
  )
  return yield* stepOf(payment)
})

/** A connection that cannot be used at all is kept: the attempt reports it, as it does for a charge. */
const opensCheckouts = Effect.fnUntraced(function* (connection: Connection, { method }: Payment) {
  const connections = yield* OpenConnections
  const connector = yield* Effect.exit(connections.connector(connection))
  if (Exit.isFailure(connector)) return true
  const definition = Option.getOrUndefined((yield* Connectors).definition(connection.connector))
  return connector.value.openCheckout !== undefined && (definition?.checkoutMethods?.includes(method) ?? true)
})

const sendOpening = (inHand: ChargeInHand, returnUrl: string, beginBy: number) =>
  askProvider<CheckoutOpened | Rejected>(
    inHand.connection,
    chargeCall("checkout", inHand),
    ({ openCheckout }) =>
      openCheckout === undefined
        ? Effect.fail(new NotSent({ reason: "the connection cannot open a checkout" }))
        : Effect.flatMap(openCheckout({ ...chargeDetails(inHand), ...namedMethod(inHand), returnUrl }), usable),
    beginBy
  )

const namedMethod = ({ payment: { paymentMethod } }: ChargeInHand) =>
  paymentMethod === undefined ? {} : { paymentMethod }

/** An address that a customer cannot open, or a checkout without a name, is unusable: the checkout may be open. */
const usable = (answer: CheckoutOpened | Rejected): Effect.Effect<CheckoutOpened | Rejected, Unanswered> => {
  if (answer._tag === "Rejected") return Effect.succeed(answer)
  const { expiresAt, reference, url } = answer
  if (reference === "") return Effect.fail(new Unanswered({ reason: "the connector returned no checkout reference" }))
  if (!isSecure(url)) {
    return Effect.fail(new Unanswered({ reason: "the connector returned no https URL of the checkout" }))
  }
  return expiresAt === null || Number.isSafeInteger(expiresAt)
    ? Effect.succeed(answer)
    : Effect.fail(new Unanswered({ reason: "the connector returned an invalid expiry time of the checkout" }))
}

/** The customer enters card data there. Plain http is for a provider on the same machine. */
const isSecure = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "") return false
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
}

const loopback = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/u

/** Where the current payment leads the customer. */
const stepOf = Effect.fnUntraced(function* (
  payment: Payment
): Effect.fn.Return<CheckoutStep, StorageError, Ledger | Secrets> {
  if (payment.state === "Charging") return { _tag: "Wait", payment }
  if (payment.state !== "CheckoutOpen") return { _tag: "Ended", payment }
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const attempt = (yield* ledger.attempts(payment.tenant, payment.id)).findLast(({ checkout }) => checkout !== null)
  const checkout = attempt?.checkout
  const now = yield* Clock.currentTimeMillis
  if (attempt === undefined || checkout === null || checkout === undefined) return { _tag: "Ended", payment }
  if (checkout.expiresAt !== null && now >= checkout.expiresAt) return { _tag: "Ended", payment }
  const url = yield* Effect.mapError(
    secrets.open(checkout.sealedUrl, checkoutUrlContext(attempt.id)),
    (cause) => new StorageError({ operation: "opening the checkout's address", cause })
  )
  return { _tag: "Redirect", url: Redacted.value(url) }
})
