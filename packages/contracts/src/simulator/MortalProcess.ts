/**
 * One process of Pointsman over a store that others share. It dies at once: nothing of it runs any more, while the
 * store, a provider or a receiver continues its requests, as beyond a socket.
 */
import { Pointsman, type PointsmanOptions } from "@pointsman/core"
import {
  type ConnectorDefinition,
  Connectors,
  type Ids,
  type Secrets,
  StorageClock,
  type StorageServices,
  Transport,
  Unanswered,
  WebhookSender
} from "@pointsman/core/ports"
import { Clock, Context, Effect, Exit, Layer, Scope, Tracer } from "effect"
import type { Mac } from "effect/crypto"
import type { Fate, Hooks } from "./Boundary.ts"
import { type Beyond, mortalConnector, mortalStorage } from "./MortalPorts.ts"
import type { Jumps, Time } from "./Time.ts"

/** What the processes of a world share, and what outlives each of them. */
export type Shared = StorageServices | Secrets | Ids | Mac.Mac

export interface MortalProcessOptions {
  /** Counted from 1. */
  readonly number: number
  readonly time: Time
  /** With the clock and the scheduler of `time`. */
  readonly shared: Context.Context<Shared>
  readonly connector: ConnectorDefinition
  readonly sender: WebhookSender["Service"]
  readonly pointsman?: PointsmanOptions | undefined
  /**
   * In milliseconds, between two looks at what is due. Without it the process checks on request, and sends no webhooks.
   */
  readonly backgroundEveryMillis?: number | undefined
  /** How far its machine's clock is ahead of the store's, which is that of `time`; 0 unless set. */
  readonly clockAheadMillis?: number | undefined
  /** Where the store's clock is another one than that of `time`. */
  readonly storeClock?: StoreClock | undefined
  /** A clock that jumps under it, in the place of both. */
  readonly jumps?: Pick<Jumps, "clockOf" | "aheadMillis" | "agesFrom"> | undefined
  /** What it does before it serves. */
  readonly starting?: Effect.Effect<void, never, Shared> | undefined
  readonly hooks?: Hooks | undefined
}

export interface StoreClock {
  /** How far it is ahead of `time`, in milliseconds. */
  readonly aheadMillis: () => number
  /** As in the port. */
  readonly agesFrom: StorageClock["agesFrom"]
}

export interface MortalProcess {
  readonly number: number
  readonly isDead: () => boolean
  /** From here on nothing of it runs: no continuation, and no finalizer. */
  readonly die: () => void
  /** The process does nothing for this many milliseconds, then continues. */
  readonly freeze: (millis: number) => void
  /**
   * Has it do something. `onEnd` receives the result, outside of the process; where the process died before, it is
   * never called.
   */
  readonly ask: <A, E>(
    work: (pointsman: Pointsman["Service"]) => Effect.Effect<A, E>,
    onEnd?: (exit: Exit.Exit<A, E>) => void
  ) => void
}

