/** A provider's messages: believed with the provider's signature over these very bytes, and with nothing less. */
import { assert, describe, it } from "@effect/vitest"
import { type Connector, money, type ProviderMessage, type RawMessage } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { type ConnectorUnderTest, type MessageSituation, messageSituations } from "./ConnectorUnderTest.ts"
import { connect } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"
import { textIn } from "./SecretsChapter.ts"

const receivedAt = Date.UTC(2026, 10, 21, 12, 0, 30)
const secret = "whsec_of_the_contract_0123456789"
const asked = money(1234, "EUR")

const situationOf = (name: MessageSituation["name"]): MessageSituation => ({
  name,
  id: "msg_of_the_contract",
  at: Date.UTC(2026, 10, 21, 12, 0, 0),
  attemptId: "att_of_the_contract",
  refundId: "rf_of_the_contract",
  disputeId: "dp_of_the_contract",
  providerRef: "prv_charge_1",
  providerRefundId: "prv_refund_1",
  money: asked
})

/** What each must come out as. */
const outcomes: Record<MessageSituation["name"], unknown> = {
  "charge authorized": ["Charge", "att_of_the_contract", "Authorized", 1234],
  "charge captured": ["Charge", "att_of_the_contract", "Captured", 1234],
  "charge canceled": ["Charge", "att_of_the_contract", "Canceled", null],
  "refund succeeded": ["Refund", "rf_of_the_contract", "Succeeded", 1234],
  "refund failed": ["Refund", "rf_of_the_contract", "RefundFailed", null],
  "charge settled": ["Settled", "att_of_the_contract"],
  "dispute opened": ["Dispute", "att_of_the_contract", "dp_of_the_contract", "opened"],
  "dispute won": ["Dispute", "att_of_the_contract", "dp_of_the_contract", "won"],
  "dispute lost": ["Dispute", "att_of_the_contract", "dp_of_the_contract", "lost"]
}

const outcomeOf = ({ about }: ProviderMessage): unknown => {
  switch (about._tag) {
    case "Charge":
    case "Refund": {
      const state = about.state(asked)
      const stated = "stated" in state ? state.stated?.minorUnits : null
      return [about._tag, about._tag === "Charge" ? about.attemptId : about.refundId, state._tag, stated]
    }
    case "Settled":
      return [about._tag, about.attemptId]
    case "Dispute":
      return [about._tag, about.attemptId, about.disputeId, about.verdict]
  }
}

export const messagesChapter = (subject: ConnectorUnderTest): void => {
  const { transport, requests } = scriptedTransport([])
  const readMessage: Connector["readMessage"] = connect(subject, transport).readMessage
  const { messages } = subject

  describe("messages", () => {
    it("reads messages where the test tells how its provider signs them, and only there", () => {
      assert.strictEqual(readMessage !== undefined, messages !== undefined)
    })
    if (readMessage === undefined || messages === undefined) return

    const read = (raw: Partial<RawMessage> & Pick<RawMessage, "headers" | "body">) =>
      Effect.result(readMessage({ secret: Redacted.make(secret), receivedAt, ...raw }))
    const refused = Effect.fnUntraced(function* (raw: Parameters<typeof read>[0]) {
      const result = yield* read(raw)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnverified")
      for (const text of [secret, ...subject.secrets]) assert.notInclude(textIn([result]), text)
    })

    for (const name of messageSituations) {
      const sign = () => messages.sign(situationOf(name), secret, receivedAt)
      if (sign() === undefined) continue
      it.effect(`given ${name}, then it is read as that, with its id and its time, and nothing is sent`, () =>
        Effect.gen(function* () {
          const raw = sign()
          if (raw === undefined) return assert.fail("it was signed a moment ago")
          const message = Result.getOrThrow(yield* read(raw))
          assert.deepStrictEqual(outcomeOf(message), outcomes[name])
          assert.strictEqual(message.id, "msg_of_the_contract")
          assert.strictEqual(message.at, Date.UTC(2026, 10, 21, 12, 0, 0))
          assert.isEmpty(requests)
        })
      )
    }

    const whole = messages.sign(situationOf("charge captured"), secret, receivedAt)
    if (whole === undefined) throw new Error("every provider tells of a captured charge")
    it.effect("given any byte that is another, or one more or less, then it is refused", () =>
      Effect.gen(function* () {
        for (let at = 0; at < whole.body.length; at++) {
          const body = Uint8Array.from(whole.body)
          body[at] = (body[at] ?? 0) ^ 1
          yield* refused({ headers: whole.headers, body })
        }
        yield* refused({ headers: whole.headers, body: whole.body.slice(0, -1) })
        yield* refused({ headers: whole.headers, body: Uint8Array.from([...whole.body, 10]) })
        yield* refused({ headers: whole.headers, body: new Uint8Array() })
      })
    )
    it.effect("given another secret, none, or a header that is missing or garbled, then it is refused", () =>
      Effect.gen(function* () {
        for (const other of ["", `${secret}0`, secret.slice(0, -1), secret.toUpperCase()]) {
          yield* refused({ ...whole, secret: Redacted.make(other) })
        }
        yield* refused({ headers: {}, body: whole.body })
        for (const [name, value] of Object.entries(whole.headers)) {
          for (const garbled of ["", "x", `${value ?? ""}0`, (value ?? "").slice(0, -1)]) {
            yield* refused({ headers: { ...whole.headers, [name]: garbled }, body: whole.body })
          }
        }
      })
    )
    if (messages.toleranceMillis !== null) {
      const tolerance = messages.toleranceMillis
      it.effect("given a message that is older than the scheme allows, or of the future, then it is refused", () =>
        Effect.gen(function* () {
          assert.isTrue(Result.isSuccess(yield* read({ ...whole, receivedAt: receivedAt + tolerance })))
          yield* refused({ ...whole, receivedAt: receivedAt + tolerance + 1000 })
          yield* refused({ ...whole, receivedAt: receivedAt - tolerance - 1000 })
        })
      )
    }
    it.effect("given bodies that are none of the provider's under its own signature, then they are unreadable", () =>
      Effect.gen(function* () {
        for (const text of ["", "{", "[]", "null", "{}", '{"id":1}', "\u0000", '{"id":"1","type":"?","data":null}']) {
          const result = yield* read(messages.signText(text, secret, receivedAt))
          assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnreadable")
        }
        const result = yield* read(messages.signText('{"id":"hunter2","hunter2":{', secret, receivedAt))
        assert.notInclude(textIn([result]), "hunter2")
      })
    )
  })
}
