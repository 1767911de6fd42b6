/** Adding, changing and removing operators, and the links by which they sign in first. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { JsonObject } from "../../model/Event.ts"
import {
  displayNameExpected,
  isDisplayName,
  isLogin,
  isSameGrants,
  loginExpected,
  loginKey,
  managesOperators,
  type Operator,
  type OperatorGrant
} from "../../model/Operator.ts"
import { isSessionLive, type OperatorSession, signInLinkMillis } from "../../model/OperatorSession.ts"
import { type AuditAction, auditDraft } from "../../ports/Audit.ts"
import { Directory } from "../../ports/Directory.ts"
import { type LastAdmin, LoginTaken, type OperatorChange, OperatorChanged, Operators } from "../../ports/Operators.ts"
import { Secrets } from "../../ports/Secrets.ts"
import type { StorageError } from "../../ports/StorageError.ts"

/** No active operator has this login. */
export class OperatorNotFound extends Schema.TaggedError<OperatorNotFound>()("pointsman/OperatorNotFound", {}) {}

/** A field is not as it has to be; nothing was written. */
export class OperatorInvalid extends Schema.TaggedError<OperatorInvalid>()("pointsman/OperatorInvalid", {
  field: Schema.Literals(["login", "displayName", "grants", "password"]),
  /** What was expected, without the value. */
  expected: Schema.String
}) {}

export interface OperatorOrder {
  readonly login: string
  readonly displayName: string
  /** One at least; each workspace once at most. */
  readonly grants: ReadonlyArray<OperatorGrant>
}

export interface OperatorEdit extends OperatorOrder {
  /** That of the operator that the edit was made of; `null` to change any version. */
  readonly version: number | null
}

export interface OperatorWithSessions extends Operator {
  /** Those that are live, the newest first. */
  readonly sessions: ReadonlyArray<OperatorSession>
}

export interface CreatedLink {
  readonly operator: Operator
  /** Lets its bearer sign in as the operator, once. It is kept nowhere: only its hash is stored. */
  readonly token: Redacted.Redacted<string>
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** An operator that was removed may be added again: with the same id, and without the former password and person. */
export const addOperator = Effect.fnUntraced(function* (order: OperatorOrder, identity: string | null = null) {
  const store = yield* Operators
  yield* checkOrder(order)
  const found = Option.getOrUndefined(yield* store.byLogin(loginKey(order.login)))
  if (found?.active === true) return yield* new LoginTaken()
  const operator: Operator = {
    id: found?.id ?? `opr_${yield* (yield* SecureRandom.SecureRandom).uuidV7()}`,
    login: found?.login ?? order.login,
    displayName: order.displayName,
    active: true,
    grants: order.grants,
    passwordHash: null,
    identity,
    version: (found?.version ?? 0) + 1,
    createdAt: found?.createdAt ?? (yield* Clock.currentTimeMillis)
  }
  const audit = yield* auditOf("operator.added", operator)
  yield* Effect.catchTag(
    store.write({ operator, endsSessions: true, needsOtherAdmin: false, audit }),
    "pointsman/LastAdmin",
    Effect.die
  )
  return operator
})

/** Another name and other roles, which count from the next request on. An edit without a change succeeds. */
export const editOperator = Effect.fnUntraced(function* ({ displayName, grants, login, version }: OperatorEdit) {
  yield* checkOrder({ displayName, grants, login })
  return yield* changeOperator(login, (operator) => {
    if (operator.displayName === displayName && isSameGrants(operator.grants, grants)) return Effect.undefined
    if (version !== null && version !== operator.version) return Effect.fail(new OperatorChanged())
    const next = { ...operator, displayName, grants }
    const before = operator.grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role }))
    return Effect.map(auditOf("operator.changed", next, { grants_before: before }), (audit) => ({
      operator: next,
      endsSessions: false,
      audit
    }))
  })
})

/** Binds the operator to the person; fails where it is another one's by now. */
export const bindOperator = (login: string, identity: string) =>
  changeOperator(login, (operator) => {
    if (operator.identity === identity) return Effect.undefined
    if (operator.identity !== null) return Effect.fail(new OperatorChanged())
    const audit = auditOf("operator.changed", operator, { identity })
    return Effect.map(audit, (draft) => ({ operator: { ...operator, identity }, endsSessions: false, audit: draft }))
  })

/** Ends the operator's sessions at once: their next request is refused. */
export const removeOperator = (login: string) =>
  changeOperator(login, (operator) =>
    Effect.map(auditOf("operator.removed", operator), (audit) => ({
      operator: { ...operator, active: false, passwordHash: null },
      endsSessions: true,
      audit
    }))
  )