/** Starts one, as a supervisor does. It runs as the time of its world passes. */
export const startProcess = (options: MortalProcessOptions): MortalProcess => {
  const { backgroundEveryMillis, clockAheadMillis = 0, hooks = {}, number, shared, time } = options
  const mortality = makeMortality()
  let takeBackThaw = () => {}

  const freeze = (millis: number) => {
    takeBackThaw()
    mortality.freeze()
    takeBackThaw = time.after(millis, mortality.thaw)
  }

  const meet = (fate: Fate) => {
    if (fate === "dies") mortality.die()
    else if (fate !== undefined) freeze(fate)
  }

  // The step after each side is stopped where the process met its fate.
  const beyond: Beyond = (about, work) => {
    const boundary = { process: number, ...about }
    return Effect.suspend(() => {
      meet(hooks.onBoundary?.({ ...boundary, side: "before" }))
      return Effect.callback((resume) => {
        const arrive = () =>
          Effect.runForkWith(shared)(work).addObserver((exit) => {
            // The dead have no boundary, and hear nothing.
            if (mortality.isDead()) return
            meet(hooks.onBoundary?.({ ...boundary, side: "after" }))
            resume(exit)
          })
        const millis = hooks.latency?.(about.crossing) ?? 0
        if (millis === 0) arrive()
        else time.after(millis, arrive)
      })
    })
  }

  const { jumps } = options
  const storeClock = jumps?.clockOf === "store" ? jumps : options.storeClock
  const hasOneClock = clockAheadMillis === 0 && storeClock === undefined
  const own =
    jumps?.clockOf === "machine"
      ? Context.add(shared, Clock.Clock, aheadOf(time.clock, jumps.aheadMillis))
      : hasOneClock
        ? shared
        : withOwnClock(shared, time.clock, clockAheadMillis, storeClock)
  const mortal = Context.add(own, Tracer.Tracer, mortality.tracer)
  const outside = Context.merge(own, mortalStorage(shared, time, beyond, hooks)).pipe(
    Context.add(Connectors, Connectors.make([mortalConnector(options.connector, time, beyond)])),
    Context.add(Transport, noTransport)
  )
  const building = Layer.buildWithScope(
    Layer.fresh(Layer.provide(Pointsman.layer(options.pointsman), Layer.succeedContext(outside))),
    // Never closed: a process that dies finalizes nothing.
    Scope.makeUnsafe()
  )
  const built = Effect.runForkWith(mortal)(
    options.starting === undefined
      ? building
      : Effect.andThen(Effect.provideContext(options.starting, outside), building)
  )
  const sender = WebhookSender.of({
    send: (request) => beyond({ crossing: "receiver.send" }, options.sender.send(request))
  })
  const sending = Context.add(mortal, WebhookSender, sender)

  const ask: MortalProcess["ask"] = (work, onEnd) => {
    built.addObserver((exit) => {
      if (Exit.isFailure(exit)) throw new Error("the process did not come up", { cause: exit.cause })
      const pointsman = Context.get(exit.value, Pointsman)
      const fiber = Effect.runForkWith(sending)(Effect.suspend(() => work(pointsman)))
      if (onEnd !== undefined) fiber.addObserver(onEnd)
    })
  }
  if (backgroundEveryMillis !== undefined) {
    ask((pointsman) => pointsman.keepChecking(backgroundEveryMillis))
    ask((pointsman) => pointsman.keepCheckingDisputes(backgroundEveryMillis))
    ask((pointsman) => pointsman.keepDelivering(backgroundEveryMillis))
  }
  return { number, isDead: mortality.isDead, die: mortality.die, freeze, ask }
}

/** The machine's clock differs from the store's, and the store tells its own. */
const withOwnClock = <R>(
  shared: Context.Context<R>,
  clock: Clock.Clock,
  aheadMillis: number,
  { agesFrom, aheadMillis: storeAheadMillis }: StoreClock = { aheadMillis: () => 0, agesFrom: () => null }
): Context.Context<R> =>
  shared.pipe(
    Context.add(
      Clock.Clock,
      aheadOf(clock, () => aheadMillis)
    ),
    Context.add(StorageClock, { clock: aheadOf(clock, storeAheadMillis), agesFrom })
  )

const aheadOf = (clock: Clock.Clock, millis: () => number): Clock.Clock => {
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + millis()
  return { ...clock, currentTimeMillisUnsafe, currentTimeMillis: Effect.sync(currentTimeMillisUnsafe) }
}

const noTransport = Transport.of({
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in a simulation" }))
})

/**
 * The end of a fiber world. Everything that a process does is a step of one of its fibers, and every step passes here
 * first: once the process is dead no step is taken any more, so neither a continuation nor a finalizer runs, even when
 * a fiber is woken or interrupted. As after `kill -9`, it sends no sign.
 */
const makeMortality = () => {
  let life: "runs" | "frozen" | "dead" = "runs"
  let waiting: Array<() => void> = []

  /** Takes the place of a step, and gives it back when the process is thawed. */
  const later = (step: unknown) =>
    asStep(
      Effect.callback<never>((resume) => {
        waiting.push(() => resume(step as Effect.Effect<never>))
      })
    )

  /** To be in the context of every fiber of the process. */
  const tracer = Tracer.make({
    span: (options) => new Tracer.NativeSpan(options),
    context: (step, fiber) => {
      if (life === "runs") return step["~effect/Effect/evaluate"](fiber)
      const instead = life === "dead" ? never : later(step)
      return instead["~effect/Effect/evaluate"](fiber) as ReturnType<(typeof step)["~effect/Effect/evaluate"]>
    }
  })

  return {
    tracer,
    isDead: () => life === "dead",
    die: () => {
      life = "dead"
      waiting = []
    },
    /** Until it is thawed every step waits, as under `kill -STOP`. */
    freeze: () => {
      if (life === "runs") life = "frozen"
    },
    thaw: () => {
      if (life !== "frozen") return
      life = "runs"
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    }
  }
}

/** Every effect is a step; the types of Effect keep to themselves that it is. */
const asStep = (effect: Effect.Effect<never>) => effect as unknown as Tracer.EffectPrimitive<unknown>

const never = asStep(Effect.never)
