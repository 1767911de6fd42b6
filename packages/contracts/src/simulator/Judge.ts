/** Looks at everything when all has come to rest: the store, the provider's books, the endpoints, and who was told what. */
import { type Event, type SettlementEntry, type Tenant, viewOfEvent } from "@pointsman/core"
import type { MessageNote, PaymentBook, TenantMessage } from "@pointsman/core/ports"
import { brokenWord, type Order, type Told } from "./Asked.ts"
import { answeredTwice, type Look, wrongDispute } from "./DisputeChecks.ts"
import { type SettledPayment, wrongAccounts } from "./JournalChecks.ts"
import type { Taken } from "./Mail.ts"
import { isOpen, unexplainedEntries } from "./OpenDifferences.ts"
import type { Acting, Lost } from "./outside/Outside.ts"
import { type ChargeRecord, providerRefundIdOf, type RefundRecord } from "./ProviderBooks.ts"
import type { Filed, Letter } from "./ProviderMail.ts"
import { readAll, readEntries } from "./ReadAll.ts"
import { readsReports } from "./ReadReports.ts"
import type { Received } from "./Receiver.ts"
import { askedTwice, isContradicted, isHeld, type ProviderSide, wrongWith } from "./Truth.ts"
import type { Workload } from "./Workload.ts"
import { callers, connectionIds, type World, wantedBy } from "./World.ts"

export interface Judged {
  readonly seed: number
  readonly world: World
  readonly workload: Pick<Workload, "lies" | "orders" | "told" | "toldOfDisputes">
  readonly looks: ReadonlyArray<Look>
  /** Messages that were taken. */
  readonly heard: ReadonlyMap<Letter, Taken>
  readonly outside: Pick<Acting, "lost" | "isOfOtherAccount" | "jumps">
}

