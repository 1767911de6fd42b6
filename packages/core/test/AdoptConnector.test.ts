/** A connector of another copy of Effect. `OwnConnectors.test.ts` of the server has such a copy; here it is played. */
import { assert, describe, it } from "@effect/vitest"
import { sampleRequest } from "@pointsman/core/testing"
import { Effect, Redacted, Result } from "effect"
import type { ChargeRequest, Connector, ConnectorDefinition, Hints } from "../src/connector.ts"
import { adoptConnector, anotherEffect, connectorFault } from "../src/internal.ts"
import { itRuns } from "./support/ItIn.ts"

const account = { connectionId: "main", environment: "sandbox", credentials: {}, timeoutMillis: 1_000 } as const
const transport = { send: () => Effect.die("nothing is sent") }

const request: ChargeRequest = {
  ...sampleRequest().details,
  ...{ attemptId: "att_1", attemptNumber: 1, paymentId: "pay_1", capture: true, instrument: Redacted.make("tok_1") }
}

/** The `Redacted.make` of the other copy: what it made is known by it alone. */
const otherCopy = () => {
  const values = new Map<unknown, string>()
  return {
    redact: (secret: string) => {
      const made = Redacted.make("of another copy")
      values.set(made, secret)
      return made
    },
    read: (secret: unknown) => values.get(secret)
  }
}

/** A class, as an author may write it: its methods are not its own properties. */
class Scripted implements Connector {
  readonly seen: Array<unknown> = []
  readonly read: (secret: unknown) => unknown
  constructor(read: (secret: unknown) => unknown) {
    this.read = read
  }
  charge({ instrument }: ChargeRequest) {
    this.seen.push(this.read(instrument))
    return Effect.succeed({ _tag: "Captured", providerRef: "ch_1" } as const)
  }
  lookUpCharge() {
    return Effect.succeed({ _tag: "NotFound", conclusive: true } as const)
  }
  readMessage({ secret }: { readonly secret: unknown }) {
    this.seen.push(this.read(secret))
    const about = { _tag: "Settled", charge: { attemptId: "a" }, state: null } as const
    return Effect.succeed({ id: "msg_1", at: null, about })
  }
  readStored(message: { readonly secret: unknown }) {
    return this.readMessage(message)
  }
}

