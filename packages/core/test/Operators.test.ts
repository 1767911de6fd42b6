/** Operators: who may do what, how they sign in, and when a session ends. */
import { assert, describe, it } from "@effect/vitest"
import { mayAct, type NewSession, type OperatorGrant, operatorActions, operatorRoles, Pointsman } from "@pointsman/core"
import { Audit, AuditActor, Operators, Passwords, PasswordWeak } from "@pointsman/core/ports"
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { world } from "./support/World.ts"

const source = "203.0.113.9"
const everywhere: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "support" }]
const order = { login: "Jo@Example.com", displayName: "Jo", grants: everywhere }
const password = Redacted.make("correct horse battery")

/** With a hash that can be read, and every comparison on record. */
const passwords = () => {
  const verified: Array<string | null> = []
  const layer = Layer.succeed(Passwords, {
    hash: (text, known) =>
      known.includes(Redacted.value(text))
        ? Effect.fail(new PasswordWeak({ expected: "another one" }))
        : Effect.succeed(`hash of ${Redacted.value(text)}`),
    verify: (text, hash) =>
      Effect.sync(() => {
        verified.push(hash)
        return hash === `hash of ${Redacted.value(text)}`
      })
  })
  return { verified, layer }
}

const withPasswords = () => {
  const { layer, verified } = passwords()
  return { verified, layer: world().layer.pipe(Layer.provide(layer)) }
}

/** A test of operators who may have passwords, and of which hashes were compared. */
const itHashes = (
  title: string,
  body: (
    operators: Pointsman["Service"]["operators"],
    verified: ReadonlyArray<string | null>
  ) => Effect.fn.Return<unknown, unknown, Pointsman | Operators>
) => itIn(title, withPasswords(), ({ verified }, { operators }) => body(operators, verified))

const signedInByLink = Effect.fnUntraced(function* (login = order.login) {
  const { operators } = yield* Pointsman
  const { token } = yield* operators.createLink(login)
  return yield* operators.signInWithLink(token)
})

