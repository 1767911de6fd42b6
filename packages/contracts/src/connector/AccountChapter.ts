/** Whose account the credentials open: the provider's own word, or none. */

import { assert, describe, it } from "@effect/vitest"
import { NotSent, type TransportAnswer, Unanswered } from "@pointsman/core/connector"
import { Effect, Exit } from "effect"
import { itRuns } from "../vitest.ts"
import { assertFailsWith, assertRequests, endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"
import { foreign, malformed } from "./FaultsChapter.ts"
import { connect, type Rehearsal, timeoutMillis } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"
import { textIn } from "./SecretsChapter.ts"

export const accountChapter = (subject: ConnectorUnderTest): void => {
  const { account } = subject
  describe("account", () => {
    it("is described to the suite where the connector has one, and only there", () => {
      assert.strictEqual(
        connect(subject, scriptedTransport([]).transport).account !== undefined,
        account !== undefined,
        "`account` of the test says what the provider answers, and what must come out"
      )
    })
    if (account === undefined) return
    itRuns("the provider's answer is its account, the same each time", function* () {
      for (let time = 0; time < 2; time++) {
        const asked = yield* askedFor(subject, account.answer && Effect.succeed(account.answer))
        if (Exit.isFailure(asked.exit)) return assert.fail(`expected an account, and the connector ${endOf(asked)}`)
        assert.deepStrictEqual(asked.exit.value, account.is)
        assertRequests(asked, account.answer === undefined ? 0 : 1)
        assert.isTrue(asked.requests.every((request) => request.timeoutMillis === timeoutMillis))
      }
      assert.isTrue(account.is.id.length >= 1 && account.is.id.length <= 255, "1 to 255 characters")
    })
    const { answer } = account
    if (answer === undefined) return
    unknownAfter(subject, [...malformed(answer), ...foreign(answer), ...refused(answer)], "", (given) =>
      askedFor(subject, given)
    )
  })
}

/** A key that was withdrawn or lacks a right says nothing about the account that it opened before. */
export const refused = (answer: TransportAnswer): ReadonlyArray<readonly [string, TransportAnswer]> =>
  [400, 401, 403, 409, 429].map((status) => [`status ${status} with the body of a success`, { ...answer, status }])

type Answering = Effect.Effect<TransportAnswer, NotSent | Unanswered>

/** Spoiled responses are Unanswered and show no secret that comes back with them; what the transport says stays the same. */
export const unknownAfter = (
  { secrets }: ConnectorUnderTest,
  spoiled: ReadonlyArray<readonly [string, TransportAnswer]>,
  where: string,
  ask: (answer: Answering) => Effect.Effect<Pick<Rehearsal, "exit" | "requests">>,
  sent = 1
): void => {
  for (const [how, answer] of spoiled) {
    itRuns(`${how}${where} is Unanswered and shows no secret`, function* () {
      const echo = secrets.join(" ")
      const asked = yield* ask(Effect.succeed({ ...answer, headers: { ...answer.headers, echo } }))
      assertFailsWith("Unanswered", asked)
      assertRequests(asked, sent)
      for (const secret of secrets) assert.notInclude(textIn([asked.exit]), secret)
    })
  }
  itRuns(`a failure of the transport${where} stays the same`, function* () {
    for (const [tag, failure] of [
      ["NotSent", new NotSent({ reason: "refused by the script" })],
      ["Unanswered", new Unanswered({ reason: "silence by the script" })]
    ] as const) {
      const asked = yield* ask(Effect.fail(failure))
      assertFailsWith(tag, asked)
      assertRequests(asked, sent)
    }
  })
}

const askedFor = Effect.fnUntraced(function* (subject: ConnectorUnderTest, answer: Answering | undefined) {
  const { requests, transport } = scriptedTransport(answer === undefined ? [] : [answer])
  const exit = yield* Effect.exit(connect(subject, transport).account?.() ?? Effect.die("the connector has no account"))
  return { exit, requests }
})