class PrivateHints implements Hints {
  readonly #charge = "ch_1"
  read() {
    return Effect.succeed(this.#charge)
  }
  lookUp(reference: string) {
    return this.#charge === reference ? Effect.succeed([]) : Effect.die("another charge")
  }
}

/** A class whose methods need their `this`, which a private field accepts of its own instances alone. */
class Private implements Connector {
  readonly #provider = { charge: "ch_1", refund: "re_1", page: "https://pay.example/1" }
  readonly hints = new PrivateHints()
  charge() {
    return Effect.succeed({ _tag: "Authorized", providerRef: this.#provider.charge } as const)
  }
  lookUpCharge() {
    return Effect.succeed({ _tag: "Found", state: { _tag: "Authorized", providerRef: this.#provider.charge } } as const)
  }
  openCheckout() {
    const { charge: reference, page: url } = this.#provider
    return Effect.succeed({ _tag: "CheckoutOpened", reference, url, expiresAt: null } as const)
  }
  refund() {
    return Effect.succeed({ _tag: "Succeeded", providerRefundId: this.#provider.refund } as const)
  }
  lookUpOperation() {
    const { charge } = this.#provider
    const state = { _tag: "OperationFailed", isFinal: true, reason: charge } as const
    return Effect.succeed({ _tag: "Found", state } as const)
  }
}

const definition = (fields: Partial<ConnectorDefinition> = {}): ConnectorDefinition => ({
  name: "acme-pay",
  environments: ["sandbox"],
  supports: {},
  connect: () => Result.succeed(new Scripted((secret) => secret)),
  redact: Redacted.make,
  ...fields
})

describe("a connector of another copy of Effect", () => {
  itRuns("a connector gets secrets as its own copy makes them, for charges and messages", function* () {
    const { read, redact } = otherCopy()
    const scripted = new Scripted(read)
    const adopted = adoptConnector(definition({ redact, connect: () => Result.succeed(scripted) }))
    const connector = Result.getOrThrow(adopted.connect(account, transport))
    assert.strictEqual((yield* connector.charge(request))._tag, "Captured")
    yield* connector.charge({ ...request, instrument: null })
    const message = { headers: {}, body: new Uint8Array(), secret: Redacted.make("whsec_1"), receivedAt: 0 }
    yield* connector.readMessage?.(message) ?? Effect.die("it reads no messages")
    yield* connector.readStored?.(message) ?? Effect.die("it reads no stored messages")
    assert.deepStrictEqual(scripted.seen, ["tok_1", undefined, "whsec_1", "whsec_1"])
    assert.isDefined(connector.lookUpCharge)
    assert.isUndefined(connector.capture)
  })

  for (const [copy, redact] of [
    ["this copy", Redacted.make],
    ["another copy", otherCopy().redact]
  ] as const) {
    itRuns(`methods of a class with private fields of ${copy} work when called apart`, function* () {
      const adopted = adoptConnector(definition({ redact, connect: () => Result.succeed(new Private()) }))
      const { charge, hints, lookUpCharge, lookUpOperation, openCheckout, refund, ...others } = Result.getOrThrow(
        adopted.connect(account, transport)
      )
      if (!(hints && lookUpOperation && openCheckout && refund)) return assert.fail("a method was lost")
      const { lookUp, read } = hints
      const { instrument: _, ...checkout } = { ...request, returnUrl: "https://shop.example" }
      const ofCharge = { attemptId: "att_1", providerRef: "ch_1", money: request.money, simulation: null }
      yield* charge(request)
      yield* lookUpCharge({ ...ofCharge, checkoutReference: null, sentAt: 0 })
      assert.deepInclude(yield* refund({ ...ofCharge, refundId: "rf_1", reason: null }), { providerRefundId: "re_1" })
      const operation = yield* lookUpOperation({ ...ofCharge, operationId: "op_1", kind: "capture", sentAt: 0 })
      assert.deepInclude(operation, { state: { _tag: "OperationFailed", isFinal: true, reason: "ch_1" } })
      assert.deepInclude(yield* openCheckout(checkout), { url: "https://pay.example/1" })
      assert.strictEqual(yield* read({ headers: {}, body: new Uint8Array() }), "ch_1")
      assert.deepStrictEqual(yield* lookUp("ch_1"), [])
      assert.deepStrictEqual(others, {})
    })

    itRuns(`a frozen object of ${copy} works`, function* () {
      const frozen: Connector = Object.freeze({
        charge: () => Effect.succeed({ _tag: "Captured", providerRef: "ch_1" } as const),
        lookUpCharge: () => Effect.succeed({ _tag: "NotFound", conclusive: true } as const)
      })
      const adopted = adoptConnector(definition({ redact, connect: () => Result.succeed(frozen) }))
      const connector = Result.getOrThrow(adopted.connect(account, transport))
      assert.deepInclude(yield* connector.charge(request), { providerRef: "ch_1" })
      assert.hasAllKeys(connector, ["charge", "lookUpCharge"])
    })
  }

  const throws = () => {
    throw new Error("of sk_live_1")
  }
  it.each([
    ["throws", throws, 'the connector "acme-pay" threw an error when it was given the credentials'],
    ["returns another library's result", () => ({ _tag: "Right", right: {} }), anotherEffect],
    [
      "returns a connector without charge",
      () => Result.succeed({}),
      'the connector "acme-pay" has no methods charge and lookUpCharge'
    ]
  ])("a connect that %s fails with words, without what it threw", (_, connect, expected) => {
    const adopted = adoptConnector(definition({ connect: connect as unknown as ConnectorDefinition["connect"] }))
    assert.deepStrictEqual(adopted.connect(account, transport), Result.fail(expected))
  })

  it.each([
    ["says true", () => true, true],
    ["says false", () => false, false],
    ["promises an answer", async () => true, false],
    ["throws", throws, false]
  ])("a function that %s is believed, and everything but true is a no", (_, expresses, expected) => {
    const given = { ...definition(), expresses: expresses as unknown as () => boolean }
    assert.strictEqual(adoptConnector(given).expresses?.(request.money), expected)
    assert.notProperty(adoptConnector(definition()), "expresses")
  })
})

const nothing = "expected a connector definition, such as defineConnector of @pointsman/node/connector returns"
const name = "name: expected 1 to 40 lower-case letters, digits and dashes, a letter first"
const environments = "environments: expected a list with sandbox or production or both"
const redact = "redact: expected `Redacted.make` of the `effect` that the connector imports"
it.each([
  ["a definition", definition(), undefined],
  ["nothing", undefined, nothing],
  ["a name in capitals", { ...definition(), name: "Acme" }, name],
  ["no environment", { ...definition(), environments: [] }, environments],
  ["limits that are a text", { ...definition(), supports: "card" }, "supports: expected an object; {} for no limits"],
  ["expressions that are true", { ...definition(), expresses: true }, "expresses: expected a function, or nothing"],
  ["no connect", { ...definition(), connect: null }, "connect: expected a function"],
  ["no redact", { ...definition(), redact: undefined }, redact],
  ["secrets of another version", { ...definition(), redact: (secret: string) => ({ secret }) }, anotherEffect]
])("%s is refused with what was expected", (_, value, expected) => {
  assert.strictEqual(connectorFault(value), expected)
})
