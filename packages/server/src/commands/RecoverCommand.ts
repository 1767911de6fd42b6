/** `pointsman recover`: adopts what providers have and the database lost. */
import { Pointsman, type Recovery } from "@pointsman/core"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { actingAs, byFlag } from "./Actor.ts"
import { CommandFailure, endWith } from "./CommandFailure.ts"
import { epochMillisOf, momentFlag } from "./Moment.ts"
import { checkSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { lossView, recoveryText, recoveryView } from "./RecoveryView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { printable, timeOf } from "./Words.ts"

const onFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

export const recoverCommand = Command.make(
  "recover",
  {
    since: momentFlag(
      "since",
      "A time before the first lost record, such as that of the backup; default: the beginning of the known loss"
    ).pipe(Flag.optional),
    connection: Flag.String("connection").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("Only this connection; default: all"),
      Flag.optional
    ),
    dryRun: onFlag("dry-run", "Show what would be recovered, and write nothing"),
    acceptLoss: onFlag(
      "accept-loss",
      "Accept what is missing at the connection, or at all: requests and refunds go there again, and a request that is " +
        "repeated under a lost key may charge or refund again there"
    ),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags([...checkSettings, "providerTimeoutMillis", "webhookScheduleMillis"])
  },
  Effect.fnUntraced(function* ({ acceptLoss, by, connection, dryRun: isDryRun, json, since, ...texts }) {
    if (acceptLoss && (isDryRun || Option.isSome(since))) {
      return yield* new CommandFailure({
        message: "--accept-loss: expected no other flag but --connection; recover first, then accept."
      })
    }
    const { connectorsLayer, NodeTransport } = yield* Effect.promise(async () => ({
      NodeTransport: await import("@pointsman/transport-node"),
      connectorsLayer: (await import("../LoadConnectors.ts")).connectorsLayer
    }))
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        if (acceptLoss) return yield* accept(Option.getOrNull(connection), json)
        const now = yield* Clock.currentTimeMillis
        const pointsman = yield* Pointsman
        for (const { connectionId, facts } of yield* pointsman.unlisted(Option.getOrNull(connection))) {
          yield* Console.error(
            `Connection ${printable(connectionId)}: its provider lists no ${facts.join(", no ")}. They are not recovered.`
          )
        }
        const recovery = yield* pointsman
          .recover({
            since: Option.getOrNull(Option.map(since, (moment) => epochMillisOf(moment, now))),
            connectionId: Option.getOrNull(connection),
            isDryRun
          })
          .pipe(
            Effect.catchTag(
              "pointsman/RecoveryRefused",
              ({ reason }) => new CommandFailure({ message: `--${reason}.` })
            )
          )
        const view = recoveryView(recovery, isDryRun)
        yield* print(json, { data: view }, recoveryText(view))
        for (const { connection_id: id, reason } of view.connections) {
          if (reason !== null) yield* Console.error(`Connection ${printable(id)}: ${printable(reason)}.`)
        }
        if (isDryRun) return
        yield* Console.error(outcomeOf(recovery))
        for (const id of recovery.loss?.refundsWait ?? []) {
          yield* Console.error(
            `Connection ${printable(id)}: refunds of payments of the 120 days before the loss wait, because disputes or ` +
              `refunds could not be asked for. Check them at the provider, then run pointsman recover --accept-loss ` +
              `--connection ${printable(id)}.`
          )
        }
        if (recovery.loss?.ended == null) yield* endWith(1)
      }),
      (settings) => Layer.merge(connectorsLayer(settings), NodeTransport.layer())
    ).pipe(actingAs(by))
  })
).pipe(
  Command.withDescription(
    "Recover payments, refunds and disputes that the database lost, because a backup was restored or a standby that " +
      "lagged was promoted. Asks the provider of each connection for charges, refunds and disputes since then, and adopts " +
      "those that are not stored. First it says what each provider does not list. Nothing is charged or refunded. It waits " +
      "until requests that were sent before have ended, which takes 5 seconds more than the longest time-out of a " +
      "connection. It may be repeated, and run beside servers."
  ),
  Command.withShortDescription("Recover payments that the database lost"),
  Command.withExamples([
    { command: "pointsman recover --since 2026-11-23T04:00:00Z --dry-run", description: "Show what is missing" },
    { command: "pointsman recover --since 2026-11-23T04:00:00Z", description: "Recover it" },
    {
      command: "pointsman recover --accept-loss --connection adyen",
      description: "Continue without what is missing there"
    },
    { command: "pointsman recover --accept-loss", description: "Continue without what is missing anywhere" }
  ])
)

const accept = Effect.fnUntraced(function* (connectionId: string | null, json: boolean) {
  const accepted = yield* (yield* Pointsman).acceptLoss(connectionId)
  const where = connectionId === null ? "" : ` at connection ${printable(connectionId)}`
  if (Option.isNone(accepted)) {
    return yield* new CommandFailure({ message: `--accept-loss: no loss of records${where} is known.` })
  }
  const view = lossView(accepted.value)
  const text =
    `The loss of records since ${view.since}${where} is accepted. A request that is repeated under a lost key may charge ` +
    "or refund again there."
  yield* print(json, { data: view }, text)
})

const outcomeOf = ({ loss, since }: Recovery): string => {
  if (loss === null || loss.ended !== null) return "All connections are recovered."
  if (since > loss.since) {
    return `The known loss began at ${timeOf(loss.since)}: no connection counts as recovered. Run it without --since.`
  }
  return (
    "Connections are not recovered yet, and the servers send nothing for their workspaces. Run it again, or check them " +
    "at the provider and run pointsman recover --accept-loss."
  )
}
