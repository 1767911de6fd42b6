import type { OperatorRole, RefundLimits } from "@pointsman/core"
import { Context } from "effect"
import type { OidcClient } from "../oidc/OidcClient.ts"
import type { CookieSettings } from "./Cookie.ts"

export interface Settings extends CookieSettings {
  /** `undefined`: the console has no sign-in by OpenID Connect. */
  readonly oidc?: OidcClient | undefined
  /** Operators with one of these roles do nothing without a passkey (`lacksPasskey`). */
  readonly requirePasskey: ReadonlyArray<OperatorRole>
  /** What one operator gives back of a payment; above it, another one approves the refund. */
  readonly refundLimits: RefundLimits
  readonly recentSignIn: {
    readonly minutes: number
    /** What an operator gives back of a payment without a recent sign-in. */
    readonly refunds: RefundLimits
  }
}

/** What is the same for all requests. */
export class ConsoleSettings extends Context.Service<ConsoleSettings, Settings>()(
  "pointsman/console/ConsoleSettings"
) {}

/** How the browser reached this server: scheme, host and port. */
export const RequestOrigin = Context.Reference<string>("pointsman/console/RequestOrigin", { defaultValue: () => "" })

/** Whom the present request comes from, for the limit of sign-ins: all that do not say so are one source. */
export const RequestSource = Context.Reference<string>("pointsman/console/RequestSource", { defaultValue: () => "" })

/** Aborts when the console stops. Responses that last end then, so that a server can stop. */
export const Stopping = Context.Reference<AbortSignal>("pointsman/console/Stopping", {
  defaultValue: () => new AbortController().signal
})
