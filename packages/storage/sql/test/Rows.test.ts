import { describe, expect, it } from "@effect/vitest"
import type { Connection, Merchant, Workspace } from "@pointsman/core"
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  Ids,
  NotAPartner,
  provisionRefusal,
  type StoredMessage,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import { type Columns, makeRows, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newChange, rate, tenant } from "./Given.ts"

/** A form in which nothing that was not bound reads as it was written. */
const rows = makeRows<string | { readonly bound: unknown }>({
  bindText: (text) => ({ bound: text }),
  readText: (value) => (value as { readonly bound: string }).bound,
  bindTexts: (texts) => ({ bound: texts }),
  readTexts: (value) => (value as { readonly bound: ReadonlyArray<string> }).bound,
  bindBoolean: (value) => ({ bound: value }),
  readBoolean: (value) => (value as { readonly bound: boolean }).bound
})

/** The row that a database would give of what was bound, column by column. */
const written = <A, V, O>(columns: Columns<A, V, O>, record: A, owner: O): Row =>
  Object.fromEntries(Object.keys(columns).map((column, index) => [column, valuesOf(columns)(record, owner)[index]]))

const workspace: Workspace = {
  id: "ws",
  name: "Shop",
  country: "DE",
  category: null,
  suspended: true,
  partner: { allowance: 2 }
}
const connection: Connection = {
  id: "first",
  ...tenant,
  name: "First",
  connector: "sandbox",
  active: true,
  priority: 3,
  sealedCredentials: "sealed",
  sealedWebhookSecret: "secret",
  timeoutMillis: 9,
  supports: { methods: ["card"] },
  restrictions: [],
  circuitBreaker: null
}
const endpoint: WebhookEndpoint = {
  id: "whe_1",
  ...tenant,
  url: "https://a.example",
  events: ["*"],
  sealedSecret: "s",
  active: false
}
const merchant: Merchant = {
  id: "mer_1",
  partnerId: "ws",
  workspaceId: "ws_2",
  name: "Bakery",
  email: "Bakery@example.com",
  country: "DE",
  category: "bakery",
  invitationHash: "hash",
  createdAt: 4
}
const message: StoredMessage = {
  connectionId: "first",
  eventId: "e-1",
  paymentId: "pay_1",
  about: "dispute",
  subjectId: "att_1",
  disputeId: "d-1",
  verdict: "opened",
  outcome: "unreadable",
  reason: "at id",
  writtenAt: 5,
  receivedAt: 6,
  body: "{}",
  isSealed: true
}

describe("rows", () => {
  it.effect("a record of each table of a change reads as it was", () =>
    Effect.gen(function* () {
      const change = yield* newChange()
      expect(rows.readMessage(written(rows.messageColumns, message, change))).toStrictEqual(message)
    }).pipe(Effect.provide(Ids.layer))
  )

  it("a record of each other table reads as it was", () => {
    const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory
    const apiKey = {
      hash: "h",
      ...tenant,
      scopes: null,
      name: null,
      expiresAt: null,
      networks: null,
      revokedAt: 2,
      source: "operator",
      createdAt: 1
    } as const
    const settings = { ...tenant, settings: { mode: "failover" } as never }
    for (const one of [workspace, { ...workspace, brand: { name: "Bakery", color: "#0b5fff" } }]) {
      expect(workspaces.read(written(workspaces.columns, one, undefined))).toStrictEqual(one)
    }
    expect(apiKeys.read(written(apiKeys.columns, apiKey, undefined))).toStrictEqual(apiKey)
    expect(connections.read(written(connections.columns, connection, undefined))).toStrictEqual(connection)
    expect(routing.read(written(routing.columns, settings, undefined))).toStrictEqual(settings)
    for (const one of [endpoint, { ...endpoint, sealedPreviousSecret: "before" }]) {
      expect(webhookEndpoints.read(written(webhookEndpoints.columns, one, undefined))).toStrictEqual(one)
    }
    expect(rows.readRate(written(rows.rateColumns, rate, undefined))).toStrictEqual(rate)
    const standing = { suspended: { bound: true }, has_live_key: { bound: false } }
    const row = written(rows.merchantColumns, merchant, undefined)
    expect(row["email_key"]).toStrictEqual({ bound: "bakery@example.com" })
    expect(rows.readStanding({ ...row, ...standing })).toStrictEqual({ merchant, suspended: true, hasLiveKey: false })
  })
})

describe("what a provision is refused for", () => {
  const sound = { isRevoked: false, partner: { allowance: 2 }, isInvited: false, present: 1 }
  const check = (fields: Partial<Parameters<typeof provisionRefusal>[0]>) => provisionRefusal({ ...sound, ...fields })

  it("the port's order decides between several checks that refuse", () => {
    const all = { isRevoked: true, partner: null, isInvited: true, present: 2 }
    expect(check(all)).toStrictEqual(new ApiKeyRevoked())
    expect(check({ ...all, isRevoked: false })).toStrictEqual(new NotAPartner())
    expect(check({ isInvited: true, present: 2 })).toStrictEqual(new AlreadyInvited())
    expect(check({ present: 2 })).toStrictEqual(new AllowanceExhausted({ allowance: 2 }))
    expect(check({})).toBeUndefined()
  })
})
