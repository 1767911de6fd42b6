/** What the methods of the door run with: the services, and the settings of this instance. */
import { Context, Effect, Option } from "effect"
import type { Mac, SecureRandom } from "effect/crypto"
import type { Accounts } from "../call/Accounts.ts"
import type { OpenConnections } from "../call/CallProvider.ts"
import type { LookUps } from "../call/LookUps.ts"
import type { Background } from "../commit/Background.ts"
import type { PaymentLocks } from "../commit/PaymentLocks.ts"
import type { DeliveryWake } from "../commit/WakeDelivery.ts"
import type { Caller } from "../decide/CreateRequest.ts"
import type { JsonObject } from "../model/Event.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Admission, withPlace } from "../ports/Admission.ts"
import { Audit, type AuditAction, AuditActor, auditDraft } from "../ports/Audit.ts"
import type { Connectors } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import type { Ids } from "../ports/Ids.ts"
import type { Secrets } from "../ports/Secrets.ts"
import { requestMillis, StorageAllowance } from "../ports/StorageAllowance.ts"
import { type NotAdmitted, StorageCondition } from "../ports/StorageCondition.ts"
import { StorageError } from "../ports/StorageError.ts"
import type { StorageServices } from "../ports/StorageServices.ts"
import type { Circuits } from "../routing/run/Circuits.ts"
import type { LearnedRates } from "../routing/run/LearnedRates.ts"
import type { KeyUses } from "../verbs/administer/KeyUses.ts"

export type DoorServices =
  | StorageServices
  | DeliveryWake
  | Mac.Mac
  | PaymentLocks
  | Background
  | Connectors
  | Secrets
  | Ids
  | Circuits
  | LookUps
  | Accounts
  | LearnedRates
  | KeyUses
  | OpenConnections
  | SecureRandom.SecureRandom

export type DoorContext = Context.Context<DoorServices>

export const requests = (context: DoorContext) => {
  const { admit } = Context.get(context, StorageCondition)
  const admission = Context.get(context, Admission)
  /** With an allowance of time for all that it asks of the storage. */
  const ask = <A, E>(work: Effect.Effect<A, E, DoorServices>) =>
    Effect.suspend(() =>
      Effect.provideContext(work, Context.add(context, StorageAllowance, { leftMillis: requestMillis }))
    )
  const begin = <A, E>(work: Effect.Effect<A, E, DoorServices>) => {
    const asked = Effect.andThen(admit, ask(work))
    return admission === undefined ? asked : withPlace(admission)(asked)
  }
  const notBegun = (cause: NotAdmitted) => new StorageError({ operation: "beginHosted", cause })
  return {
    ask,
    /** What may move money: only while the storage takes new work. */
    begin,
    // A paying customer is waiting, so this takes no place.
    beginHosted: <A, E>(work: Effect.Effect<A, E, DoorServices>) =>
      Effect.andThen(Effect.mapError(admit, notBegun), ask(work))
  }
}

/** Adds the entry: the commit that follows has no place for it. If it fails, the act must not begin. */
export const intents =
  (context: DoorContext) =>
  (action: AuditAction, subject: string, details: JsonObject): Effect.Effect<void, StorageError> =>
    Effect.gen(function* () {
      const { append } = yield* Audit
      yield* append(yield* auditDraft(action, subject, details))
    }).pipe(Effect.provideContext(context))

/** As the details of entries name it. */
export const ofTenant = ({ environment, workspaceId }: Tenant) => ({ workspace_id: workspaceId, environment })

/** Adds the entry of an operator's act, as above. An act without an operator has no entry. */
export const actsOf =
  (context: DoorContext) =>
  (
    { operator, tenant }: Pick<Caller, "tenant" | "operator">,
    action: AuditAction,
    subject: string,
    details: JsonObject
  ): Effect.Effect<void, StorageError> =>
    operator === undefined
      ? Effect.void
      : intents(context)(action, subject, { ...ofTenant(tenant), ...details }).pipe(
          Effect.provideService(AuditActor, operator)
        )

/** Its details begin with the workspace of the connection; those of a connection that does not exist have none. */
export const intentsAtConnection =
  (context: DoorContext) =>
  (
    action: AuditAction,
    connectionId: string,
    subject: string,
    details: JsonObject
  ): Effect.Effect<void, StorageError> =>
    Effect.gen(function* () {
      const connection = yield* (yield* Directory).connection(connectionId)
      const workspace = Option.match(connection, { onNone: () => ({}), onSome: ofTenant })
      yield* intents(context)(action, subject, { ...workspace, ...details })
    }).pipe(Effect.provideContext(context))
