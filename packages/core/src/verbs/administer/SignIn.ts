/**
 * Signing in by a password or a link, and the sessions that follow.
 *
 * What a guesser learns is that a sign-in failed, and no more: unknown logins, inactive operators and those without a
 * password take as long as a wrong password, and fail with the same error.
 */
import { Clock, Context, Effect, Option, Redacted, Schema } from "effect"
import { loginKey, type Operator } from "../../model/Operator.ts"
import {
  isSessionLive,
  type OperatorSession,
  type SignInMethod,
  sessionAtMostMillis,
  sessionIdleMillis,
  sessionSeenEveryMillis,
  signInLinkMillis
} from "../../model/OperatorSession.ts"
import { AuditActor } from "../../ports/Audit.ts"
import {
  type guessesAtMost,
  guessWindowMillis,
  Operators,
  Passwords,
  retryAfterMillis,
  type SignedIn
} from "../../ports/Operators.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { auditOf, changeOperator, hashOf, newToken, OperatorInvalid } from "./ManageOperators.ts"

/** The login, the password or the link is not right, or the link was used. The error does not say which. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("pointsman/SignInRefused", {}) {}

/** Too many tries for this login, from this source, or of all at the moment. */
export class TooManySignIns extends Schema.TaggedError<TooManySignIns>()("pointsman/TooManySignIns", {
  retryAfterMillis: Schema.Int
}) {}

/** The session does not exist, is over, or was ended. */
export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("pointsman/NotSignedIn", {}) {}

/** The operator's current password is needed, and was not given or is not right. */
export class PasswordRefused extends Schema.TaggedError<PasswordRefused>()("pointsman/PasswordRefused", {}) {}

export interface NewSession extends SignedIn {
  /** The bearer is the operator. It is kept nowhere: only its hash is stored. */
  readonly token: Redacted.Redacted<string>
}

export interface PasswordSignIn {
  readonly login: string
  readonly password: Redacted.Redacted<string>
  /** Whom the request comes from: an address, or a name for all that cannot be told apart. */
  readonly source: string
}

export interface PasswordOrder {
  /** `null` where the session was begun by a link a moment ago. */
  readonly current: Redacted.Redacted<string> | null
  readonly password: Redacted.Redacted<string>
  readonly source: string
}

const passwordShape = /^.{12,256}$/su

export const signInWithPassword = Effect.fnUntraced(function* ({ login, password, source }: PasswordSignIn) {
  yield* countGuess("source", source)
  yield* countGuess("login", loginKey(login))
  const found = Option.filter(yield* (yield* Operators).byLogin(loginKey(login)), ({ active }) => active)
  const isRight = yield* verify(password, Option.getOrUndefined(found)?.passwordHash ?? null)
  if (Option.isNone(found) || !isRight) return yield* refused("password", Option.getOrUndefined(found))
  yield* forgetGuesses("login", loginKey(login))
  return yield* begin(found.value, "password")
})

/** The link is used up, also where the sign-in fails afterwards. Its 256 bits are not guessed, so tries are not counted. */
export const signInWithLink = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const store = yield* Operators
  const hash = yield* hashOf(token)
  const link = hash === undefined ? Option.none() : yield* store.takeLink(hash)
  if (Option.isNone(link) || link.value.expiresAt <= (yield* Clock.currentTimeMillis)) return yield* refused("link")
  const operator = yield* store.byId(link.value.operatorId)
  if (Option.isNone(operator)) return yield* refused("link")
  return yield* begin(operator.value, "link")
})

/** The session of a token; it lives on with each request, up to its end. */
export const sessionOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const store = yield* Operators
  const hash = yield* hashOf(token)
  if (hash === undefined) return yield* new NotSignedIn()
  const now = yield* Clock.currentTimeMillis
  const found = Option.getOrUndefined(yield* store.session(hash))
  if (found === undefined || !found.operator.active || !isSessionLive(found.session, now)) {
    return yield* new NotSignedIn()
  }
  if (now >= found.session.seenAt + sessionSeenEveryMillis) yield* store.seen(hash, now)
  return found
})

/** Ends the session of a token. It may be repeated. */
export const signOut = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const store = yield* Operators
  const hash = yield* hashOf(token)
  if (hash === undefined) return
  const found = Option.getOrUndefined(yield* store.session(hash))
  if (found === undefined) return
  yield* store.endSession(hash, yield* auditAs(found.operator, "operator.signed_out", { sessions: 1 }))
})

/** Ends all sessions of an operator and makes its links invalid; gives how many sessions there were. */
export const signOutEverywhere = Effect.fnUntraced(function* (operator: Operator) {
  const store = yield* Operators
  return yield* store.endSessionsOf(operator.id, yield* auditAs(operator, "operator.signed_out", { sessions: "all" }))
})

/**
 * Gives the operator another password. All sessions and links end; gives a new session in the place of this one. Without
 * the current password it takes a session that a link began a moment ago.
 */
