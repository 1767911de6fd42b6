// What a TypeScript program sees of every door; it is compiled and never run.
import * as configuration from "@pointsman/configuration"
import { adyen } from "@pointsman/connector-adyen"
import { http } from "@pointsman/connector-http"
import { sandbox } from "@pointsman/connector-sandbox"
import { stripe } from "@pointsman/connector-stripe"
import { connectorSuite } from "@pointsman/contracts/connector"
import { type Payment as CorePayment, Pointsman as PointsmanService } from "@pointsman/core"
import type { Connector } from "@pointsman/core/connector"
import type { Ledger } from "@pointsman/core/ports"
import * as testing from "@pointsman/core/testing"
import * as routes from "@pointsman/http"
import * as api from "@pointsman/http/api"
import { createPointsman, type Payment, type PaymentStatus, PointsmanError } from "@pointsman/node"
import * as memoryStorage from "@pointsman/storage-memory"
import * as postgresStorage from "@pointsman/storage-postgres"
import * as sqlStorage from "@pointsman/storage-sql"
import { sqlite } from "@pointsman/storage-sqlite"
import * as transport from "@pointsman/transport-node"
import * as server from "pointsman"

export const doors = [configuration, testing, routes, api, memoryStorage, postgresStorage, sqlStorage]
export const more = [transport, server, connectorSuite, PointsmanService]
export type Types = [CorePayment, Connector, Ledger]

const isEnglish: Record<PaymentStatus, string> | undefined = undefined

export const pay = async (): Promise<Payment | undefined> => {
  const pointsman = await createPointsman({
    storage: sqlite("payments.db"),
    connectors: [sandbox(), stripe, adyen, http],
    encryptionKey: "…",
    workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
  })
  try {
    const { payment } = await pointsman.create({ amount: 1234, currency: "EUR", country: "NL" })
    // @ts-expect-error an amount is a number of minor units
    await pointsman.create({ amount: "12.34", currency: "EUR", country: "NL" })
    return isEnglish === undefined ? payment : undefined
  } catch (error) {
    if (error instanceof PointsmanError) return undefined
    throw error
  }
}
