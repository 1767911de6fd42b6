/** `pointsman webhooks`: the outcomes of webhooks to merchants, and redelivery. */

import { type Delivery, deliveryStates, Pointsman } from "@pointsman/core"
import { Deliveries, Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { attemptsText, attemptView, deliveriesText, deliveryText, deliveryView } from "./DeliveryView.ts"
import { limitFlag, nextCursor, pageDocument, print } from "./Output.ts"
import { paragraphs } from "./Table.ts"
import { findAnywhere, namedTenant, ownEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { printable, wireWord } from "./Words.ts"

const deliveryArgument = argument("delivery", "The delivery's id, dlv_…; receivers see it as X-Service-Delivery-Id")

const list = databaseCommand(
  {
    name: "list",
    short: "List deliveries, newest first",
    long: "List the webhooks of a workspace, newest first.",
    examples: {
      "pointsman webhooks list --workspace acme --environment production --status refused":
        "Deliveries that a receiver answered with 4xx"
    },
    flags: {
      workspace: workspaceFlag,
      environment: ownEnvironmentFlag,
      status: Flag.ChoiceWithValue(
        "status",
        deliveryStates.map((state) => [wireWord(state), state] as const)
      ).pipe(Flag.withDescription("Only deliveries with this status"), Flag.optional),
      limit: limitFlag,
      before: Flag.String("before").pipe(
        Flag.withMetavar("dlv_…"),
        Flag.withDescription("Last id of the previous page: older rows follow"),
        Flag.filter(
          (id) => isDeliveryId.test(id),
          () => "a delivery's id, dlv_…"
        ),
        Flag.optional
      )
    }
  },
  function* ({ before, environment, limit, status, workspace }, { json }) {
    const contents = yield* (yield* Directory).contents
    const tenant = yield* Effect.fromResult(namedTenant(contents, workspace, environment))
    const page = yield* (yield* Pointsman).deliveries(tenant, {
      state: Option.getOrUndefined(status),
      before: Option.getOrUndefined(before),
      limit
    })
    const deliveries = yield* Effect.forEach(page.items, (delivery) => detailsOf(contents, delivery))
    yield* print(
      json,
      pageDocument(deliveries, page.hasMore),
      deliveries.length === 0 ? "" : deliveriesText(deliveries)
    )
    if (json) return
    if (deliveries.length === 0) yield* Console.error("No deliveries found.")
    const next = nextCursor(deliveries, page.hasMore)
    if (next !== null) yield* Console.error(`Next page: --before ${next}`)
  }
)

const attempts = databaseCommand(
  {
    name: "attempts",
    short: "Show the attempts of a delivery",
    long: "Show every attempt of a delivery, with its times and response.",
    examples: { "pointsman webhooks attempts dlv_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01": "One delivery" },
    flags: { delivery: deliveryArgument }
  },
  function* ({ delivery: id }, { json }) {
    const contents = yield* (yield* Directory).contents
    const delivery = yield* findDelivery(contents, id)
    const made = yield* (yield* Pointsman)
      .deliveryAttempts(delivery.tenant, id)
      .pipe(Effect.catchTag("pointsman/DeliveryNotFound", () => noDelivery(id)))
    const shown = yield* detailsOf(contents, delivery)
    const views = made.map(attemptView)
    const text = deliveryText(shown)
    yield* print(
      json,
      { data: { ...shown, attempts: views } },
      views.length === 0 ? text : paragraphs(text, attemptsText(views))
    )
  }
)

const redeliver = databaseCommand(
  {
    name: "redeliver",
    short: "Send a delivery again",
    long:
      "Send a delivery again that was refused or given up: immediately, with the same delivery id, and " +
      "then on the retry schedule. This command schedules the delivery in the database; a running server " +
      "sends it.",
    examples: { "pointsman webhooks redeliver dlv_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01": "Once the receiver is fixed" },
    isAudited: true,
    flags: { delivery: deliveryArgument }
  },
  function* ({ delivery: id }, { json }) {
    const contents = yield* (yield* Directory).contents
    const found = yield* findDelivery(contents, id)
    const endpoint = contents.webhookEndpoints.find((one) => one.id === found.endpointId)
    if (endpoint?.active !== true) {
      // It would be given up at once, and look as if the receiver had not answered.
      return yield* new CommandFailure({
        message: `Delivery ${id} cannot be sent again: its endpoint is no longer configured.`
      })
    }
    const after = yield* (yield* Pointsman).redeliver(found.tenant, id).pipe(
      Effect.catchTags({
        "pointsman/DeliveryNotFound": () => noDelivery(id),
        "pointsman/NotRedeliverable": ({ state }) =>
          new CommandFailure({
            message:
              `The delivery ${id} is ${wireWord(state)}: expected one that was refused or given up. ` +
              (state === "Delivered" ? "It has arrived." : "It is still on its way.")
          })
      })
    )
    const shown = yield* detailsOf(contents, after)
    yield* print(
      json,
      { data: shown },
      `Delivery ${id} to ${printable(endpoint.url)} is scheduled: a running server sends it within a second.`
    )
  }
)

export const webhooksCommand = commandGroup(
  "webhooks",
  {
    short: "List and redeliver webhooks",
    long: "List webhook deliveries, show their attempts, and send one again."
  },
  [list, attempts, redeliver]
)

const isDeliveryId = /^dlv_[0-9a-f-]{36}$/u

const noDelivery = (id: string): CommandFailure =>
  new CommandFailure({
    message:
      `Delivery "${printable(id)}" not ` +
      `found${isDeliveryId.test(id) ? "" : ": expected an id such as dlv_019a8c3e-…"}.`
  })

/** Of whichever tenant. */
const findDelivery = Effect.fnUntraced(function* (contents: DirectoryContents, id: string) {
  const deliveries = yield* Deliveries
  const found = yield* findAnywhere(contents, (tenant) => deliveries.delivery(tenant, id))
  return yield* Effect.mapError(Effect.fromOption(found), () => noDelivery(id))
})

const detailsOf = Effect.fnUntraced(function* (contents: DirectoryContents, delivery: Delivery) {
  const { eventId, tenant } = delivery
  // The newest one that is not newer than it: events are read by cursors.
  const { items } = yield* (yield* Pointsman).events(tenant, { before: `${eventId}~`, limit: 1 })
  return deliveryView({
    delivery,
    endpoint: contents.webhookEndpoints.find(({ id }) => id === delivery.endpointId),
    event: items.find(({ id }) => id === eventId)
  })
})