const withPassword = Effect.fnUntraced(function* () {
  const { operators } = yield* Pointsman
  yield* operators.add(order)
  return yield* operators.setPassword(yield* signedInByLink(), { current: null, password, source })
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag.replace("pointsman/", ""))

const isLive = ({ token }: NewSession) =>
  Effect.flatMap(Pointsman, ({ operators }) => Effect.isSuccess(operators.session(token)))

describe("roles", () => {
  it("each role may do exactly this, and all that the role before it may", () => {
    const may = (role: OperatorGrant["role"]) =>
      operatorActions.filter((action) =>
        mayAct({ active: true, grants: [{ workspaceId: null, role }] }, action, "acme")
      )
    const words = (text: string) => text.split(" ")
    const viewer = ["payment.read"]
    const support = [...viewer, ...words("payment.capture payment.void payment.refund webhook.redeliver")]
    const operations = [
      ...[...support, ...words("review.resolve correction.decide message.apply reconciliation.read")],
      ...words("difference.close dispute.answer routing.read")
    ]
    const admin = [
      ...[...operations, ...words("key.manage connection.read connection.manage routing.manage endpoint.manage")],
      ...words("operator.manage audit.read usage.read merchant.invite")
    ]
    const all: ReadonlyArray<ReadonlyArray<string>> = [viewer, support, operations, admin]
    assert.deepStrictEqual<unknown>(operatorRoles.map(may), all)
  })

  it("a role in one workspace counts only there, and not outside of workspaces", () => {
    const admin: OperatorGrant = { workspaceId: "acme", role: "admin" }
    const operator = { active: true, grants: [admin, { workspaceId: "globex", role: "viewer" as const }] }
    assert.isTrue(mayAct(operator, "operator.manage", "acme"))
    assert.isFalse(mayAct(operator, "payment.refund", "globex"))
    assert.isTrue(mayAct(operator, "payment.read", "globex"))
    assert.isFalse(mayAct(operator, "payment.read", "initech"))
    assert.isFalse(mayAct(operator, "operator.manage", null))
    assert.isFalse(mayAct({ ...operator, active: false }, "payment.read", "acme"))
  })
})

describe("operators", () => {
  itHere("the error names the field of a bad operator", function* (_, { operators }) {
    const fieldOf = (fields: Partial<typeof order>) =>
      Effect.map(Effect.flip(operators.add({ ...order, ...fields })), (error) =>
        error._tag === "pointsman/OperatorInvalid" ? error.field : error._tag
      )
    for (const login of ["", "jo doe", "jo\n", "x".repeat(255), "Server", "ｌibrary", "https://issuer.example"])
      assert.strictEqual(yield* fieldOf({ login }), "login")
    for (const displayName of ["", "  ", "a\u0000"]) {
      assert.strictEqual(yield* fieldOf({ displayName }), "displayName")
    }
    for (const grants of [[], [...everywhere, ...everywhere], [{ workspaceId: "nowhere", role: "viewer" as const }]]) {
      assert.strictEqual(yield* fieldOf({ grants }), "grants")
    }
    yield* operators.add(order)
    assert.strictEqual(yield* fieldOf({ login: "jo@EXAMPLE.com" }), "pointsman/LoginTaken")
    assert.lengthOf(yield* operators.list, 1)
  })

  itHashes("an operator removed and added again has no sessions and no password", function* (operators) {
    const session = yield* withPassword()
    const link = yield* operators.createLink(order.login)
    const removed = yield* operators.remove("jo@example.COM")
    assert.deepStrictEqual([removed.active, removed.passwordHash], [false, null])
    assert.isFalse(yield* isLive(session))
    assert.strictEqual(yield* tagOf(operators.signInWithLink(link.token)), "SignInRefused")
    assert.strictEqual(yield* tagOf(operators.createLink(order.login)), "OperatorNotFound")
    assert.strictEqual(yield* tagOf(operators.remove(order.login)), "OperatorNotFound")
    const again = yield* operators.add({ ...order, displayName: "Joan" })
    assert.deepStrictEqual([again.id, again.displayName], [removed.id, "Joan"])
    const refused = operators.signInWithPassword({ login: order.login, password, source })
    assert.strictEqual(yield* tagOf(refused), "SignInRefused")
  })

  itHere("an edited operator's roles count at once, and the audit trail has both", function* (_, { operators }) {
    yield* operators.add({ ...order, login: "ann", grants: [{ workspaceId: null, role: "admin" }] })
    const stored = yield* operators.add(order)
    const session = yield* signedInByLink()
    const grants: ReadonlyArray<OperatorGrant> = [{ workspaceId: "acme", role: "operations" }]
    const edit = { login: "jo@example.com", displayName: "Joan", grants, version: stored.version }
    const edited = yield* Effect.provideService(operators.edit(edit), AuditActor, "ann")
    assert.deepStrictEqual(edited, { ...stored, displayName: "Joan", grants, version: 2 })
    assert.deepStrictEqual((yield* operators.session(session.token)).operator, edited)
    // The form that is sent again, and another one of before it.
    assert.deepStrictEqual(yield* operators.edit(edit), edited)
    assert.strictEqual(yield* tagOf(operators.edit({ ...edit, displayName: "Jo" })), "OperatorChanged")
    assert.strictEqual((yield* operators.edit({ ...edit, displayName: "Jo", version: null })).version, 3)
    assert.strictEqual(yield* tagOf(operators.edit({ ...edit, login: "nobody" })), "OperatorNotFound")
    assert.strictEqual(yield* tagOf(operators.edit({ ...edit, grants: [] })), "OperatorInvalid")
    const { items } = yield* (yield* Pointsman).auditEntries({ action: "operator.changed", limit: 10 })
    assert.deepInclude(items.at(-1), { actor: "ann", subject: stored.id })
    assert.deepStrictEqual(JSON.parse(items.at(-1)?.details ?? ""), {
      login: order.login,
      display_name: "Joan",
      grants: [{ workspace_id: "acme", role: "operations" }],
      grants_before: [{ workspace_id: null, role: "support" }]
    })
    assert.lengthOf(items, 2)
  })

  itHere("the last admin of all workspaces cannot be demoted or removed", function* (_, { operators }) {
    const grants: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "admin" }]
    const ofAcme: ReadonlyArray<OperatorGrant> = [{ workspaceId: "acme", role: "admin" }]
    const stored = yield* operators.add({ ...order, grants })
    yield* operators.add({ ...order, login: "ann", grants: ofAcme })
    const demote = operators.edit({ ...order, grants: ofAcme, version: null })
    assert.strictEqual(yield* tagOf(demote), "LastAdmin")
    assert.strictEqual(yield* tagOf(operators.remove(order.login)), "LastAdmin")
    assert.deepStrictEqual((yield* operators.list)[0], { ...stored, sessions: [] })
    assert.strictEqual((yield* operators.edit({ ...order, displayName: "Joan", grants, version: null })).version, 2)
    yield* operators.edit({ login: "ann", displayName: "Ann", grants, version: null })
    yield* demote
    yield* operators.remove(order.login)
    assert.strictEqual(yield* tagOf(operators.remove("ann")), "LastAdmin")
  })

  itHere("operators are listed with their live sessions, the newest first", function* (_, { operators }) {
    yield* operators.add(order)
    yield* operators.add({ ...order, login: "ann" })
    yield* signedInByLink()
    yield* TestClock.adjust("20 minutes")
    const second = yield* signedInByLink()
    yield* TestClock.adjust("5 minutes")
    const third = yield* signedInByLink()
    const sessions = Effect.map(operators.list, (all) => all.map((one) => one.sessions.map(({ hash }) => hash)))
    assert.lengthOf((yield* sessions)[0] ?? [], 3)
    yield* TestClock.adjust("6 minutes")
    assert.deepStrictEqual(yield* sessions, [[third.session.hash, second.session.hash], []])
  })

  it.effect("the audit trail and the log name all that operators do, without secrets", () => {
    const { layer } = withPasswords()
    const log: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])
    return Effect.gen(function* () {
      const { operators } = yield* Pointsman
      const operator = yield* Effect.provideService(operators.add(order), AuditActor, "root")
      const { token } = yield* Effect.provideService(operators.createLink(order.login), AuditActor, "root")
      const first = yield* operators.signInWithLink(token)
      const second = yield* operators.setPassword(first, { current: null, password, source })
      yield* tagOf(operators.signInWithPassword({ login: order.login, password: Redacted.make("wrong"), source }))
      const third = yield* operators.signInWithPassword({ login: order.login, password, source })
      yield* operators.signOut(second.token)
      yield* operators.signOut(second.token)
      yield* operators.signOutEverywhere(third.operator)
      yield* Effect.provideService(operators.remove(order.login), AuditActor, "root")
      const entries = yield* (yield* Audit).list({ after: 0, limit: 100 })
      const acts = "added linked signed_in password_set signed_in signed_in signed_out signed_out removed".split(" ")
      const byRoot = ["added", "linked", "removed"]
      assert.deepStrictEqual(
        entries.map(({ action, actor, subject }) => [actor, action, subject]),
        acts.map((act) => [byRoot.includes(act) ? "root" : order.login, `operator.${act}`, operator.id])
      )
      const seen = `${JSON.stringify(entries)}${log.join("\n")}`
      assert.include(seen, "a sign-in was refused")
      for (const secret of [token, first.token, second.token, third.token, password]) {
        assert.notInclude(seen, Redacted.value(secret))
      }
    }).pipe(Effect.provide(Layer.merge(layer, logger)), Effect.provideService(References.MinimumLogLevel, "Trace"))
  })
})

