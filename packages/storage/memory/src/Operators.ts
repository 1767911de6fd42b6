/** Operators with their sessions, links and passkeys, and the audit trail. */
import { createHash } from "node:crypto"
import { managesOperators, type Operator } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Option, Result } from "effect"
import { by, drop, find, has, isWithin, type Methods, page, put, take, update } from "./Records.ts"
import type { State } from "./State.ts"

export const audit: Methods<Ports.Audit> = {
  append: (state, draft) => append(state, draft),
  list: (state, { after, limit }) => [...state.audit.values()].slice(after, after + limit),
  search: (state, { action, actor, before, from, limit, until, workspaceIds }) =>
    [...state.audit.values()]
      .filter(has({ action, actor }))
      .filter(({ at, number }) => isWithin(at, from, until) && isWithin(number, 0, before))
      .filter(({ details }) => workspaceIds?.some((id) => details.startsWith(Ports.detailsOfWorkspace(id))) ?? true)
      .reverse()
      .slice(0, limit)
}

const append = ({ audit }: State, draft: Ports.AuditDraft): Ports.AuditEntry => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
  return put(audit, audit.size + 1, Ports.nextEntry(draft, audit.get(audit.size), sha256))
}

/** Appends an entry about what was done; always `true`. */
export const audited = (state: State, draft: Ports.AuditDraft): boolean => append(state, draft).number > 0

export const operators: Methods<Ports.Operators> = {
  list: { get: (state) => page(state.operators.values(), by("id")) },
  byLogin: (state, key) => Option.fromUndefinedOr(withLogin(state, key)),
  byId: (state, id) => find(state.operators, id),
  write: (state, { audit, endsSessions, needsOtherAdmin, operator }) => {
    const { active, id, login, version } = operator
    if (version === 1 && withLogin(state, loginKey(login)) !== undefined) return Result.fail(new Ports.LoginTaken())
    if (version !== (state.operators.get(id)?.version ?? 0) + 1) return Result.fail(new Ports.OperatorChanged())
    const others = [...state.operators.values()].filter((other) => other.id !== id)
    if (needsOtherAdmin && !others.some(managesOperators)) return Result.fail(new Ports.LastAdmin())
    put(state.operators, id, operator)
    if (endsSessions) endSessionsOf(state, id)
    if (!active) drop(state.passkeys, has({ operatorId: id }))
    audited(state, audit)
    return Result.void
  },
  sessions: { get: (state) => [...state.sessions.values()] },
  session: (state, hash) =>
    Option.flatMap(find(state.sessions, hash), (session) =>
      Option.map(find(state.operators, session.operatorId), (operator) => ({ session, operator }))
    ),
  addSession: (state, session, { createdBefore, seenBefore }, audit) => {
    if (!isActive(state, session)) return false
    drop(state.sessions, ({ createdAt, seenAt }) => createdAt < createdBefore || seenAt < seenBefore)
    put(state.sessions, session.hash, session)
    return audited(state, audit)
  },
  seen: (state, hash, at) => void update(state.sessions, hash, (session) => ({ seenAt: Math.max(session.seenAt, at) })),
  endSession: (state, hash, audit) => state.sessions.delete(hash) && audited(state, audit),
  endSessionsOf: (state, id, audit) => {
    audited(state, audit)
    return endSessionsOf(state, id)
  },
  addLink: (state, link, audit) => {
    if (!isActive(state, link)) return false
    drop(state.links, ({ expiresAt }) => expiresAt <= link.createdAt)
    put(state.links, link.hash, link)
    return audited(state, audit)
  },
  takeLink: (state, hash) => take(state.links, hash),
  countGuess: (state, key, at, windowMillis) => {
    drop(state.guesses, ({ since }) => since <= at - windowMillis)
    const { count, since } = state.guesses.get(key) ?? { since: at, count: 0 }
    return put(state.guesses, key, { since, count: count + 1 })
  },
  forgetGuesses: (state, key) => void state.guesses.delete(key)
}

const withLogin = (state: State, key: string): Operator | undefined =>
  [...state.operators.values()].find(({ login }) => loginKey(login) === key)

const isActive = (state: State, { operatorId }: { readonly operatorId: string }): boolean =>
  state.operators.get(operatorId)?.active === true

const endSessionsOf = (state: State, operatorId: string): number => {
  drop(state.links, has({ operatorId }))
  return drop(state.sessions, has({ operatorId }))
}

export const passkeys: Methods<Ports.Passkeys> = {
  list: (state, operatorId) => page([...state.passkeys.values()].filter(has({ operatorId })), by("createdAt", "id")),
  byId: (state, id) => find(state.passkeys, id),
  add: (state, passkey, audit) => {
    if (!isActive(state, passkey) || state.passkeys.has(passkey.id)) return false
    put(state.passkeys, passkey.id, passkey)
    return audited(state, audit)
  },
  used: (state, id, counter, at) =>
    update(
      state.passkeys,
      id,
      { counter, usedAt: at },
      (stored) => counter > stored.counter || stored.counter + counter === 0
    ),
  remove: (state, operatorId, id, audit) =>
    state.passkeys.get(id)?.operatorId === operatorId && state.passkeys.delete(id) && audited(state, audit),
  addChallenge: (state, challenge, now) => {
    drop(state.challenges, ({ expiresAt }) => expiresAt <= now)
    put(state.challenges, challenge.hash, challenge)
  },
  takeChallenge: (state, hash) => take(state.challenges, hash)
}
