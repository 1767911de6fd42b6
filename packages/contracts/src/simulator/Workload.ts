/**
 * What merchants, customers and operators do: one step at a time, drawn from the plan. Nobody waits for an answer before
 * the next step.
 */
import type { Caller, Payment, Pointsman } from "@pointsman/core"
import type { ChargeState } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import { Cause, Effect, Exit } from "effect"
import type { Order, Told } from "./Asked.ts"
import type { Draw } from "./Draw.ts"
import { drawAct, type Temper } from "./DrawAct.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import type { Plan } from "./Plan.ts"
import { actInWords } from "./ProviderActs.ts"
import { type Filed, type Letter, secretHeader, writeProviderMessage } from "./ProviderMail.ts"
import { short, tagOf, wordOf } from "./Words.ts"
import { callers, messageSecretOf, production, sandbox, type World } from "./World.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Nobody asks again under a key that may have run out. */
const keyLivesAtLeast = 23 * hour

/** More would only make runs longer: what goes wrong, goes wrong between the writers of one payment. */
const ordersAtMost = 4

const shop = "https://shop.example/thanks"
const returnUrl = "https://pay.example/hosted/token/return"

export interface WorkloadOptions {
  readonly world: World
  readonly plan: Plan
  readonly temper: Temper
  /** The provider's messages that were taken. */
  readonly heard: ReadonlySet<Letter>
  /** Told of every question and every answer that was heard. */
  readonly listen: (line: string) => void
  /** In milliseconds, of the background of every process. */
  readonly backgroundEveryMillis: number
}

export interface Workload {
  readonly orders: ReadonlyArray<Order>
  /** Every success that somebody heard. */
  readonly told: ReadonlyArray<Told>
  /** What other connections wrote, as far as it was taken. */
  readonly lies: ReadonlyArray<Filed>
  /** What could not be explained as it happened. */
  readonly wrong: ReadonlyArray<string>
  readonly step: (draw: Draw) => Promise<void>
}

type Work<A> = (pointsman: Pointsman["Service"]) => Effect.Effect<A, unknown>

