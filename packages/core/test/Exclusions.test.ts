/**
 * Why a connection may not take a payment, where several reasons hold at once: which one is reported for a connection,
 * and which ones for several connections. Each reason alone is in `Routing.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  type ExclusionCode,
  exclusionCodes,
  type Money,
  Pointsman,
  RoutingFailed,
  type Supports
} from "@pointsman/core"
import {
  defaultCircuitBreaker,
  type EligibilityChecks,
  type EligibilityQuestion,
  eligibilityChecks,
  exclusionOf
} from "@pointsman/core/internal"
import { Unanswered } from "@pointsman/core/ports"
import { approve, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Redacted } from "effect"
import { itIn } from "./support/ItIn.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, connectionOf, request, world } from "./support/World.ts"

const main = connectionOf("main")

interface Reason {
  readonly code: ExclusionCode
  readonly supports?: Supports
  readonly restrictions?: Connection["restrictions"]
}

/**
 * A reason of every kind, in the order in which they are reported. A payment is initiated by its customer or its
 * merchant: `AUTHENTICATION_REQUIRED` holds for the one alone, `RECURRING_NOT_SUPPORTED` for the other.
 */
const reasons: ReadonlyArray<Reason> = [
  { code: "CURRENCY_NOT_SUPPORTED", supports: { currencies: ["USD"] } },
  { code: "PAYER_COUNTRY_NOT_SUPPORTED", supports: { payerCountries: ["DE"] } },
  { code: "METHOD_NOT_SUPPORTED", supports: { methods: ["bank"] } },
  { code: "MERCHANT_COUNTRY_NOT_SUPPORTED", supports: { merchantCountries: ["DE"] } },
  { code: "VERTICAL_NOT_SUPPORTED", supports: { blockedCategories: ["retail"] } },
  { code: "RECURRING_NOT_SUPPORTED", supports: { recurring: false } },
  { code: "AMOUNT_OUT_OF_RANGE", supports: { amount: { EUR: { max: 1 } } } },
  { code: "AUTHENTICATION_REQUIRED", supports: { requiresAuthentication: ["NL"] } },
  { code: "RESTRICTION_VIOLATED", restrictions: [{ currency: ["EUR"] }] },
  { code: "INSTRUMENT_NOT_AVAILABLE" }
]
const elsewhere: Readonly<Record<"cit" | "mit", ExclusionCode>> = {
  cit: "RECURRING_NOT_SUPPORTED",
  mit: "AUTHENTICATION_REQUIRED"
}

const asked = (initiator: "cit" | "mit", tokens: ReadonlyArray<string> | null): EligibilityQuestion => ({
  payment: { ...request().details, initiator },
  merchantCountry: "NL",
  merchantCategory: "retail",
  instrumentConnectionIds: tokens === null ? null : new Set(tokens)
})

/** The limits of all of them together. */
const limits = (some: ReadonlyArray<Reason>): Pick<Connection, "supports" | "restrictions"> => ({
  supports: Object.assign({}, ...some.map(({ supports }) => supports ?? {})),
  restrictions: some.flatMap(({ restrictions }) => restrictions ?? [])
})