/** What is wrong with the world, in sentences; none for a sound one. */
export const judge = async (judged: Judged): Promise<ReadonlyArray<string>> => {
  const { heard, looks, outside, seed, workload, world } = judged
  const { lies, orders, told } = workload
  const lost = outside.lost()
  const jumps = outside.jumps?.history ?? []
  const wrong: Array<string> = [
    ...askedTwice(world.provider.calls, lost?.at),
    ...answeredTwice(world.provider.disputes)
  ]
  const charges = [...world.provider.charges.values()]
  const refunds = [...world.provider.refunds.values()]
  const books = new Map<string, PaymentBook>()
  const settled: Array<SettledPayment> = []
  const sides = new Map<string, ProviderSide>()
  const files: Array<TenantMessage> = []
  const entries = (await Promise.all(connectionIds.map((id) => readEntries(world, id)))).flat()
  const openCharges = chargesOpenIn(entries)
  const contents = []
  for (const { tenant } of callers) contents.push({ tenant, stored: await world.run(readAll(world, tenant)) })
  const paymentOf = holderOf(contents.flatMap(({ stored }) => stored.books))
  const isHurt = isHurtBy(lost, heard)
  for (const { stored, tenant } of contents) {
    const timelines = Map.groupBy(stored.events, ({ paymentId }) => paymentId)
    for (const book of stored.books) {
      const { id } = book.payment
      books.set(id, book)
      const own = charges.filter((charge) => paymentOf(charge) === id)
      const side = {
        charges: own,
        ...besideByHand(own, refunds, book, (letter) => readsReports(seed) || heard.has(letter)),
        hasOpenCharge: openCharges.has(id),
        isReviewedAfterJump: book.payment.review !== null && jumps.some(({ aheadMillis }) => aheadMillis > 0),
        hasLostRecords: isHurt(book, own),
        isOfOtherAccount: book.attempts.some(({ connectionId }) => outside.isOfOtherAccount(connectionId))
      }
      const events = timelines.get(id) ?? []
      wrong.push(...wrongWith(book, events, side).map((what) => `payment ${id}: ${what}`))
      const isPlain = !isContradicted(side)
      // What was lost is stated by the reports, so that nothing stays unexplained.
      settled.push({ book, events, isPlain: !isContradicted({ ...side, hasLostRecords: false }) })
      sides.set(id, side)
      if (side.hasLostRecords || side.isOfOtherAccount) continue
      const told = workload.toldOfDisputes
      for (const [disputeId] of side.charges.flatMap((charge) => [...charge.disputeRecords])) {
        const isKnown = stored.disputes.some(({ providerDisputeId }) => providerDisputeId === disputeId)
        if (isPlain && !isKnown) wrong.push(`payment ${id}: dispute ${disputeId} is not recorded`)
      }
      const ofDisputes = { looks, told, records: world.provider.disputes, isPlain, jumps }
      for (const dispute of stored.disputes.filter(({ paymentId }) => paymentId === id)) {
        wrong.push(...wrongDispute(dispute, events, ofDisputes).map((what) => `payment ${id}: ${what}`))
      }
    }
    files.push(...stored.messages)
    const received = world.receiver.received.filter(({ eventId }) => lost?.events.has(eventId) !== true)
    wrong.push(...undelivered(tenant, stored.events, received))
  }
  const { balance } = world.provider
  if (readsReports(seed)) {
    wrong.push(
      ...wrongAccounts(settled, { entries, balance, seed }),
      ...unexplainedEntries(sides, books, entries, balance)
    )
  }
  for (const charge of charges) {
    if (books.has(paymentOf(charge))) continue
    wrong.push(`the provider has a charge of payment ${paymentOf(charge)}, which we do not know`)
  }
  // A payment without a charge is in no list: who asks again is answered by another one.
  const isGone = ({ payment: { id } }: Told) =>
    lost !== undefined && !books.has(id) && !charges.some((charge) => paymentOf(charge) === id && isHeld(charge.state))
  const left = told.filter((word) => !isGone(word))
  for (const order of orders) wrong.push(...wrongOrder(order, charges, left))
  for (const word of left) {
    const { id } = word.payment
    const now = books.get(id)?.payment
    const its = charges.filter((charge) => paymentOf(charge) === id)
    const isContradicted =
      its.some(({ contradictions }) => contradictions.length > 0) || sides.get(id)?.isByBoth === true
    const hasLostRecords = lost?.payments.has(id) === true
    const lostAt = word.payment.updatedAt <= (lost?.at ?? 0) ? lost?.at : undefined
    const isPaidSince =
      lostAt !== undefined && its.every(({ createdAt, state }) => !isHeld(state) || createdAt >= lostAt)
    const isHeldThere = its.some(({ state }) => isHeld(state))
    wrong.push(...brokenWord(word, now, { isContradicted, hasLostRecords, isHeldThere, isPaidSince }))
  }
  const onFile = [...heard, ...lies].flatMap(([filed, taken]) => (isForgotten(taken, lost) ? [] : [filed]))
  const isRecovered = (filed: Filed | Letter) => isOfCharge(filed) && !isLeftOut(filed, charges, books)
  wrong.push(...wrongFiles(lost === undefined ? onFile : onFile.filter(isRecovered), files, books))
  return wrong
}

/** The payments whose charge is an open difference. */
const chargesOpenIn = (entries: ReadonlyArray<SettlementEntry>): ReadonlySet<string | null> =>
  new Set(entries.flatMap((one) => (isOpen(one) && one.kind.startsWith("charge") ? [one.paymentId] : [])))

/** The refunds that we may know of, and whether a person acted where something else did. */
const besideByHand = (
  charges: ReadonlyArray<ChargeRecord>,
  all: ReadonlyArray<RefundRecord>,
  book: PaymentBook,
  isHeard: (letter: Letter) => boolean
): Pick<ProviderSide, "refunds" | "isByBoth"> => {
  const isKnown = ({ refundId }: RefundRecord) =>
    book.refunds.some(({ providerRefundId }) => providerRefundId === providerRefundIdOf(refundId))
  const refunds = all.filter(({ charge }) => charges.includes(charge))
  return {
    // One by hand of which no message arrived is in no list.
    refunds: refunds.filter((one) => !one.isByHand || one.letters.some(isHeard) || isKnown(one)),
    isByBoth: charges.some((charge) => isByBoth(charge, book, refunds))
  }
}

