/**
 * A Mollie in memory, with its books, and the faults of a network in front of it: requests that never arrive, that are executed
 * and not answered, answered with 503, or executed later. Its hints come late, twice, in another order, or not at all.
 */
import { type FaultyProvider, faultyNetwork, type Random } from "@pointsman/contracts/connector"
import type { TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { answer, capture, chargeback, type Fields, failure, list, payment, refund } from "./Mollie.ts"

interface Book {
  readonly id: string
  readonly amountMinor: number
  readonly attemptId: string
  readonly metadata: Fields
  readonly createdAt: number
  status: string
  readonly captures: Array<{ readonly id: string; readonly minor: number; readonly metadata: Fields; status: string }>
  readonly refunds: Array<{
    readonly id: string
    readonly minor: number
    /** `null` for one that was made by hand. */
    readonly metadata: Fields | null
    status: string
  }>
  readonly chargebacks: Array<{ readonly id: string }>
}

const value = (minor: number) => ({
  currency: "EUR",
  value: `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`
})

const minorOf = (body: { readonly amount: { readonly value: string } }) => Math.round(Number(body.amount.value) * 100)

const takenOf = ({ amountMinor, captures, status }: Book): number => {
  const captured = captures.filter(({ status }) => status === "succeeded").reduce((sum, { minor }) => sum + minor, 0)
  return captures.length > 0 ? captured : status === "paid" ? amountMinor : 0
}

const refundedOf = ({ refunds }: Book): number =>
  refunds.filter(({ status }) => status === "refunded").reduce((sum, { minor }) => sum + minor, 0)

export const openMollie = (random: Random): FaultyProvider => {
  const books = new Map<string, Book>()
  /** The first answer to each key, for an hour. */
  const keys = new Map<string, { readonly request: string; readonly at: number; readonly answer: TransportAnswer }>()
  let drawn = 0
  const nextId = (prefix: string) => `${prefix}_${++drawn}`
  const changed = ({ id }: Book) => mail.push(`id=${id}`)
  const at = (millis: number) => new Date(millis).toISOString()

  const write = (book: Book): Fields => {
    const captured = takenOf(book)
    return payment({
      id: book.id,
      amount: value(book.amountMinor),
      ...(book.captures.length > 0 && captured > 0 ? { amountCaptured: value(captured) } : {}),
      metadata: book.metadata,
      status: book.status,
      createdAt: at(book.createdAt),
      paidAt: book.status === "paid" ? at(book.createdAt) : undefined,
      details: book.status === "failed" ? { failureReason: "insufficient_funds" } : undefined
    })
  }
  const writeCapture = (book: Book, { id, metadata, minor, status }: Book["captures"][number]) =>
    capture({ id, paymentId: book.id, amount: value(minor), metadata, status })
  const writeRefund = (book: Book, { id, metadata, minor, status }: Book["refunds"][number]) =>
    refund({ id, paymentId: book.id, amount: value(minor), metadata, status })
  const writeAll = (book: Book) => ({
    ...write(book),
    _embedded: {
      captures: book.captures.map((one) => writeCapture(book, one)),
      refunds: book.refunds.map((one) => writeRefund(book, one)),
      chargebacks: book.chargebacks.map(({ id }) =>
        chargeback({ id, paymentId: book.id, createdAt: at(book.createdAt) })
      )
    }
  })
  const refused = failure(422)
  const missing = failure(404, { title: "Not Found", detail: "The resource does not exist" })

  const charged = (
    body: { readonly amount: { readonly value: string }; readonly captureMode?: string; readonly metadata: Fields },
    now: number
  ) => {
    const roll = random()
    const book: Book = {
      id: nextId("tr"),
      amountMinor: minorOf(body),
      attemptId: String(body.metadata["attempt_id"]),
      metadata: body.metadata,
      createdAt: now,
      status: roll < 0.1 ? "failed" : roll < 0.25 ? "pending" : body.captureMode === "manual" ? "authorized" : "paid",
      ...{ captures: [], refunds: [], chargebacks: [] }
    }
    books.set(book.id, book)
    if (book.status === "pending") {
      later.push(() => {
        book.status = random() < 0.2 ? "failed" : body.captureMode === "manual" ? "authorized" : "paid"
        changed(book)
      })
    }
    changed(book)
    return answer(201, write(book))
  }

  const captured = (book: Book, body: { readonly amount: { readonly value: string }; readonly metadata: Fields }) => {
    if (book.status !== "authorized" || book.captures.length > 0) return refused
    const entry = { id: nextId("cpt"), minor: minorOf(body), metadata: body.metadata, status: "pending" }
    book.captures.push(entry)
    const finish = () => {
      entry.status = "succeeded"
      book.status = entry.minor < book.amountMinor ? "authorized" : "paid"
      changed(book)
    }
    if (random() < 0.5) finish()
    else later.push(finish)
    return answer(201, writeCapture(book, entry))
  }

  const released = (book: Book) => {
    if (book.status !== "authorized" || book.captures.length > 0) return refused
    later.push(() => {
      if (book.status !== "authorized" || book.captures.length > 0) return
      book.status = "canceled"
      changed(book)
    })
    return answer(202, "")
  }

  const leftOf = (book: Book): number =>
    book.refunds
      .filter(({ status }) => status !== "failed" && status !== "canceled")
      .reduce((left, { minor }) => left - minor, takenOf(book))

  /** Somebody refunds in the dashboard, and may cancel it there without a word. */
  const refundByHand = () => {
    const book = [...books.values()].find((one) => leftOf(one) > 0)
    if (book === undefined) return
    const minor = Math.max(1, Math.floor(leftOf(book) * random()))
    const entry = { id: nextId("re"), minor, metadata: null, status: "queued" }
    book.refunds.push(entry)
    later.push(() => {
      entry.status = random() < 0.2 ? "canceled" : random() < 0.15 ? "failed" : "refunded"
      if (entry.status !== "canceled") changed(book)
    })
  }

  const refunded = (book: Book, body: { readonly amount: { readonly value: string }; readonly metadata: Fields }) => {
    const minor = minorOf(body)
    if (minor > leftOf(book)) return refused
    const entry = { id: nextId("re"), minor, metadata: body.metadata, status: "pending" }
    book.refunds.push(entry)
    later.push(() => {
      entry.status = random() < 0.15 ? "failed" : "refunded"
      changed(book)
    })
    return answer(201, writeRefund(book, entry))
  }

  const post = (path: ReadonlyArray<string>, text: string, now: number): TransportAnswer => {
    const body = JSON.parse(text)
    const [id = "", what] = path
    if (id === "") return charged(body, now)
    const book = books.get(id)
    if (book === undefined) return missing
    if (what === "captures") return captured(book, body)
    return what === "refunds" ? refunded(book, body) : released(book)
  }

  const get = (path: ReadonlyArray<string>, query: URLSearchParams): TransportAnswer => {
    const [id = "", what, otherId] = path
    if (id === "") {
      const newest = [...books.values()].toReversed()
      const from = newest.findIndex((book) => book.id === query.get("from"))
      const page = newest.slice(Math.max(0, from), Math.max(0, from) + 2)
      const next = newest[Math.max(0, from) + 2]
      return answer(200, list("payments", page.map(write), next?.id ?? null))
    }
    const book = books.get(id)
    if (book === undefined) return missing
    const listed = (name: "captures" | "refunds", items: ReadonlyArray<Fields>) => answer(200, list(name, items))
    if (what === "captures") return listed(what, writeAll(book)._embedded.captures)
    if (what === undefined) return answer(200, query.has("embed") ? writeAll(book) : write(book))
    if (otherId === undefined) return listed("refunds", writeAll(book)._embedded.refunds)
    const one = book.refunds.find(({ id }) => id === otherId)
    return one === undefined ? missing : answer(200, writeRefund(book, one))
  }

  const execute = (
    { body = "", headers, method, url }: TransportRequest,
    _now: number,
    now: number
  ): TransportAnswer => {
    const { pathname, searchParams } = new URL(url)
    const path = pathname.split("/").slice(3)
    if (method === "GET") return get(path, searchParams)
    const key = headers["idempotency-key"] ?? ""
    const request = `${pathname} ${body}`
    const known = keys.get(key)
    if (known !== undefined && now - known.at < 3_600_000)
      return known.request === request ? known.answer : failure(400)
    const answered = post(path, body, now)
    keys.set(key, { request, at: now, answer: answered })
    return answered
  }

  const network = faultyNetwork(random, execute, failure(503))
  const { later, mail } = network

  return {
    ...network,
    books: () =>
      [...books.values()].map((book) => ({
        attemptId: book.attemptId,
        taken: takenOf(book),
        refunded: refundedOf(book),
        isChargedBack: book.chargebacks.length > 0
      })),
    pass: () => {
      if (network.isFaulty() && random() < 0.3) refundByHand()
      network.pass()
    },
    /** Somebody's bank takes the money back. */
    chargeBack: () => {
      const book = [...books.values()].find((one) => takenOf(one) > 0 && one.chargebacks.length === 0)
      if (book === undefined) return
      book.chargebacks.push({ id: nextId("chb") })
      changed(book)
    },
    /** One of its messages, which may come again, or be lost: then a lookup has to do, but for what it alone states. */
    takeMail: (now) => {
      const text = network.takeText(now)
      const { chargebacks = [], refunds = [] } = books.get(text?.slice("id=".length) ?? "") ?? {}
      const isOnlyWord = chargebacks.length > 0 || refunds.some(({ metadata }) => metadata === null)
      const isLost = network.isFaulty() && random() < 0.2 && !isOnlyWord
      return text === undefined || isLost ? undefined : { headers: {}, body: new TextEncoder().encode(text) }
    }
  }
}
