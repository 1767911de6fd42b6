/** A provider's messages: believed with the provider's signature over these very bytes, and with nothing less. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChargeName,
  type Connector,
  money,
  type ProviderMessage,
  type RawMessage
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { itRuns } from "../vitest.ts"
import { type ConnectorUnderTest, type MessageSituation, messageSituations } from "./ConnectorUnderTest.ts"
import { connect } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"
import { textIn } from "./SecretsChapter.ts"

const receivedAt = Date.UTC(2026, 10, 21, 12, 0, 30)
export const anySecret = "whsec_of_the_contract_0123456789"
const otherSecrets = ["", `${anySecret}0`, anySecret.slice(0, -1), anySecret.toUpperCase()]
const asked = money(1234, "EUR")
const attemptId = "att_of_the_contract"
const providerRef = "prv_charge_1"

export const situationOf = (name: MessageSituation["name"]): MessageSituation => ({
  name,
  id: "msg_of_the_contract",
  at: Date.UTC(2026, 10, 21, 12, 0, 0),
  attemptId,
  operationId: "op_of_the_contract",
  refundId: "rf_of_the_contract",
  disputeId: "dp_of_the_contract",
  providerRef,
  providerRefundId: "prv_refund_1",
  money: asked
})

/** What each must come out as. */
const outcomes: Record<MessageSituation["name"], unknown> = {
  "charge authorized": ["Charge", attemptId, "Authorized", 1234],
  "charge captured": ["Charge", attemptId, "Captured", 1234],
  "charge canceled": ["Charge", attemptId, "Canceled", null],
  "refund succeeded": ["Refund", "rf_of_the_contract", "Succeeded", 1234],
  "refund failed": ["Refund", "rf_of_the_contract", "RefundFailed", null],
  "charge settled": ["Settled", attemptId],
  "operation confirmed": ["Operation", "op_of_the_contract", "OperationConfirmed", null, 1234],
  "operation pending": ["Operation", "op_of_the_contract", "OperationPending", null, null],
  "operation failed": ["Operation", "op_of_the_contract", "OperationFailed", true, null],
  "operation failed for now": ["Operation", "op_of_the_contract", "OperationFailed", false, null],
  "dispute opened": ["Dispute", attemptId, "dp_of_the_contract", "opened"],
  "dispute updated": ["Dispute", attemptId, "dp_of_the_contract", "opened"],
  "dispute won": ["Dispute", attemptId, "dp_of_the_contract", "won"],
  "dispute lost": ["Dispute", attemptId, "dp_of_the_contract", "lost"]
}

/** A message may name the charge as we do, or as its provider does. */
const nameOf = (charge: ChargeName): string => {
  if ("attemptId" in charge) return charge.attemptId
  return charge.providerRef === providerRef ? attemptId : charge.providerRef
}

const outcomeOf = ({ about }: ProviderMessage): unknown => {
  switch (about._tag) {
    case "Charge":
    case "Refund": {
      const state = about.state(asked)
      const capture = state._tag === "Captured" ? state.capture : undefined
      const stated = capture?.money.minorUnits ?? ("stated" in state ? state.stated?.minorUnits : null)
      return [about._tag, about._tag === "Charge" ? nameOf(about.charge) : about.refundId, state._tag, stated]
    }
    case "Operation": {
      const state = about.state(asked)
      const isFinal = state._tag === "OperationFailed" ? state.isFinal : null
      const stated = state._tag === "OperationConfirmed" ? state.stated?.minorUnits : null
      return [about._tag, about.operationId, state._tag, isFinal, stated]
    }
    case "Settled":
      return [about._tag, nameOf(about.charge)]
    case "Dispute":
      return [about._tag, nameOf(about.charge), about.disputeId, about.verdict]
  }
}

