/** What a mortal process reaches of the outside: the store that it shares, and providers. All of it is beyond the boundary. */
import {
  Audit,
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
  Operators,
  Passkeys,
  RecordLosses,
  Retention,
  SealedTexts,
  Settlements,
  StorageError,
  type StorageServices,
  SuccessRates
} from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Context, Effect, Result } from "effect"
import { type Crossing, type Hooks, isCommit, type Port } from "./Boundary.ts"
import type { Time } from "./Time.ts"

/** Runs what is called beyond the boundary, and gives what it came to, unless the process has died meanwhile. */
export type Beyond = <A, E>(
  about: { readonly crossing: Crossing; readonly change?: Change },
  work: Effect.Effect<A, E>
) => Effect.Effect<A, E>

/** The store as the process sees it: behind the boundary, and with the faults of its settings. */
export const mortalStorage = (
  shared: Context.Context<StorageServices>,
  time: Time,
  beyond: Beyond,
  { onStorage, replacements = () => 0 }: Hooks
): Context.Context<StorageServices> => {
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
    return isCommit(crossing) ? failingCommit(fault, work, detail, time) : Effect.fail(new StorageError(detail))
  }

  /** What was sent to a store that was replaced since does not arrive. */
  const arriving = <A, E>(crossing: Crossing, sentTo: number, work: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StorageError | CommitUnknown> => {
      if (replacements() === sentTo) return work
      const detail = { operation: crossing, cause: new Error("the store was replaced") }
      return Effect.fail(isCommit(crossing) ? new CommitUnknown(detail) : new StorageError(detail))
    })

  const call = (crossing: Crossing, work: Effect.Effect<unknown, unknown>, change: Change | undefined) =>
    Effect.suspend(() => {
      const sentTo = replacements()
      const arrived = arriving(crossing, sentTo, held(work))
      const faulty = Effect.suspend(() => failing(crossing, onStorage?.(crossing), arrived))
      return beyond({ crossing, ...(change === undefined ? {} : { change }) }, faulty)
    })

  /** Every method, and every effect, of a port; a port that grows has what is new of it behind the boundary too. */
  const behind = <Service extends object>(port: Port, service: Service) =>
    Object.fromEntries(
      Object.entries(service).map(([name, member]) => {
        const crossing = `${port}.${name}` as Crossing
        if (Effect.isEffect(member)) return [name, call(crossing, member as Effect.Effect<unknown, unknown>, undefined)]
        if (typeof member !== "function") return [name, member]
        const method: (...parameters: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown> = member
        return [
          name,
          (...parameters: ReadonlyArray<unknown>) =>
            call(
              crossing,
              Effect.suspend(() => method(...parameters)),
              crossing === "ledger.commit" ? (parameters[0] as Change) : undefined
            )
        ]
      })
    ) as Service

  const losses = Context.get(shared, RecordLosses)
  return Context.pick(
    SealedTexts,
    Operators,
    Passkeys
  )(shared).pipe(
    Context.add(Ledger, behind("ledger", Context.get(shared, Ledger))),
    Context.add(Deliveries, behind("deliveries", Context.get(shared, Deliveries))),
    Context.add(Directory, behind("directory", Context.get(shared, Directory))),
    Context.add(Merchants, behind("merchants", Context.get(shared, Merchants))),
    Context.add(SuccessRates, behind("successRates", Context.get(shared, SuccessRates))),
    Context.add(Audit, behind("audit", Context.get(shared, Audit))),
    Context.add(Retention, behind("retention", Context.get(shared, Retention))),
    Context.add(Settlements, behind("settlements", Context.get(shared, Settlements))),
    // A process remembers what it knows of losses, and sends no query.
    Context.add(RecordLosses, { ...behind("recordLosses", losses), known: losses.known })
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

/** What reads a message sends nothing. */
const readers: ReadonlySet<string> = new Set(["readMessage", "readStored", "keptOfMessage"])

/** The connector as the process sees it. As a transport does, it sends nothing that may not begin any more. */
export const mortalConnector = (definition: ConnectorDefinition, time: Time, beyond: Beyond): ConnectorDefinition => {
  const calling =
    <Request, A, E>(name: string, call: (request: Request) => Effect.Effect<A, E>) =>
    (request: Request): Effect.Effect<A, E | NotSent> =>
      Effect.flatMap(BeginBy, (beginBy) =>
        beyond(
          { crossing: `provider.${name}` as Crossing },
          Effect.suspend(
            (): Effect.Effect<A, E | NotSent> =>
              time.now() > beginBy ? Effect.fail(new NotSent({ reason: "it could not begin in time" })) : call(request)
          )
        )
      )
  /** Every method; a connector that grows has what is new of it behind the boundary too. */
  const reached = (connector: Connector): Connector =>
    Object.fromEntries(
      Object.entries(connector).map(([name, member]) => [
        name,
        typeof member !== "function" || readers.has(name) ? member : calling(name, member)
      ])
    ) as unknown as Connector
  return {
    ...definition,
    connect: (account, transport) =>
      Result.map(
        definition.connect(account, transport),
        (connector): Connector => ({
          ...reached(connector),
          ...(connector.reports === undefined
            ? {}
            : { reports: connector.reports.map((report) => ({ ...report, list: calling("reports", report.list) })) })
        })
      )
  }
}
