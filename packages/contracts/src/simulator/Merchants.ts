/** What merchants do: they ask to be paid, in the same words again, and capture, void and refund their payments. */
import type { Caller, Payment, Pointsman } from "@pointsman/core"
import { sampleRequest } from "@pointsman/core/testing"
import { Effect, Exit } from "effect"
import type { Asking, Order, Work } from "./Asked.ts"
import type { Draw } from "./Draw.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import { hour } from "./Time.ts"
import { short, tagOf } from "./Words.ts"
import { callers, production, sandbox, type World } from "./World.ts"

/** A merchant does not repeat a key that may have expired. */
const keyLivesAtLeast = 23 * hour

/** More would only make runs longer: what goes wrong, goes wrong between the writers of one payment. */
const ordersAtMost = 4

const shop = "https://shop.example/thanks"

export interface MerchantsOptions {
  /** How many of the payments are. */
  readonly hosted: number
  /** Whether every capture, void and refund is asked for under a key. */
  readonly areOperationsKeyed: boolean
  /** Whether they ask to be paid in the same words again. A clock that jumps ends the lives of their keys. */
  readonly areCreatesRepeated: boolean
}

export const makeMerchants = (
  world: World,
  { ask, hears }: Asking,
  { areCreatesRepeated, areOperationsKeyed, hosted }: MerchantsOptions
) => {
  const orders: Array<Order & { readonly request: Parameters<Pointsman["Service"]["create"]>[1] }> = []

  const unkeyed = areOperationsKeyed ? "key-0001" : null
  const keyed: Array<(process: MortalProcess) => void> = []

  /** Asks to be paid. `false` where that is another order, or one whose key may have run out: nothing was asked then. */
  const create = async (draw: Draw, process: MortalProcess) => {
    const again = orders.length >= ordersAtMost || draw.chance(0.4) ? draw.one(orders) : undefined
    // Without a key the same request is another order.
    const mayRepeat = areCreatesRepeated && again?.idempotencyKey !== null
    if (again !== undefined && !(mayRepeat && (await isKeyKept(world, again)))) return false
    const order = again ?? newOrder(draw)
    order.asked += 1
    const what = `create ${order.reference} of ${order.tenant}${order.idempotencyKey === null ? "" : " by key"}`
    ask(
      process,
      what,
      (pointsman) => pointsman.create(callerOf(order.tenant), order.request),
      (exit) => {
        hears(what)(exit)
        if (Exit.isFailure(exit) && tagOf(exit.cause) === "pointsman/NothingSent") order.unsent += 1
      }
    )
    return true
  }

  const newOrder = (draw: Draw) => {
    const tenant = draw.pick(["sandbox", "production"])
    const reference = `order-${orders.length + 1}`
    const idempotencyKey = draw.chance(0.6) ? `key-of-${reference}` : null
    const direct = sampleRequest({
      idempotencyKey,
      details: { captureMethod: draw.pick(["automatic", "manual", "manual"]), reference }
    })
    const request = draw.chance(hosted) ? { ...direct, returnUrl: shop } : direct
    const order = { tenant, reference, idempotencyKey, firstAskedAt: world.time.now(), asked: 0, unsent: 0, request }
    orders.push(order)
    return order
  }

  const operate = (draw: Draw, process: MortalProcess, payment: Payment) => {
    const caller = callerOf(payment.tenant.environment)
    const paymentId = payment.id
    const idempotencyKey = draw.pick([unkeyed, unkeyed, "key-0001", "key-0002"])
    const amountMinor = draw.pick([null, null, 1, 500, 1999])
    const by = idempotencyKey === null ? "" : ` by ${idempotencyKey}`
    const kind = draw.pick(["capture", "capture", "void", "refund", "refund", "refund"])
    const what = `${kind} ${kind === "void" ? "" : `${amountMinor ?? "all"} of `}${short(paymentId)}${by}`
    const order = { paymentId, idempotencyKey }
    const work: Work<{ readonly payment: Payment }> = (it) => {
      if (kind === "void") return it.void(caller, order)
      if (kind === "capture") return it.capture(caller, { ...order, amountMinor })
      return it.refund(caller, { ...order, amountMinor, reason: null })
    }
    const asking = (asked: MortalProcess) => ask(asked, what, work, hears(what))
    if (idempotencyKey !== null) keyed.push(asking)
    asking(process)
  }

  /** Asks in the same words for captures, voids and refunds that were asked for under a key. */
  const operateAgain = (draw: Draw) =>
    atOnce(world, draw, draw.pick([1, 2, 4]), (process) => draw.one(keyed)?.(process))

  /** Several at once on one payment, in as many processes as there are. */
  const operateAtOnce = (draw: Draw, payment: Payment) =>
    atOnce(world, draw, draw.pick([1, 1, 1, 2, 3]), (process) => operate(draw, process, payment))

  return { orders, create, operateAtOnce, operateAgain }
}

/**
 * The key of a charge that is open or unknown lives on, and a day longer once the charge ended. Any other lives a day
 * from its answer.
 */
const isKeyKept = async (world: World, { firstAskedAt, reference }: Order): Promise<boolean> => {
  if (world.time.now() - firstAskedAt <= keyLivesAtLeast) return true
  const made = (await paymentsIn(world)).filter((payment) => payment.reference === reference)
  return made.some(
    ({ settledAt, state }) => (state === "ChargeUnknown" || state === "ChargePending") && settledAt === null
  )
}

/** So often in a row, in any of the processes. */
export const atOnce = (world: World, draw: Draw, times: number, act: (process: MortalProcess) => void): void => {
  for (let count = times; count > 0; count--) {
    const process = draw.one(world.alive())
    if (process !== undefined) act(process)
  }
}

/** Of both tenants. */
export const paymentsIn = async (world: World): Promise<ReadonlyArray<Payment>> =>
  (await world.run(Effect.forEach(callers, ({ tenant }) => world.ledger.payments(tenant, { limit: 20 })))).flat()

const callerOf = (environment: "sandbox" | "production"): Caller => (environment === "sandbox" ? sandbox : production)
