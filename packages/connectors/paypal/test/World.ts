/**
 * A PayPal in memory, with its books, and the faults of a network in front of it: requests that never arrive, that are
 * executed and not answered, answered with 503, or executed later; tokens that end early and requests for them that fail. Its
 * messages come late, twice and in another order; PayPal repeats one until it is accepted, so that none is lost.
 */
import { type FaultyProvider, faultyNetwork, type Random } from "@pointsman/contracts/connector"
import type { TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { Effect } from "effect"
import {
  amount,
  answer,
  authorization,
  capture,
  chains,
  dispute,
  event,
  type Fields,
  failure,
  isTokenRequest,
  liveCertificateUrl,
  openedOrder,
  order,
  refund,
  signed,
  token,
  tokenRefused,
  webhookId
} from "./PayPal.ts"

interface Entry {
  readonly id: string
  readonly minor: number
  /** Our operation or refund id; the attempt's for a capture that the order itself made. */
  readonly ourId: string
  status: string
}

interface Book {
  readonly id: string
  readonly attemptId: string
  readonly minor: number
  readonly createdAt: number
  readonly isHeld: boolean
  /** `null` for an order that needs no approval. */
  isApproved: boolean | null
  /** Of an order that is captured apart. */
  authorization: Entry | undefined
  readonly captures: Array<Entry>
  readonly refunds: Array<Entry>
  isDisputed: boolean
}

type Body = Readonly<Record<string, unknown>>

const value = (minor: number) => amount(`${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`)
const minorIn = ({ amount }: Body): number => Math.round(Number((amount as { readonly value: string }).value) * 100)

const isTaken = ({ status }: Entry): boolean => status === "COMPLETED"
const isPaid = ({ authorization, captures }: Book): boolean => authorization !== undefined || captures.length > 0
/** PayPal forgets an order that nobody took in time. */
const isForgotten = (book: Book, now: number): boolean =>
  book.isApproved !== null && !isPaid(book) && now >= book.createdAt + 6 * 3_600_000
const takenOf = ({ captures }: Book): number => captures.filter(isTaken).reduce((sum, { minor }) => sum + minor, 0)
const refundedOf = ({ refunds }: Book): number => refunds.filter(isTaken).reduce((sum, { minor }) => sum + minor, 0)

export const openPayPal = (random: Random): FaultyProvider => {
  const books = new Map<string, Book>()
  /** What each id of a request was executed as, for six hours: its answer is the latest status. */
  const keys = new Map<string, { readonly at: number; readonly answer: () => TransportAnswer }>()
  const tokens = new Map<string, number>()
  // Merchants set whether an invoice id that was used before is refused.
  const refusesUsedInvoiceIds = random() < 0.5
  let drawn = 0
  const nextId = (prefix: string) => `${prefix}${++drawn}`

  // What PayPal writes.

  const related = ({ id }: Book) => ({ supplementary_data: { related_ids: { order_id: id } } })
  const writeCapture = (book: Book, { id, minor, ourId, status }: Entry) => {
    const refunded = refundedOf(book)
    const shown =
      status !== "COMPLETED" || refunded === 0 ? status : refunded < minor ? "PARTIALLY_REFUNDED" : "REFUNDED"
    const processor_response = status === "DECLINED" ? { response_code: "5120" } : undefined
    const names = { custom_id: book.attemptId, invoice_id: ourId }
    return capture({ id, amount: value(minor), status: shown, ...names, ...related(book), processor_response })
  }
  const writeAuthorization = (book: Book, { id, minor, status }: Entry) =>
    authorization({ id, amount: value(minor), status, custom_id: book.attemptId, ...related(book) })
  const writeRefund = ({ id, minor, ourId, status }: Entry) =>
    refund({ id, amount: value(minor), status, custom_id: ourId })
  const write = (book: Book) => {
    const { attemptId, createdAt, id, isApproved } = book
    const create_time = new Date(createdAt).toISOString()
    if (isApproved !== null && !isPaid(book)) {
      return openedOrder(attemptId, { id, create_time, ...(isApproved ? { status: "APPROVED" } : {}) })
    }
    return order(
      attemptId,
      {
        ...(book.authorization && { authorizations: [writeAuthorization(book, book.authorization)] }),
        captures: book.captures.map((one) => writeCapture(book, one)),
        refunds: book.refunds.map(writeRefund)
      },
      { id, create_time }
    )
  }
  const tell = (type: string, resource: Fields) =>
    mail.push(
      JSON.stringify(event(type, resource, { id: nextId("WH-"), create_time: new Date(network.now()).toISOString() }))
    )
  const tellCapture = (book: Book, one: Entry) => tell(`PAYMENT.CAPTURE.${one.status}`, writeCapture(book, one))

  // What PayPal executes.

  /** Some captures are looked at first. */
  const captured = (book: Book, one: Entry, onEnd: () => void) => {
    book.captures.push(one)
    one.status = random() < 0.3 ? "PENDING" : "COMPLETED"
    tellCapture(book, one)
    onEnd()
    if (one.status === "PENDING") {
      later.push(() => {
        one.status = random() < 0.2 ? "DECLINED" : "COMPLETED"
        onEnd()
        tellCapture(book, one)
      })
    }
  }

  /** Takes or holds the money of an order, as it asks. */
  const taken = (book: Book): void => {
    const { attemptId, isHeld, minor } = book
    if (!isHeld) {
      captured(book, { id: nextId("CAP"), minor, ourId: attemptId, status: "" }, () => {})
      return
    }
    const held: Entry = { id: nextId("AUTH"), minor, ourId: attemptId, status: "CREATED" }
    book.authorization = held
    tell("PAYMENT.AUTHORIZATION.CREATED", writeAuthorization(book, held))
  }

  /** `capture` or `authorize` of an order that its customer approved. */
  const completed = (book: Book, what: string, now: number): (() => TransportAnswer) => {
    if (isForgotten(book, now)) return () => failure(404, "INVALID_RESOURCE_ID")
    if (isPaid(book)) return () => failure(422, book.isHeld ? "ORDER_ALREADY_AUTHORIZED" : "ORDER_ALREADY_CAPTURED")
    if (book.isApproved !== true) return () => failure(422, "ORDER_NOT_APPROVED")
    if ((what === "authorize") !== book.isHeld) return () => failure(422, "ACTION_DOES_NOT_MATCH_INTENT")
    if (random() < 0.1) return () => failure(422, "INSTRUMENT_DECLINED")
    taken(book)
    return () => answer(201, write(book))
  }

  const charged = (body: Body, now: number): (() => TransportAnswer) => {
    const isOpened = JSON.stringify(body["payment_source"]).includes("experience_context")
    if (!isOpened && random() < 0.1) return () => failure(422, "INSTRUMENT_DECLINED")
    const [unit] = body["purchase_units"] as ReadonlyArray<Body>
    if (unit === undefined) return () => failure(400, "MISSING_REQUIRED_PARAMETER")
    const minor = minorIn(unit)
    const attemptId = String(unit["custom_id"])
    if (!isOpened && refusesUsedInvoiceIds && [...books.values()].some((one) => one.attemptId === attemptId)) {
      return () => failure(422, "DUPLICATE_INVOICE_ID")
    }
    const book: Book = {
      ...{ id: nextId("ORDER"), attemptId, minor, createdAt: now, isHeld: body["intent"] === "AUTHORIZE" },
      ...{ isApproved: isOpened ? false : null, authorization: undefined },
      ...{ captures: [], refunds: [], isDisputed: false }
    }
    books.set(book.id, book)
    if (!isOpened) taken(book)
    return () => answer(201, write(book))
  }

  const capturedApart = (book: Book, held: Entry, body: Body): (() => TransportAnswer) => {
    if (held.status === "VOIDED") return () => failure(422, "AUTHORIZATION_VOIDED")
    if (held.status !== "CREATED") return () => failure(422, "AUTHORIZATION_ALREADY_CAPTURED")
    const one: Entry = { id: nextId("CAP"), minor: minorIn(body), ourId: String(body["invoice_id"]), status: "" }
    if (one.minor > held.minor) return () => failure(422, "MAX_CAPTURE_AMOUNT_EXCEEDED")
    captured(book, one, () => {
      held.status = one.status === "DECLINED" ? "CREATED" : one.minor < held.minor ? "PARTIALLY_CAPTURED" : "CAPTURED"
    })
    return () => answer(201, writeCapture(book, one))
  }

  const voided = (book: Book, held: Entry): (() => TransportAnswer) => {
    if (held.status !== "CREATED") {
      return () => failure(422, held.status === "VOIDED" ? "PREVIOUSLY_VOIDED" : "PREVIOUSLY_CAPTURED")
    }
    held.status = "VOIDED"
    tell("PAYMENT.AUTHORIZATION.VOIDED", writeAuthorization(book, held))
    return () => answer(200, writeAuthorization(book, held))
  }

  const refunded = (book: Book, body: Body): (() => TransportAnswer) => {
    const minor = minorIn(body)
    const reserved = book.refunds.filter(({ status }) => status !== "FAILED").reduce((sum, one) => sum + one.minor, 0)
    if (reserved + minor > takenOf(book)) return () => failure(422, "REFUND_AMOUNT_EXCEEDED")
    const one: Entry = { id: nextId("REF"), minor, ourId: String(body["custom_id"]), status: "PENDING" }
    book.refunds.push(one)
    const finish = () => {
      one.status = random() < 0.15 ? "FAILED" : "COMPLETED"
      if (one.status === "COMPLETED") tell("PAYMENT.CAPTURE.REFUNDED", writeRefund(one))
    }
    if (random() < 0.6) finish()
    else later.push(finish)
    return () => answer(201, writeRefund(one))
  }

  const post = (path: ReadonlyArray<string>, body: Body, now: number): (() => TransportAnswer) => {
    const [, kind, id = "", what] = path
    const ordered = books.get(id)
    if (kind === "orders" && id === "") return charged(body, now)
    if (kind === "orders" && ordered !== undefined) return completed(ordered, what ?? "", now)
    const book = [...books.values()].find(
      ({ authorization, captures }) => authorization?.id === id || captures.some((one) => one.id === id)
    )
    if (book === undefined) return () => failure(404, "INVALID_RESOURCE_ID")
    if (what === "refund") return refunded(book, body)
    const held = book.authorization
    if (held === undefined) return () => failure(404, "INVALID_RESOURCE_ID")
    return what === "capture" ? capturedApart(book, held, body) : voided(book, held)
  }

  const execute = ({ body = "{}", headers, method, url }: TransportRequest, now: number): TransportAnswer => {
    const path = new URL(url).pathname.split("/").slice(2)
    if (method === "GET" && path[1] === "refunds") {
      const one = [...books.values()].flatMap(({ refunds }) => refunds).find(({ id }) => id === path[2])
      return one === undefined ? failure(404, "INVALID_RESOURCE_ID") : answer(200, writeRefund(one))
    }
    if (method === "GET") {
      const book = books.get(path[2] ?? "")
      return book === undefined || isForgotten(book, now)
        ? failure(404, "INVALID_RESOURCE_ID")
        : answer(200, write(book))
    }
    const key = headers["paypal-request-id"] ?? ""
    const known = keys.get(key)
    if (known !== undefined && now - known.at < 6 * 3_600_000) return known.answer()
    const answered = post(path, JSON.parse(body), now)
    keys.set(key, { at: now, answer: answered })
    return answered()
  }

  const send = (request: TransportRequest, now: number): TransportAnswer => {
    if (isTokenRequest(request)) {
      const access_token = nextId("A21AA")
      // Some end before their time.
      tokens.set(access_token, now + (network.isFaulty() && random() < 0.3 ? 300_000 : 3_600_000))
      return answer(200, token({ access_token, expires_in: 3_600 }))
    }
    const { authorization = "" } = request.headers
    return now < (tokens.get(authorization.slice("Bearer ".length)) ?? 0) ? execute(request, now) : tokenRefused
  }

  const network = faultyNetwork(random, send, failure(503))
  const { later, mail } = network

  return {
    ...network,
    transport: {
      send: (request) =>
        request.url === liveCertificateUrl
          ? Effect.succeed(network.isFaulty() && random() < 0.2 ? failure(503) : answer(200, chains.good))
          : network.transport.send(request)
    },
    books: () =>
      // An order that nobody took is no charge.
      [...books.values()].filter(isPaid).map((book) => ({
        attemptId: book.attemptId,
        taken: takenOf(book),
        refunded: refundedOf(book),
        isChargedBack: book.isDisputed
      })),
    approve: () => {
      const waiting = [...books.values()].filter((one) => one.isApproved === false && !isForgotten(one, network.now()))
      const book = waiting[Math.floor(random() * waiting.length)]
      if (book === undefined) return
      book.isApproved = true
      tell("CHECKOUT.ORDER.APPROVED", write(book))
    },
    chargeBack: () => {
      const book = [...books.values()].find((one) => takenOf(one) > 0 && !one.isDisputed)
      if (book === undefined) return
      book.isDisputed = true
      tell("CUSTOMER.DISPUTE.CREATED", dispute(book.attemptId, { dispute_id: nextId("PP-") }))
    },
    takeMail: (now) => {
      const text = network.takeText(now)
      return text === undefined ? undefined : signed(text, webhookId, now, liveCertificateUrl)
    }
  }
}