describe("signing in", () => {
  itHere("a link signs in once, also when used twice or too late", function* (_, { operators }) {
    const operator = yield* operators.add(order)
    const { expiresAt, token } = yield* operators.createLink(order.login)
    assert.strictEqual(expiresAt, 15 * 60_000)
    const late = yield* operators.createLink(order.login)
    const session = yield* operators.signInWithLink(token)
    assert.deepStrictEqual((yield* operators.session(session.token)).operator, operator)
    assert.strictEqual(yield* tagOf(operators.signInWithLink(token)), "SignInRefused")
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* tagOf(operators.signInWithLink(late.token)), "SignInRefused")
    assert.strictEqual(yield* tagOf(operators.signInWithLink(Redacted.make("?"))), "SignInRefused")
  })

  itHashes(
    "an unknown, a removed and a passwordless login are each compared and refused",
    function* (operators, verified) {
      yield* operators.add({ ...order, login: "new" })
      yield* operators.add({ ...order, login: "gone" })
      yield* operators.remove("gone")
      for (const login of ["nobody", "gone", "new"]) {
        assert.strictEqual(yield* tagOf(operators.signInWithPassword({ login, password, source })), "SignInRefused")
      }
      assert.deepStrictEqual(verified, [null, null, null])
    }
  )

  itHashes(
    "the eleventh guess at a login from many sources is refused without a comparison",
    function* (operators, verified) {
      yield* withPassword()
      const guess = (from: number, text = "wrong password") =>
        operators.signInWithPassword({
          login: order.login.toUpperCase(),
          password: Redacted.make(text),
          source: `source ${from}`
        })
      const tags = yield* Effect.forEach(Array(12).keys(), (from) => tagOf(guess(from)), { concurrency: "unbounded" })
      assert.deepStrictEqual(tags.toSorted(), [...Array(10).fill("SignInRefused"), "TooManySignIns", "TooManySignIns"])
      assert.lengthOf(verified, 10)
      const refused = yield* Effect.flip(guess(99, Redacted.value(password)))
      assert.deepInclude(refused, { _tag: "pointsman/TooManySignIns", retryAfterMillis: 15 * 60_000 })
      yield* TestClock.adjust("15 minutes")
      yield* guess(99, Redacted.value(password))
      assert.lengthOf(verified, 11)
    }
  )

  itHashes("the sixty-first guess from one source is refused, and links still sign in", function* (operators) {
    let counted = 0
    yield* operators.add(order)
    const { token } = yield* operators.createLink(order.login)
    for (let count = 0; count < 60; count++) {
      yield* tagOf(operators.signInWithPassword({ login: `login ${count}`, password, source }))
    }
    const store = yield* Operators
    const { countGuess } = store
    Object.assign(store, {
      countGuess: (...asked: Parameters<typeof countGuess>) => {
        counted++
        return countGuess(...asked)
      }
    })
    const refused = operators.signInWithPassword({ login: "one more", password, source })
    for (let count = 0; count < 100; count++) assert.strictEqual(yield* tagOf(refused), "TooManySignIns")
    assert.strictEqual(counted, 1)
    yield* operators.signInWithLink(token)
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* tagOf(refused), "SignInRefused")
  })

  itHashes("the right password after nine wrong guesses restarts the count of the login", function* (operators) {
    yield* withPassword()
    const sign = (text: string) =>
      operators.signInWithPassword({ login: order.login, password: Redacted.make(text), source })
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 9; count++) assert.strictEqual(yield* tagOf(sign("wrong")), "SignInRefused")
      yield* sign(Redacted.value(password))
    }
  })

  itHere("an installation without password hashes refuses passwords, and links work", function* (_, { operators }) {
    yield* operators.add(order)
    const session = yield* signedInByLink()
    const set = operators.setPassword(session, { current: null, password, source })
    assert.strictEqual(yield* tagOf(set), "OperatorInvalid")
    const sign = operators.signInWithPassword({ login: order.login, password, source })
    assert.strictEqual(yield* tagOf(sign), "SignInRefused")
  })
})

