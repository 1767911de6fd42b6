/**
 * Runs simulations: `npm run simulate -- --seed 1 --count 1000 --storage memory`. It exits with 1 when a seed is wrong,
 * and prints the first of them, as small as it can be made.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { applyConfiguration } from "@pointsman/configuration"
import { http } from "@pointsman/connector-http"
import {
  losingFaults,
  outsideFaults,
  type PlanId,
  report,
  type SimulateOptions,
  shrink,
  simulate
} from "@pointsman/contracts/simulator"
import { Clock, Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { openStorage, type SharedStorage, shareStorage, storageNames } from "./simulate/Storages.ts"
import { runSeeds } from "./simulate/Threads.ts"
import type { WrongSeed } from "./simulate/Worker.ts"

const flags = {
  seed: Flag.Int("seed").pipe(Flag.withDescription("The first seed"), Flag.withDefault(1)),
  count: Flag.Int("count").pipe(
    Flag.withDescription("How many seeds, one after the other"),
    Flag.filter(
      (count) => count >= 1,
      () => "1 or more"
    ),
    Flag.withDefault(1)
  ),
  storage: Flag.Literals("storage", storageNames).pipe(
    Flag.withDescription("The store to run over"),
    Flag.withDefault("memory")
  ),
  only: Flag.String("only").pipe(
    Flag.withMetavar("ids"),
    Flag.withDescription(
      "The steps and faults of the plan that are not left out, as a failure names them; of one seed"
    ),
    Flag.withDefault("")
  ),
  outside: Flag.Literals("outside", ["drawn", "none", ...outsideFaults]).pipe(
    Flag.withDescription("The fault from outside that every run has; drawn for a few runs unless set"),
    Flag.withDefault("drawn")
  ),
  trace: Flag.Boolean("trace").pipe(
    Flag.withDescription("Print everything that happens; of one seed"),
    Flag.withDefault(false),
    Flag.withoutNegation
  )
}

type Outside = SimulateOptions["outside"]

/** What the simulator is given of other packages. */
const parts: Pick<SimulateOptions, "http" | "applyFile"> = { http, applyFile: applyConfiguration }

/** Between two lines of progress, in milliseconds. */
const progressEvery = 5_000

const seedsOf = (wrong: ReadonlyArray<WrongSeed>): string => wrong.map(({ seed }) => seed).join(", ")

const numberText = (value: number): string => Math.round(value).toLocaleString("en-US")

const simulateSeeds = Effect.fnUntraced(function* (options: {
  readonly seed: number
  readonly count: number
  readonly storage: SharedStorage
  readonly outside: Outside
}) {
  const { count, outside, seed: first, storage } = options
  const console = yield* Console.Console
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  const seconds = () => Math.max(0.001, (clock.currentTimeMillisUnsafe() - began) / 1_000)
  let toldAt = 0
  const onProgress = (done: number, wrong: ReadonlyArray<WrongSeed>) => {
    if (seconds() * 1_000 < toldAt + progressEvery) return
    toldAt = seconds() * 1_000
    const rate = numberText(done / seconds())
    const found = wrong.length === 0 ? "none wrong" : `wrong: ${seedsOf(wrong)}`
    console.error(`${numberText(done)} of ${numberText(count)} seeds on ${storage.name}, ${rate} a second, ${found}`)
  }
  const wrong = yield* Effect.promise(() => runSeeds({ storage, outside, first, count, onProgress }))
  const told = `${numberText(count)} seeds on ${storage.name}, from ${first}, in ${seconds().toFixed(0)} s`
  console.log(`${told} (${numberText(count / seconds())} a second): ${wrong.length} wrong`)
  return wrong
})

const explain = (shared: SharedStorage, seed: number, only: ReadonlySet<PlanId> | undefined, outside: Outside) =>
  Effect.promise(async () => {
    const storageOf = await openStorage(shared)
    const options = { storage: storageOf(seed), seed, only, outside, ...parts }
    const first = await simulate(options)
    if (first.wrong.length === 0) return undefined
    const shrunk = await shrink(options, first)
    const chosen = outside === undefined ? "" : ` --outside ${outside}`
    return report(first, shrunk, { command: `npm run simulate -- --storage ${shared.name}${chosen}` })
  })

const command = Command.make(
  "simulate",
  flags,
  Effect.fnUntraced(function* ({ count, only: left, outside: chosen, seed, storage: name, trace }) {
    const outside = chosen === "drawn" ? undefined : chosen
    const only = left === "" ? undefined : new Set(left.split(","))
    if (count > 1 && (only !== undefined || trace)) {
      yield* Console.error("--only and --trace are for one seed: leave --count out")
      return setExitCode(2)
    }
    const isPutBack = losingFaults.some((losing) => losing === outside)
    if (isPutBack && (name === "citus" || (name !== "memory" && outside !== "restore"))) {
      yield* Console.error(`--outside ${outside}: ${name} cannot be put back so in a simulation: use --storage memory`)
      return setExitCode(2)
    }
    const shared = yield* Effect.acquireRelease(
      Effect.promise(() => shareStorage(name)),
      ({ stop }) => Effect.promise(stop)
    )
    const storage = { ...shared, isPutBack }
    if (trace) {
      const storageOf = yield* Effect.promise(() => openStorage(storage))
      const console = yield* Console.Console
      const listen = (line: string) => console.log(line)
      yield* Effect.promise(() => simulate({ storage: storageOf(seed), seed, only, outside, ...parts, listen }))
    }
    const wrong = count === 1 ? [{ seed, wrong: [] }] : yield* simulateSeeds({ seed, count, storage, outside })
    const [first] = wrong
    if (first === undefined) return
    const explained = yield* explain(storage, first.seed, only, outside)
    if (explained === undefined) {
      if (count === 1) return yield* Console.log(`seed ${first.seed} on ${name}: all is well`)
      yield* Console.log(`seed ${first.seed} on ${name} was wrong among others, and is right by itself:`)
      yield* Console.log(first.wrong.join("\n"))
      return setExitCode(1)
    }
    if (wrong.length > 1) yield* Console.log(`wrong are the seeds ${seedsOf(wrong)}`)
    yield* Console.log(explained)
    return setExitCode(1)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Runs the whole core over a store, with faults and crashes everywhere, and compares what is left with the " +
      "provider's books. The same seed is the same run."
  )
)

const setExitCode = (code: number): void => {
  process.exitCode = code
}

Command.run(command, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
