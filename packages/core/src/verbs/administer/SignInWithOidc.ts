/** Signing in by OpenID Connect: which operator a person is, whom an issuer identified. */
import { Effect, Option } from "effect"
import { isDisplayName, loginKey, type OperatorGrant } from "../../model/Operator.ts"
import { AuditActor } from "../../ports/Audit.ts"
import { Operators } from "../../ports/Operators.ts"
import { addOperator, bindOperator, editOperator } from "./ManageOperators.ts"
import { begin, countGuess, refused } from "./SignIn.ts"

export interface OidcIdentity {
  /** Its URL. The audit trail names it as the actor where its claims add an operator or change roles. */
  readonly issuer: string
  /** The claim `sub`: it is one person's for ever, and an address may become another one's. */
  readonly subject: string
  readonly login: string
  /** For an operator who is added; the login is used where it cannot be a display name. */
  readonly displayName: string
  /** The roles that the claims give; `null` where the issuer does not decide about roles. */
  readonly grants: ReadonlyArray<OperatorGrant> | null
}

export const signInWithOidc = Effect.fnUntraced(function* <E>(
  identify: Effect.Effect<OidcIdentity, E>,
  source: string
) {
  yield* countGuess("source", source)
  const identity = yield* identify
  const operator = yield* Effect.provideService(operatorOf(identity), AuditActor, identity.issuer).pipe(
    Effect.catchTags({
      "pointsman/OperatorInvalid": ({ expected, field }) =>
        Effect.as(
          Effect.logError("the claims of an OpenID Connect sign-in make no operator").pipe(
            Effect.annotateLogs({ issuer: identity.issuer, field, expected })
          ),
          undefined
        ),
      "pointsman/LastAdmin": () =>
        Effect.as(
          Effect.logError(
            "the claims of an OpenID Connect sign-in take the role admin from the last operator who has it"
          ),
          undefined
        ),
      // Another change came at the same time. The person can try again.
      "pointsman/LoginTaken": () => Effect.undefined,
      "pointsman/OperatorChanged": () => Effect.undefined,
      "pointsman/OperatorNotFound": () => Effect.undefined
    })
  )
  return operator === undefined ? yield* refused("oidc") : yield* begin(operator, "oidc")
})

/** `undefined`: the person may not sign in. An operator that was removed here is not added again by the issuer. */
const operatorOf = Effect.fnUntraced(function* ({ displayName, grants, issuer, login, subject }: OidcIdentity) {
  const stored = Option.getOrUndefined(yield* (yield* Operators).byLogin(loginKey(login)))
  const identity = `${issuer} ${subject}`
  if (stored === undefined) {
    if (grants === null || grants.length === 0) return undefined
    const name = [displayName, login].find(isDisplayName) ?? "No name"
    return yield* addOperator({ login, displayName: name, grants }, identity)
  }
  if (stored.identity !== null && stored.identity !== identity) {
    yield* Effect.logError(anotherPerson).pipe(Effect.annotateLogs({ issuer, operator_id: stored.id }))
    return undefined
  }
  if (!stored.active) return stored
  if (grants?.length === 0) return undefined
  const bound = yield* bindOperator(login, identity)
  return grants === null ? bound : yield* editOperator({ login, displayName: bound.displayName, grants, version: null })
})

const anotherPerson =
  "an OpenID Connect sign-in has the login of an operator that is another person there: remove the operator, and add it again"
