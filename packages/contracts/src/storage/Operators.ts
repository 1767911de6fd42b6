/** Operators, their sessions and links: what two servers do at once is done once, and the audit trail says it. */
import { expect } from "@effect/vitest"
import { managesOperators, type Operator, type OperatorSession, type SignInLink } from "@pointsman/core"
import { Audit, auditDraft, Operators } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { fresh } from "./Given.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const viewer = { workspaceId: null, role: "viewer" } as const
const workspaceAdmin = { workspaceId: "acme", role: "admin" } as const

const newOperator = (fields: Partial<Operator> = {}) =>
  Effect.map(
    fresh("opr_"),
    (id): Operator => ({
      id,
      login: `Jo-${id}@Example.com`,
      displayName: "Jo ü \u{1f600}",
      active: true,
      grants: [viewer, workspaceAdmin],
      passwordHash: null,
      identity: null,
      version: 1,
      createdAt: 1_000,
      ...fields
    })
  )

export const writeOperator = Effect.fnUntraced(function* (
  operator: Operator,
  endsSessions = false,
  needsOtherAdmin = false
) {
  const audit = yield* auditDraft("operator.changed", operator.id, {})
  yield* (yield* Operators).write({ operator, endsSessions, needsOtherAdmin, audit })
})

export const storedOperator = (fields: Partial<Operator> = {}) =>
  Effect.tap(newOperator(fields), (one) => writeOperator(one))

const sessionFor = ({ id: operatorId }: Operator, fields: Partial<OperatorSession> = {}) =>
  Effect.map(
    fresh("session "),
    (hash): OperatorSession => ({
      hash,
      operatorId,
      method: "password",
      createdAt: 100_000,
      seenAt: 100_000,
      ...fields
    })
  )

const linkFor = ({ id: operatorId }: Operator, fields: Partial<SignInLink> = {}) =>
  Effect.map(
    fresh("link "),
    (hash): SignInLink => ({ hash, operatorId, createdAt: 100_000, expiresAt: 200_000, ...fields })
  )

const none = { createdBefore: 0, seenBefore: 0 }

const addSession = Effect.fnUntraced(function* (session: OperatorSession, over = none) {
  const audit = yield* auditDraft("operator.signed_in", session.operatorId, {})
  return yield* (yield* Operators).addSession(session, over, audit)
})

const addLink = Effect.fnUntraced(function* (link: SignInLink) {
  return yield* (yield* Operators).addLink(link, yield* auditDraft("operator.linked", link.operatorId, {}))
})

/** What the audit trail says was done with it. */
export const actionsOn = (operator: Operator) =>
  Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100_000 })).pipe(
    Effect.map((entries) => entries.filter(({ subject }) => subject === operator.id).map(({ action }) => action))
  )

const entriesAbout = (operator: Operator) => Effect.map(actionsOn(operator), ({ length }) => length)

const wordOf = (end: Result.Result<void, { readonly _tag: string }>) =>
  Result.isFailure(end) ? end.failure._tag : "written"

