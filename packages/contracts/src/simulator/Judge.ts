/** Looks at everything when all has come to rest: the store, the provider's books, the endpoints, and who was told what. */
import { type Event, type Tenant, viewOfEvent } from "@pointsman/core"
import type { PaymentBook, TenantMessage } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { brokenWord, type Order } from "./Asked.ts"
import { wrongFiles } from "./Files.ts"
import type { ChargeRecord } from "./ProviderBooks.ts"
import type { Letter } from "./ProviderMail.ts"
import type { Received } from "./Receiver.ts"
import { askedTwice, wrongWith } from "./Truth.ts"
import type { Workload } from "./Workload.ts"
import { callers, type World, wantedBy } from "./World.ts"

/** More than any run writes. */
const rowsAtMost = 10_000

/** What is wrong with the world, in sentences; none for a sound one. */
export const judge = async (
  world: World,
  { lies, orders, told }: Pick<Workload, "lies" | "orders" | "told">,
  heard: ReadonlySet<Letter>
): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = [...askedTwice(world.provider.calls)]
  const charges = [...world.provider.charges.values()]
  const refunds = [...world.provider.refunds.values()]
  const books = new Map<string, PaymentBook>()
  const files: Array<TenantMessage> = []
  for (const { tenant } of callers) {
    const stored = await world.run(readAll(world, tenant))
    const timelines = Map.groupBy(stored.events, ({ paymentId }) => paymentId)
    for (const book of stored.books) {
      const { id } = book.payment
      books.set(id, book)
      const side = {
        charges: charges.filter(({ paymentId }) => paymentId === id),
        refunds: refunds.filter(({ charge }) => charge.paymentId === id)
      }
      wrong.push(...wrongWith(book, timelines.get(id) ?? [], side).map((what) => `payment ${id}: ${what}`))
    }
    files.push(...stored.messages)
    wrong.push(...undelivered(tenant, stored.events, world.receiver.received))
  }
  for (const { paymentId } of charges) {
    if (!books.has(paymentId)) wrong.push(`the provider has a charge of payment ${paymentId}, which we do not know`)
  }
  for (const order of orders) wrong.push(...wrongOrder(order, charges, told))
  for (const word of told) {
    const { id } = word.payment
    const isContradicted = charges.some(
      ({ contradictions, paymentId }) => paymentId === id && contradictions.length > 0
    )
    wrong.push(...brokenWord(word, books.get(id)?.payment, isContradicted))
  }
  wrong.push(...wrongFiles([...heard, ...lies], files, books))
  return wrong
}

const readAll = Effect.fnUntraced(function* ({ ledger }: World, tenant: Tenant) {
  const payments = yield* ledger.payments(tenant, { limit: rowsAtMost })
  const books = yield* Effect.forEach(payments, ({ id }) => Effect.map(ledger.book(tenant, id), Option.getOrThrow))
  const events = yield* ledger.events(tenant, { after: "", limit: rowsAtMost })
  const messages = yield* ledger.messages({ tenant, limit: rowsAtMost })
  return { books, events, messages }
})

/** Every event reaches every endpoint that wants it, signed, and under one id however often. */
const undelivered = (
  { environment }: Tenant,
  events: ReadonlyArray<Event>,
  received: ReadonlyArray<Received>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const arrived = new Map<string, Array<Received>>()
  for (const one of received) {
    if (one.fault !== undefined) wrong.push(`${one.url} received ${one.eventId}: ${one.fault}`)
    const key = `${one.url} ${one.eventId}`
    const before = arrived.get(key)
    if (before === undefined) arrived.set(key, [one])
    else before.push(one)
  }
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
      if (key.startsWith(`${url} `)) wrong.push(`${key}: received, and nobody wrote it`)
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
