/** Passkeys of operators: who may add one, and what signs in. Responses are verified by the caller, and here by the test. */
import { assert, describe } from "@effect/vitest"
import { type NewSession, type OperatorGrant, type Passkey, Pointsman, type VerifiedPasskey } from "@pointsman/core"
import { Audit } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { world } from "./support/World.ts"

const source = "203.0.113.9"
const grants: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "viewer" }]
const login = "jo@example.com"
const verified: VerifiedPasskey = { id: "one", publicKey: "key", counter: 1, transports: ["usb"] }

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag.replace("pointsman/", "")))
const signedIn = Effect.fnUntraced(function* (name = login) {
  const { operators } = yield* Pointsman
  yield* operators.add({ login: name, displayName: "Jo", grants })
  const { token } = yield* operators.createLink(name)
  return yield* operators.signInWithLink(token)
})
const add = Effect.fnUntraced(function* (session: NewSession, passkey: VerifiedPasskey | undefined = verified) {
  const { passkeys } = (yield* Pointsman).operators
  const { challenge } = yield* passkeys.begin(session)
  return yield* passkeys.add(session, { challenge, name: "Laptop", verify: Effect.succeed(passkey) })
})
const signIn = Effect.fnUntraced(function* ({ id, operatorId }: Passkey, counter: number | undefined) {
  const { passkeys } = (yield* Pointsman).operators
  const challenge = yield* passkeys.beginSignIn(source)
  return yield* passkeys.signIn({ challenge, passkeyId: id, operatorId, verify: () => Effect.succeed(counter) })
})

describe("adding a passkey", () => {
  itIn("a recent sign-in adds, lists and removes a passkey, and the trail says so", world(), function* () {
    const { passkeys } = (yield* Pointsman).operators
    const session = yield* signedIn()
    const passkey = yield* add(session)
    const { challenge, existing } = yield* passkeys.begin(session)
    assert.match(challenge, /^[\w-]{43}$/u)
    assert.deepStrictEqual(existing, [passkey])
    assert.deepInclude(passkey, { ...verified, name: "Laptop", operatorId: session.operator.id, usedAt: null })
    yield* passkeys.remove(session.operator, "one")
    assert.strictEqual(yield* tagOf(passkeys.remove(session.operator, "one")), "PasskeyNotFound")
    assert.deepStrictEqual(yield* passkeys.list(session.operator), [])
    const entries = yield* (yield* Audit).list({ after: 0, limit: 100 })
    const about = entries.filter(({ action }) => action.startsWith("operator.passkey"))
    assert.deepStrictEqual(
      about.map(({ action, details }) => [action, JSON.parse(details).passkey]),
      [
        ["operator.passkey_added", "Laptop"],
        ["operator.passkey_removed", "Laptop"]
      ]
    )
  })

  itIn("a registration is answered once, in time, by its operator, and not by a sign-in", world(), function* () {
    const { passkeys } = (yield* Pointsman).operators
    const session = yield* signedIn()
    const other = yield* signedIn("ann@example.com")
    const answer = (challenge: string, by = session) =>
      passkeys.add(by, { challenge, name: "Laptop", verify: Effect.succeed(verified) })
    const ofSession = Effect.map(passkeys.begin(session), ({ challenge }) => challenge)
    assert.strictEqual(yield* tagOf(answer(yield* ofSession, other)), "unverified")
    assert.strictEqual(yield* tagOf(answer(yield* passkeys.beginSignIn(source))), "unverified")
    for (const challenge of ["", "x".repeat(43)]) assert.strictEqual(yield* tagOf(answer(challenge)), "unverified")
    const late = yield* ofSession
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(yield* tagOf(answer(late)), "unverified")
    const used = yield* ofSession
    yield* answer(used)
    assert.strictEqual(yield* tagOf(answer(used)), "unverified")
  })

  itIn("a wrong response, a stored passkey and a bad name add no passkey", world(), function* () {
    const { passkeys } = (yield* Pointsman).operators
    const session = yield* signedIn()
    const { challenge } = yield* passkeys.begin(session)
    const refused = passkeys.add(session, { challenge, name: "a", verify: Effect.undefined })
    assert.strictEqual(yield* tagOf(refused), "unverified")
    const other = yield* signedIn("ann@example.com")
    yield* add(other)
    assert.strictEqual(yield* tagOf(add(session)), "unverified")
    for (const name of ["", " ", "x".repeat(121)]) {
      const bad = passkeys.add(session, { challenge: "", name, verify: Effect.succeed(verified) })
      assert.strictEqual(yield* tagOf(bad), "PasskeyInvalid")
    }
    assert.deepStrictEqual(yield* passkeys.list(session.operator), [])
  })

  itIn("an old session, an issuer's session and a twenty-first passkey are refused", world(), function* () {
    const { operators } = yield* Pointsman
    const session = yield* signedIn()
    for (let count = 0; count < 20; count++) yield* add(session, { ...verified, id: `passkey ${count}` })
    assert.strictEqual(yield* tagOf(add(session)), "tooMany")
    const identity = { issuer: "https://login.example.com", subject: "1", login, displayName: "Jo", grants: null }
    const ofIssuer = yield* operators.signInWithOidc(Effect.succeed(identity), source)
    assert.strictEqual(yield* tagOf(add(ofIssuer)), "oidc")
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* tagOf(add(session)), "notRecent")
  })
})