export const operators = chapter("operators", (suiteIt) => {
  /** With an operator that is stored. */
  const it = itWith(suiteIt, () => Effect.map(storedOperator(), (operator) => ({ operator })))

  it("an operator is found by its id and by any case of its login", function* ({ operator, operators }) {
    const { byId, byLogin, list } = operators
    expect(yield* byId(operator.id)).toEqual(Option.some(operator))
    expect(yield* byLogin(operator.login.toLowerCase())).toEqual(Option.some(operator))
    expect(yield* byLogin(operator.login)).toEqual(Option.none())
    expect(yield* list).toContainEqual(operator)
    expect(yield* byId("opr_nobody")).toEqual(Option.none())
    expect(yield* entriesAbout(operator)).toBe(1)
  })

  suiteIt("one of two operators that ask for a login at once has it", function* () {
    const login = yield* fresh("Ann-")
    const first = yield* newOperator({ login })
    const second = yield* newOperator({ login: login.toLowerCase() })
    const ends = yield* atOnce([first, second], (operator) => Effect.result(writeOperator(operator)))
    expect(ends.map(wordOf).toSorted()).toEqual(["pointsman/LoginTaken", "written"])
    expect((yield* entriesAbout(first)) + (yield* entriesAbout(second))).toBe(1)
  })

  it("the second of two changes of one version is refused", function* ({ operator, operators }) {
    const identity = "https://issuer ü"
    const changed = { ...operator, displayName: "Joan", passwordHash: "hash", identity, version: 2 }
    yield* writeOperator(changed)
    const refused = yield* Effect.flip(writeOperator({ ...operator, active: false, version: 2 }))
    expect(refused._tag).toBe("pointsman/OperatorChanged")
    expect(yield* operators.byId(operator.id)).toEqual(Option.some(changed))
    expect(yield* entriesAbout(operator)).toBe(2)
  })

  suiteIt(
    "one of two who may manage operators keeps the role when both lose it at once",
    function* ({ operators: { list } }) {
      // The suite shares its storage.
      const grants = [viewer]
      for (const operator of (yield* list).filter(managesOperators)) {
        yield* writeOperator({ ...operator, grants, version: operator.version + 1 })
      }
      const admin = { grants: [{ workspaceId: null, role: "admin" as const }] }
      const both = [yield* storedOperator(admin), yield* storedOperator(admin)]
      const ends = yield* atOnce(both, (operator) =>
        Effect.result(writeOperator({ ...operator, grants, version: 2 }, false, true))
      )
      expect(ends.map(wordOf).toSorted()).toEqual(["pointsman/LastAdmin", "written"])
      const [last, another] = (yield* list).filter(managesOperators)
      expect(both.map(({ id }) => id)).toContain(last?.id)
      expect(another).toBeUndefined()
      const entries = yield* atOnce(both, entriesAbout)
      expect(entries.toSorted()).toEqual([1, 2])
      const gone = yield* Effect.flip(writeOperator({ ...(last as Operator), active: false, version: 2 }, true, true))
      expect(gone._tag).toBe("pointsman/LastAdmin")
      // One of a single workspace is none, and neither is a removed one.
      yield* storedOperator({ grants: [workspaceAdmin] })
      yield* storedOperator({ ...admin, active: false })
      expect((yield* Effect.flip(writeOperator({ ...(last as Operator), grants, version: 2 }, false, true)))._tag).toBe(
        "pointsman/LastAdmin"
      )
    }
  )

  it("a session is there, once, until it ended", function* ({ operator, operators }) {
    const { endSession, seen, session, sessions } = operators
    const made = yield* sessionFor(operator)
    expect(yield* addSession(made)).toBe(true)
    expect(yield* session(made.hash)).toEqual(Option.some({ session: made, operator }))
    expect(yield* sessions).toContainEqual(made)
    yield* seen(made.hash, 160_000)
    yield* seen(made.hash, 130_000)
    expect(yield* session(made.hash)).toEqual(Option.some({ session: { ...made, seenAt: 160_000 }, operator }))
    const audit = yield* auditDraft("operator.signed_out", operator.id, {})
    const ends = yield* Effect.all([endSession(made.hash, audit), endSession(made.hash, audit)])
    expect(ends.toSorted()).toEqual([false, true])
    expect((yield* sessions).map(({ hash }) => hash)).not.toContain(made.hash)
    yield* seen(made.hash, 200_000)
    expect(yield* session(made.hash)).toEqual(Option.none())
    expect(yield* entriesAbout(operator)).toBe(3)
  })

  it("sessions that are over are deleted when another one is added", function* ({ operator, operators: { session } }) {
    const old = yield* sessionFor(operator, { createdAt: 10, seenAt: 120_000 })
    const idle = yield* sessionFor(operator, { createdAt: 60, seenAt: 20 })
    const other = yield* sessionFor(operator)
    for (const made of [old, idle, other]) yield* addSession(made)
    yield* addSession(yield* sessionFor(operator), { createdBefore: 50, seenBefore: 30 })
    const left = yield* Effect.forEach([old, idle, other], ({ hash }) => session(hash))
    expect(left.map(Option.isSome)).toEqual([false, false, true])
  })

  it("a deactivated operator loses its sessions and links, and gets no others", function* ({ operator, operators }) {
    const { session, takeLink } = operators
    const neighbour = yield* storedOperator()
    const made = yield* sessionFor(operator)
    const kept = yield* sessionFor(neighbour)
    const link = yield* linkFor(operator)
    yield* addSession(made)
    yield* addSession(kept)
    yield* addLink(link)
    yield* writeOperator({ ...operator, active: false, version: 2 }, true)
    expect(yield* session(made.hash)).toEqual(Option.none())
    expect(Option.isSome(yield* session(kept.hash))).toBe(true)
    expect(yield* takeLink(link.hash)).toEqual(Option.none())
    expect(yield* addSession(yield* sessionFor(operator))).toBe(false)
    expect(yield* addLink(yield* linkFor(operator))).toBe(false)
    // Added, a session, a link and the deactivation.
    expect(yield* entriesAbout(operator)).toBe(4)
  })

  it("ending all sessions of an operator ends its links as well", function* ({ operator, operators }) {
    const { endSessionsOf, takeLink } = operators
    const link = yield* linkFor(operator)
    yield* addSession(yield* sessionFor(operator))
    yield* addSession(yield* sessionFor(operator))
    yield* addLink(link)
    const audit = yield* auditDraft("operator.signed_out", operator.id, {})
    expect(yield* endSessionsOf(operator.id, audit)).toBe(2)
    expect(yield* endSessionsOf(operator.id, audit)).toBe(0)
    expect(yield* takeLink(link.hash)).toEqual(Option.none())
  })

  it("one of eight requests that take a link at once gets it", function* ({ operator, operators: { takeLink } }) {
    const link = yield* linkFor(operator)
    expect(yield* addLink(link)).toBe(true)
    const taken = yield* atOnce(Array(8).keys(), () => takeLink(link.hash))
    expect(taken.filter(Option.isSome)).toEqual([Option.some(link)])
  })

  it("a link that is over is deleted when another one is added", function* ({ operator, operators: { takeLink } }) {
    const over = yield* linkFor(operator, { expiresAt: 150_000 })
    const later = yield* linkFor(operator, { createdAt: 150_000, expiresAt: 300_000 })
    yield* addLink(over)
    yield* addLink(later)
    expect(yield* takeLink(over.hash)).toEqual(Option.none())
    expect(yield* takeLink(later.hash)).toEqual(Option.some(later))
  })

  suiteIt("each try of sign-in at once counts, and the window ends", function* ({ operators }) {
    const { countGuess, forgetGuesses } = operators
    const key = yield* fresh("key ")
    const counted = yield* atOnce(Array(6).keys(), () => countGuess(key, 1_000_000, 5_000))
    expect(counted.map(({ count }) => count).toSorted()).toEqual([1, 2, 3, 4, 5, 6])
    expect(yield* countGuess(key, 1_004_999, 5_000)).toEqual({ since: 1_000_000, count: 7 })
    expect(yield* countGuess(key, 1_005_000, 5_000)).toEqual({ since: 1_005_000, count: 1 })
    yield* forgetGuesses(key)
    expect(yield* countGuess(key, 1_006_000, 5_000)).toEqual({ since: 1_006_000, count: 1 })
  })
})
