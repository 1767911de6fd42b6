/** Runs one seed: a world over a store of its own, a workload with faults, then rest, and then the judgement. */
import type { ConnectorDefinition } from "@pointsman/core/ports"
import type { Boundary, Hooks } from "./Boundary.ts"
import { answered, drawHandling, drawLookUp } from "./CallHandling.ts"
import type { Look } from "./DisputeChecks.ts"
import { drawFrom } from "./Draw.ts"
import {
  drawBlow,
  drawCaptured,
  drawPostage,
  drawSkew,
  drawStorageFault,
  fateRate,
  inWords,
  ordinaryPostage,
  type Rates
} from "./Faults.ts"
import type { ApplyFile } from "./Furnish.ts"
import { journalsByStep } from "./JournalChecks.ts"
import { judge } from "./Judge.ts"
import { type Postage, post } from "./Mail.ts"
import { drawOutside, losesRecords, makeOutside, swapsAccounts } from "./outside/MakeOutside.ts"
import { type Acting, nothingActs, type Outside, type OutsideFault } from "./outside/Outside.ts"
import { makePlan, type Plan, type PlanId, type Planned } from "./Plan.ts"
import type { Letter } from "./ProviderMail.ts"
import { makeReading, readsReports } from "./ReadReports.ts"
import { accepted, drawReception } from "./Receiver.ts"
import { comeToRest } from "./Rest.ts"
import { drawRun, honest, processesAtMost, type Run, unheard, withPeople } from "./Run.ts"
import { makeTime, second, type Time } from "./Time.ts"
import { short } from "./Words.ts"
import { makeWorkload } from "./Workload.ts"
import { makeWorld, type Storage, type World, type WorldOptions } from "./World.ts"
import { callChecks } from "./WrittenBefore.ts"

