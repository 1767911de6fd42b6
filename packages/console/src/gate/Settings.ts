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

// The path that the console is mounted under, as its links, its redirects and its cookie name it.

export const mountExpected = "a path such as `/console`: it begins with `/`, without a query, a fragment, `;` or `//`"

/**
 * Percent-encoded as browsers send it, and without a slash at its end, so that the root is the empty text; `undefined` for
 * a text that is no path.
 */
export const parseMount = (text: string): string | undefined => {
  // `;` would end the path of the cookie. A URL parser drops control characters, and reads `\` as `/`.
  if (!/^\/[^?#;\\\p{C}]*$/u.test(text) || text.includes("//")) return undefined
  const path = URL.parse(`http://console${text}`)?.pathname
  return path?.replace(/\/$/u, "")
}

/**
 * The part of a path under the mount, beginning with `/`; `undefined` outside of it. It compares characters: a path with
 * another spelling, such as `/%63onsole`, may have passed the program's own checks of `/console`.
 */
export const pathUnder = (mount: string, path: string): string | undefined => {
  if (path === mount) return "/"
  return path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined
}
