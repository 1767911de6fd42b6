/**
 * What merchants, customers and operators do: one step at a time, drawn from the plan. No step waits for the answer to
 * the one before.
 */
import type { Caller, Payment } from "@pointsman/core"
import { Effect } from "effect"
import { makeAsking, type Work } from "./Asked.ts"
import type { ProviderWays } from "./CallHandling.ts"
import { makeCustomers } from "./Customers.ts"
import type { Draw } from "./Draw.ts"
import { drawAct, drawByHand, drawDispute, type Temper } from "./DrawAct.ts"
import { makeLiars } from "./Liars.ts"
import type { Taken } from "./Mail.ts"
import { makeMerchantDisputes } from "./MerchantDisputes.ts"
import { makeMerchants, paymentsIn } from "./Merchants.ts"
import type { Plan } from "./Plan.ts"
import { actInWords, type ProviderAct } from "./ProviderActs.ts"
import type { Letter } from "./ProviderMail.ts"
import { hour, minute, second } from "./Time.ts"
import { callers, type World } from "./World.ts"

/** In how many of the steps after a loss. */
const repeatShare = 0.7

export interface WorkloadOptions {
  readonly world: World
  readonly plan: Plan
  readonly temper: Temper
  /** The provider's messages that were taken. */
  readonly heard: ReadonlyMap<Letter, Taken>
  /** Told of every question and every answer that was heard. */
  readonly listen: (line: string) => void
  /** Starts a process like the others. */
  readonly start: () => unknown
  /** Whether the store loses records in this run: operations have keys. */
  readonly losesRecords: boolean
  /** Whether most steps are about disputes. */
  readonly isAboutDisputes: boolean
  /** Whether merchants answer disputes: they need a provider that is reached as it is, with the records of the store. */
  readonly answersDisputes: boolean
  /** Whether it lost them by now: merchants whose requests are lost with them ask again. */
  readonly hasLostRecords: () => boolean
  /** Whether merchants ask to be paid in the same words again. */
  readonly areCreatesRepeated: boolean
  /** How its provider differs from others, where people act there; `undefined` where none do. */
  readonly byHand: ProviderWays | undefined
}

export type Workload = ReturnType<typeof makeWorkload>

export const makeWorkload = (options: WorkloadOptions) => {
  const { byHand, losesRecords: areOperationsKeyed, plan, temper, world } = options
  const { provider, time } = world
  const { hosted, kinds: planned } = options.isAboutDisputes ? disputing : plan.draw.pick(abouts)
  const kinds = byHand === undefined ? planned : [...planned, ...Array<Kind>(6).fill("person")]
  const asking = makeAsking(plan, options.listen)
  const { ask, told, wrong } = asking
  const merchants = makeMerchants(world, asking, { ...options, hosted, areOperationsKeyed })
  const disputes = makeMerchantDisputes(world, asking)
  const customers = makeCustomers(provider, plan, asking)
  const liars = makeLiars(world, asking)

  const startOneMore = () => {
    plan.note("one more process starts")
    options.start()
  }

  const begin = async (draw: Draw, kind: Exclude<Kind, "pass">): Promise<void> => {
    const process = draw.one(world.alive())
    if (kind === "start" || process === undefined) {
      if (world.alive().length < 3) startOneMore()
      return
    }
    switch (kind) {
      case "die":
        plan.note(`process ${process.number} dies`)
        return process.die()
      case "create":
        if (!(await merchants.create(draw, process))) await passTime(draw, world, plan)
        return
      case "check":
        return ask(process, "check", (pointsman) => pointsman.checkDue)
      case "redeliver": {
        const { tenant } = draw.pick(callers)
        return ask(process, `send webhooks of ${tenant.environment} again`, redeliverAll(tenant))
      }
      case "lie":
        return liars.lie(draw, process)
      case "answer":
        if (!(options.answersDisputes && (await disputes.answer(draw)))) await passTime(draw, world, plan)
        return
      case "dispute":
      case "person":
      case "act": {
        const act = actOf(draw, kind)
        if (act === undefined) return passTime(draw, world, plan)
        plan.note(`${kind === "person" ? "at" : ""} the provider ${actInWords(act)}`.trim())
        return provider.act(act)
      }
    }
    const all = await paymentsIn(world)
    const fits = (payment: Payment): boolean =>
      kind === "visit" ? payment.hosted !== null : kind !== "pay" || customers.isSentToCheckout(payment)
    const payment = draw.one(all.filter(fits)) ?? draw.one(all)
    if (payment === undefined) return passTime(draw, world, plan)
    if (!fits(payment) || kind === "operate") return merchants.operateAtOnce(draw, payment)
    return kind === "visit" ? customers.visit(draw, process, payment) : customers.pay(draw, payment)
  }

  const actOf = (draw: Draw, kind: "act" | "dispute" | "person"): ProviderAct | undefined => {
    if (kind === "act") return drawAct(draw, { ...provider, heard: options.heard }, temper)
    return kind === "dispute" || byHand === undefined ? drawDispute(draw, provider) : drawByHand(draw, provider, byHand)
  }

  const step = async (draw: Draw): Promise<void> => {
    const kind = merchants.orders.length === 0 ? "create" : (draw.one(kinds) ?? "pass")
    if (kind === "pass") return passTime(draw, world, plan)
    if (options.hasLostRecords() && draw.chance(repeatShare)) merchants.operateAgain(draw)
    await begin(draw, kind)
    // Many steps begin while those before them are under way.
    const millis = draw.pick([null, 0, 0, 10, 100])
    if (millis !== null) await time.pass(millis)
  }

  return { orders: merchants.orders, told, toldOfDisputes: disputes.told, lies: liars.lies, wrong, step }
}

/** The background looks at what is due meanwhile, now and then. */
const passTime = async (draw: Draw, { alive, time }: World, plan: Plan): Promise<void> => {
  const millis = draw.chance(0.04)
    ? 25 * hour
    : draw.pick([1, 2, 10, second, 6 * second, 31 * second, minute, 5 * minute, 16 * minute, 70 * minute])
  plan.note(`${millis / second} s pass`)
  for (let piece = 0; piece < 3; piece++) {
    await time.pass(Math.ceil(millis / 3))
    const process = draw.chance(0.25) ? draw.one(alive()) : undefined
    process?.ask((pointsman) => pointsman.checkDue)
  }
}

type Kind =
  | "create"
  | "operate"
  | "visit"
  | "pay"
  | "pass"
  | "check"
  | "act"
  | "dispute"
  | "person"
  | "answer"
  | "redeliver"
  | "lie"
  | "die"
  | "start"

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

/** Merchants answer disputes. */
const disputing: About = {
  hosted: 0.05,
  kinds: kindsBy({ create: 4, operate: 2, act: 2, dispute: 8, answer: 14, pass: 8 })
}

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
