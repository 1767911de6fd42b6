/** Unsigned messages that name an object of the provider: the reason for one lookup, and for nothing else. */

import { assert, describe, it } from "@effect/vitest"
import { money, type NotSent, type TransportAnswer, type Unanswered } from "@pointsman/core/connector"
import { Effect, Exit, Redacted, Result } from "effect"
import { itRuns } from "../vitest.ts"
import { refused, unknownAfter } from "./AccountChapter.ts"
import { assertRequests, endOf } from "./AnswersChapter.ts"
import { type ConnectorUnderTest, messageSituations } from "./ConnectorUnderTest.ts"
import { malformed } from "./FaultsChapter.ts"
import { situationOf } from "./MessagesChapter.ts"
import { connect, timeoutMillis } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"
import { textIn } from "./SecretsChapter.ts"

const attemptId = "att_of_the_hint"
const asked = money(1234, "EUR")
const at = Date.UTC(2026, 10, 21, 12, 0, 0)

export const hintsChapter = (subject: ConnectorUnderTest): void => {
  const { hints, messages } = subject
  describe("hints", () => {
    it("are described to the suite where the connector has them, and only there", () => {
      assert.strictEqual(
        connect(subject, scriptedTransport([]).transport).hints !== undefined,
        hints !== undefined,
        "`hints` of the test says what the provider sends, and what it answers then"
      )
    })
    if (hints === undefined) return
    const connected = () => {
      const { requests, transport } = scriptedTransport([])
      return { requests, connector: connect(subject, transport) }
    }
    const lookUp = Effect.fnUntraced(function* (answer: Effect.Effect<TransportAnswer, NotSent | Unanswered>) {
      const { requests, transport } = scriptedTransport([answer])
      const looked = connect(subject, transport).hints?.lookUp(hints.reference) ?? Effect.die("no hints")
      return { requests, exit: yield* Effect.exit(looked) }
    })

    itRuns("a hint is its reference, and nothing is sent", function* () {
      const { connector, requests } = connected()
      assert.strictEqual(yield* connector.hints?.read(hints.message) ?? Effect.die("no hints"), hints.reference)
      assert.isEmpty(requests)
    })
    itRuns("any other message, or a signed one, is no hint, and its values are not shown", function* () {
      const { connector, requests } = connected()
      const secret = messages?.secrets?.right ?? "whsec_of_the_contract_0123456789"
      const signed = messageSituations.flatMap((name) => messages?.sign(situationOf(name), secret, at) ?? [])
      const bytes = (text: string) => ({ headers: hints.message.headers, body: new TextEncoder().encode(text) })
      const long = bytes(new TextDecoder().decode(hints.message.body) + "x".repeat(1_000))
      for (const other of [...hints.others, ...signed, ...noHints.map(bytes), long]) {
        const read = yield* Effect.result(connector.hints?.read(other) ?? Effect.die("no hints"))
        assert.strictEqual(Result.isFailure(read) ? read.failure._tag : "read", "pointsman/MessageUnreadable")
        assert.notInclude(textIn([read]), "hunter2")
      }
      assert.isEmpty(requests)
    })
    itRuns("a captured charge is one request, and its statement is stored as it is read", function* () {
      const captured = hints.captured({ attemptId, money: asked, at })
      const looked = yield* lookUp(Effect.succeed(captured))
      assertRequests(looked, 1)
      assert.strictEqual(looked.requests[0]?.timeoutMillis, timeoutMillis)
      if (Exit.isFailure(looked.exit)) return assert.fail(`expected a statement: the connector ${endOf(looked)}`)
      const [stated, ...others] = looked.exit.value
      assert.isEmpty(others)
      if (stated?.message.about._tag !== "Charge") return assert.fail("expected a statement about the charge")
      const { about, id } = stated.message
      assert.deepStrictEqual(about.charge, { attemptId })
      assert.deepInclude(about.state(asked), { _tag: "Captured", stated: asked })
      assert.isTrue(id.length >= 1 && id.length <= 255, "the id has 1 to 255 characters")
      const { connector } = connected()
      const stored = { body: new TextEncoder().encode(stated.body), secret: Redacted.make("") }
      const again = yield* connector.readStored?.(stored) ?? Effect.die("no `readStored`")
      assert.deepStrictEqual([again.id, again.at], [id, stated.message.at])
      if (again.about._tag !== "Charge") return assert.fail("expected the same statement")
      assert.deepStrictEqual(again.about.state(asked), about.state(asked))
      const second = yield* lookUp(Effect.succeed(captured))
      assert.strictEqual(Exit.isSuccess(second.exit) ? second.exit.value[0]?.message.id : undefined, id)
    })
    for (const what of ["foreign", "unknown"] as const) {
      itRuns(`an object that is ${what} states nothing`, function* () {
        const looked = yield* lookUp(Effect.succeed(hints[what]))
        assertRequests(looked, 1)
        assert.deepStrictEqual(Exit.isSuccess(looked.exit) ? looked.exit.value : endOf(looked), [])
      })
    }
    const answer = hints.captured({ attemptId, money: asked, at })
    unknownAfter(subject, [...malformed(answer), ...refused(answer)], "", lookUp)
  })
}

const noHints = ["", "{}", "null", "id=", "id=hunter2&id=hunter2", '{"id":"hunter2"}', "hunter2", "\u0000"]
