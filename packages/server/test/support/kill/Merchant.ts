/**
 * A merchant's backend under load: it creates, captures, voids, refunds and reads, over and over, with and without keys,
 * now and then several times at once, and writes down what it was answered. What a kill left unanswered it asks for
 * again where it has a key, as the guide tells merchants to.
 */
import type { JsonAnswer, ServerProcess } from "../ServerProcess.ts"
import type { Draw } from "./Draw.ts"
import type { Answer, PaymentShown, Wish } from "./Evidence.ts"

const path = "/api/v1/payments"

/** Requests at once. */
const lanes = 16
/** Those that the merchant works on are the latest; older ones only now and then. */
const latest = 80
/** Few enough that refunds of a part do not meet the end of the balance, and are not cut down to it. */
const partialRefundsAtMost = 20

/** Nobody asks for ever for what is in progress. */
const answersAtMost = 10

const acts = { create: 10, capture: 4, void: 2, refund: 5, read: 3, again: 7 } as const
const currencies = ["EUR", "USD", "JPY", "KWD"]

export interface Merchant {
  readonly wishes: ReadonlyArray<Wish>
  /** Payments as they were read. */
  readonly seen: ReadonlyArray<PaymentShown>
  /** Reads that were not answered 200. */
  readonly unreadable: ReadonlyArray<string>
  /** How many answers there were that acknowledged something. */
  readonly acknowledged: () => number
  /** Keeps asking until the server is gone; it fails where the server is not, and does not answer. */
  readonly work: (server: ServerProcess, draw: Draw, isGone: () => boolean) => Promise<void>
}

