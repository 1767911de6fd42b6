/** The list from which lost disputes are recovered: each as it is now, and never an empty list by mistake. */

import { assert, describe, it } from "@effect/vitest"
import {
  type ListedDispute,
  money,
  type NotSent,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { itRuns } from "../vitest.ts"
import { refused, unknownAfter } from "./AccountChapter.ts"
import { endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest, DisputesOfProvider } from "./ConnectorUnderTest.ts"
import { foreign, malformed } from "./FaultsChapter.ts"
import { connect, timeoutMillis } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"

const day = 24 * 60 * 60_000
/** In whole seconds, which all providers count in. */
const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
const window = { createdFrom: noon, createdBefore: noon + 60 * 60 * 1000, cursor: null }

/** Of charges that the provider names `prv_listed_1` and `prv_listed_2`. */
const disputes: ReadonlyArray<ListedDispute> = [
  {
    charge: { attemptId: "att_listed_1" },
    disputeId: "prv_dispute_1",
    verdict: "opened",
    status: "needs_response",
    money: money(1200, "EUR"),
    dueBy: noon + 7 * day,
    at: noon
  },
  {
    charge: { attemptId: "att_listed_2" },
    disputeId: "prv_dispute_2",
    verdict: "lost",
    status: "lost",
    money: money(500, "JPY"),
    at: noon + 1_000
  }
]

export const disputeListChapter = (subject: ConnectorUnderTest): void => {
  const hasList = connect(subject, scriptedTransport([]).transport).listDisputes !== undefined
  describe("list of disputes", () => {
    it("has one and describes it to the suite, or has none", () => {
      assert.strictEqual(
        subject.disputes !== undefined,
        hasList && subject.wire !== undefined,
        "`disputes` of the test says how the provider writes its list"
      )
    })
    if (subject.disputes !== undefined) listed(subject, subject.disputes)
  })
}

const listed = (subject: ConnectorUnderTest, { answers, told }: DisputesOfProvider): void => {
  const ask = Effect.fnUntraced(function* (given: ReadonlyArray<Effect.Effect<TransportAnswer, NotSent | Unanswered>>) {
    const { requests, transport } = scriptedTransport(given)
    yield* TestClock.setTime(noon)
    const { listDisputes } = connect(subject, transport)
    if (listDisputes === undefined) return yield* Effect.die(new Error("the connector lists no disputes"))
    return { requests, exit: yield* Effect.exit(listDisputes(window)) }
  })

  for (const [what, some] of [
    ["disputes", disputes],
    ["no disputes", []]
  ] as const) {
    itRuns(`${what}: each is listed as the provider keeps it, on the last page`, function* () {
      const all = answers(some)
      const asked = yield* ask(all.map((one) => Effect.succeed(one)))
      if (Exit.isFailure(asked.exit)) return assert.fail(`expected a page, and the connector ${endOf(asked)}`)
      const { items, nextCursor, unreadable } = asked.exit.value
      const byId = (a: ListedDispute, b: ListedDispute) => ((a.disputeId ?? "") < (b.disputeId ?? "") ? -1 : 1)
      assert.deepStrictEqual(items.toSorted(byId), some.map(told))
      assert.deepStrictEqual([unreadable, nextCursor], [[], null])
      assert.strictEqual(asked.requests.length, all.length)
      for (const request of asked.requests) {
        assert.deepStrictEqual([request.method, request.timeoutMillis], ["GET", timeoutMillis])
      }
    })
  }
  const all = answers(disputes)
  for (const [at, page] of all.entries()) {
    const before = all.slice(0, at).map((one) => Effect.succeed(one))
    const which = `response ${at + 1} of the list`
    // An entry that is an object of its own may be one that is to be reviewed.
    const spoiled = [...malformed(page), ...foreign(page), ...refused(page)].filter(
      ([, { status }]) => at === 0 || status < 200 || status > 299
    )
    unknownAfter(subject, spoiled, ` as ${which}`, (answer) => ask([...before, answer]), at + 1)
  }
}
