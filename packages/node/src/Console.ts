/** The console inside of a program: its settings, and what a framework calls. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { OperatorRole } from "./Operators.ts"

/** A role that a value of `rolesClaim` gives. */
export interface OidcRole {
  /** All workspaces unless set, also those that are added later. */
  readonly workspace?: string
  readonly role: OperatorRole
}

/** Sign-in by OpenID Connect, as `console.oidc` of the server's configuration file: docs/guides/console.md. */
export interface ConsoleOidc {
  /** As in its discovery document: an `https` URL, or `http` on this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** `["openid", "email", "profile"]` unless set; `openid` is always requested. */
  readonly scopes?: ReadonlyArray<string>
  /** What the sign-in page calls the issuer: "Sign in with …". `single sign-on` unless set. */
  readonly name?: string
  /** The claim that is the operator's login. `email` unless set, which counts only with `email_verified`. */
  readonly loginClaim?: string
  /** A claim that decides about roles, such as `groups`. Operators have the roles that they have here without it. */
  readonly rolesClaim?: string
  /** By the values of `rolesClaim`. */
  readonly roles?: { readonly [value: string]: OidcRole }
}

export interface ConsoleOptions {
  /** The whole path of the console, such as `/admin/desk`; `/` for a host of its own. */
  readonly mount: string
  /** What browsers see before `mount`, and the program does not: Next's `basePath`, or a path that a proxy takes off. */
  readonly basePath?: string | undefined
  /**
   * Whether browsers reach it by https. Unless set, `true` if `baseUrl` is an https URL, and otherwise taken from each
   * request. Behind a proxy that ends TLS, set it to `true`.
   */
  readonly isSecure?: boolean | undefined
  /**
   * Finds the client's address in a request to `listener`; sign-ins are limited by it. Unless set, the address of the
   * connection, which is the proxy's behind a proxy. In Express: `(request: express.Request) => request.ip`, with
   * `trust proxy` set. A method, so that its parameter may be a framework's own type of request.
   */
  sourceOf?(request: IncomingMessage): string | undefined
  /** Signing in by OpenID Connect; only by links, passwords and passkeys unless set. */
  readonly oidc?: ConsoleOidc | undefined
  /**
   * Operators with one of these roles, in whichever workspace, need a passkey or OpenID Connect: a session that began by a
   * password or a link can only add a passkey. None unless set.
   */
  readonly requirePasskey?: ReadonlyArray<OperatorRole> | undefined
  /**
   * Minor units by currency: what one operator gives back of a payment. A refund above it is sent once another operator
   * approves it. A currency that is not named has no limit.
   */
  readonly refundLimits?: { readonly [currency: string]: number } | undefined
  /**
   * How long a sign-in counts as recent: 10 minutes unless set. Keys, operators, the removal of passkeys, approvals, and
   * refunds of a payment above `refunds`, in minor units by currency, take one.
   */
  readonly recentSignIn?:
    | { readonly minutes?: number; readonly refunds?: { readonly [currency: string]: number } }
    | undefined
}

export interface MountedConsole {
  /**
   * For what brings a `Request`: Hono, Next's route handlers. `source` is the client's address, by which sign-ins are
   * limited; requests without it share one limit.
   */
  readonly handler: (request: Request, from?: { readonly source?: string | undefined }) => Promise<Response>
  /**
   * For Node's own requests: `createServer(desk.listener)`, `app.use(desk.listener)` of Express. With `next`, paths outside
   * of the mount go there. It may come before or after body parsers.
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
}
