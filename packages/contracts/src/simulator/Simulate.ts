/** Runs one seed: a world over a store of its own, a workload with faults, then rest, and then the judgement. */
import type { Environment, Ledger, ProviderMessage } from "@pointsman/core"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Option } from "effect"
import { type Boundary, type Crossing, type Fate, isWrite } from "./Boundary.ts"
import { answered, drawCourse, drawLookUp, type ProviderCall } from "./Course.ts"
import type { Draw } from "./Draw.ts"
import { judge } from "./Judge.ts"
import { type Postage, post } from "./Mail.ts"
import { type Fault, makePlan, type Plan, type PlanId, type Planned } from "./Plan.ts"
import { accepted, drawReception } from "./Receiver.ts"
import { comeToRest } from "./Rest.ts"
import { makeWorkload, short } from "./Workload.ts"
import { makeWorld, messageSecretOf, production, type Storage, sandbox, type World } from "./World.ts"

export interface SimulateOptions {
  /** A fresh and empty store for every run. */
  readonly storage: Storage
  /** A whole number. The same seed is the same run, to the last call. */
  readonly seed: number
  /** The steps and the faults of the plan that are not left out; all of them unless set. */
  readonly only?: ReadonlySet<PlanId> | undefined
  /** Told of everything that happens, a line at a time. */
  readonly listen?: ((line: string) => void) | undefined
}

