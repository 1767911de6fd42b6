/**
 * Every cell of `evidence.snap.txt`, over HTTP: a payment is brought into the state, the provider's message is
 * posted, and what is stored afterwards is what the cell says. The cells are those that the snapshot is printed from.
 */
import { brokenInvariants, type PaymentRecord } from "@pointsman/contracts"
import { type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { Ledger, type MessageOutcome, type PaymentBook } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { type SampleName, sampleNames, sampleOf } from "../../../scripts/evidence/Books.ts"
import { type Cell, cellsOf, datedApart } from "../../../scripts/evidence/Cells.ts"
import { namesIn, type Word } from "../../../scripts/evidence/Words.ts"
import { type Brought, bookOf, messageOf, reads, ways, withTwoConnections } from "./support/EvidenceWays.ts"
import { deliver } from "./support/Messages.ts"
import { answerOf, get } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

/** What is stored of a message with each verdict. */
const outcomes: Readonly<Record<Cell["verdict"], MessageOutcome>> = {
  Moves: "applied",
  Confirms: "confirmed",
  Older: "older",
  Waits: "waits",
  Contradicts: "contradicts",
  TooEarly: "confirmed",
  Malformed: "unreadable"
}

/** What a statement is weighed against: without times, and under the names of the samples. */
const weighed = ({ attempts, operations, payment, refunds }: PaymentBook): unknown => {
  const ids = [
    ...attempts.map(({ id }, at) => [id, `att_${at + 1}`] as const),
    ...operations.map(({ id }) => [id, "op_1"] as const),
    ...refunds.map(({ id }) => [id, "rf_1"] as const)
  ]
  const record = {
    environment: payment.tenant.environment,
    state: payment.state,
    captureMethod: payment.captureMethod,
    money: payment.money,
    amounts: [payment.authorizedMinor, payment.capturedMinor, payment.refundedMinor, payment.refundPendingMinor],
    connectionId: payment.connectionId,
    providerRef: payment.providerRef,
    decline: [payment.declineCategory, payment.declineReason],
    isHosted: payment.hosted !== null,
    reported: payment.reported && {
      isPaidOut: payment.reported.isPaidOut,
      hasFailure: payment.reported.captureFailedAt !== undefined,
      disputes: payment.reported.disputes.map(({ disputeId, verdict }) => [disputeId, verdict]),
      contradictions: payment.reported.contradictions
    },
    reviews: payment.review?.reasons ?? [],
    attempts: attempts.map(({ checkout, connectionId, id, outcome, providerRef, answeredAt }) => ({
      id,
      connectionId,
      outcome,
      providerRef,
      isAnswered: answeredAt !== null,
      checkout: checkout && [checkout.reference, checkout.expiresAt]
    })),
    operations: operations.map(({ answeredAt, id, kind, money, outcome }) => ({
      id,
      kind,
      money,
      outcome,
      isAnswered: answeredAt !== null
    })),
    refunds: refunds.map(({ id, money, providerRefundId, settledAt, stage }) => ({
      id,
      money,
      stage,
      providerRefundId,
      isSettled: settledAt !== null
    }))
  }
  return JSON.parse(ids.reduce((text, [id, name]) => text.replaceAll(id, name), JSON.stringify(record)))
}

test("each state of a payment has one sample, and each sample is in its state", () => {
  const reached = new Set<PaymentState>(sampleNames.map((name) => sampleOf(name).book.payment.state))
  expect(paymentStates.filter((state) => !reached.has(state))).toEqual([])
  expect(sampleNames.filter((name) => !name.startsWith(`${sampleOf(name).book.payment.state}: `))).toEqual([])
})

// One store is enough: none of them weighs a statement. The gate runs the cells over PostgreSQL too.
describe.each(stores.slice(0, 1))("over %s", (_name, store) => {
  const world = usedWorld(store, { baseUrl: "https://pay.example", reads })
  let brought: Brought | undefined
  beforeAll(() => withTwoConnections(world))
  afterEach(async () => {
    await brought?.end?.()
    brought = undefined
  })

  const booksOf = ({ ids, place }: Brought) => Promise.all(ids.map((id) => bookOf(world, place, id)))

  const timelinesOf = (ids: ReadonlyArray<string>, { tenant }: Brought["place"]) =>
    world.run(
      Effect.flatMap(Ledger, (ledger) => Effect.forEach(ids, (id) => ledger.timeline(tenant, id, { limit: 100 })))
    )

  /** Without those of disputes, which have a record of their own: the cells are about the payment. */
  const ofPayment = ({ type }: { readonly type: string }) => !type.startsWith("dispute.")

  /** Everything that is stored of the payments. */
  const recordsOf = async (own: Brought): Promise<ReadonlyArray<PaymentRecord>> => {
    const timelines = await timelinesOf(own.ids, own.place)
    return (await booksOf(own)).map((book, at) => ({ ...book, events: (timelines[at] ?? []).filter(ofPayment) }))
  }

  /** What the API shows of the newest payments, by their ids. */
  const shown = async ({ ids, place: { key } }: Brought) => {
    const { body } = await get(world, `/payments?limit=${ids.length}`, key)
    const all: ReadonlyArray<Record<string, unknown>> = body.data
    return ids.map((id) => {
      const { captured_amount, refund_pending_amount, refunded_amount, status } =
        all.find((one) => one["id"] === id) ?? {}
      return [status, captured_amount, refunded_amount, refund_pending_amount]
    })
  }

  /** A message about one of the payments, ready to be delivered. */
  const prepare = (name: SampleName, word: Word, book: PaymentBook, index: number) => {
    const sample = sampleOf(name)
    const at = Date.now() + (word.isBefore ? -datedApart : datedApart)
    const message = messageOf(word.about(namesIn(book, sample)), at)
    const connectionId = book.attempts.at(sample.attempt ?? -1)?.connectionId ?? ""
    return { word, index, connectionId, message }
  }

  const tell = async ({ connectionId, message }: ReturnType<typeof prepare>) =>
    expect(answerOf(await deliver(world, message, { connectionId }))).toBe("200")

  /** What became of each message, in the words of its cell. */
  const rowsOf = async (
    own: Brought,
    told: ReadonlyArray<ReturnType<typeof prepare>>,
    records: ReadonlyArray<PaymentRecord>,
    eventsBefore: number
  ) => {
    const payments = await shown(own)
    const messages = await world.run(
      Effect.flatMap(Ledger, (ledger) =>
        Effect.forEach(told, ({ connectionId, message }) =>
          Effect.map(ledger.message(own.place.tenant, connectionId, message.id), Option.getOrThrow)
        )
      )
    )
    return told.map(({ index, word }, at) => [
      word.name,
      messages[at]?.outcome,
      records[index]?.payment.state,
      payments[index],
      records[index]?.events.slice(eventsBefore).map(({ type }) => type),
      records[index]?.payment.review?.reasons ?? []
    ])
  }

  test.each(sampleNames)("%s means what the page says at each statement", async (name) => {
    const cells = cellsOf(name).toSorted((a, b) => Number(b.cell.isWritten) - Number(a.cell.isWritten))
    const written = cells.filter(({ cell }) => cell.isWritten).length
    const own = await ways[name](world, written + 1)
    brought = own
    const before = await booksOf(own)
    const records = new Set(before.map((book) => JSON.stringify(weighed(book))))
    expect([...records].map((record) => JSON.parse(record))).toEqual([weighed(sampleOf(name).book)])
    // Statements that write nothing of the payment share the last one.
    const [shared] = before.slice(-1)
    if (shared === undefined) throw new Error(`${name} brought no payment`)
    const told = cells.map(({ word }, at) => prepare(name, word, before[at] ?? shared, Math.min(at, written)))
    const history = ((await timelinesOf([shared.payment.id], own.place))[0] ?? []).filter(ofPayment)
    await Promise.all(told.map(tell))
    const after = await recordsOf(own)
    expect(await rowsOf(own, told, after, history.length)).toEqual(
      cells.map(({ cell, word }) => [
        word.name,
        outcomes[cell.verdict],
        cell.state,
        [statusOf[cell.state], cell.capturedMinor, cell.refundedMinor, cell.refundPendingMinor],
        cell.events,
        cell.reviews
      ])
    )
    // A dispute is recorded under the version of its payment, also where nothing of the payment moves.
    const { version } = after.at(-1)?.payment ?? shared.payment
    expect(after.at(-1)).toEqual({ ...shared, payment: { ...shared.payment, version }, events: history })
    brought = undefined
    await own.end?.()
    const ended = own.end === undefined ? after : await recordsOf(own)
    // Of two attempts the provider states that both hold money, which is what the cells are about.
    if (sampleOf(name).attempt === undefined) expect(ended.flatMap(brokenInvariants)).toEqual([])
  })
})
