/** Runs one seed: a world over a store of its own, a workload with faults, then rest, and then the judgement. */
import type { Environment, PointsmanOptions } from "@pointsman/core"
import type { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { answered, drawHandling, drawLookUp, type ProviderCall } from "./CallHandling.ts"
import { type Draw, drawFrom } from "./Draw.ts"
import type { Temper } from "./DrawAct.ts"
import {
  drawBlow,
  drawCaptured,
  drawPostage,
  drawRates,
  drawSkew,
  drawStorageFault,
  fateRate,
  inWords,
  ordinaryPostage,
  type Rates
} from "./Faults.ts"
import { judge } from "./Judge.ts"
import { post } from "./Mail.ts"
import { makePlan, type Plan, type PlanId, type Planned } from "./Plan.ts"
import type { ProviderWays } from "./ProviderMessages.ts"
import { accepted, drawReception } from "./Receiver.ts"
import { comeToRest } from "./Rest.ts"
import { makeTime } from "./Time.ts"
import { short } from "./Words.ts"
import { makeWorkload } from "./Workload.ts"
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

/** The stream of what differs from process to process, beside those of the plan. */
const skewStream = -1

/** No run has more at once. */
const processesAtMost = 3

export const simulate = async (options: SimulateOptions): Promise<Simulated> => {
  const { listen = () => {}, only, seed, storage } = options
  const time = makeTime()
  const began = time.now()
  const elapsed = () => time.now() - began
  const plan = makePlan({ seed, only, elapsed })
  const tell = (line: string) => listen(`${elapsed()} ${line}`)

  const run = drawRun(plan.draw)
  const { backgroundEveryMillis, rates, slowest, temper } = run
  const wrong: Array<string> = []

  const world: World = await makeWorld({
    storage,
    seed,
    time,
    pointsman: { checkIntervals: run.checkIntervals },
    hooks: {
      onBoundary: (boundary) => {
        tell(`${boundary.side} ${boundary.process} ${boundary.crossing}`)
        const blow = plan.fault(fateRate(boundary, rates), (draw) => drawBlow(draw, boundary))
        if (blow?.fate === "dies") time.after(blow.restartsAfter, restart)
        return blow?.fate
      },
      onStorage: (crossing) =>
        plan.fault(crossing === "ledger.commit" ? rates.commit : rates.storage, (draw) =>
          drawStorageFault(draw, crossing)
        ),
      latency: () => (slowest === 0 || plan.isOver() ? 0 : plan.jitter(slowest))
    },
    handlingOf: (call) => {
      const handling = plan.fault(rates.provider, (draw) => {
        const is = drawHandling(draw, call.name)
        return { is, words: `${call.name} of ${short(call.paymentId)} goes ${inWords(is)}` }
      })
      tell(`call ${call.name} ${call.id} goes ${inWords(handling ?? answered)}`)
      return handling ?? answered
    },
    lookUpOf: (id) =>
      plan.fault(rates.provider, (draw) => {
        const is = drawLookUp(draw)
        return { is, words: `a look-up of ${id} goes ${inWords(is)}` }
      }) ?? "told",
    onCall: (call, environment) =>
      Effect.flatMap(writtenBefore(world.ledger, call, environment), (what) =>
        Effect.sync(() => void wrong.push(...what))
      ),
    ways: run.ways,
    captures: (_, askedMinor) => plan.fault(rates.captured, (draw) => drawCaptured(draw, askedMinor)) ?? askedMinor,
    ...(run.reusesReferences ? { referenceOf: reusedReference(plan) } : {}),
    onLetter: (letter) => {
      tell(`message ${letter.id} of ${letter.connectionId} about ${letter.about}`)
      mail.send(letter)
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
  const mail = post({
    time,
    secretOf: messageSecretOf,
    recipient: () => world.alive()[0],
    postageOf: (letter) => plan.fault(rates.mail, (draw) => drawPostage(draw, letter)) ?? ordinaryPostage
  })
  const restart = () => {
    if (!plan.isOver() && world.alive().length < processesAtMost) start()
  }
  const skews = drawFrom(seed, skewStream)
  const hasSkewedClocks = skews.chance(0.4)
  const start = () => {
    const clockAheadMillis = hasSkewedClocks ? drawSkew(skews) : 0
    const { number } = world.start({ backgroundEveryMillis, clockAheadMillis })
    if (clockAheadMillis !== 0) tell(`process ${number} has a clock that is ${clockAheadMillis / second} s ahead`)
  }
  for (let count = 0; count < run.processes; count++) start()

  const workload = makeWorkload({ world, plan, temper, heard: mail.heard, listen: tell, backgroundEveryMillis })
  for (let number = 1; number <= run.steps; number++) {
    const draw = plan.step(number)
    if (draw !== undefined) await workload.step(draw)
  }
  await comeToRest(world, plan)
  wrong.push(...workload.wrong, ...(await judge(world, workload, mail.heard)))
  for (const line of wrong) tell(`wrong: ${line}`)
  await world.end()
  return { seed, wrong, happened: plan.happened }
}

/** What holds for the whole run. */
interface Run {
  readonly steps: number
  /** How many there are at first. */
  readonly processes: number
  readonly backgroundEveryMillis: number
  readonly checkIntervals: PointsmanOptions["checkIntervals"]
  /** The longest way to the store, a provider or a receiver, in milliseconds. */
  readonly slowest: number
  readonly rates: Rates
  readonly ways: ProviderWays
  readonly temper: Temper
  readonly reusesReferences: boolean
}

const drawRun = (draw: Draw): Run => {
  const steps = 8 + draw.below(28)
  const processes = 1 + draw.below(processesAtMost)
  // A look at nothing costs as much as a payment: what a commit makes due is sent without one, and steps check too.
  const backgroundEveryMillis = draw.pick([10 * minute, 45 * minute, 3 * hour])
  const checkIntervals = draw.pick([
    {},
    { unknownMillis: 10 * second, pendingMillis: minute, refundMillis: 10 * second, deadRequestMillis: minute }
  ])
  const slowest = draw.pick([0, 3, 30])
  const rates = drawRates(draw)
  const ways: ProviderWays = {
    writesOfOperations: draw.chance(0.4),
    answersWithoutAmounts: draw.chance(0.3),
    namesByReference: draw.chance(0.4)
  }
  const temper = draw.pick<Temper>(["honest", "contradictory", "contradictory"])
  // Of a charge whose reference is contested the judge asks for a review alone, so most runs are without.
  const reusesReferences = temper === "contradictory" && draw.chance(0.2)
  return { steps, processes, backgroundEveryMillis, checkIntervals, slowest, rates, ways, temper, reusesReferences }
}

/** Half of the charges of a connection have the reference of an earlier one. */
const reusedReference = (plan: Plan) => (attemptId: string, others: ReadonlyArray<string>) =>
  plan.fault(others.length === 0 ? 0 : 0.5, (draw) => {
    const is = draw.one(others) ?? ""
    return { is, words: `the reference ${is} is used again` }
  }) ?? `ch_${attemptId}`

/**
 * What is sent is written before: the store itself is asked, as the call arrives. It is asked for the id alone: of two
 * payments with one reference, the provider takes what is sent under it to be about the first one.
 */
const writtenBefore = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  { id, name, paymentId }: ProviderCall,
  environment: Environment
) {
  const { tenant } = environment === "sandbox" ? sandbox : production
  const subject =
    name === "refund"
      ? { refundId: id }
      : name === "capture" || name === "void"
        ? { operationId: id }
        : { attemptId: id }
  const found = yield* Effect.orDie(ledger.bookOf(tenant, subject))
  return Option.isSome(found) ? [] : [`${name} ${id} of ${short(paymentId)} was sent before it was written`]
})
