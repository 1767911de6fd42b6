/** What operators configure of a workspace that no configuration file defines. */
import { Effect, type Redacted } from "effect"
import type { RoutingSettings } from "../model/RoutingSettings.ts"
import type { Environment, Tenant } from "../model/Tenant.ts"
import type { StorageError } from "../ports/StorageError.ts"
import {
  addConnection,
  addEndpoint,
  type ConnectionEdit,
  type ConnectionNotFound,
  type ConnectionOrder,
  type CredentialsRefused,
  changeConnection,
  changeEndpoint,
  changeRouting,
  connectorsFor,
  type EndpointEdit,
  type EndpointOrder,
  markOf,
  type RecordChanged,
  type RecordExists,
  type WorkspaceInFile
} from "../verbs/administer/ConfigureWorkspace.ts"
import type { WorkspaceNotFound } from "../verbs/administer/ManageApiKeys.ts"
import type { DoorContext } from "./DoorContext.ts"

type Refused = WorkspaceNotFound | WorkspaceInFile | RecordChanged | StorageError

/** After `StorageError` the change may be written all the same: read the record again. */
export interface ConfigureMethods {
  /** Changes with the record: what an edit has to name as `seen`. */
  readonly markOf: (record: Parameters<typeof markOf>[0]) => Effect.Effect<string>
  /** The connectors that state their credentials, each with what it expects of them, by field. */
  readonly connectors: (
    environment: Environment
  ) => Effect.Effect<ReadonlyArray<{ readonly name: string; readonly credentials: Readonly<Record<string, string>> }>>
  readonly changeRouting: (tenant: Tenant, settings: RoutingSettings, seen: string) => Effect.Effect<void, Refused>
  /** No provider is asked: whose account the credentials open is known later. */
  readonly addConnection: (
    tenant: Tenant,
    order: ConnectionOrder
  ) => Effect.Effect<void, Refused | RecordExists | CredentialsRefused>
  readonly changeConnection: (
    tenant: Tenant,
    edit: ConnectionEdit
  ) => Effect.Effect<void, Refused | ConnectionNotFound | CredentialsRefused>
  /** Repeated with the same key, it gives the same secret. */
  readonly addEndpoint: (
    tenant: Tenant,
    order: EndpointOrder
  ) => Effect.Effect<{ readonly id: string; readonly secret: Redacted.Redacted<string> }, Refused | RecordExists>
  readonly changeEndpoint: (tenant: Tenant, edit: EndpointEdit) => Effect.Effect<void, Refused>
}

export const configureMethods = (context: DoorContext): ConfigureMethods => ({
  markOf: (record) => Effect.provideContext(markOf(record), context),
  connectors: (environment) => Effect.provideContext(connectorsFor(environment), context),
  changeRouting: (tenant, settings, seen) => Effect.provideContext(changeRouting(tenant, settings, seen), context),
  addConnection: (tenant, order) => Effect.provideContext(addConnection(tenant, order), context),
  changeConnection: (tenant, edit) => Effect.provideContext(changeConnection(tenant, edit), context),
  addEndpoint: (tenant, order) => Effect.provideContext(addEndpoint(tenant, order), context),
  changeEndpoint: (tenant, edit) => Effect.provideContext(changeEndpoint(tenant, edit), context)
})
