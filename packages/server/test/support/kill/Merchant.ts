/**
 * A merchant's backend under load: it creates, captures, voids, refunds and reads, over and over, with and without keys,
 * now and then several times at once, and writes down what it was answered. What a kill left unanswered it asks for
 * again where it has a key, as the guide tells merchants to.
 */
import type { JsonAnswer, JsonRequest } from "../ServerProcess.ts"
import type { Draw } from "./Draw.ts"
import type { Answer, PaymentShown, Wish } from "./Evidence.ts"

const path = "/api/v1/payments"

/** Requests at once, unless it is said otherwise. */
const usualLanes = 16
/** Those that the merchant works on are the latest; older ones only now and then. */
const latest = 80
/** Few enough that refunds of a part do not meet the end of the balance, and are not cut down to it. */
const partialRefundsAtMost = 20

/** Nobody asks for ever for what is in progress. */
const answersAtMost = 10

const acts = { create: 10, capture: 4, void: 2, refund: 5, read: 3, again: 7 } as const
const currencies = ["EUR", "USD", "JPY", "KWD"]

/** Where the merchant sends to: a server, or several that act as one. */
export interface Shop {
  readonly request: (...asked: Parameters<JsonRequest>) => Promise<JsonAnswer & { readonly duringOutage?: boolean }>
}

/** When to end, and what is no failure until then. */
export interface WorkingHours {
  readonly isOver: () => boolean
  /** Whether no answer at all is to be expected: `isOver` unless set. */
  readonly mayBeLost?: () => boolean
  readonly lanes?: number
}