/**
 * What operations review though the provider contradicts nothing: what is of a capture by hand, and heard before it,
 * is of money that is not recorded as taken; an answer to the charge that is heard after a void by hand states money that is
 * held; and while a refund that has failed is held as pending, one by hand is more than is captured.
 */
const isByBoth = (charge: ChargeRecord, { operations }: PaymentBook, refunds: ReadonlyArray<RefundRecord>): boolean => {
  const { capturesByHand, disputes, isPaidOut, isReleased } = charge
  const its = refunds.filter((refund) => refund.charge === charge)
  const isBeside = isPaidOut || disputes.size + operations.length + its.length > 0
  const isHeldMeanwhile = its.some(({ isByHand }) => isByHand) && its.some(({ state }) => state === "RefundFailed")
  return isReleased || isHeldMeanwhile || (capturesByHand.length > 0 && isBeside)
}

const isForgotten = ({ from, to }: Taken, lost: Lost | undefined): boolean =>
  lost !== undefined && from <= lost.at && to >= lost.from

/**
 * No list has captures and voids, nor the refund of a capture that was lost: a message about one of them stays unmatched,
 * where operations see it.
 */
const isOfCharge = (filed: Filed | Letter): boolean =>
  !("about" in filed) || (filed.about !== "Operation" && filed.about !== "Refund")

/** Whether something of a payment was lost: of its record, or the stored message that it was paid out. */
const isHurtBy = (lost: Lost | undefined, heard: Judged["heard"]) => {
  const forgotten = [...heard].flatMap(([letter, taken]) =>
    letter.about === "Settled" && isForgotten(taken, lost) ? [letter] : []
  )
  return ({ payment: { id, reported } }: PaymentBook, own: ReadonlyArray<ChargeRecord>): boolean =>
    lost?.payments.has(id) === true ||
    reported?.isRecovered === true ||
    forgotten.some((letter) => own.some((charge) => names(letter, charge)))
}

const utf8 = new TextDecoder()

/** Its reference is made of our id. */
const names = (letter: Letter, { attemptId }: ChargeRecord): boolean => utf8.decode(letter.body).includes(attemptId)

/**
 * A charge that took no money is not adopted while another attempt of its payment may have taken some: what is heard of it
 * stays unmatched.
 */
const isLeftOut = (
  filed: Filed | Letter,
  charges: ReadonlyArray<ChargeRecord>,
  books: ReadonlyMap<string, PaymentBook>
): boolean =>
  "body" in filed &&
  charges.some(
    (charge) =>
      !isHeld(charge.state) &&
      books.get(charge.paymentId)?.attempts.some(({ id }) => id === charge.attemptId) === false &&
      names(filed, charge)
  )

/** The payment of a charge: under a key that was lost, the provider may name the payment from before. */
const holderOf = (books: ReadonlyArray<PaymentBook>) => {
  const attempts = Map.groupBy(
    books.flatMap((book) => book.attempts),
    ({ id }) => id
  )
  return ({ attemptId, paymentId }: ChargeRecord): string => {
    const ids = (attempts.get(attemptId) ?? []).map((attempt) => attempt.paymentId)
    return ids.includes(paymentId) ? paymentId : (ids[0] ?? paymentId)
  }
}