export interface Simulated {
  readonly seed: number
  /** What is not as it must be, in sentences; empty when all is well. */
  readonly wrong: ReadonlyArray<string>
  /** The steps and the faults, as they came to pass. */
  readonly happened: ReadonlyArray<Planned>
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export const simulate = async (options: SimulateOptions): Promise<Simulated> => {
  const { only, seed, storage } = options
  const found: { world?: World; began: number } = { began: 0 }
  const elapsed = () => (found.world?.time.now() ?? 0) - found.began
  const plan = makePlan({ seed, only, elapsed })
  const { listen = () => {} } = options
  const tell = (line: string) => listen(`${elapsed()} ${line}`)

  const steps = 8 + plan.draw.below(28)
  const processes = 1 + plan.draw.below(3)
  // A look at nothing costs as much as a payment: what a commit makes due is sent without one, and steps sweep too.
  const backgroundEveryMillis = plan.draw.pick([10 * minute, 45 * minute, 3 * hour])
  const checkIntervals = plan.draw.pick([
    {},
    { unknownMillis: 10 * second, pendingMillis: minute, refundMillis: 10 * second, deadRequestMillis: minute }
  ])
  /** In milliseconds. */
  const slowest = plan.draw.pick([0, 3, 30])
  const rates = drawRates(plan.draw)
  const wrong: Array<string> = []
  const start = () => {
    if (found.world === undefined || plan.isOver() || found.world.alive().length >= 3) return
    found.world.start({ backgroundEveryMillis })
  }

  const world = await makeWorld({
    storage,
    seed,
    pointsman: { checkIntervals },
    hooks: {
      onBoundary: (boundary) => {
        tell(`${boundary.side} ${boundary.process} ${boundary.crossing}`)
        const fate = plan.fault(matters.has(boundary.crossing) ? rates.fate : rates.fate / 10, (draw) =>
          fateOf(draw, boundary)
        )
        if (fate === undefined || fate.fate !== "dies") return fate?.fate
        found.world?.time.after(fate.restartsAfter, start)
        return "dies"
      },
      onStorage: (crossing) =>
        plan.fault(crossing === "ledger.commit" ? rates.commit : rates.storage, (draw) => storageFault(draw, crossing)),
      latency: () => (slowest === 0 || plan.isOver() ? 0 : plan.jitter(slowest))
    },
    courseOf: (call) => {
      const course = plan.fault(rates.provider, (draw) => {
        const is = drawCourse(draw, call.name)
        return { is, words: `${call.name} of ${short(call.paymentId)} goes ${inWords(is)}` }
      })
      tell(`call ${call.name} ${call.id} goes ${inWords(course ?? answered)}`)
      return course ?? answered
    },
    lookUpOf: (id) =>
      plan.fault(rates.provider, (draw) => {
        const is = drawLookUp(draw)
        return { is, words: `a look-up of ${id} goes ${inWords(is)}` }
      }) ?? "told",
    onCall: (call, environment) =>
      Effect.suspend(() =>
        found.world === undefined ? Effect.succeed([]) : writtenBefore(found.world.ledger, call, environment)
      ).pipe(Effect.flatMap((what) => Effect.sync(() => void wrong.push(...what)))),
    onMessage: (connectionId, message) => {
      tell(`message ${message.id} of ${connectionId} about ${message.about._tag}`)
      mail?.(connectionId, message)
    },
    receptionOf: ({ headers, url }) => {
      const reception = plan.fault(rates.receiver, (draw) => {
        const is = drawReception(draw)
        return { is, words: `${new URL(url).hostname} takes an event so: ${inWords(is)}` }
      })
      tell(`webhook ${headers["x-service-event-id"]} to ${url}: ${inWords(reception ?? accepted)}`)
      return reception ?? accepted
    }
  })
  found.world = world
  found.began = world.time.now()
  const mail = post({
    time: world.time,
    secretOf: messageSecretOf,
    recipient: () => world.alive()[0],
    postageOf: (message) => postageOf(plan, rates.mail, message)
  })
  for (let count = 0; count < processes; count++) world.start({ backgroundEveryMillis })

  const workload = makeWorkload({ world, plan, listen: tell, backgroundEveryMillis })
  for (let number = 1; number <= steps; number++) {
    const draw = plan.step(number)
    if (draw !== undefined) await workload.step(draw)
  }
  await comeToRest(world, plan)
  wrong.push(...workload.wrong, ...(await judge(world, workload.orders, workload.told)))
  for (const line of wrong) tell(`wrong: ${line}`)
  await world.end()
  return { seed, wrong, happened: plan.happened }
}

/** How often what goes wrong, in this run: some runs have one kind of fault alone, and some have none. */
const drawRates = (draw: Draw) => ({
  fate: draw.pick([0, 0.02, 0.06]),
  commit: draw.pick([0, 0.05, 0.15]),
  storage: draw.pick([0, 0.01, 0.04]),
  provider: draw.pick([0, 0.3, 0.6]),
  receiver: draw.pick([0, 0.3, 0.6]),
  mail: draw.pick([0, 0.4, 0.9])
})

/** Where it matters most when a process dies: the rest is looks at what is due, and reads. */
const matters: ReadonlySet<Crossing> = new Set<Crossing>([
  "ledger.commit",
  "ledger.keepMessage",
  "deliveries.record",
  "deliveries.replace",
  "provider.charge",
  "provider.openCheckout",
  "provider.capture",
  "provider.void",
  "provider.refund",
  "receiver.send"
])

interface Blow {
  readonly fate: Fate
  /** Of a process that dies: when its supervisor starts another one, in milliseconds. */
  readonly restartsAfter: number
}

const fateOf = (draw: Draw, { crossing, process, side }: Boundary): Fault<Blow> => {
  const where = `process ${process} ${side} ${crossing}`
  if (draw.chance(0.6)) {
    const restartsAfter = draw.pick([second, minute, 30 * minute])
    return {
      is: { fate: "dies", restartsAfter },
      words: `${where}: dies, back after ${restartsAfter / second} s`
    }
  }
  const fate = draw.pick([second, 6 * second, 40 * second, 20 * minute])
  return {
    is: { fate, restartsAfter: 0 },
    words: `${where}: freezes for ${fate / second} s`
  }
}

const storageFault = (draw: Draw, crossing: Crossing): { readonly is: CommitFault; readonly words: string } => {
  const fault = (is: CommitFault) => ({ is, words: `${crossing}: ${inWords(is)}` })
  if (!isWrite(crossing)) return fault("unwritten")
  if (crossing !== "ledger.commit" && crossing !== "ledger.keepMessage") {
    return fault(draw.pick<CommitFault>(["unwritten", second]))
  }
  switch (draw.pick(["unwritten", "lost", "unheard", "late", "slow"])) {
    case "unwritten":
      return fault("unwritten")
    case "lost":
      return fault("lost")
    case "unheard":
      return fault("unheard")
    case "late":
      return fault({ landsAfter: draw.pick([0, 1, second, 20 * second]) })
    case "slow":
      return fault(draw.pick([1, 3 * second, 6 * second, 20 * minute]))
  }
}

const postageOf = (plan: Plan, rate: number, message: ProviderMessage): Postage => {
  const postage = plan.fault(rate, (draw): { readonly is: Postage; readonly words: string } => {
    const { _tag: about } = message.about
    const mayBeLost = about === "Charge" || about === "Refund"
    const is = draw.pick<Postage>([
      mayBeLost ? [] : [minute],
      [0, second],
      [10 * second],
      [hour],
      [minute, 5 * hour, 0]
    ])
    return {
      is,
      words: `message ${message.id} about a ${about} arrives after ${is.length === 0 ? "never" : is.map((millis) => `${millis / second} s`).join(" and ")}`
    }
  })
  return postage ?? [50]
}

/** What is sent is written before: the store itself is asked, as the call arrives. */
const writtenBefore = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  { id, name, paymentId }: ProviderCall,
  environment: Environment
) {
  const { tenant } = environment === "sandbox" ? sandbox : production
  const found = Option.getOrUndefined(yield* Effect.orDie(ledger.book(tenant, paymentId)))
  const entries =
    name === "refund" ? found?.refunds : name === "capture" || name === "void" ? found?.operations : found?.attempts
  return entries?.some((entry) => entry.id === id) === true
    ? []
    : [`${name} ${id} of ${short(paymentId)} was sent before it was written`]
})

const inWords = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
