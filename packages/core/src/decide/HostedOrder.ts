/** What a customer can do on a hosted page, and what the page shows. */
import { Schema } from "effect"
import type { DeclineCategory } from "../model/Decline.ts"
import type { Payment } from "../model/Payment.ts"
import type { Brand } from "../model/Workspace.ts"

/** No page has this token. */
export class PageNotFound extends Schema.TaggedError<PageNotFound>()("pointsman/PageNotFound", {}) {}

/** The workspace is suspended: nothing new begins on its pages. Nothing was sent. */
export class HostedSuspended extends Schema.TaggedError<HostedSuspended>()("pointsman/HostedSuspended", {}) {}

/** The page does not offer this: one that leads to a provider has no buttons, one with buttons no checkout. */
export class ActionNotOffered extends Schema.TaggedError<ActionNotOffered>()("pointsman/ActionNotOffered", {}) {}

/** Whether the page's time ran out before anything began on it. */
export const isPageOver = ({ hosted, state }: Payment, now: number): boolean =>
  state === "AwaitingCustomer" && hosted !== null && now >= hosted.expiresAt

/** The buttons of the sandbox. On a page that leads to a provider a customer can go there, or cancel. */
export type HostedAction =
  | { readonly _tag: "Approve" }
  | { readonly _tag: "ApproveAfterChallenge" }
  | { readonly _tag: "Decline"; readonly category: DeclineCategory }
  | { readonly _tag: "Cancel" }

export interface HostedView {
  readonly payment: Payment
  /** The name that customers know the merchant by. */
  readonly merchant: string
  /** `null`: the workspace has none. */
  readonly brand: Brand | null
}

/** What acting came to. */
export interface HostedOutcome {
  readonly payment: Payment
  /** `false` where the page had ended, or an earlier choice was recorded: nothing was changed. */
  readonly acted: boolean
}

/** Where a page that leads to a provider leads now. */
export type CheckoutStep =
  /** To the provider's checkout. */
  | { readonly _tag: "Redirect"; readonly url: string }
  /** Another tab is opening the checkout at this moment. */
  | { readonly _tag: "Wait"; readonly payment: Payment }
  /** There is no checkout to go to any more. */
  | { readonly _tag: "Ended"; readonly payment: Payment }
