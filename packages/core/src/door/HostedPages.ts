/** Hosted pages, by the token in their address. */
import { Effect } from "effect"
import type { PaymentResultUnknown } from "../decide/CreateRequest.ts"
import type {
  ActionNotOffered,
  CheckoutStep,
  HostedAction,
  HostedOutcome,
  HostedSuspended,
  HostedView,
  PageNotFound
} from "../decide/HostedOrder.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { actOnHostedPage } from "../verbs/hosted/ActOnHostedPage.ts"
import { openCheckout } from "../verbs/hosted/OpenCheckout.ts"
import { returnFromCheckout } from "../verbs/hosted/ReturnFromCheckout.ts"
import { hostedPage, pageToken } from "../verbs/hosted/ViewHostedPage.ts"
import { type DoorContext, requests } from "./DoorContext.ts"

/** What beginning on a hosted page can fail with. After `StorageError` nothing has begun. */
export type HostedFailure = PageNotFound | ActionNotOffered | HostedSuspended | StorageError | PaymentResultUnknown

export interface HostedPageMethods {
  /** The token in the address of a payment's hosted page. Who has it can act on the page. */
  readonly pageToken: (paymentId: string) => Effect.Effect<string>
  /** The page of a token, of whichever tenant; one whose time is over is cancelled first. */
  readonly hostedPage: (token: string) => Effect.Effect<HostedView, PageNotFound | StorageError>
  /** What the customer chose. A second choice changes nothing. Once begun it runs to its end. */
  readonly actOnHostedPage: (token: string, action: HostedAction) => Effect.Effect<HostedOutcome, HostedFailure>
  /**
   * Where a production page leads: opens the provider's checkout once for a payment. `returnUrl` is where the provider
   * sends the customer afterwards. Once begun it runs to its end.
   */
  readonly openCheckout: (token: string, returnUrl: string) => Effect.Effect<CheckoutStep, HostedFailure>
  /** The customer came back: looks up the provider's record, and returns the payment as it is then. */
  readonly returnFromCheckout: (token: string) => Effect.Effect<HostedView, PageNotFound | StorageError>
}

export const hostedPageMethods = (context: DoorContext): HostedPageMethods => {
  const { ask, beginHosted } = requests(context)
  return {
    pageToken: (paymentId) => Effect.provideContext(pageToken(paymentId), context),
    hostedPage: (token) => ask(hostedPage(token)),
    actOnHostedPage: (token, action) => beginHosted(actOnHostedPage(token, action)),
    openCheckout: (token, returnUrl) => beginHosted(openCheckout(token, returnUrl)),
    returnFromCheckout: (token) => ask(returnFromCheckout(token))
  }
}
