/** What a mortal process reaches of the outside: the store that it shares, and providers. All of it is beyond the boundary. */
import {
  BeginBy,
  type Change,
  CommitUnknown,
  type Connector,
  type ConnectorDefinition,
  Deliveries,
  Directory,
  Ledger,
  Merchants,
  NotSent,
  StorageError
} from "@pointsman/core"
import type { CommitFault } from "@pointsman/core/testing"
import { Context, Effect, Result } from "effect"
import type { Crossing, Hooks } from "./Boundary.ts"
import type { Time } from "./Time.ts"

/** Runs what is called beyond the boundary, and gives what it came to, unless the process has died meanwhile. */
export type Beyond = <A, E>(
  about: { readonly crossing: Crossing; readonly change?: Change },
  work: Effect.Effect<A, E>
) => Effect.Effect<A, E>

/** The store as the process sees it: behind the boundary, and with the faults that it is told to have. */
export const mortalStorage = (
  shared: Context.Context<Ledger | Deliveries | Directory | Merchants>,
  time: Time,
  beyond: Beyond,
  { onStorage }: Hooks
): Context.Context<Ledger | Deliveries | Directory | Merchants> => {
  /** A store that takes real time holds the clock. */
  const held = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      time.hold(1)
      return Effect.onExit(work, () => Effect.sync(() => time.hold(-1)))
    })

  const failing = <A, E>(crossing: Crossing, fault: CommitFault, work: Effect.Effect<A, E>) => {
    if (fault === undefined) return work
    if (typeof fault === "number") return Effect.tap(work, () => Effect.sleep(fault))
    const detail = { operation: crossing, cause: new Error(`${crossing} was told to fail`) }
    return crossing === "ledger.commit" || crossing === "ledger.keepMessage"
      ? failingCommit(fault, work, detail, time)
      : Effect.fail(new StorageError(detail))
  }

  const call =
    <Parameters extends ReadonlyArray<unknown>, A, E>(
      crossing: Crossing,
      method: (...parameters: Parameters) => Effect.Effect<A, E>,
      changeOf?: (...parameters: Parameters) => Change
    ) =>
    (...parameters: Parameters): Effect.Effect<A, E | StorageError> =>
      Effect.suspend(() => {
        const work = held(Effect.suspend(() => method(...parameters)))
        const change = changeOf?.(...parameters)
        // The types of the ports say where a commit may be of unknown fate.
        const faulty = Effect.suspend(() => failing(crossing, onStorage?.(crossing), work)) as Effect.Effect<
          A,
          E | StorageError
        >
        return beyond({ crossing, ...(change === undefined ? {} : { change }) }, faulty)
      })

  const ledger = Context.get(shared, Ledger)
  const deliveries = Context.get(shared, Deliveries)
  const directory = Context.get(shared, Directory)
  const merchants = Context.get(shared, Merchants)
  return Context.make(
    Ledger,
    Ledger.of({
      commit: call("ledger.commit", ledger.commit, (change) => change),
      payment: call("ledger.payment", ledger.payment),
      book: call("ledger.book", ledger.book),
      bookOf: call("ledger.bookOf", ledger.bookOf),
      keepMessage: call("ledger.keepMessage", ledger.keepMessage),
      message: call("ledger.message", ledger.message),
      paymentOfPage: call("ledger.paymentOfPage", ledger.paymentOfPage),
      takeDue: call("ledger.takeDue", ledger.takeDue),
      postpone: call("ledger.postpone", ledger.postpone),
      usage: call("ledger.usage", ledger.usage),
      payments: call("ledger.payments", ledger.payments),
      attempts: call("ledger.attempts", ledger.attempts),
      claim: call("ledger.claim", ledger.claim),
      timeline: call("ledger.timeline", ledger.timeline),
      events: call("ledger.events", ledger.events),
      reviews: call("ledger.reviews", ledger.reviews)
    })
  ).pipe(
    Context.add(
      Deliveries,
      Deliveries.of({
        takeDue: call("deliveries.takeDue", deliveries.takeDue),
        record: call("deliveries.record", deliveries.record),
        replace: call("deliveries.replace", deliveries.replace),
        delivery: call("deliveries.delivery", deliveries.delivery),
        list: call("deliveries.list", deliveries.list),
        attempts: call("deliveries.attempts", deliveries.attempts)
      })
    ),
    Context.add(
      Directory,
      Directory.of({
        keyHolder: call("directory.keyHolder", directory.keyHolder),
        workspace: call("directory.workspace", directory.workspace),
        connections: call("directory.connections", directory.connections),
        connection: call("directory.connection", directory.connection),
        routing: call("directory.routing", directory.routing),
        contents: call("directory.contents", () => directory.contents)(),
        write: call("directory.write", directory.write)
      })
    ),
    Context.add(
      Merchants,
      Merchants.of({
        provision: call("merchants.provision", merchants.provision),
        replaceInvitation: call("merchants.replaceInvitation", merchants.replaceInvitation),
        list: call("merchants.list", merchants.list),
        workspaceIds: call("merchants.workspaceIds", () => merchants.workspaceIds)()
      })
    )
  )
}

const failingCommit = <A, E>(
  fault: Exclude<CommitFault, number | undefined>,
  work: Effect.Effect<A, E>,
  detail: { readonly operation: string; readonly cause: Error },
  time: Time
): Effect.Effect<A, E | StorageError | CommitUnknown> => {
  const unknown = Effect.fail(new CommitUnknown(detail))
  if (fault === "unwritten") return Effect.fail(new StorageError(detail))
  if (fault === "lost") return unknown
  if (fault === "unheard") return Effect.andThen(work, unknown)
  return Effect.flatMap(Effect.context<never>(), (context) => {
    time.after(fault.landsAfter, () => {
      // What was decided on an older version does not land any more.
      Effect.runForkWith(context)(Effect.exit(work))
    })
    return unknown
  })
}

/** The connector as the process sees it. As a transport does, it sends nothing that may not begin any more. */
export const mortalConnector = (definition: ConnectorDefinition, time: Time, beyond: Beyond): ConnectorDefinition => {
  const calling =
    <Request, A, E>(
      name: Exclude<keyof Connector, "readMessage">,
      call: (request: Request) => Effect.Effect<A, E>
    ): ((request: Request) => Effect.Effect<A, E | NotSent>) =>
    (request) =>
      Effect.flatMap(BeginBy, (beginBy) =>
        beyond(
          { crossing: `provider.${name}` },
          Effect.suspend(
            (): Effect.Effect<A, E | NotSent> =>
              time.now() > beginBy ? Effect.fail(new NotSent({ reason: "it could not begin in time" })) : call(request)
          )
        )
      )
  return {
    ...definition,
    connect: (account, transport) =>
      Result.map(definition.connect(account, transport), (connector): Connector => {
        const { capture, openCheckout, refund, void: release } = connector
        return {
          ...connector,
          charge: calling("charge", connector.charge),
          lookUpCharge: calling("lookUpCharge", connector.lookUpCharge),
          ...(openCheckout === undefined ? {} : { openCheckout: calling("openCheckout", openCheckout) }),
          ...(capture === undefined ? {} : { capture: calling("capture", capture) }),
          ...(release === undefined ? {} : { void: calling("void", release) }),
          ...(refund === undefined ? {} : { refund: calling("refund", refund) }),
          ...(connector.lookUpRefund === undefined
            ? {}
            : { lookUpRefund: calling("lookUpRefund", connector.lookUpRefund) })
        }
      })
  }
}
