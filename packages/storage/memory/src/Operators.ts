/** Operators, their sessions and links in maps. Each method is one step: nothing else runs inside it. */
import { managesOperators, type Operator, type OperatorSession } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import {
  LastAdmin,
  LoginTaken,
  logEntry,
  type OperatorChange,
  OperatorChanged,
  type Operators,
  type SignedIn
} from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { append, logged } from "./Audit.ts"
import { byText, copy, type State } from "./State.ts"

export const make = (state: State): Operators => {
  const find = (id: string): Option.Option<Operator> =>
    Option.map(Option.fromUndefinedOr(state.operators.get(id)), copy)
  const isActive = (id: string): boolean => state.operators.get(id)?.active === true
  return {
    list: Effect.sync(() => copy([...state.operators.values()]).sort((a, b) => byText(a.id, b.id))),
    byLogin: (key) => Effect.sync(() => Option.fromUndefinedOr(withLogin(state, key)).pipe(Option.map(copy))),
    byId: (id) => Effect.sync(() => find(id)),
    write: (change) =>
      Effect.suspend(() => Effect.fromResult(write(state, copy(change)))).pipe(Effect.flatMap(logEntry)),
    sessions: Effect.sync(() => copy([...state.operatorSessions.values()])),
    session: (hash) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(state.operatorSessions.get(hash)).pipe(
          Option.flatMap((session) =>
            Option.map(find(session.operatorId), (operator): SignedIn => ({ session: copy(session), operator }))
          )
        )
      ),
    addSession: (session, { createdBefore, seenBefore }, audit) =>
      logged(() => {
        if (!isActive(session.operatorId)) return [false]
        for (const { createdAt, hash, seenAt } of [...state.operatorSessions.values()]) {
          if (createdAt < createdBefore || seenAt < seenBefore) state.operatorSessions.delete(hash)
        }
        state.operatorSessions.set(session.hash, copy(session))
        return [true, append(state, audit)]
      }),
    seen: (hash, at) =>
      Effect.sync(() => {
        const found = state.operatorSessions.get(hash)
        if (found !== undefined && found.seenAt < at) state.operatorSessions.set(hash, { ...found, seenAt: at })
      }),
    endSession: (hash, audit) =>
      logged(() => (state.operatorSessions.delete(hash) ? [true, append(state, audit)] : [false])),
    endSessionsOf: (id, audit) => logged(() => [endSessionsOf(state, id), append(state, audit)]),
    addLink: (link, audit) =>
      logged(() => {
        if (!isActive(link.operatorId)) return [false]
        for (const { expiresAt, hash } of [...state.signInLinks.values()]) {
          if (expiresAt <= link.createdAt) state.signInLinks.delete(hash)
        }
        state.signInLinks.set(link.hash, copy(link))
        return [true, append(state, audit)]
      }),
    takeLink: (hash) =>
      Effect.sync(() => {
        const found = Option.fromUndefinedOr(state.signInLinks.get(hash))
        state.signInLinks.delete(hash)
        return found
      }),
    countGuess: (key, at, windowMillis) =>
      Effect.sync(() => {
        for (const [name, { since }] of [...state.signInGuesses]) {
          if (since <= at - windowMillis) state.signInGuesses.delete(name)
        }
        const found = state.signInGuesses.get(key)
        const counted = { since: found?.since ?? at, count: (found?.count ?? 0) + 1 }
        state.signInGuesses.set(key, counted)
        return { ...counted }
      }),
    forgetGuesses: (key) => Effect.sync(() => void state.signInGuesses.delete(key))
  }
}

type Entry = ReturnType<typeof append>

const withLogin = (state: State, key: string): Operator | undefined =>
  [...state.operators.values()].find(({ login }) => loginKey(login) === key)

const write = (
  state: State,
  { audit, endsSessions, needsOtherAdmin, operator }: OperatorChange
): Result.Result<Entry, LoginTaken | OperatorChanged | LastAdmin> => {
  const stored = state.operators.get(operator.id)
  if (operator.version === 1 && withLogin(state, loginKey(operator.login)) !== undefined) {
    return Result.fail(new LoginTaken())
  }
  if ((stored?.version ?? 0) + 1 !== operator.version) return Result.fail(new OperatorChanged())
  const others = [...state.operators.values()].filter(({ id }) => id !== operator.id)
  if (needsOtherAdmin && !others.some(managesOperators)) return Result.fail(new LastAdmin())
  state.operators.set(operator.id, operator)
  if (endsSessions) endSessionsOf(state, operator.id)
  if (!operator.active) {
    for (const { id, operatorId } of [...state.passkeys.values()]) {
      if (operatorId === operator.id) state.passkeys.delete(id)
    }
  }
  return Result.succeed(append(state, audit))
}

const endSessionsOf = (state: State, operatorId: string): number => {
  const ended = [...state.operatorSessions.values()].filter(
    (session: OperatorSession) => session.operatorId === operatorId
  )
  for (const { hash } of ended) state.operatorSessions.delete(hash)
  for (const link of [...state.signInLinks.values()]) {
    if (link.operatorId === operatorId) state.signInLinks.delete(link.hash)
  }
  return ended.length
}
