/** Signing in as whom an issuer identified: who gets in, with which roles. */
import { assert, describe, it } from "@effect/vitest"
import { type OidcIdentity, type OperatorGrant, Pointsman } from "@pointsman/core"
import { Audit, auditDraft, Deliveries, Operators } from "@pointsman/core/ports"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { world } from "./support/World.ts"

const source = "203.0.113.9"
const viewer: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "viewer" }]
const admin: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "admin" }]
const jo: OidcIdentity = {
  issuer: "https://login.example.com",
  subject: "248289761001",
  login: "jo@example.com",
  displayName: "Jo",
  grants: null
}

const signIn = (identity: Partial<OidcIdentity>) =>
  Effect.flatMap(Pointsman, ({ operators }) => operators.signInWithOidc(Effect.succeed({ ...jo, ...identity }), source))
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag.replace("pointsman/", ""))
const trail = Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100 })).pipe(
  Effect.map((entries) => entries.map(({ action, actor }) => `${actor} ${action}`))
)

/** After each read of an operator, what others do comes first. */
const othersBetween = Layer.merge(
  Layer.effect(Deliveries, Deliveries),
  Layer.effect(
    Operators,
    Effect.map(Operators, (store) => ({
      ...store,
      byLogin: (key: string) => Effect.tap(store.byLogin(key), () => Effect.yieldNow)
    }))
  )
)

describe("signing in by OpenID Connect", () => {
  itIn("an operator keeps its roles without the issuer's, and a stranger is refused", world(), function* () {
    const { operators } = yield* Pointsman
    assert.strictEqual(yield* tagOf(signIn({})), "SignInRefused")
    yield* operators.add({ login: "Jo@Example.com", displayName: "Joan", grants: viewer })
    const { operator, session, token } = yield* signIn({})
    assert.deepStrictEqual([operator.displayName, operator.grants, session.method], ["Joan", viewer, "oidc"])
    assert.strictEqual((yield* operators.session(token)).operator.id, operator.id)
    yield* operators.remove(operator.login)
    for (const grants of [null, admin]) assert.strictEqual(yield* tagOf(signIn({ grants })), "SignInRefused")
  })

  itIn("roles of the issuer are written once, by the issuer", world(), function* () {
    assert.strictEqual(yield* tagOf(signIn({ grants: [] })), "SignInRefused")
    const { operator } = yield* signIn({ grants: viewer, displayName: "\n" })
    assert.strictEqual(operator.displayName, jo.login)
    assert.deepStrictEqual((yield* signIn({ grants: admin })).operator.grants, admin)
    const again = yield* signIn({ grants: admin })
    assert.deepStrictEqual([again.operator.id, again.operator.version], [operator.id, 2])
    const signedIn = `${jo.login} operator.signed_in`
    assert.deepStrictEqual(yield* trail, [
      `${jo.issuer} operator.added`,
      signedIn,
      `${jo.issuer} operator.changed`,
      signedIn,
      signedIn
    ])
    assert.strictEqual(yield* tagOf(signIn({ grants: [] })), "SignInRefused")
    const nowhere = [{ workspaceId: "nowhere", role: "viewer" as const }]
    assert.strictEqual(yield* tagOf(signIn({ grants: nowhere })), "SignInRefused")
  })

  itIn("an address that became another person's is no way in until added again", world(), function* (_, { operators }) {
    const order = { login: jo.login, displayName: "Jo", grants: viewer }
    yield* operators.add(order)
    const { operator } = yield* signIn({})
    for (const other of [{ subject: "2" }, { issuer: "https://elsewhere.example" }]) {
      for (const grants of [null, admin, []]) {
        assert.strictEqual(yield* tagOf(signIn({ ...other, grants })), "SignInRefused")
      }
    }
    assert.deepStrictEqual((yield* signIn({})).operator, operator)
    yield* operators.remove(jo.login)
    yield* operators.add(order)
    assert.strictEqual((yield* signIn({ subject: "2" })).operator.id, operator.id)
    assert.strictEqual(yield* tagOf(signIn({})), "SignInRefused")
  })

  it.effect("one of two persons with one address becomes the operator at first sign-ins", () =>
    Effect.gen(function* () {
      const { operators } = yield* Pointsman
      yield* operators.add({ login: jo.login, displayName: "Jo", grants: viewer })
      for (const grants of [viewer, null]) {
        yield* operators.remove(jo.login)
        yield* operators.add({ login: jo.login, displayName: "Jo", grants: viewer })
        const both = ["1", "2"].map((subject) => Effect.result(signIn({ subject, grants })))
        const results = yield* Effect.all(both, { concurrency: "unbounded" })
        assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      }
    }).pipe(Effect.provide(world().layerOver(othersBetween)))
  )

  itIn("an operator whose workspace is gone signs in with its other roles", world(), function* (_, { operators }) {
    const added = yield* operators.add({ login: jo.login, displayName: "Jo", grants: viewer })
    const gone = { ...added, grants: [...viewer, { workspaceId: "gone", role: "admin" as const }], version: 2 }
    const audit = yield* auditDraft("operator.changed", added.id, {})
    yield* (yield* Operators).write({ operator: gone, endsSessions: false, needsOtherAdmin: false, audit })
    const { operator } = yield* signIn({})
    assert.deepStrictEqual(operator.grants, gone.grants)
    assert.strictEqual((yield* signIn({})).operator.version, operator.version)
    const entry = (yield* (yield* Audit).list({ after: 0, limit: 100 })).find(({ actor }) => actor === jo.issuer)
    assert.include(entry?.details ?? "", JSON.stringify(`${jo.issuer} ${jo.subject}`))
  })

  itIn("a session in use is over after an hour, and the issuer is asked again", world(), function* (_, { operators }) {
    const { token } = yield* signIn({ grants: viewer })
    for (let minutes = 0; minutes < 60; minutes += 20) {
      yield* operators.session(token)
      yield* TestClock.adjust("20 minutes")
    }
    assert.strictEqual(yield* tagOf(operators.session(token)), "NotSignedIn")
    yield* operators.session((yield* signIn({ grants: viewer })).token)
  })

  itIn("many sign-ins of one source ask the issuer 60 times", world(), function* (_, { operators }) {
    let asked = 0
    const identify = Effect.suspend(() => Effect.fail(`refusal ${++asked}`))
    for (let count = 0; count < 60; count++) yield* Effect.flip(operators.signInWithOidc(identify, source))
    const last = yield* Effect.flip(operators.signInWithOidc(identify, source))
    assert.deepInclude(last as object, { _tag: "pointsman/TooManySignIns" })
    assert.strictEqual(asked, 60)
  })
})