export const makeWorkload = ({
  backgroundEveryMillis,
  heard,
  listen,
  plan,
  temper,
  world
}: WorkloadOptions): Workload => {
  const { provider, time } = world
  const { hosted, kinds } = plan.draw.pick(abouts)
  const orders: Array<Order & { readonly request: Parameters<Pointsman["Service"]["create"]>[1] }> = []
  const told: Array<Told> = []
  const wrong: Array<string> = []
  /** Whose customers were sent to the provider's checkout: nobody else knows its address. */
  const sentToCheckout = new Set<string>()
  const lies: Array<Filed> = []
  let liesTold = 0

  const ask = <A>(
    process: MortalProcess,
    what: string,
    work: Work<A>,
    onEnd?: (exit: Exit.Exit<A, unknown>) => void
  ) => {
    plan.note(`process ${process.number}: ${what}`)
    listen(`asks ${process.number} ${what}`)
    process.ask(work, (exit) => {
      listen(`hears ${process.number} ${what}: ${wordOf(exit)}`)
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
        wrong.push(`${what} broke: ${String(Cause.squash(exit.cause))}`)
      }
      onEnd?.(exit)
    })
  }

  const hears =
    (what: string) =>
    (exit: Exit.Exit<{ readonly payment: Payment }, unknown>): void => {
      if (Exit.isSuccess(exit)) told.push({ what, payment: exit.value.payment })
    }

  const create = async (draw: Draw, process: MortalProcess) => {
    const again = orders.length >= ordersAtMost || draw.chance(0.4) ? draw.one(orders) : undefined
    // Without a key the same request is another order.
    if (again !== undefined && (again.idempotencyKey === null || !(await isKeyKept(again)))) return passTime(draw)
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
  }

  /** The key of a charge that nobody knows lives on, and a day longer once it is known; else from its answer. */
  const isKeyKept = async ({ firstAskedAt, reference }: Order): Promise<boolean> => {
    if (time.now() - firstAskedAt <= keyLivesAtLeast) return true
    const made = (await payments()).filter((payment) => payment.reference === reference)
    return made.some(({ settledAt, state }) => state === "ChargeUnknown" && settledAt === null)
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
    const order = { tenant, reference, idempotencyKey, firstAskedAt: time.now(), asked: 0, unsent: 0, request }
    orders.push(order)
    return order
  }

  const payments = (): Promise<ReadonlyArray<Payment>> =>
    world.run(
      Effect.map(
        Effect.forEach(callers, ({ tenant }) => world.ledger.payments(tenant, { limit: 20 })),
        flat
      )
    )

  const operate = (draw: Draw, process: MortalProcess, payment: Payment) => {
    const caller = callerOf(payment.tenant.environment)
    const paymentId = payment.id
    const idempotencyKey = draw.pick([null, null, "key-0001", "key-0002"])
    const amountMinor = draw.pick([null, null, 1, 500, 1999])
    const of = `${short(paymentId)}${idempotencyKey === null ? "" : ` by ${idempotencyKey}`}`
    const amount = amountMinor === null ? "all" : String(amountMinor)
    switch (draw.pick(["capture", "capture", "void", "refund", "refund", "refund"])) {
      case "capture": {
        const what = `capture ${amount} of ${of}`
        return ask(process, what, (it) => it.capture(caller, { paymentId, idempotencyKey, amountMinor }), hears(what))
      }
      case "void": {
        const what = `void ${of}`
        return ask(process, what, (it) => it.void(caller, { paymentId, idempotencyKey }), hears(what))
      }
      case "refund": {
        const what = `refund ${amount} of ${of}`
        const order = { paymentId, idempotencyKey, amountMinor, reason: null }
        return ask(process, what, (it) => it.refund(caller, order), hears(what))
      }
    }
  }

  const visit = (draw: Draw, process: MortalProcess, payment: Payment) => {
    const { id } = payment
    const onPage =
      <A>(work: (it: Pointsman["Service"], token: string) => Effect.Effect<A, unknown>): Work<A> =>
      (it) =>
        Effect.flatMap(it.pageToken(id), (token) => work(it, token))
    const isAtCheckout = sentToCheckout.has(id)
    if (draw.chance(0.1)) {
      const what = `cancel the page of ${short(id)}`
      return ask(
        process,
        what,
        onPage((it, token) => it.actOnHostedPage(token, { _tag: "Cancel" })),
        hears(what)
      )
    }
    if (draw.chance(isAtCheckout ? 0.6 : 0.1)) {
      const what = `come back from the checkout of ${short(id)}`
      return ask(
        process,
        what,
        onPage((it, token) => it.returnFromCheckout(token)),
        hears(what)
      )
    }
    if (payment.tenant.environment === "sandbox") {
      const what = `approve on the page of ${short(id)}`
      return ask(
        process,
        what,
        onPage((it, token) => it.actOnHostedPage(token, { _tag: "Approve" })),
        hears(what)
      )
    }
    return ask(
      process,
      `open the checkout of ${short(id)}`,
      onPage((it, token) => it.openCheckout(token, returnUrl)),
      (exit) => {
        if (Exit.isSuccess(exit) && exit.value._tag === "Redirect") sentToCheckout.add(id)
      }
    )
  }

  const redeliver = (draw: Draw, process: MortalProcess) => {
    const { tenant } = draw.pick(callers)
    ask(process, `send webhooks of ${tenant.environment} again`, redeliverAll(tenant))
  }

  const start = () => {
    plan.note("one more process starts")
    world.start({ backgroundEveryMillis })
  }

  /** Several at once on one payment, in as many processes as there are. */
  const operateAtOnce = (draw: Draw, payment: Payment) => {
    for (let count = draw.pick([1, 1, 1, 2, 3]); count > 0; count--) {
      const process = draw.one(world.alive())
      if (process !== undefined) operate(draw, process, payment)
    }
  }

  /** Somebody writes who is not the payment's provider: another connection in its own name, or a stranger in its name. */
  const lie = (draw: Draw, process: MortalProcess) => {
    const charge = draw.one([...provider.charges.values()])
    if (charge === undefined) return
    const { attemptId, connectionId, money, providerRef } = charge
    const isStranger = draw.chance(0.3)
    const [role, environment] = connectionId.split("-", 2)
    const liar = isStranger ? connectionId : `${role === "main" ? "backup" : "main"}-${environment}`
    const state = draw.pick<ChargeState>([
      { _tag: "Captured", providerRef, stated: money },
      { _tag: "Canceled", providerRef }
    ])
    liesTold += 1
    const id = `lie_${liesTold}`
    const body = writeProviderMessage({
      id,
      at: time.now(),
      about: { _tag: "Charge", charge: { attemptId }, state: () => state }
    })
    const headers = { [secretHeader]: isStranger ? "psst" : messageSecretOf(liar) }
    const what = `${isStranger ? "a stranger" : liar} claims that the charge of ${short(charge.paymentId)} is ${state._tag}`
    ask(
      process,
      what,
      (it) => Effect.flatMap(it.verifyMessage({ connectionId: liar, headers, body }), it.recordMessage),
      (exit) => {
        if (!Exit.isSuccess(exit)) return
        if (isStranger) wrong.push(`${what}, and was believed`)
        else lies.push({ connectionId: liar, id, storedAs: "unmatched" })
      }
    )
  }

  /** The background looks at what is due meanwhile, now and then. */
  const passTime = async (draw: Draw) => {
    const millis = draw.chance(0.04)
      ? 25 * hour
      : draw.pick([1, 2, 10, second, 6 * second, 31 * second, minute, 5 * minute, 16 * minute, 70 * minute])
    plan.note(`${millis / second} s pass`)
    for (let piece = 0; piece < 3; piece++) {
      await time.pass(Math.ceil(millis / 3))
      const process = draw.chance(0.25) ? draw.one(world.alive()) : undefined
      process?.ask((pointsman) => pointsman.checkDue)
    }
  }

  const begin = async (draw: Draw, kind: Exclude<Kind, "pass">): Promise<void> => {
    const process = draw.one(world.alive())
    if (kind === "start" || process === undefined) {
      if (world.alive().length < 3) start()
      return
    }
    switch (kind) {
      case "die":
        plan.note(`process ${process.number} dies`)
        return process.die()
      case "create":
        return create(draw, process)
      case "check":
        return ask(process, "check", (pointsman) => pointsman.checkDue)
      case "redeliver":
        return redeliver(draw, process)
      case "lie":
        return lie(draw, process)
      case "act": {
        const act = drawAct(draw, { ...provider, heard }, temper)
        if (act === undefined) return passTime(draw)
        plan.note(`the provider ${actInWords(act)}`)
        return provider.act(act)
      }
    }
    const all = await payments()
    const fits = (payment: Payment): boolean =>
      kind === "visit" ? payment.hosted !== null : kind !== "pay" || sentToCheckout.has(payment.id)
    const payment = draw.one(all.filter(fits)) ?? draw.one(all)
    if (payment === undefined) return passTime(draw)
    const name = short(payment.id)
    if (!fits(payment) || kind === "operate") return operateAtOnce(draw, payment)
    switch (kind) {
      case "visit":
        return visit(draw, process, payment)
      case "pay": {
        const later = draw.pick([null, null, 2 * minute, 5 * hour])
        const becomes = draw.pick(["done", "done", "refused"])
        plan.note(`the customer of ${name} pays at the provider: ${becomes}`)
        return provider.pay(payment.id, { becomes, later })
      }
    }
  }

  const step = async (draw: Draw): Promise<void> => {
    const kind = orders.length === 0 ? "create" : (draw.one(kinds) ?? "pass")
    if (kind === "pass") return passTime(draw)
    await begin(draw, kind)
    // Many steps begin while those before them are under way.
    const millis = draw.pick([null, 0, 0, 10, 100])
    if (millis !== null) await time.pass(millis)
  }

  return { orders, told, lies, wrong, step }
}

