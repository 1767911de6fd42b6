/**
 * A whole world around one store: processes of Pointsman that come and go, a provider, merchants' endpoints, and two
 * tenants of one workspace with two connections each. Everything in it follows one clock, and one thread.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import type { PointsmanOptions } from "@pointsman/core"
import {
  type ConnectorDefinition,
  Deliveries,
  Ids,
  Ledger,
  type StorageServices,
  type WebhookRequest
} from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Clock, Context, Effect, Exit, Layer, Random, References, Scheduler, Scope } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import type { Hooks } from "./Boundary.ts"
import { answered, type ProviderOptions, timeoutMillis } from "./CallHandling.ts"
import { drawFrom } from "./Draw.ts"
import { furnish } from "./Furnish.ts"
import { type MortalProcess, type MortalProcessOptions, type Shared, startProcess } from "./MortalProcess.ts"
import { type Provider, simulatedProvider } from "./Provider.ts"
import { type Receiver, type Reception, simulatedReceiver } from "./Receiver.ts"
import { boundedTurns, type Jumps, makeTime, type Time } from "./Time.ts"

export { callers, connectionIds, messageSecretOf, production, sandbox, wantedBy } from "./Furnish.ts"

/** A store to simulate: one is built for each world, and outlives the processes that share it. */
export type Storage = Layer.Layer<StorageServices, unknown, Ids>

/** Of the provider: without a fault unless set. */
export interface WorldOptions extends Partial<Omit<ProviderOptions, "time">> {
  readonly storage: Storage
  /** Its own unless set. */
  readonly time?: Time | undefined
  /** Of the randomness that Pointsman itself uses; 1 unless set. */
  readonly seed?: number | undefined
  /** What happens to the processes, and to what they ask of the store. Nothing does unless told. */
  readonly hooks?: Hooks | undefined
  /** A clock that jumps under every process. */
  readonly jumps?: (() => Jumps | undefined) | undefined
  /** How processes reach the simulated provider: directly unless set. */
  readonly reached?: ((provider: ConnectorDefinition) => ConnectorDefinition) | undefined
  readonly receptionOf?: ((request: WebhookRequest) => Reception) | undefined
  /** Of every process. */
  readonly pointsman?: PointsmanOptions | undefined
  readonly starting?: MortalProcessOptions["starting"]
}

export interface World {
  readonly time: Time
  readonly provider: Provider
  readonly receiver: Receiver
  /** The store itself, past every hook: it has no boundary, and no faults but its own. */
  readonly ledger: Ledger["Service"]
  readonly deliveries: Deliveries["Service"]
  /** Runs something beside the processes, and beyond their boundaries. */
  readonly run: <A, E>(work: Effect.Effect<A, E, Shared>) => Promise<A>
  /** What the store provides. */
  readonly service: <Identifier extends Shared, Service>(key: Context.Key<Identifier, Service>) => Service
  /** One more process, as a supervisor starts it. */
  readonly start: (
    options?: Pick<MortalProcessOptions, "backgroundEveryMillis" | "clockAheadMillis" | "storeClock">
  ) => MortalProcess
  /** Those that are not dead, in the order in which they were started. */
  readonly alive: () => ReadonlyArray<MortalProcess>
  /** All processes die, and the store is closed. */
  readonly end: () => Promise<void>
}

/** Counted, not drawn: the same run has the same ids. */
const countedIds = (): Ids["Service"] => {
  let count = 0
  const uuid = Effect.sync(() => {
    count += 1
    return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}`
  })
  const prefixed = (prefix: string) => Effect.map(uuid, (id) => `${prefix}_${id}`)
  return Ids.of({
    payment: uuid,
    attempt: prefixed("att"),
    operation: prefixed("op"),
    refund: prefixed("rf"),
    dispute: prefixed("dp"),
    claim: prefixed("clm"),
    event: prefixed("evt"),
    request: prefixed("req"),
    merchant: prefixed("mer"),
    // A storage may count on from an event's id of a delivery: one for each endpoint.
    delivery: Effect.tap(prefixed("dlv"), () => Effect.sync(() => (count += 15))),
    reconciliation: prefixed("rec")
  })
}

/** A signature that leaves the thread would not be done when the clock is. */
const macLayer = Layer.provide(
  Mac.layerWebCryptoWith({ hmac: (_hash, key, data) => createHmac("sha256", keyOf(key)).update(data).digest() }),
  SecureRandom.layerWebCrypto
)

/** Made once for each of the few secrets: that takes longer than to sign with it. */
const keys = new Map<string, KeyObject>()
const keyOf = (bytes: Uint8Array): KeyObject => {
  const text = Buffer.from(bytes).toString("latin1")
  const known = keys.get(text)
  if (known !== undefined) return known
  const made = createSecretKey(bytes)
  keys.set(text, made)
  return made
}

export const makeWorld = async (options: WorldOptions): Promise<World> => {
  const { reached = (definition) => definition, seed = 1, time = makeTime() } = options
  const draw = drawFrom(seed, 0, 0)
  const surroundings = Context.make(Ids, countedIds()).pipe(
    Context.add(Clock.Clock, time.clock),
    Context.add(Scheduler.Scheduler, time.scheduler),
    Context.add(Random.Random, {
      nextDoubleUnsafe: draw.fraction,
      nextIntUnsafe: () => draw.below(Number.MAX_SAFE_INTEGER)
    }),
    // Every fault of a simulation would be told of, and there are many.
    Context.add(References.MinimumLogLevel, "None")
  )
  const runIn = async <A, E, R>(context: Context.Context<R>, work: Effect.Effect<A, E, R>): Promise<A> => {
    const fiber = Effect.runForkWith(context)(work)
    const turn = boundedTurns("what the world runs")
    for (;;) {
      await time.settle()
      const exit = fiber.pollUnsafe()
      if (exit === undefined) await turn()
      else if (Exit.isSuccess(exit)) return exit.value
      else throw new Error("the world itself failed", { cause: exit.cause })
    }
  }
  const scope = Scope.makeUnsafe()
  const built = await runIn(
    surroundings,
    Layer.buildWithScope(Layer.fresh(Layer.mergeAll(options.storage, openSecretsLayer, macLayer)), scope)
  )
  const shared: Context.Context<Shared> = Context.merge(surroundings, built)
  await runIn(shared, furnish)

  const provider = simulatedProvider({ handlingOf: () => answered, lookUpOf: () => "told", ...options, time })
  const receiver = simulatedReceiver(time, options.receptionOf)
  const processes: Array<MortalProcess> = []
  return {
    time,
    provider,
    receiver,
    ledger: Context.get(shared, Ledger),
    deliveries: Context.get(shared, Deliveries),
    run: (work) => runIn(shared, work),
    service: (reference) => Context.get(shared, reference),
    start: ({ backgroundEveryMillis, clockAheadMillis, storeClock } = {}) => {
      const process = startProcess({
        number: processes.length + 1,
        time,
        shared,
        connector: reached(provider.definition),
        sender: receiver.sender,
        pointsman: { providerTimeoutMillis: timeoutMillis, ...options.pointsman },
        backgroundEveryMillis,
        clockAheadMillis,
        storeClock,
        jumps: options.jumps?.(),
        starting: options.starting,
        hooks: options.hooks
      })
      processes.push(process)
      return process
    },
    alive: () => processes.filter((process) => !process.isDead()),
    end: async () => {
      for (const process of processes) process.die()
      await runIn(surroundings, Scope.close(scope, Exit.void))
    }
  }
}
