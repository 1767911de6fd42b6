/** The lists from which lost records are recovered: whole pages, oldest first, and never an empty one by mistake. */

import { assert, describe, it } from "@effect/vitest"
import {
  type ChargeRequest,
  type Connector,
  type ListedCharge,
  type ListedPage,
  type ListedRefund,
  money,
  type NotSent,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Exit, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { itRuns } from "../vitest.ts"
import { refused, unknownAfter } from "./AccountChapter.ts"
import { assertRequests, endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"
import { foreign, malformed } from "./FaultsChapter.ts"
import { connect, instrumentOf, timeoutMillis } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"

/** In whole seconds, which all providers count in. */
const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
const window = { createdFrom: noon, createdBefore: noon + 60 * 60 * 1000 }

const charges: ReadonlyArray<ListedCharge> = [
  {
    attemptId: "att_listed_1",
    paymentId: "payment_1",
    idempotencyKey: "att_listed_1",
    reference: "order 1",
    country: "NL",
    method: "card",
    cardBrand: "visa",
    initiator: "cit",
    capture: true,
    money: money(1234, "EUR"),
    state: { _tag: "Captured", providerRef: "prv_listed_1", stated: money(1200, "EUR") },
    created: noon
  },
  {
    attemptId: "att_listed_2",
    paymentId: "payment_2",
    idempotencyKey: "att_listed_2",
    reference: null,
    country: "JP",
    method: "card",
    cardBrand: null,
    initiator: "mit",
    capture: false,
    money: money(500, "JPY"),
    state: { _tag: "Authorized", providerRef: "prv_listed_2", stated: money(500, "JPY") },
    created: noon + 1_000
  }
]

const refunds: ReadonlyArray<ListedRefund> = [
  {
    refundId: "rf_listed_1",
    providerRef: "prv_listed_1",
    money: money(200, "EUR"),
    state: { _tag: "Succeeded", providerRefundId: "prv_refund_1", stated: money(200, "EUR") },
    created: noon
  },
  {
    refundId: "rf_listed_2",
    providerRef: "prv_listed_1",
    money: money(300, "EUR"),
    state: { _tag: "RefundPending", providerRefundId: "prv_refund_2", stated: money(300, "EUR") },
    created: noon + 1_000
  }
]

export const listsChapter = (subject: ConnectorUnderTest): void => {
  const { lists } = subject
  const connector = connect(subject, scriptedTransport([]).transport)
  const hasLists = connector.listCharges !== undefined
  describe("lists", () => {
    it("has both lists or neither, and describes them to the suite", () => {
      assert.strictEqual(connector.listRefunds !== undefined, hasLists, "`listCharges` and `listRefunds` come together")
      assert.strictEqual(
        lists !== undefined,
        hasLists && subject.wire !== undefined,
        "`lists` of the test says how the provider writes a page"
      )
    })
    if (hasLists && subject.wire === undefined) simulated(subject)
    if (lists === undefined) return
    const untold = Object.fromEntries((lists.untold ?? []).map((field) => [field, null]))
    paged(subject, "charges", lists.charges, {
      items: charges,
      expected: charges.map((charge) => ({ ...charge, ...untold })),
      list: (connector, cursor) => connector.listCharges?.({ ...window, cursor })
    })
    paged(subject, "refunds", lists.refunds, {
      items: refunds,
      expected: refunds,
      list: (connector, cursor) => connector.listRefunds?.({ ...window, cursor })
    })
  })
}

interface Listing<Item> {
  readonly items: ReadonlyArray<Item>
  readonly expected: ReadonlyArray<Item>
  readonly list: (
    connector: Connector,
    cursor: string | null
  ) => Effect.Effect<ListedPage<Item>, NotSent | Unanswered> | undefined
}

const paged = <Item>(
  subject: ConnectorUnderTest,
  what: string,
  write: (page: { readonly items: ReadonlyArray<Item>; readonly hasMore: boolean }) => TransportAnswer,
  { expected, items, list }: Listing<Item>
): void => {
  const ask = Effect.fnUntraced(function* (
    answer: Effect.Effect<TransportAnswer, NotSent | Unanswered>,
    cursor: string | null = null
  ) {
    const { requests, transport } = scriptedTransport([answer])
    const listing = list(connect(subject, transport), cursor) ?? Effect.die(new Error(`the connector lists no ${what}`))
    return { requests, exit: yield* Effect.exit(listing) }
  })
  const answersWith = Effect.fnUntraced(function* (
    of: { readonly items: ReadonlyArray<Item>; readonly hasMore: boolean },
    cursor: string | null,
    come: ReadonlyArray<Item>
  ) {
    const asked = yield* ask(Effect.succeed(write(of)), cursor)
    if (Exit.isFailure(asked.exit)) return assert.fail(`expected a page, and the connector ${endOf(asked)}`)
    const { nextCursor, ...page } = asked.exit.value
    assert.deepStrictEqual(page, { items: come, unreadable: [] })
    assert.strictEqual(nextCursor !== null, of.hasMore, "`nextCursor`: `null` for the last page, and for no other")
    assertRequests(asked, 1)
    assert.strictEqual(asked.requests[0]?.timeoutMillis, timeoutMillis)
  })

  it.effect(`the list of ${what} has what the provider keeps, oldest first, in one request`, () =>
    answersWith({ items, hasMore: false }, null, expected)
  )
  it.effect(`a page of ${what} with more after it says where to continue`, () =>
    answersWith({ items, hasMore: true }, "prv_cursor", expected)
  )
  it.effect(`no ${what} make an empty page, the last one`, () => answersWith({ items: [], hasMore: false }, null, []))
  const page = write({ items, hasMore: false })
  const spoiled = [...malformed(page), ...foreign(page), ...refused(page)]
  unknownAfter(subject, spoiled, ` to the list of ${what}`, ask)
}

/** Without a wire: what was charged and refunded is listed, as a lookup finds it. */
const simulated = (subject: ConnectorUnderTest): void => {
  itRuns("charges and a refund are listed as a lookup finds them, oldest first", function* () {
    const connector = connect(subject, scriptedTransport([]).transport)
    yield* TestClock.setTime(noon)
    for (const [at, listed] of charges.entries()) {
      yield* TestClock.setTime(noon + at * 1_000)
      yield* connector.charge(requestOf(subject, listed))
    }
    const page = yield* connector.listCharges?.({ ...window, cursor: null }) ?? Effect.die("no list")
    assert.deepStrictEqual(
      page.items.map((item) => ({ ...item, state: null })),
      charges.map((item) => ({ ...item, state: null }))
    )
    for (const { attemptId, money, state } of page.items) {
      const asked = { attemptId, money, providerRef: null, checkoutReference: null, sentAt: noon, simulation: null }
      assert.deepStrictEqual(yield* connector.lookUpCharge(asked), { _tag: "Found", state })
    }
    const [charge] = page.items
    const providerRef = charge?.state.providerRef ?? ""
    const refund = { refundId: "rf_listed_1", attemptId: "att_listed_1", providerRef, money: money(200, "EUR") }
    const made = yield* connector.refund?.({ ...refund, reason: null, simulation: null }) ?? Effect.die("no refund")
    const refunded = yield* connector.listRefunds?.({ ...window, cursor: null }) ?? Effect.die("no list")
    assert.deepStrictEqual<unknown>(refunded, {
      items: [{ refundId: refund.refundId, providerRef, money: refund.money, state: made, created: noon + 1_000 }],
      unreadable: [],
      nextCursor: null
    })
    const before = { createdFrom: 0, createdBefore: noon, cursor: null }
    assert.isFalse((yield* connector.listCharges?.(before) ?? Effect.die("no list")).items.some(isOurs))
  })
}

const isOurs = ({ attemptId }: ListedCharge): boolean => charges.some((charge) => charge.attemptId === attemptId)

const requestOf = (subject: ConnectorUnderTest, charge: ListedCharge): ChargeRequest => ({
  attemptId: charge.attemptId,
  attemptNumber: 1,
  paymentId: charge.paymentId ?? "",
  money: charge.money,
  country: charge.country ?? "",
  method: charge.method ?? "card",
  cardBrand: charge.cardBrand,
  initiator: charge.initiator ?? "cit",
  capture: charge.capture ?? true,
  reference: charge.reference,
  instrument: Redacted.make(instrumentOf(subject)),
  simulation: null
})