describe("a session", () => {
  itHere("a session is over after 30 minutes without requests, and else after 12 hours", function* (_, { operators }) {
    yield* operators.add(order)
    const idle = yield* signedInByLink()
    const used = yield* signedInByLink()
    yield* TestClock.adjust("29 minutes")
    assert.isTrue(yield* isLive(used))
    yield* TestClock.adjust("1 minutes")
    assert.deepStrictEqual([yield* isLive(idle), yield* isLive(used)], [false, true])
    for (let minutes = 30; minutes < 12 * 60 - 10; minutes += 20) {
      yield* TestClock.adjust("20 minutes")
      assert.isTrue(yield* isLive(used))
    }
    yield* TestClock.adjust("10 minutes")
    assert.isFalse(yield* isLive(used))
  })

  itHere("signing out refuses one session's token; everywhere ends both", function* (_, { operators }) {
    const operator = yield* operators.add(order)
    const first = yield* signedInByLink()
    const second = yield* signedInByLink()
    const third = yield* signedInByLink()
    yield* operators.signOut(first.token)
    assert.deepStrictEqual([yield* isLive(first), yield* isLive(second)], [false, true])
    assert.strictEqual(yield* operators.signOutEverywhere(operator), 2)
    assert.deepStrictEqual([yield* isLive(second), yield* isLive(third)], [false, false])
    assert.strictEqual(yield* tagOf(operators.session(Redacted.make("no token"))), "NotSignedIn")
  })

  itHashes("a session that sets a password needs the current one, and ends all sessions", function* (operators) {
    yield* operators.add(order)
    const first = yield* signedInByLink()
    const other = yield* signedInByLink()
    const short = operators.setPassword(first, { current: null, password: Redacted.make("elevenchars"), source })
    assert.deepInclude(yield* Effect.flip(short), { field: "password", expected: "12 to 256 characters" })
    const weak = operators.setPassword(first, { current: null, password: Redacted.make(order.login), source })
    assert.deepInclude(yield* Effect.flip(weak), { field: "password", expected: "another one" })
    assert.deepStrictEqual([yield* isLive(first), yield* isLive(other)], [true, true])
    const second = yield* operators.setPassword(first, { current: null, password, source })
    assert.deepStrictEqual([yield* isLive(first), yield* isLive(other), yield* isLive(second)], [false, false, true])
    const next = Redacted.make("another long password")
    const wrong = operators.setPassword(second, { current: Redacted.make("wrong"), password: next, source })
    assert.strictEqual(yield* tagOf(wrong), "PasswordRefused")
    yield* TestClock.adjust("15 minutes")
    const late = operators.setPassword(second, { current: null, password: next, source })
    assert.strictEqual(yield* tagOf(late), "PasswordRefused")
    const known = yield* operators.session(second.token)
    yield* operators.setPassword(known, { current: password, password: next, source })
    yield* operators.signInWithPassword({ login: order.login, password: next, source })
  })
})
