/** Where sealed texts are in the tables. */
import type { SealedKind } from "@pointsman/core/ports"
import { entryKey, tenantKey } from "./Columns.ts"

export interface SealedPlace {
  readonly table: string
  /** The columns of its key, which lead an index in this order. */
  readonly key: ReadonlyArray<string>
  readonly column: string
  /** Which rows have one. */
  readonly where: string
  /** Whether processes keep copies of it. */
  readonly isDirectory: boolean
}

const connection = { table: "connections", key: ["id"], isDirectory: true }
const endpoint = { table: "webhook_endpoints", key: ["id"], isDirectory: true }

export const sealedPlaces: Readonly<Record<SealedKind, SealedPlace>> = {
  derivation: { table: "kept_secrets", key: ["name"], column: "sealed", where: "true", isDirectory: false },
  credentials: { ...connection, column: "sealed_credentials", where: "true" },
  webhookSecret: { ...connection, column: "sealed_webhook_secret", where: "sealed_webhook_secret is not null" },
  previousWebhookSecret: {
    ...connection,
    column: "sealed_previous_webhook_secret",
    where: "sealed_previous_webhook_secret is not null"
  },
  endpointSecret: { ...endpoint, column: "sealed_secret", where: "true" },
  previousEndpointSecret: {
    ...endpoint,
    column: "sealed_previous_secret",
    where: "sealed_previous_secret is not null"
  },
  checkout: { table: "attempts", key: entryKey, column: "checkout", where: "checkout is not null", isDirectory: false },
  message: {
    table: "messages",
    key: [...tenantKey, "connection_id", "event_id"],
    column: "body",
    where: "is_sealed",
    isDirectory: false
  },
  evidence: {
    table: "dispute_evidence",
    key: entryKey,
    column: "sealed",
    where: "sealed <> ''",
    isDirectory: false
  }
}

/** A checkout is JSON: this is the part of it that is its sealed address. */
export const sealedUrlPart = (sealedUrl: string): string => `"sealedUrl":${JSON.stringify(sealedUrl)}`

/** The sealed address of a checkout as it is stored. */
export const sealedUrlOf = (checkout: string): string =>
  (JSON.parse(checkout) as { readonly sealedUrl: string }).sealedUrl