export const messagesChapter = (subject: ConnectorUnderTest): void => {
  const { transport, requests } = scriptedTransport([])
  const { keptOfMessage, readMessage, readStored }: Connector = connect(subject, transport)
  const { messages } = subject

  describe("messages", () => {
    it("reads messages where the test tells how its provider signs them, and only there", () => {
      assert.strictEqual(
        readMessage !== undefined,
        messages !== undefined,
        readMessage === undefined
          ? "`messages` is given, and the connector has no `readMessage`"
          : "the connector has `readMessage`: tell by `messages` how the provider signs, or leave the method out"
      )
    })
    if (readMessage === undefined || messages === undefined) return
    const { signText } = messages
    const { right: secret, wrong } = messages.secrets ?? { right: anySecret, wrong: otherSecrets }
    const idOf = messages.idOf ?? (({ id }: MessageSituation) => id)

    const read = (raw: Partial<RawMessage> & Pick<RawMessage, "headers" | "body">) =>
      Effect.result(readMessage({ secret: Redacted.make(secret), receivedAt, ...raw }))
    const refused = Effect.fnUntraced(function* (raw: Parameters<typeof read>[0]) {
      const result = yield* read(raw)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnverified")
      for (const text of [secret, ...subject.secrets]) assert.notInclude(textIn([result]), text)
    })

    const signedAt = (at: number) =>
      messageSituations.flatMap((name) => {
        const raw = messages.sign(situationOf(name), secret, at)
        return raw === undefined ? [] : [{ name, raw }]
      })
    const assertTold = (message: ProviderMessage, name: MessageSituation["name"]) => {
      assert.deepStrictEqual(outcomeOf(message), outcomes[name])
      assert.strictEqual(message.id, idOf(situationOf(name)), "the id by which a message is known again")
      assert.strictEqual(message.at, Date.UTC(2026, 10, 21, 12, 0, 0), "when it was written, not when it came")
      assert.isEmpty(requests)
    }

    for (const { name, raw } of signedAt(receivedAt)) {
      itRuns(`${name} is read as that, with its id and its time, and nothing is sent`, function* () {
        assertTold(Result.getOrThrow(yield* read(raw)), name)
      })
    }

    if (readStored !== undefined) {
      const readAgain = ({ body }: Pick<RawMessage, "body">) =>
        Effect.result(readStored({ body, secret: Redacted.make(secret) }))

      for (const { name, raw } of signedAt(receivedAt)) {
        itRuns(`${name} that was stored is read again as it was, without its signature`, function* () {
          // The whole body was stored by an earlier version.
          const kept = keptOfMessage?.(new TextDecoder().decode(raw.body))
          const bodies = kept === undefined ? [raw.body] : [raw.body, new TextEncoder().encode(kept)]
          for (const body of bodies) assertTold(Result.getOrThrow(yield* readAgain({ body })), name)
        })
      }
      itRuns("an unreadable stored body is unreadable and its values are not shown", function* () {
        const texts = [...noMessages, '{"id":"hunter2","hunter2":{'].map((text) => new TextEncoder().encode(text))
        for (const body of texts) {
          const result = yield* readAgain({ body })
          assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnreadable")
          assert.notInclude(textIn([result]), "hunter2")
        }
      })
    }

    const whole = messages.sign(situationOf("charge captured"), secret, receivedAt)
    if (whole === undefined) {
      it("is shown a message of a captured charge", () =>
        assert.fail('`messages.sign` gives nothing for "charge captured", which every other check starts from'))
      return
    }
    itRuns("messages late, twice and out of order are each read as before", function* () {
      const aDayLater = receivedAt + 86_400_000
      // The provider tries again for days, and signs each time anew.
      const signed = signedAt(aDayLater)
      for (const { name, raw } of [...signed.toReversed(), ...signed]) {
        const result = yield* read({ ...raw, receivedAt: aDayLater })
        if (Result.isFailure(result)) return assert.fail(`${name}: ${result.failure._tag}: ${result.failure.reason}`)
        assertTold(result.success, name)
      }
    })
    if (typeof signText === "function") {
      itRuns("any changed byte, or one more or less, is refused", function* () {
        for (let at = 0; at < whole.body.length; at++) {
          const body = Uint8Array.from(whole.body)
          body[at] = (body[at] ?? 0) ^ 1
          yield* refused({ headers: whole.headers, body })
        }
        yield* refused({ headers: whole.headers, body: whole.body.slice(0, -1) })
        yield* refused({ headers: whole.headers, body: Uint8Array.from([...whole.body, 10]) })
        yield* refused({ headers: whole.headers, body: new Uint8Array() })
      })
    } else {
      for (const [part, raw] of signText.tampered(situationOf("charge captured"), secret, receivedAt)) {
        it.effect(`another ${part} than was signed is refused`, () => refused(raw))
      }
      itRuns("a body that is cut, or empty, is refused", function* () {
        for (const length of [0, 1, whole.body.length / 2, whole.body.length - 1]) {
          yield* refused({ headers: whole.headers, body: whole.body.slice(0, length) })
        }
      })
    }
    itRuns("another secret, none, or a missing or garbled header is refused", function* () {
      for (const other of wrong) {
        yield* refused({ ...whole, secret: Redacted.make(other) })
      }
      // If the signature is inside the message, no header says anything.
      if (Object.keys(whole.headers).length > 0) yield* refused({ headers: {}, body: whole.body })
      for (const [name, value] of Object.entries(whole.headers)) {
        for (const garbled of ["", "x", `${value ?? ""}0`, (value ?? "").slice(0, -1)]) {
          yield* refused({ headers: { ...whole.headers, [name]: garbled }, body: whole.body })
        }
      }
    })
    if (messages.toleranceMillis !== null) {
      const tolerance = messages.toleranceMillis
      itRuns("a message older than the scheme allows, or of the future, is refused", function* () {
        assert.isTrue(Result.isSuccess(yield* read({ ...whole, receivedAt: receivedAt + tolerance })))
        yield* refused({ ...whole, receivedAt: receivedAt + tolerance + 1000 })
        yield* refused({ ...whole, receivedAt: receivedAt - tolerance - 1000 })
      })
    }
    itRuns("bodies that are not the provider's, under its own signature, are unreadable", function* () {
      const raws =
        typeof signText === "function"
          ? [...noMessages, '{"id":"hunter2","hunter2":{'].map((text) => signText(text, secret, receivedAt))
          : signText.unreadable(secret, receivedAt)
      assert.isNotEmpty(raws)
      for (const raw of raws) {
        const result = yield* read(raw)
        assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnreadable")
        assert.notInclude(textIn([result]), "hunter2")
      }
    })
  })
}

const noMessages = ["", "{", "[]", "null", "{}", '{"id":1}', "\u0000", '{"id":"1","type":"?","data":null}']