describe("a connection with several reasons", () => {
  for (const initiator of ["cit", "mit"] as const) {
    const holding = reasons.filter(({ code }) => code !== elsewhere[initiator])
    for (const [at, { code }] of holding.entries()) {
      it(`${code} is reported before those after it, for ${initiator}`, () => {
        const rest = holding.slice(at)
        const question = asked(initiator, [])
        assert.strictEqual(exclusionOf({ ...main, ...limits(rest) }, {}, question)?.code, code)
        // It makes no difference whose limits they are: the first reason is reported, and not the connection's before.
        const [first, ...others] = rest
        if (first?.supports === undefined) return
        assert.strictEqual(exclusionOf({ ...main, ...limits(others) }, first.supports, question)?.code, code)
        // Without it the next one is reported.
        assert.strictEqual(exclusionOf({ ...main, ...limits(others) }, {}, question)?.code, others[0]?.code)
      })
    }
  }

  it("a changed account is reported before every other reason", () => {
    const first = { id: "acct_1", mode: null }
    const account = { first, current: { id: "acct_2", mode: null }, changedAt: 1 }
    const all = { ...main, ...limits(reasons) }
    assert.strictEqual(exclusionOf({ ...all, account }, {}, asked("cit", []))?.code, "ACCOUNT_CHANGED")
    const same = { first, current: first, changedAt: null }
    assert.strictEqual(exclusionOf({ ...all, account: same }, {}, asked("cit", []))?.code, reasons[0]?.code)
  })

  it("the codes of exclusions are the reasons above and those that no limit gives", () => {
    assert.sameMembers(
      reasons.map(({ code }) => code),
      exclusionCodes.filter((code) => !withoutLimit.has(code))
    )
  })
})

/** What a circuit, an account or a later change of the configuration excludes. */
const withoutLimit = new Set<string>(["CIRCUIT_OPEN", "ACCOUNT_CHANGED", "CONNECTION_INACTIVE"])

/** One connection for each reason, by its code, in the order of priority; another one's token was sent to none. */
const each = (initiator: "cit" | "mit") =>
  reasons
    .filter(({ code }) => code !== elsewhere[initiator])
    .map((reason) => ({ id: reason.code.toLowerCase(), ...limits([reason]) }))

const told = (initiator: "cit" | "mit") =>
  each(initiator).map(({ id }) => [id, id.toUpperCase()] satisfies [string, string])

const tokensOf = (ids: ReadonlyArray<string>) =>
  ids
    .filter((id) => id !== "instrument_not_available")
    .map((connectionId) => ({ connectionId, token: Redacted.make("tok") }))

describe("several connections, each with a reason of its own", () => {
  const circuitBreaker = { failures: 1, openMillis: 60_000 }
  const silence = () => Effect.fail(new Unanswered({ reason: "timed out" }))
  for (const initiator of ["cit", "mit"] as const) {
    const nowhere = world({ connections: each(initiator) })
    itIn(`RoutingFailed reports every reason if no other connection takes ${initiator}`, nowhere, function* () {
      const pointsman = yield* Pointsman
      const instruments = tokensOf(each(initiator).map(({ id }) => id))
      const failure = yield* Effect.flip(pointsman.create(caller, request({ details: { initiator }, instruments })))
      assert.instanceOf(failure, RoutingFailed)
      assertFields(failure.excluded, ["connectionId", "code"], ...told(initiator))
      assert.strictEqual(nowhere.ledger.calls.commit, 0)
    })

    const open = world({
      connections: [{ id: "broken", circuitBreaker }, ...each(initiator), { id: "well" }]
    })
    itIn(`a ${initiator} payment reports all exclusions besides the connection that can`, open, function* () {
      const pointsman = yield* Pointsman
      const instruments = tokensOf([...each(initiator).map(({ id }) => id), "broken", "well"])
      const asked = request({ details: { initiator }, instruments })
      open.provider.onCharge = silence
      yield* pointsman.create(caller, asked)
      open.provider.onCharge = approve
      const { payment } = yield* pointsman.create(caller, asked)
      assertFields(payment.routing?.excluded, ["connectionId", "code"], ...told(initiator), ["broken", "CIRCUIT_OPEN"])
      assert.isFalse(payment.routing?.degraded)
      assertFields(open.provider.charges, "connectionId", "broken", "well")
    })
  }

  const outside = world({
    connections: [
      { id: "dollars", supports: { currencies: ["USD"] } },
      { id: "broken", circuitBreaker }
    ],
    routing: {
      mode: "failover",
      rules: [{ name: "small", when: { amount: { max: 1000 } }, use: { mode: "failover", order: ["dollars"] } }]
    }
  })
  itIn("a rule's connection that cannot take it is reported beside an open circuit", outside, function* (_, pointsman) {
    outside.provider.onCharge = silence
    yield* pointsman.create(caller, request())
    const small = request({ details: { money: { minorUnits: 100, currency: "EUR" } } })
    const failure = yield* Effect.flip(pointsman.create(caller, small))
    assertFields(
      (failure as RoutingFailed).excluded,
      ["connectionId", "code"],
      ["dollars", "CURRENCY_NOT_SUPPORTED"],
      ["broken", "CIRCUIT_OPEN"]
    )
  })

  const limited = world({
    connections: [
      { id: "dollars", supports: { currencies: ["USD"] }, circuitBreaker },
      { id: "euros", circuitBreaker }
    ]
  })
  itIn("an exclusion is reported for an open circuit that cannot take the payment either", limited, function* () {
    const pointsman = yield* Pointsman
    limited.provider.onCharge = silence
    yield* pointsman.create(caller, request({ details: { money: { minorUnits: 100, currency: "USD" } } }))
    limited.provider.onCharge = approve
    const { payment } = yield* pointsman.create(caller, request())
    assertFields(payment.routing?.excluded, ["connectionId", "code"], ["dollars", "CURRENCY_NOT_SUPPORTED"])
  })
})