/** A link that signs an operator in once; the ones before stay valid until their time is over. */
export const createSignInLink = Effect.fnUntraced(function* (login: string) {
  const store = yield* Operators
  const operator = yield* activeOperator(login)
  const { hash, token } = yield* newToken("sign-in token")
  const createdAt = yield* Clock.currentTimeMillis
  const link = { hash, operatorId: operator.id, createdAt, expiresAt: createdAt + signInLinkMillis }
  const audit = yield* auditOf("operator.linked", operator, { expires_at: link.expiresAt })
  if (!(yield* store.addLink(link, audit))) return yield* new OperatorNotFound()
  return { operator, token, expiresAt: link.expiresAt } satisfies CreatedLink
})

/** With the sessions of each. Those of a removed operator ended. */
export const operatorsWithSessions = Effect.gen(function* () {
  const store = yield* Operators
  const now = yield* Clock.currentTimeMillis
  const live = (yield* store.sessions)
    .filter((session) => isSessionLive(session, now))
    .toSorted((a, b) => b.createdAt - a.createdAt)
  return (yield* store.list).map(
    (operator): OperatorWithSessions => ({
      ...operator,
      sessions: live.filter(({ operatorId }) => operatorId === operator.id)
    })
  )
})

const activeOperator = Effect.fnUntraced(function* (login: string) {
  const found = yield* (yield* Operators).byLogin(loginKey(login))
  return yield* Effect.fromOption(
    Option.filter(found, ({ active }) => active),
    () => new OperatorNotFound()
  )
})

/** Each time another writer came first; writers of one operator are few. */
const triesAtMost = 5

/**
 * Decides again on what is stored where another change came first. `undefined`: there is nothing to change. Gives the
 * operator as it is then. The last operator who may manage operators keeps that role: without it, only the command line
 * could give it to another one.
 */
export const changeOperator = <E, R>(
  login: string,
  decide: (operator: Operator) => Effect.Effect<Omit<OperatorChange, "needsOtherAdmin"> | undefined, E, R>
): Effect.Effect<Operator, E | OperatorNotFound | OperatorChanged | LastAdmin | StorageError, R | Operators> =>
  Effect.gen(function* () {
    const store = yield* Operators
    const stored = yield* activeOperator(login)
    const change = yield* decide(stored)
    if (change === undefined) return stored
    const next = { ...change.operator, version: stored.version + 1 }
    const needsOtherAdmin = managesOperators(stored) && !managesOperators(next)
    // A login never changes.
    yield* Effect.catchTag(
      store.write({ ...change, operator: next, needsOtherAdmin }),
      "pointsman/LoginTaken",
      Effect.die
    )
    return next
  }).pipe(Effect.retry({ times: triesAtMost - 1, while: (error) => error instanceof OperatorChanged }))

export const auditOf = (action: AuditAction, { displayName, grants, id, login }: Operator, details: JsonObject = {}) =>
  auditDraft(action, id, {
    login,
    display_name: displayName,
    grants: grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
    ...details
  })

const checkOrder = Effect.fnUntraced(function* ({ displayName, grants, login }: OperatorOrder) {
  if (!isLogin(login)) return yield* new OperatorInvalid({ field: "login", expected: loginExpected })
  if (!isDisplayName(displayName)) {
    return yield* new OperatorInvalid({ field: "displayName", expected: displayNameExpected })
  }
  const workspaces = grants.map(({ workspaceId }) => workspaceId)
  if (grants.length === 0 || new Set(workspaces).size < grants.length) {
    return yield* new OperatorInvalid({ field: "grants", expected: "one role or more, and one for each workspace" })
  }
  const directory = yield* Directory
  for (const id of workspaces) {
    if (id === null || Option.isSome(yield* directory.workspace(id))) continue
    return yield* new OperatorInvalid({ field: "grants", expected: "ids of workspaces of this installation" })
  }
})

const tokenBytes = 32
const tokenShape = /^[A-Za-z0-9_-]{43}$/u

/** With the entropy of a key, so that its hash needs no salt. */
export const newToken = Effect.fnUntraced(function* (label: string) {
  const random = yield* SecureRandom.SecureRandom
  const text = Base64Url.encode(yield* Effect.orDie(random.randomBytes(tokenBytes)))
  return { token: Redacted.make(text, { label }), hash: yield* (yield* Secrets).hash(text) }
})

/** `undefined` for a text that is no token: the store is not asked for it. */
export const hashOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const text = Redacted.value(token)
  return tokenShape.test(text) ? yield* (yield* Secrets).hash(text) : undefined
})
