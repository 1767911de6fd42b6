/** What an operator reads of webhooks and does to them, through core's door. The pages and the API share it. */
import { understandEndpoint } from "@pointsman/configuration"
import { type EndpointEdit, Pointsman, type Tenant } from "@pointsman/core"
import type { WebhookEndpoint } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, DateTime, Effect, Option, Redacted } from "effect"
import { failure, internalError, missing, told } from "../api/Errors.ts"
import { callerOf, directoryContents, type TenantPath } from "../gate/Caller.ts"
import { refusals, understood } from "../gate/Configuring.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import { type RotatedSecret, type StateName, stateNames } from "./WebhookRecords.ts"
import { deliveryFileView, deliveryView, endpointView } from "./WebhookViews.ts"

export interface DeliveryPath extends TenantPath {
  readonly delivery: string
}

export interface EndpointPath extends TenantPath {
  readonly endpoint: string
}

export interface DeliverySearch {
  readonly state?: StateName | undefined
  readonly endpoint?: string | undefined
  readonly payment?: string | undefined
  /** Only deliveries with a smaller id. */
  readonly before?: string | undefined
  readonly limit: number
}

const endpointChanged = failure(
  "endpoint_changed",
  "The secret was replaced since you opened the form. Open it again to replace that one."
)

const endpointsOf = Effect.fnUntraced(function* ({ environment, workspaceId }: Tenant) {
  const { webhookEndpoints } = yield* directoryContents
  return webhookEndpoints.filter((one) => one.workspaceId === workspaceId && one.environment === environment)
})

/** Active ones first, each by its address. */
export const endpoints = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const now = yield* Clock.currentTimeMillis
  return (yield* endpointsOf(tenant))
    .toSorted((a, b) => Number(b.active) - Number(a.active) || (a.url < b.url ? -1 : 1))
    .map((one) => endpointView(one, now))
})

export const endpoint = Effect.fnUntraced(function* (path: EndpointPath) {
  const found = (yield* endpoints(path)).find(({ id }) => id === path.endpoint)
  return found ?? (yield* missing("pointsman/EndpointNotFound"))
})

export interface RotationOrder {
  readonly overlapSeconds: number
  readonly idempotencyKey: string
  /** `secret_rotated` of the endpoint as the operator saw it. */
  readonly seen: string | null
}

export const rotateSecret = Effect.fnUntraced(function* (path: EndpointPath, order: RotationOrder) {
  const { tenant } = yield* callerOf(path)
  const seen = order.seen === null ? null : Option.getOrUndefined(DateTime.make(order.seen))
  if (seen === undefined) return yield* Effect.fail(endpointChanged)
  const { endpoint, secret } = yield* (yield* Pointsman)
    .rotateEndpointSecret(tenant, {
      endpointId: path.endpoint,
      overlapMillis: order.overlapSeconds * 1000,
      idempotencyKey: order.idempotencyKey,
      seenRotation: seen === null ? null : seen.epochMilliseconds
    })
    .pipe(
      Effect.catchTags({
        "pointsman/EndpointChanged": () => Effect.fail(endpointChanged)
      }),
      told
    )
  return {
    endpoint: endpointView(endpoint, yield* Clock.currentTimeMillis),
    secret: Redacted.value(secret)
  } satisfies RotatedSecret
})

/** As it is stored, and what a change of it has to name. */
export const stored = Effect.fnUntraced(function* (path: EndpointPath) {
  const { tenant } = yield* callerOf(path)
  const found = (yield* endpointsOf(tenant)).find(({ id }) => id === path.endpoint)
  if (found === undefined) return yield* missing("pointsman/EndpointNotFound")
  return { endpoint: found, seen: yield* (yield* Pointsman).configure.markOf(found) }
})

/** `file`: as the configuration file has it, without its secret. */
export const add = Effect.fnUntraced(function* (path: TenantPath, file: object, idempotencyKey: string) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const order = { ...(yield* understood(understandEndpoint(file))), idempotencyKey }
  return yield* Effect.catchTags((yield* Pointsman).configure.addEndpoint(tenant, order), {
    ...refusals,
    "pointsman/RecordExists": () =>
      Effect.fail(
        InProcess.validationErrorOf("url: expected one that no endpoint of this environment has, active or not")
      )
  })
})

export const setActive = Effect.fnUntraced(function* (path: EndpointPath, edit: Omit<EndpointEdit, "id">) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const { configure } = yield* Pointsman
  yield* Effect.catchTags(configure.changeEndpoint(tenant, { ...edit, id: path.endpoint }), refusals)
})

const stateOf = (name: StateName | undefined) =>
  (Object.keys(stateNames) as ReadonlyArray<keyof typeof stateNames>).find((state) => stateNames[state] === name)

export const deliveries = Effect.fnUntraced(function* (
  path: TenantPath,
  { before, endpoint, limit, payment, state }: DeliverySearch
) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const query = { state: stateOf(state), endpointId: endpoint, paymentId: payment, before, limit }
  const { hasMore, items } = yield* Effect.catch(pointsman.deliveries(tenant, query), internalError)
  const ids = items.map(({ id }) => id)
  const events = yield* Effect.catch(pointsman.deliveredEvents(tenant, ids), internalError)
  const known = new Map((yield* endpointsOf(tenant)).map((one) => [one.id, one]))
  return {
    hasMore,
    items: items.flatMap((one) => {
      const event = events.get(one.id)
      return event === undefined ? [] : [deliveryView(one, event, known.get(one.endpointId))]
    })
  }
})

export const deliveryFile = Effect.fnUntraced(function* (path: DeliveryPath) {
  const { tenant } = yield* callerOf(path)
  const { attempts, delivery, event } = yield* (yield* Pointsman).deliveryFile(tenant, path.delivery).pipe(told)
  const endpoint: WebhookEndpoint | undefined = (yield* endpointsOf(tenant)).find(
    ({ id }) => id === delivery.endpointId
  )
  return {
    isActive: endpoint?.active === true,
    file: deliveryFileView(deliveryView(delivery, event, endpoint), event, attempts)
  }
})

const notRedeliverable = (message: string) => Effect.fail(failure("not_redeliverable", message))

/** `seenAttempts`: those that the delivery had when the operator read it. */
export const redeliver = Effect.fnUntraced(function* (path: DeliveryPath, seenAttempts: number) {
  const { tenant } = yield* callerOf(path)
  // It would be given up at once.
  if (!(yield* deliveryFile(path)).isActive) {
    return yield* notRedeliverable("The endpoint is not active, so the delivery cannot be sent again.")
  }
  yield* (yield* Pointsman).redeliver(tenant, path.delivery, { seenAttempts }).pipe(
    Effect.catchTags({
      "pointsman/NotRedeliverable": () =>
        notRedeliverable("The delivery is on its way, or was sent again since it was read.")
    }),
    told
  )
  return (yield* deliveryFile(path)).file.delivery
})