describe("an amount that the provider cannot express", () => {
  // As at a provider that wants 0 for the last of three decimals.
  const expresses = ({ currency, minorUnits }: Money) => currency !== "KWD" || minorUnits % 10 === 0
  const dinars = (minorUnits: number) => request({ details: { money: { minorUnits, currency: "KWD" } } })
  const only = world({ connections: [{ id: "main" }], provider: scriptedProvider({ expresses }) })

  itIn("exclusions as many as open a circuit count as no failure there", only, function* (_, pointsman) {
    for (let asked = 0; asked < defaultCircuitBreaker.failures; asked++) {
      const failure = yield* Effect.flip(pointsman.create(caller, dinars(1995)))
      assert.instanceOf(failure, RoutingFailed)
      assert.deepStrictEqual(failure.excluded, [
        {
          connectionId: "main",
          name: "The main acquirer",
          code: "AMOUNT_OUT_OF_RANGE",
          reason: "The provider cannot express 1995 minor units of KWD."
        }
      ])
    }
    assert.isEmpty(only.provider.charges)
    const { payment } = yield* pointsman.create(caller, dinars(1990))
    assert.deepStrictEqual(payment.routing?.excluded, [])
    assert.deepStrictEqual(payment.routing?.given?.circuits, [])
    assert.lengthOf(only.provider.charges, 1)
  })

  it("the connection's own limit is reported when a limit of amounts excludes it too", () => {
    const question = { ...asked("cit", null), payment: dinars(1995).details }
    const exclusion = (supports: Supports) => exclusionOf({ ...main, supports }, { expresses }, question)
    assert.include(exclusion({ amount: { KWD: { max: 1 } } })?.reason, "limits")
    assert.include(exclusion({ requiresAuthentication: ["NL"] })?.reason, "cannot express")
  })
})

describe("a limit without a check", () => {
  it("each of the limits has a check", () => {
    const complete: EligibilityChecks<Supports> = eligibilityChecks
    assert.isDefined(complete)
  })

  it("the checks do not compile until another limit has one", () => {
    interface More extends Supports {
      readonly weekdays?: ReadonlyArray<string>
    }
    // @ts-expect-error nothing checks the weekday.
    const incomplete: EligibilityChecks<More> = eligibilityChecks
    const complete: EligibilityChecks<More> = {
      ...eligibilityChecks,
      weekdays: { code: "RESTRICTION_VIOLATED", reason: () => () => undefined }
    }
    assert.deepStrictEqual(Object.keys(complete), [...Object.keys(incomplete), "weekdays"])
  })
})