describe("signing in with a passkey", () => {
  itIn("a passkey signs in, and its counter grows", world(), function* (_, { operators }) {
    const passkey = yield* add(yield* signedIn())
    const { operator, session, token } = yield* signIn(passkey, 2)
    assert.deepStrictEqual([operator.login, session.method], [login, "passkey"])
    assert.strictEqual((yield* operators.session(token)).operator.id, operator.id)
    for (const counter of [2, 1, 0, undefined]) {
      assert.strictEqual(yield* tagOf(signIn(passkey, counter)), "SignInRefused")
    }
    yield* signIn(passkey, 3)
    assert.strictEqual((yield* operators.passkeys.list(operator))[0]?.counter, 3)
  })

  itIn("a sign-in is answered once, in time, and not by a challenge of a registration", world(), function* () {
    const { passkeys } = (yield* Pointsman).operators
    const session = yield* signedIn()
    const { id: passkeyId, operatorId } = yield* add(session, { ...verified, counter: 0 })
    const answer = (challenge: string) =>
      passkeys.signIn({ challenge, passkeyId, operatorId, verify: () => Effect.succeed(0) })
    const { challenge } = yield* passkeys.begin(session)
    assert.strictEqual(yield* tagOf(answer(challenge)), "SignInRefused")
    const late = yield* passkeys.beginSignIn(source)
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(yield* tagOf(answer(late)), "SignInRefused")
    const used = yield* passkeys.beginSignIn(source)
    yield* answer(used)
    assert.strictEqual(yield* tagOf(answer(used)), "SignInRefused")
  })

  itIn("unknown, removed and others' passkeys, and removed operators, are refused", world(), function* () {
    const { operators } = yield* Pointsman
    const session = yield* signedIn()
    const other = yield* signedIn("ann@example.com")
    const passkey = yield* add(session)
    assert.strictEqual(yield* tagOf(signIn({ ...passkey, id: "two" }, 2)), "SignInRefused")
    assert.strictEqual(yield* tagOf(signIn({ ...passkey, operatorId: other.operator.id }, 2)), "SignInRefused")
    yield* operators.passkeys.remove(session.operator, passkey.id)
    assert.strictEqual(yield* tagOf(signIn(passkey, 2)), "SignInRefused")
    const again = yield* add(session)
    yield* operators.remove(login)
    assert.strictEqual(yield* tagOf(signIn(again, 2)), "SignInRefused")
    yield* operators.add({ login, displayName: "Jo", grants })
    assert.strictEqual(yield* tagOf(signIn(again, 2)), "SignInRefused")
  })

  itIn("the 61st challenge of one source is refused", world(), function* (_, { operators: { passkeys } }) {
    for (let count = 0; count < 60; count++) yield* passkeys.beginSignIn(source)
    assert.strictEqual(yield* tagOf(passkeys.beginSignIn(source)), "TooManySignIns")
    yield* passkeys.beginSignIn("203.0.113.10")
  })
})