/** Every event reaches every endpoint that wants it, signed, and under one id however often. */
const undelivered = (
  { environment }: Tenant,
  events: ReadonlyArray<Event>,
  received: ReadonlyArray<Received>
): ReadonlyArray<string> => {
  const wrong = received.flatMap(({ eventId, fault, url }) =>
    fault === undefined ? [] : [`${url} received ${eventId}: ${fault}`]
  )
  const arrived = Map.groupBy(received, ({ eventId, url }) => `${url} ${eventId}`)
  for (const { url, wants } of wantedBy(environment)) {
    for (const event of events) {
      const copies = arrived.get(`${url} ${event.id}`) ?? []
      arrived.delete(`${url} ${event.id}`)
      if (!wants(event.type)) {
        if (copies.length > 0) wrong.push(`${url} received ${event.type}, which it does not want`)
        continue
      }
      if (copies.length === 0) wrong.push(`${url} never received ${event.type} ${event.id}`)
      if (new Set(copies.map(({ deliveryId }) => deliveryId)).size > 1) {
        wrong.push(`${url} received ${event.id} under several ids of its delivery`)
      }
      const expected = JSON.stringify(viewOfEvent(event))
      if (copies.some(({ body }) => body !== expected)) wrong.push(`${url} received another ${event.id} than it reads`)
    }
    for (const [key] of arrived) {
      if (key.startsWith(`${url} `)) wrong.push(`${key}: received, and not written by a server`)
    }
  }
  return wrong
}

/** One order is paid once, however often it was asked for; and not at all where everybody heard that nothing was sent. */
const wrongOrder = (
  { asked, idempotencyKey, reference, unsent }: Order,
  charges: ReadonlyArray<ChargeRecord>,
  told: Workload["told"]
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const its = charges.filter((charge) => charge.reference === reference)
  const taken = its.filter(({ state }) => state !== "Declined" && state !== "Canceled")
  if (taken.length > 1) wrong.push(`${reference} was charged ${taken.length} times`)
  if (asked === unsent && its.length > 0) {
    wrong.push(`of ${reference} everybody heard that nothing was sent, and the provider has ${its.length} charges`)
  }
  const ids = new Set(told.flatMap(({ payment }) => (payment.reference === reference ? [payment.id] : [])))
  if (idempotencyKey !== null && ids.size > 1) {
    wrong.push(`under the key of ${reference} callers were told of ${[...ids].join(" and ")}`)
  }
  return wrong
}

/**
 * Messages that were taken: each is on file, and decided. `taken`: what we answered with a success. `files`: everything
 * that is stored.
 */
const wrongFiles = (
  taken: ReadonlyArray<Filed>,
  files: ReadonlyArray<MessageNote>,
  books: ReadonlyMap<string, PaymentBook>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const byId = new Map(files.map((file) => [keyOf(file.connectionId, file.eventId), file]))
  for (const { connectionId, id, storedAs } of taken) {
    if (storedAs === "unreadable") continue
    const outcome = byId.get(keyOf(connectionId, id))?.outcome
    const isAsExpected =
      storedAs === "unmatched"
        ? outcome === "unmatched"
        : outcome !== undefined && outcome !== "received" && outcome !== "unmatched" && outcome !== "unreadable"
    if (!isAsExpected) wrong.push(`message ${id} of ${connectionId} was taken, and is ${outcome ?? "not on file"}`)
  }
  // One that cannot be read has no id of its own: as many are on file as were taken.
  const unreadable = taken.filter(({ storedAs }) => storedAs === "unreadable")
  for (const [connectionId, unread] of Map.groupBy(unreadable, (one) => one.connectionId)) {
    const stored = files.filter((file) => file.connectionId === connectionId && file.outcome === "unreadable").length
    if (stored < unread.length) {
      wrong.push(`${connectionId} wrote ${unread.length} messages that cannot be read, and ${stored} are on file`)
    }
  }
  for (const { eventId, outcome, paymentId } of files) {
    if (outcome === "contradicts" && books.get(paymentId ?? "")?.payment.review === null) {
      wrong.push(`message ${eventId} contradicts payment ${paymentId}, which has no review`)
    }
  }
  return wrong
}

const keyOf = (connectionId: string, id: string): string => `${connectionId} ${id}`