export interface SimulateOptions {
  /** A fresh and empty store for every run. */
  readonly storage: Storage
  /** A whole number. The same seed is the same run, to the last call. */
  readonly seed: number
  /** The steps and the faults of the plan that are not left out; all of them unless set. */
  readonly only?: ReadonlySet<PlanId> | undefined
  /** The fault from outside, or none; drawn from the seed unless set. */
  readonly outside?: OutsideFault | "none" | undefined
  /** The connector of the provider protocol, for the runs behind a gateway; without it there are none. */
  readonly http?: ConnectorDefinition | undefined
  /** The connector that reaches the provider, given that of the provider itself; that one unless set. */
  readonly reached?: ((provider: ConnectorDefinition) => ConnectorDefinition) | undefined
  /** How a process applies its configuration file, for the runs in which files differ; without it there are none. */
  readonly applyFile?: ApplyFile | undefined
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

/** The stream of what differs from process to process, beside those of the plan. */
const skewStream = -1
/** The stream of which messages may be lost for good. */
const lossStream = -8
/** The stream of whether a run is about disputes. */
const disputeStream = -9
/** The stream of whether people act at the provider, and of what it knows then. */
const peopleStream = -10

export const simulate = async (options: SimulateOptions): Promise<Simulated> => {
  const { applyFile, http, listen = () => {}, only, seed, storage } = options
  const time = makeTime()
  const began = time.now()
  const elapsed = () => time.now() - began
  const plan = makePlan(seed, only, elapsed)
  const tell = (line: string) => listen(`${elapsed()} ${line}`)

  const fault = options.outside ?? drawOutside(seed)
  const people = drawFrom(seed, peopleStream)
  const hasPeople = people.chance(0.5) && !losesRecords(fault) && !swapsAccounts(fault)
  const drawn = runUnder(fault, drawRun(plan.draw))
  const run = hasPeople ? withPeople(drawn, people) : drawn
  if (hasPeople) tell(`people act at the provider, of which is so: ${JSON.stringify(run.ways)}`)
  const isChosen = options.outside !== undefined
  const outside = makeOutside(fault, { seed, steps: run.steps, plan, http, applyFile, isChosen })
  const { backgroundEveryMillis, rates, temper } = run
  const wrong: Array<string> = []
  let acting: Acting = nothingActs
  const looks: Array<Look> = []

  const world: World = await makeWorld({
    storage,
    seed,
    time,
    pointsman: { checkIntervals: run.checkIntervals },
    reached: (provider) => outside.reached(options.reached?.(provider) ?? provider),
    starting: outside.starting,
    jumps: () => acting.jumps,
    hooks: hooksAsDrawn(plan, run, tell, { time, acting: () => acting, restart: () => restart(), looks }),
    ...callsAsDrawn(plan, rates, tell, outside.handlingOf),
    onCall: callChecks({ world: () => world, acting: () => acting, wrong }),
    ways: run.ways,
    captures: (_, askedMinor) => plan.fault(rates.captured, (draw) => drawCaptured(draw, askedMinor)) ?? askedMinor,
    ...(run.reusesReferences ? { referenceOf: reusedReference(plan) } : {}),
    onLetter: (letter) => {
      tell(`message ${letter.id} of ${letter.connectionId} about ${letter.about}`)
      mail.send(letter)
    },
    receptionOf: receptionAsDrawn(plan, rates, tell)
  })
  const mail = post({
    ...{ time, recipient: () => world.alive()[0], postageOf: postageAsDrawn(plan, run, seed) }
  })
  const restart = () => {
    const waits = (acting.jumps?.startsFrom() ?? 0) - time.now()
    if (waits > 0) time.after(waits, restart)
    else if (!plan.isOver() && world.alive().length < processesAtMost) start()
  }
  const skew = skewsOf(seed, fault)
  const start = () => {
    const clockAheadMillis = skew()
    const process = world.start({ backgroundEveryMillis, clockAheadMillis, storeClock: acting.storeClock })
    const { number } = process
    if (clockAheadMillis !== 0) tell(`process ${number} has a clock that is ${clockAheadMillis / second} s ahead`)
    return process
  }
  acting = await outside.begin({ world, start })
  for (let count = 0; count < run.processes; count++) start()

  const workload = makeWorkload({
    ...{ world, plan, temper, heard: mail.heard, listen: tell, start },
    ...merchantsUnder(fault),
    isAboutDisputes: drawFrom(seed, disputeStream).chance(fault === "clock-jumps" ? 0.8 : 0.1),
    hasLostRecords: () => acting.lost() !== undefined,
    areCreatesRepeated: fault !== "clock-jumps",
    byHand: hasPeople ? run.ways : undefined
  })
  const reading = makeReading({ world, seed, start, listen: tell })
  const wrongJournals = journalsByStep(world, () => acting.lost() !== undefined)
  for (let number = 1; number <= run.steps; number++) {
    const draw = plan.step(number)
    await acting.before(number)
    if (draw !== undefined) await workload.step(draw)
    reading.askDue()
    wrong.push(...(await wrongJournals()))
  }
  await comeToRest({ world, plan, outside: acting, reading, lastStep: run.steps + 1 })
  wrong.push(
    ...[...workload.wrong, ...reading.wrong],
    ...(await judge({ world, seed, looks, workload, heard: mail.heard, outside: acting })),
    ...(await acting.judge())
  )
  for (const line of wrong) tell(`wrong: ${line}`)
  await world.end()
  return { seed, wrong, happened: plan.happened }
}

/** A process read the disputes that are due. */
const isLook = ({ crossing, side }: Boundary): boolean => crossing === "ledger.dueDisputes" && side === "after"

/** A loss, another account and a gateway: no list, no other account and no adapter there has what answered a dispute. */
const merchantsUnder = (fault: Fault) => ({
  losesRecords: losesRecords(fault),
  answersDisputes: !losesRecords(fault) && !swapsAccounts(fault) && fault !== "gateway"
})

type Fault = OutsideFault | "none" | undefined

const runUnder = (fault: Fault, drawn: Run): Run => {
  if (losesRecords(fault)) return honest(drawn)
  return swapsAccounts(fault) || fault === "clocks" ? unheard(drawn) : drawn
}

/** How far the clock of each process is ahead of the store's, in milliseconds. */
const skewsOf = (seed: number, fault: Fault): (() => number) => {
  const skews = drawFrom(seed, skewStream)
  const isSkewed = skews.chance(0.4) || fault === "clocks"
  return () => (isSkewed && fault !== "clock-jumps" ? drawSkew(skews) : 0)
}

type Tell = (line: string) => void

interface Surroundings {
  readonly time: Time
  readonly acting: () => Acting
  readonly restart: () => void
  readonly looks: Array<Look>
}

/** What happens to processes, and to what they ask of the store. */
const hooksAsDrawn = (
  plan: Plan,
  { rates, slowest }: Run,
  tell: Tell,
  { acting, looks, restart, time }: Surroundings
): Hooks => ({
  onBoundary: (boundary) => {
    tell(`${boundary.side} ${boundary.process} ${boundary.crossing}`)
    if (isLook(boundary)) looks.push({ at: time.now(), isCalm: plan.isOver() })
    const blow = plan.fault(fateRate(boundary, rates), (draw) => drawBlow(draw, boundary))
    if (blow?.fate === "dies") time.after(blow.restartsAfter, restart)
    return blow?.fate
  },
  onStorage: (crossing) =>
    plan.fault(crossing === "ledger.commit" ? rates.commit : rates.storage, (draw) => drawStorageFault(draw, crossing)),
  replacements: () => acting().replacements(),
  latency: () => (slowest === 0 || plan.isOver() ? 0 : plan.jitter(slowest))
})

/** How the provider handles calls and lookups. */
const callsAsDrawn = (
  plan: Plan,
  rates: Rates,
  tell: Tell,
  outside: Outside["handlingOf"] = () => undefined
): Required<Pick<WorldOptions, "handlingOf" | "lookUpOf">> => ({
  handlingOf: (call) => {
    const handling =
      outside(call) ??
      plan.fault(rates.provider, (draw) => {
        const is = drawHandling(draw, call.name)
        return { is, words: `${call.name} of ${short(call.paymentId)} goes ${inWords(is)}` }
      })
    tell(`call ${call.name} ${call.id} goes ${inWords(handling ?? answered)}`)
    return handling ?? answered
  },
  lookUpOf: (id) =>
    plan.fault(rates.provider, (draw) => {
      const is = drawLookUp(draw)
      return { is, words: `a lookup of ${id} goes ${inWords(is)}` }
    }) ?? "told"
})

/** How a message of the provider gets here. In some runs reports alone say what it said. */
const postageAsDrawn = (plan: Plan, { rates, temper }: Run, seed: number) => {
  // Of a charge under review no row decides anything.
  const isHonest = temper === "honest" && rates.captured === 0
  const isLeftToReports = isHonest && readsReports(seed) && drawFrom(seed, lossStream).chance(0.6)
  return (letter: Letter): Postage => {
    const mayBeLost = letter.mayBeLost || (isLeftToReports && letter.isReported)
    return plan.fault(rates.mail, (draw) => drawPostage(draw, { ...letter, mayBeLost })) ?? ordinaryPostage
  }
}

/** How a merchant's endpoint takes an event. */
const receptionAsDrawn =
  (plan: Plan, rates: Rates, tell: Tell): NonNullable<WorldOptions["receptionOf"]> =>
  ({ headers, url }) => {
    const reception = plan.fault(rates.receiver, (draw) => {
      const is = drawReception(draw)
      return { is, words: `${new URL(url).hostname} takes an event so: ${inWords(is)}` }
    })
    tell(`webhook ${headers["x-service-event-id"]} to ${url}: ${inWords(reception ?? accepted)}`)
    return reception ?? accepted
  }

/** Half of the charges of a connection have the reference of an earlier one. */
const reusedReference = (plan: Plan) => (attemptId: string, others: ReadonlyArray<string>) =>
  plan.fault(others.length === 0 ? 0 : 0.5, (draw) => {
    const is = draw.one(others) ?? ""
    return { is, words: `the reference ${is} is used again` }
  }) ?? `ch_${attemptId}`
