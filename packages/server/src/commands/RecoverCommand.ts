/** `pointsman recover`: adopts what providers have and the database lost. */

import { Pointsman, type Recovery } from "@pointsman/core"
import { Clock, Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure, endWith } from "./CommandFailure.ts"
import { switchFlag, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, momentFlag } from "./Moment.ts"
import { checkSettings, reachingProviders } from "./OpenDatabase.ts"
import { print } from "./Output.ts"
import { lossView, recoveryText, recoveryView } from "./RecoveryView.ts"
import { printable, timeOf } from "./Words.ts"

export const recoverCommand = databaseCommand(
  {
    name: "recover",
    short: "Recover payments that the database lost",
    long:
      "Recover payments, refunds and disputes that the database lost, because a backup was restored or a standby that " +
      "lagged was promoted. Asks the provider of each connection for charges, refunds and disputes since then, and adopts " +
      "those that are not stored. First it says what each provider does not list. Nothing is charged or refunded. It waits " +
      "until requests that were sent before have ended, which takes 5 seconds more than the longest time-out of a " +
      "connection. It may be repeated, and run beside servers.",
    examples: {
      "pointsman recover --since 2026-11-23T04:00:00Z --dry-run": "Show what is missing",
      "pointsman recover --since 2026-11-23T04:00:00Z": "Recover it",
      "pointsman recover --accept-loss --connection adyen": "Continue without what is missing there",
      "pointsman recover --accept-loss": "Continue without what is missing anywhere"
    },
    isAudited: true,
    settings: [...checkSettings, "providerTimeoutMillis", "webhookScheduleMillis"],
    providersOf: reachingProviders,
    check: ({ acceptLoss, dryRun, since }) =>
      acceptLoss && (dryRun || Option.isSome(since))
        ? new CommandFailure({
            message: "--accept-loss: expected no other flag but --connection; recover first, then accept."
          })
        : Effect.void,
    flags: {
      since: momentFlag(
        "since",
        "A time before the first lost record, such as that of the backup; default: the beginning of the known loss"
      ).pipe(Flag.optional),
      connection: textFlag("connection", "id", "Only this connection; default: all"),
      dryRun: switchFlag("dry-run", "Show what would be recovered, and write nothing"),
      acceptLoss: switchFlag(
        "accept-loss",
        "Accept what is missing at the connection, or at all: requests and refunds go there again, and a request that is " +
          "repeated under a lost key may charge or refund again there"
      )
    }
  },
  function* ({ acceptLoss, connection, dryRun: isDryRun, since }, { json }) {
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
        since: epochMillisIn(since, now) ?? null,
        connectionId: Option.getOrNull(connection),
        isDryRun
      })
      .pipe(
        Effect.catchTag("pointsman/RecoveryRefused", ({ reason }) => new CommandFailure({ message: `--${reason}.` }))
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
  }
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