/** `name`: before the names of all that is asked for, so that no two runs share one. */
export const merchantOf = (name: string, apiKey: string) => {
  const wishes: Array<Wish> = []
  /** Payments as they were read. */
  const seen: Array<PaymentShown> = []
  /** Reads that were not answered 200. */
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
    const inHand = { wish: made, body, path: kind === "create" ? path : `${path}/${about.paymentId}/${pathOf[kind]}` }
    if (made.key !== null) keyed.push(inHand)
    return inHand
  }

  /** What has a key. */
  const keyed: Array<WishInHand> = []
  /** What has a key and no last answer yet: it is asked for again. */
  const open: Array<WishInHand> = []
  const leaveOpen = (inHand: WishInHand) => {
    if (inHand.wish.key !== null && inHand.wish.answers.length < answersAtMost) open.push(inHand)
  }

  const ask = async (shop: Shop, inHand: WishInHand): Promise<boolean> => {
    const { body, path, wish } = inHand
    try {
      const answer = await shop.request("POST", path, {
        key: apiKey,
        body,
        idempotencyKey: wish.key ?? undefined
      })
      wish.answers.push(answerOf(answer))
      const isForLater = answer.body.error?.code === "idempotency_in_progress"
      if (isForLater || (answer.status === 500 && answer.duringOutage === true)) leaveOpen(inHand)
      if (answer.body.data === undefined) return false
      acknowledged += 1
      show(answer.body.data)
      return true
    } catch (cause) {
      wish.lost += 1
      leaveOpen(inHand)
      throw cause
    }
  }

  /** As a client does whose own caller asked twice: at once, and sometimes again afterwards. */
  const askOften = async (shop: Shop, draw: Draw, inHand: WishInHand) => {
    const times = inHand.wish.key !== null && draw.chance(0.3) ? 3 : 1
    await all(Array.from({ length: times }, () => ask(shop, inHand)))
    if (times > 1 && draw.chance(0.5)) await ask(shop, inHand)
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

  const create = (draw: Draw): WishInHand => {
    const amount = draw.between(1_000, 90_000)
    const body = {
      amount,
      currency: draw.one(currencies),
      country: "NL",
      capture_method: draw.chance(0.45) ? "manual" : "automatic"
    }
    return wish("create", draw, { paymentId: null, amount, body })
  }

  const act: Readonly<Record<keyof typeof acts, (shop: Shop, draw: Draw) => Promise<void>>> = {
    create: (shop, draw) => askOften(shop, draw, create(draw)),
    capture: async (shop, draw) => {
      const payment = pick(draw, ({ status }) => status === "AUTHORIZED")
      if (payment === undefined) return
      if (draw.chance(0.75)) return askOften(shop, draw, capture(draw, payment))
      const rival = draw.chance(0.5) ? capture(draw, payment) : release(draw, payment)
      await all([ask(shop, capture(draw, payment)), ask(shop, rival)])
    },
    void: async (shop, draw) => {
      const payment = pick(draw, ({ status }) => status === "AUTHORIZED")
      if (payment !== undefined) await askOften(shop, draw, release(draw, payment))
    },
    refund: async (shop, draw) => {
      const payment = pick(draw, ({ status }) => status === "CAPTURED" || status === "PARTIALLY_REFUNDED")
      if (payment === undefined) return
      const { captured_amount: captured, payment_id: paymentId } = payment
      const whole = () => wish("refund", draw, { paymentId, amount: null, body: {} })
      const refunded = partialRefunds.get(paymentId) ?? 0
      if (captured === 0 || refunded >= partialRefundsAtMost || draw.chance(0.2)) {
        return draw.chance(0.3) ? all([ask(shop, whole()), ask(shop, whole())]) : askOften(shop, draw, whole())
      }
      partialRefunds.set(paymentId, refunded + 1)
      const amount = draw.between(1, Math.floor(captured / (2 * partialRefundsAtMost)))
      await askOften(shop, draw, wish("refund", draw, { paymentId, amount, body: { amount } }))
    },
    read: async (shop, draw) => {
      const payment = draw.one([...known.values()].slice(-latest))
      const at = payment === undefined ? path : `${path}/${payment.payment_id}`
      const timeline = payment !== undefined && draw.chance(0.3) ? "/events" : ""
      const { body, duringOutage, status } = await shop.request("GET", `${at}${timeline}`, { key: apiKey })
      if (status === 500 && duringOutage === true) return
      if (status !== 200) unreadable.push(`${at}${timeline}: ${status} ${JSON.stringify(body)}`)
      else if (timeline === "") seen.push(...[body.data].flat().map(show))
    },
    again: async (shop, draw) => {
      if (open.length === 0) return
      const [inHand] = open.splice(draw.between(0, open.length - 1), 1)
      if (inHand !== undefined) await ask(shop, inHand)
    }
  }

  const lane = async (shop: Shop, draw: Draw, { isOver, mayBeLost = isOver }: WorkingHours) => {
    // The caller that sets the hours bounds it.
    while (!isOver()) {
      try {
        await act[draw.weighted(acts)](shop, draw)
      } catch (cause) {
        // `fetch` fails so when the connection is gone.
        if (!(cause instanceof TypeError) || !mayBeLost()) throw cause
      }
    }
  }

  return {
    wishes,
    seen,
    unreadable,
    /** How many answers there were that acknowledged something. */
    acknowledged: () => acknowledged,
    /** Keeps asking until it is over; it fails where the server does not answer, and nobody killed it. */
    work: (shop: Shop, draw: Draw, hours: WorkingHours) =>
      all(Array.from({ length: hours.lanes ?? usualLanes }, () => lane(shop, draw, hours))),
    /** One create; gives whether it was acknowledged. */
    createOne: (shop: Shop, draw: Draw) => ask(shop, create(draw)),
    /** Asks once more for what its key was answered for good, so many times, whatever it was. */
    repeat: async (shop: Shop, draw: Draw, times: number) => {
      const standing = keyed.filter(({ wish }) => wish.answers.some(({ payment }) => payment !== null))
      for (let time = 0; time < times; time++) {
        const inHand = draw.one(standing)
        if (inHand !== undefined) await ask(shop, inHand)
      }
    }
  }
}

interface WishInHand {
  readonly wish: Wish
  readonly path: string
  readonly body: object | undefined
}

const pathOf = { capture: "capture", void: "void", refund: "refunds" } as const

const answerOf = ({ body, duringOutage = false, status }: Awaited<ReturnType<Shop["request"]>>): Answer => ({
  status,
  code: body.error?.code ?? null,
  payment: body.data ?? null,
  text: `${status} ${JSON.stringify(body)}`,
  duringOutage
})

/** Waits for all of them, also when one fails: what the others are answered is written down, too. */
const all = async (asked: ReadonlyArray<Promise<unknown>>): Promise<void> => {
  const failed = (await Promise.allSettled(asked)).find((one) => one.status === "rejected")
  if (failed !== undefined) throw failed.reason
}
