/** `pointsman messages`: what providers reported, its outcome, and reapplying one message after a fix. */
import { Pointsman } from "@pointsman/core"
import { type MessageNote, messageOutcomes } from "@pointsman/core/ports"
import { Console, Effect, Layer, Option, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { Base64Url } from "effect/encoding"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { messagesText, messageText, messageView } from "./MessageView.ts"
import { checkSettings } from "./OpenDatabase.ts"
import { limitFlag, print } from "./Output.ts"
import { paragraphs } from "./Table.ts"
import { oneTenant, wholeEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { printable } from "./Words.ts"

const connectionArgument = argument("connection", "The connection's id")
const messageArgument = argument("message", "The message's id, as `pointsman messages list` prints it")

type Place = Pick<MessageNote, "receivedAt" | "connectionId" | "eventId">

const readPlace = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Tuple([Schema.Int, Schema.String, Schema.String]))
)

/** The ids are the provider's and may hold anything: the cursor is their JSON in characters that a shell leaves alone. */
const cursorOf = ({ connectionId, eventId, receivedAt }: Place): string =>
  Base64Url.encode(JSON.stringify([receivedAt, connectionId, eventId]))

const placeOf = (cursor: string): Option.Option<Place> =>
  Option.map(
    Result.getSuccess(Result.flatMap(Base64Url.decodeString(cursor), (text) => readPlace(text))),
    ([receivedAt, connectionId, eventId]) => ({ receivedAt, connectionId, eventId })
  )

const list = databaseCommand(
  {
    name: "list",
    short: "List providers' messages, newest first",
    long:
      "List the verified messages of providers and the outcome of each, newest first. contradicts, unreadable and " +
      "unmatched need a person.",
    examples: {
      "pointsman messages list --outcome unreadable": "What no connector could read",
      "pointsman messages list --payment 01a1fe08-9226-7266-a33a-e3e7f1609a4e --json": "All about one payment"
    },
    flags: {
      workspace: workspaceFlag,
      environment: wholeEnvironmentFlag("messages"),
      connection: textFlag("connection", "id", "Only messages to this connection"),
      payment: textFlag("payment", "id", "Only messages about this payment"),
      outcome: Flag.Literals("outcome", messageOutcomes).pipe(
        Flag.withDescription("Only messages with this outcome"),
        Flag.optional
      ),
      limit: limitFlag,
      before: Flag.String("before").pipe(
        Flag.withMetavar("cursor"),
        Flag.withDescription("The cursor that the page before gave: older ones follow"),
        Flag.filterMap(placeOf, () => "the cursor of the page before"),
        Flag.optional
      )
    }
  },
  function* ({ before, connection, environment, limit, outcome, payment, workspace }, { json }) {
    const page = yield* (yield* Pointsman).messages({
      tenant: yield* oneTenant(workspace, environment),
      connectionId: Option.getOrUndefined(connection),
      paymentId: Option.getOrUndefined(payment),
      outcome: Option.getOrUndefined(outcome),
      before: Option.getOrUndefined(before),
      limit
    })
    const messages = page.items.map(messageView)
    const last = page.items.at(-1)
    const next = page.hasMore && last !== undefined ? cursorOf(last) : null
    yield* print(
      json,
      { data: messages, has_more: page.hasMore, next_cursor: next },
      messages.length === 0 ? "" : messagesText(messages)
    )
    if (json) return
    if (messages.length === 0) yield* Console.error("There is no such message.")
    if (next !== null) yield* Console.error(`There are more: --before ${next}`)
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show one message with its body",
    long: "Show one message of a provider with its body as it came. The body may name the customer: treat the output so.",
    examples: { "pointsman messages show main msg_1001": "One message" },
    flags: { connection: connectionArgument, message: messageArgument }
  },
  function* ({ connection, message: id }, { json }) {
    const found = yield* (yield* Pointsman).message(connection, id).pipe(
      Effect.catchTags({
        "pointsman/MessageNotFound": () => notFound(connection, id),
        "pointsman/SealBroken": notOpened
      })
    )
    const view = messageView(found)
    yield* print(
      json,
      { data: { ...view, body: found.body } },
      paragraphs(messageText(view), printableLines(found.body))
    )
  }
)

const apply = databaseCommand(
  {
    name: "apply",
    short: "Reprocess a message after a fix",
    long:
      "Read a stored message again and apply it, after its connector was mended or the payment that it names was " +
      "recovered. It was verified when it came, and no provider is asked. A message that was applied is refused.",
    examples: { "pointsman messages apply main msg_1001": "One message" },
    isAudited: true,
    settings: [...checkSettings, "webhookScheduleMillis"],
    // They read what is stored: the way to a provider is closed here too.
    providersOf: (settings) =>
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../LoadConnectors.ts")),
          ({ connectorsWithoutTransport }) => connectorsWithoutTransport(settings)
        )
      ),
    flags: { connection: connectionArgument, message: messageArgument }
  },
  function* ({ connection, message: id }, { json }) {
    const after = yield* (yield* Pointsman).applyMessage(connection, id).pipe(
      Effect.catchTags({
        "pointsman/MessageNotFound": () => notFound(connection, id),
        "pointsman/SealBroken": notOpened,
        "pointsman/MessageNotApplicable": ({ reason }) =>
          new CommandFailure({ message: `Nothing was applied: ${printable(reason)}.` })
      })
    )
    const view = messageView(after)
    yield* print(json, { data: view }, messageText(view))
  }
)

export const messagesCommand = commandGroup(
  "messages",
  {
    short: "Read providers' messages",
    long: "Messages of providers: their contents, their outcomes, and reapplying one."
  },
  [list, show, apply]
)

const notFound = (connection: string, id: string) =>
  new CommandFailure({
    message: `Connection "${printable(connection)}" has no message "${printable(id)}". The connection comes first.`
  })

const notOpened = () =>
  new CommandFailure({
    message: "The body of the message does not open: another encryption key sealed it, or it was changed."
  })

/** A body may have lines. */
const printableLines = (text: string): string => text.split("\n").map(printable).join("\n")
