// What a TypeScript program sees of every door of the packages for Effect; it is compiled and never run.
import * as archive from "@pointsman/archive"
import * as client from "@pointsman/client"
import * as configuration from "@pointsman/configuration"
import { connectorSuite } from "@pointsman/contracts/connector"
import { type Payment as CorePayment, Pointsman as PointsmanService } from "@pointsman/core"
import type { Connector } from "@pointsman/core/connector"
import type { Ledger } from "@pointsman/core/ports"
import * as testing from "@pointsman/core/testing"
import * as routes from "@pointsman/http"
import * as api from "@pointsman/http/api"
import * as citusStorage from "@pointsman/storage-citus"
import * as memoryStorage from "@pointsman/storage-memory"
import * as postgresStorage from "@pointsman/storage-postgres"
import * as sqlStorage from "@pointsman/storage-sql"
import * as transport from "@pointsman/transport-node"

export const doors = [configuration, testing, routes, api, citusStorage, memoryStorage, postgresStorage, sqlStorage]
export const more = [archive, client, transport, connectorSuite, PointsmanService]
export type Types = [CorePayment, Connector, Ledger]