export const setPassword = Effect.fnUntraced(function* (
  { operator, session }: SignedIn,
  { current, password, source }: PasswordOrder
) {
  const passwords = yield* Passwords
  if (passwords === undefined || !passwordShape.test(Redacted.value(password))) {
    const expected = passwords === undefined ? "no password: this installation keeps none" : "12 to 256 characters"
    return yield* new OperatorInvalid({ field: "password", expected })
  }
  if (current === null) {
    const now = yield* Clock.currentTimeMillis
    if (session.method !== "link" || now >= session.createdAt + signInLinkMillis) return yield* new PasswordRefused()
  } else {
    yield* countGuess("source", source)
    yield* countGuess("login", loginKey(operator.login))
    if (!(yield* verify(current, operator.passwordHash))) return yield* new PasswordRefused()
    yield* forgetGuesses("login", loginKey(operator.login))
  }
  const passwordHash = yield* Effect.catchTags(passwords.hash(password, [operator.login, operator.displayName]), {
    "pointsman/PasswordsBusy": busy,
    "pointsman/PasswordWeak": ({ expected }) => Effect.fail(new OperatorInvalid({ field: "password", expected }))
  })
  const changed = yield* changeOperator(operator.login, (stored) =>
    Effect.map(auditAs(stored, "operator.password_set"), (audit) => ({
      operator: { ...stored, passwordHash },
      endsSessions: true,
      audit
    }))
  ).pipe(
    // The roles stay.
    Effect.catchTag("pointsman/LastAdmin", Effect.die)
  )
  return yield* begin(changed, session.method)
}, Effect.uninterruptible)

/** Each sign-in gets a new token, so that a token which an attacker planted before it is never valid. */
export const begin = Effect.fnUntraced(function* (operator: Operator, method: SignInMethod) {
  const { hash, token } = yield* newToken("session token")
  const now = yield* Clock.currentTimeMillis
  const session: OperatorSession = { hash, operatorId: operator.id, method, createdAt: now, seenAt: now }
  const over = { createdBefore: now - sessionAtMostMillis, seenBefore: now - sessionIdleMillis }
  const audit = yield* auditAs(operator, "operator.signed_in", { method })
  if (!(yield* (yield* Operators).addSession(session, over, audit))) return yield* refused(method, operator)
  return { operator, session, token } satisfies NewSession
})

/** Named in the audit trail by their login, which never changes. */
const auditAs = (
  operator: Operator,
  ...[action, details]: [Parameters<typeof auditOf>[0], Parameters<typeof auditOf>[2]?]
) => Effect.provideService(auditOf(action, operator, details), AuditActor, operator.login)

/** A login is not logged: people write their password there. */
export const refused = Effect.fnUntraced(function* (method: SignInMethod, operator?: Operator) {
  yield* Effect.logWarning("a sign-in was refused").pipe(
    Effect.annotateLogs({ method, ...(operator === undefined ? {} : { operator_id: operator.id }) })
  )
  return yield* new SignInRefused()
})

const verify = Effect.fnUntraced(function* (password: Redacted.Redacted<string>, hash: string | null) {
  const passwords = yield* Passwords
  if (passwords === undefined) return false
  return yield* Effect.catchTag(passwords.verify(password, hash), "pointsman/PasswordsBusy", busy)
})

/** As long as those that wait take, about. */
const busyMillis = 5_000
const busy = () => Effect.fail(new TooManySignIns({ retryAfterMillis: busyMillis }))

/** The store has a keyed mark of it: a login may be a password, and an address is a person's. */
const guessKey = Effect.fnUntraced(function* (about: keyof typeof guessesAtMost, name: string) {
  return yield* (yield* Secrets).fingerprint(`pointsman/operator-guess/${about}/${name}`)
})

const refusalsAtMost = 10_000

/** Of one process: until when a key is refused, in epoch milliseconds. Tries until then cost no write. */
export const RefusedGuesses = Context.Reference("pointsman/administer/RefusedGuesses", {
  defaultValue: () => new Map<string, number>()
})

export const countGuess = Effect.fnUntraced(function* (about: keyof typeof guessesAtMost, name: string) {
  const now = yield* Clock.currentTimeMillis
  const key = yield* guessKey(about, name)
  const refusals = yield* RefusedGuesses
  const known = (refusals.get(key) ?? 0) - now
  const counted = known > 0 ? undefined : yield* (yield* Operators).countGuess(key, now, guessWindowMillis)
  const retryAfter = counted === undefined ? known : retryAfterMillis(counted, about, now)
  if (retryAfter === undefined) return
  if (refusals.size >= refusalsAtMost) refusals.clear()
  refusals.set(key, now + retryAfter)
  return yield* new TooManySignIns({ retryAfterMillis: retryAfter })
})

const forgetGuesses = Effect.fnUntraced(function* (about: keyof typeof guessesAtMost, name: string) {
  yield* (yield* Operators).forgetGuesses(yield* guessKey(about, name))
})