type Kind = "create" | "operate" | "visit" | "pay" | "pass" | "check" | "act" | "redeliver" | "lie" | "die" | "start"

/** How often each, among the others. */
const kindsBy = (weights: Readonly<Partial<Record<Kind, number>>>): ReadonlyArray<Kind> =>
  Object.entries({ check: 2, act: 4, redeliver: 1, lie: 1, die: 1, start: 1, ...weights }).flatMap(([kind, weight]) =>
    Array<Kind>(weight).fill(kind as Kind)
  )

interface About {
  /** How many of the payments are hosted. */
  readonly hosted: number
  readonly kinds: ReadonlyArray<Kind>
}

/** What a run is mostly about. */
const abouts: readonly [About, ...ReadonlyArray<About>] = [
  { hosted: 0.3, kinds: kindsBy({ create: 6, operate: 10, visit: 4, pay: 3, pass: 8 }) },
  { hosted: 0.05, kinds: kindsBy({ create: 3, operate: 16, pass: 8 }) },
  { hosted: 0.9, kinds: kindsBy({ create: 4, operate: 4, visit: 12, pay: 6, pass: 8 }) },
  { hosted: 0.1, kinds: kindsBy({ create: 3, operate: 10, act: 14, pass: 5 }) }
]

/** Whatever was refused or given up. */
export const redeliverAll =
  (tenant: Caller["tenant"]): Work<void> =>
  (pointsman) =>
    Effect.gen(function* () {
      for (const state of ["Refused", "GivenUp"] as const) {
        const { items } = yield* pointsman.deliveries(tenant, { state, limit: 100 })
        for (const { id } of items) yield* Effect.ignore(pointsman.redeliver(tenant, id))
      }
    })

const callerOf = (environment: "sandbox" | "production"): Caller => (environment === "sandbox" ? sandbox : production)

const flat = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => lists.flat()
