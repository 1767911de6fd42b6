/** Sessions of operators and the links that begin them. The store has only hashes of their tokens. */

export const signInMethods = ["password", "link", "passkey", "oidc"] as const
export type SignInMethod = (typeof signInMethods)[number]

export interface OperatorSession {
  /** Lower-case hex SHA-256 of the token. */
  readonly hash: string
  readonly operatorId: string
  readonly method: SignInMethod
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds of the last request that was recorded; see `sessionSeenEveryMillis`. */
  readonly seenAt: number
}

/** Begins one session, once. */
export interface SignInLink {
  /** Lower-case hex SHA-256 of the token. */
  readonly hash: string
  readonly operatorId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds, from which on it is refused. */
  readonly expiresAt: number
}

export const sessionIdleMillis = 30 * 60_000
export const sessionAtMostMillis = 12 * 60 * 60_000
/** Then the issuer is asked again, whose own session may have ended since. */
const oidcSessionMillis = 60 * 60_000
/** A request is not recorded that follows the recorded one by less than this: most requests write nothing. */
export const sessionSeenEveryMillis = 60_000
/** Long enough to copy it from a terminal into a browser. */
export const signInLinkMillis = 15 * 60_000

/** After a sign-in: what changes how an operator signs in, without a password, is allowed for so long. */
export const recentSignInMillis = 15 * 60_000

export const isSessionLive = ({ createdAt, method, seenAt }: OperatorSession, now: number): boolean =>
  now < seenAt + sessionIdleMillis && now < createdAt + (method === "oidc" ? oidcSessionMillis : sessionAtMostMillis)
