/** What the page's buttons post. */
import { type DeclineCategory, declineCategories, type HostedAction } from "@pointsman/core"

/** Far more than the longest form that a page has. */
export const formBytesAtMost = 1_024

/** `OpenCheckout` leads to the provider's own page. */
export type Pressed = HostedAction | { readonly _tag: "OpenCheckout" }

/** `undefined` for what no button of the page posts. */
export const pressedOf = (isProviders: boolean, form: URLSearchParams): Pressed | undefined => {
  const action = form.get("action")
  if (action === "cancel") return { _tag: "Cancel" }
  if (isProviders) return action === "continue" ? { _tag: "OpenCheckout" } : undefined
  switch (action) {
    case "approve":
      return { _tag: "Approve" }
    case "confirm_challenge":
      return { _tag: "ApproveAfterChallenge" }
    case "fail_challenge":
      return { _tag: "Decline", category: "authentication_failed" }
    case "decline": {
      const category = categoryOf(form.get("reason"))
      return category === undefined ? undefined : { _tag: "Decline", category }
    }
    default:
      return undefined
  }
}

const categoryOf = (text: string | null): DeclineCategory | undefined =>
  declineCategories.find((category) => category === text)