/** `name`: before the names of all that is asked for, so that no two runs share one. */
export const merchantOf = (name: string, apiKey: string): Merchant => {
  const wishes: Array<Wish> = []
  const seen: Array<PaymentShown> = []
  const unreadable: Array<string> = []
  /** As each payment was shown last, in the order of their creation. */
  const known = new Map<string, PaymentShown>()
  const partialRefunds = new Map<string, number>()
  let acknowledged = 0

  const show = (payment: PaymentShown) => {
    known.set(payment.payment_id, payment)
    return payment
  }

  const wish = (
    kind: Wish["kind"],
    draw: Draw,
    about: Pick<Wish, "paymentId" | "amount"> & { readonly body?: object }
  ): WishInHand => {
    const called = `${name}-${kind}-${String(wishes.length).padStart(6, "0")}`
    const made: Wish = {
      kind,
      name: called,
      paymentId: about.paymentId,
      key: draw.chance(0.65) ? `key-${called}` : null,
      amount: about.amount,
      answers: [],
      lost: 0
    }
    wishes.push(made)
    const body =
      kind === "create"
        ? { ...about.body, reference: called }
        : kind === "refund"
          ? { ...about.body, reason: called }
          : about.body
    return { wish: made, body, path: kind === "create" ? path : `${path}/${about.paymentId}/${pathOf[kind]}` }
  }

  /** What has a key and no last answer yet: it is asked for again. */
  const open: Array<WishInHand> = []
  const leaveOpen = (inHand: WishInHand) => {
    if (inHand.wish.key !== null && inHand.wish.answers.length < answersAtMost) open.push(inHand)
  }

  const ask = async (server: ServerProcess, inHand: WishInHand) => {
    const { body, path, wish } = inHand
    try {
      const answer = await server.request("POST", path, {
        key: apiKey,
        body,
        idempotencyKey: wish.key ?? undefined
      })
      wish.answers.push(answerOf(answer))
      if (answer.body.error?.code === "idempotency_in_progress") leaveOpen(inHand)
      if (answer.body.data === undefined) return
      acknowledged += 1
      show(answer.body.data)
    } catch (cause) {
      wish.lost += 1
      leaveOpen(inHand)
      throw cause
    }
  }

  /** As a client does whose own caller asked twice: at once, and sometimes again afterwards. */
  const askOften = async (server: ServerProcess, draw: Draw, inHand: WishInHand) => {
    const times = inHand.wish.key !== null && draw.chance(0.3) ? 3 : 1
    await all(Array.from({ length: times }, () => ask(server, inHand)))
    if (times > 1 && draw.chance(0.5)) await ask(server, inHand)
  }

  const pick = (draw: Draw, isFit: (payment: PaymentShown) => boolean): PaymentShown | undefined => {
    const payments = [...known.values()]
    const recent = draw.chance(0.9) ? payments.slice(-latest) : payments
    return draw.one(draw.chance(0.9) ? recent.filter(isFit) : recent)
  }

  const partOf = (draw: Draw, amount: number) => (draw.chance(0.5) ? null : draw.between(Math.ceil(amount / 2), amount))
  const ofAmount = (amount: number | null) => (amount === null ? {} : { amount })

  const capture = (draw: Draw, { amount, payment_id: paymentId }: PaymentShown): WishInHand => {
    const part = partOf(draw, amount)
    return wish("capture", draw, { paymentId, amount: part, body: ofAmount(part) })
  }
  const release = (draw: Draw, { payment_id: paymentId }: PaymentShown): WishInHand =>
    wish("void", draw, { paymentId, amount: null })

  const act: Readonly<Record<keyof typeof acts, (server: ServerProcess, draw: Draw) => Promise<void>>> = {
    create: (server, draw) => {
      const amount = draw.between(1_000, 90_000)
      const body = {
        amount,
        currency: draw.one(currencies),
        country: "NL",
        capture_method: draw.chance(0.45) ? "manual" : "automatic"
      }
      return askOften(server, draw, wish("create", draw, { paymentId: null, amount, body }))
    },
    capture: async (server, draw) => {
      const payment = pick(draw, ({ status }) => status === "AUTHORIZED")
      if (payment === undefined) return
      if (draw.chance(0.75)) return askOften(server, draw, capture(draw, payment))
      const rival = draw.chance(0.5) ? capture(draw, payment) : release(draw, payment)
      await all([ask(server, capture(draw, payment)), ask(server, rival)])
    },
    void: async (server, draw) => {
      const payment = pick(draw, ({ status }) => status === "AUTHORIZED")
      if (payment !== undefined) await askOften(server, draw, release(draw, payment))
    },
    refund: async (server, draw) => {
      const payment = pick(draw, ({ status }) => status === "CAPTURED" || status === "PARTIALLY_REFUNDED")
      if (payment === undefined) return
      const { captured_amount: captured, payment_id: paymentId } = payment
      const whole = () => wish("refund", draw, { paymentId, amount: null, body: {} })
      const refunded = partialRefunds.get(paymentId) ?? 0
      if (captured === 0 || refunded >= partialRefundsAtMost || draw.chance(0.2)) {
        return draw.chance(0.3) ? all([ask(server, whole()), ask(server, whole())]) : askOften(server, draw, whole())
      }
      partialRefunds.set(paymentId, refunded + 1)
      const amount = draw.between(1, Math.floor(captured / (2 * partialRefundsAtMost)))
      await askOften(server, draw, wish("refund", draw, { paymentId, amount, body: { amount } }))
    },
    read: async (server, draw) => {
      const payment = draw.one([...known.values()].slice(-latest))
      const at = payment === undefined ? path : `${path}/${payment.payment_id}`
      const timeline = payment !== undefined && draw.chance(0.3) ? "/events" : ""
      const { body, status } = await server.request("GET", `${at}${timeline}`, { key: apiKey })
      if (status !== 200) unreadable.push(`${at}${timeline}: ${status} ${JSON.stringify(body)}`)
      else if (timeline === "") seen.push(...[body.data].flat().map(show))
    },
    again: async (server, draw) => {
      if (open.length === 0) return
      const [inHand] = open.splice(draw.between(0, open.length - 1), 1)
      if (inHand !== undefined) await ask(server, inHand)
    }
  }

  const lane = async (server: ServerProcess, draw: Draw, isGone: () => boolean) => {
    try {
      // Bounded by the kill.
      while (!isGone()) await act[draw.weighted(acts)](server, draw)
    } catch (cause) {
      // `fetch` fails so when the connection is gone.
      if (!(cause instanceof TypeError) || !isGone()) throw cause
    }
  }

  return {
    wishes,
    seen,
    unreadable,
    acknowledged: () => acknowledged,
    work: (server, draw, isGone) => all(Array.from({ length: lanes }, () => lane(server, draw, isGone)))
  }
}

interface WishInHand {
  readonly wish: Wish
  readonly path: string
  readonly body: object | undefined
}

const pathOf = { capture: "capture", void: "void", refund: "refunds" } as const

const answerOf = ({ body, status }: JsonAnswer): Answer => ({
  status,
  code: body.error?.code ?? null,
  payment: body.data ?? null,
  text: `${status} ${JSON.stringify(body)}`
})

/** Waits for all of them, also when one fails: what the others are answered is written down, too. */
const all = async (asked: ReadonlyArray<Promise<void>>): Promise<void> => {
  const failed = (await Promise.allSettled(asked)).find((one) => one.status === "rejected")
  if (failed !== undefined) throw failed.reason
}
