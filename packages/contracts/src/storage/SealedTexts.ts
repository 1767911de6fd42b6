/** Sealed texts: all of them are found, and one is replaced only where it is still the one that was read. */
import { expect } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import {
  Ledger,
  type SealedKind,
  type SealedReplacement,
  type SealedText,
  SealedTexts,
  sealedKinds
} from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { disputeOf } from "./Disputes.ts"
import { connectionOf, endpointOf, firstChange, newTenant, workspaceOf, writeDirectory } from "./Given.ts"
import { messageOf } from "./GivenEntries.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { atOnce, controlRacers, pagesOf, racers } from "./Unguarded.ts"

const checkout = { reference: "checkout-1", sealedUrl: "v2.0.url_-9", expiresAt: 5 }

const sealedMessage = (tenant: Tenant, eventId: string, isSealed = true) =>
  messageOf(eventId, { connectionId: `connection-${tenant.workspaceId}`, body: `body of ${eventId}`, isSealed })

/** Records with a sealed text of each kind; the ones of a kind in the order of `texts`. */
const sealedRecords = Effect.gen(function* () {
  const ledger = yield* Ledger
  const tenant = yield* newTenant("production")
  const connections = ["a", "b", "c"].map((name) =>
    connectionOf(tenant, {
      id: `${name}-${tenant.workspaceId}`,
      sealedCredentials: `credentials ${name}`,
      sealedWebhookSecret: name === "b" ? null : `webhook secret ${name}`,
      ...(name === "c" ? { sealedPreviousWebhookSecret: "previous webhook secret" } : {})
    })
  )
  const endpoint = endpointOf(tenant, { sealedSecret: "endpoint secret", sealedPreviousSecret: "previous secret" })
  yield* writeDirectory({ workspaces: [workspaceOf(tenant)], connections, webhookEndpoints: [endpoint] })
  const { change } = yield* firstChange(tenant)
  const attempts = change.attempts.map((attempt) => ({ ...attempt, checkout }))
  const [dispute, evidence] = disputeOf(change, `dp_${tenant.workspaceId}`)
  yield* ledger.commit({ ...change, attempts, disputes: [dispute], evidence: [evidence] })
  const odd = "event \"\u0000\ud800'\u0001"
  for (const eventId of ["evt_1", "evt_2", odd]) yield* ledger.storeMessage(tenant, sealedMessage(tenant, eventId))
  yield* ledger.storeMessage(tenant, sealedMessage(tenant, "evt_open", false))
  const owner = [tenant.workspaceId, tenant.environment]
  const texts: ReadonlyArray<SealedText> = [
    ...connections.map(({ id, sealedCredentials: sealed }) => ({ kind: "credentials" as const, key: [id], sealed })),
    ...["a", "c"].map((name) => ({
      kind: "webhookSecret" as const,
      key: [`${name}-${tenant.workspaceId}`],
      sealed: `webhook secret ${name}`
    })),
    { kind: "previousWebhookSecret", key: [`c-${tenant.workspaceId}`], sealed: "previous webhook secret" },
    { kind: "endpointSecret", key: [endpoint.id], sealed: "endpoint secret" },
    { kind: "previousEndpointSecret", key: [endpoint.id], sealed: "previous secret" },
    ...attempts.map(({ id, paymentId }) => ({
      kind: "checkout" as const,
      key: [...owner, paymentId, id],
      sealed: checkout.sealedUrl
    })),
    ...["evt_1", "evt_2", odd].map((eventId) => ({
      kind: "message" as const,
      key: [...owner, `connection-${tenant.workspaceId}`, eventId],
      sealed: `body of ${eventId}`
    })),
    { kind: "evidence", key: [...owner, evidence.paymentId, evidence.id], sealed: evidence.sealed }
  ]
  return { attempts, connections, endpoint, tenant, texts }
})

/** All of a kind, by pages. */
const allOf = Effect.fnUntraced(function* (kind: SealedKind, limit: number) {
  const sealed = yield* SealedTexts
  return yield* pagesOf(
    Effect.fnUntraced(function* (last?: SealedText) {
      const page = yield* sealed.list({ kind, after: last?.key ?? null, limit })
      expect(page.length).toBeLessThanOrEqual(limit)
      return page
    })
  )
})

/** All of every kind that the tenant has. */
const allOfTenant = ({ workspaceId }: Tenant, limit = 1_000) =>
  Effect.map(
    Effect.forEach(sealedKinds, (kind) => allOf(kind, limit)),
    (found) => byKey(found.flat().filter(({ key }) => key.some((part) => part.includes(workspaceId))))
  )

const replacementOf = (text: SealedText, sealed: string): SealedReplacement => ({
  ...text,
  expected: text.sealed,
  sealed
})

const byKey = (texts: ReadonlyArray<SealedText>) =>
  texts.toSorted((a, b) => (JSON.stringify([a.kind, a.key]) < JSON.stringify([b.kind, b.key]) ? -1 : 1))

export const sealedTexts = chapter("sealed texts", (suiteIt) => {
  const it = itWith(suiteIt, () => sealedRecords)

  it("each of all kinds of sealed texts is listed once by pages", function* ({ tenant, texts }) {
    for (const limit of [1, 2, 1_000]) expect(yield* allOfTenant(tenant, limit)).toStrictEqual(byKey(texts))
  })

  it("replaced sealed texts change nothing else, and every reader sees it", function* (given) {
    const { attempts, connections, directory, endpoint, ledger, sealed, tenant, texts } = given
    yield* directory.contents
    const sealedAs = (text: string) => `v2.new.${text.length}`
    const after = texts.map((text): SealedText => ({ ...text, sealed: sealedAs(text.sealed) }))
    for (const kind of sealedKinds) {
      const due = texts.flatMap((text, at) =>
        text.kind === kind ? [replacementOf(text, after[at]?.sealed ?? "")] : []
      )
      expect(yield* sealed.replace(kind, due)).toBe(due.length)
    }
    expect(yield* allOfTenant(tenant)).toStrictEqual(byKey(after))

    const contents = yield* directory.contents
    expect(contents.connections.filter(({ workspaceId }) => workspaceId === tenant.workspaceId)).toStrictEqual(
      connections.map((one) => ({
        ...one,
        sealedCredentials: sealedAs(one.sealedCredentials),
        sealedWebhookSecret: one.sealedWebhookSecret === null ? null : sealedAs(one.sealedWebhookSecret),
        ...(one.sealedPreviousWebhookSecret === undefined
          ? {}
          : { sealedPreviousWebhookSecret: sealedAs(one.sealedPreviousWebhookSecret) })
      }))
    )
    expect(contents.webhookEndpoints).toContainEqual({
      ...endpoint,
      sealedSecret: sealedAs(endpoint.sealedSecret),
      sealedPreviousSecret: sealedAs("previous secret")
    })
    const [attempt] = attempts
    expect(yield* ledger.attempts(tenant, attempt?.paymentId ?? "")).toStrictEqual(
      attempts.map((one) => ({ ...one, checkout: { ...checkout, sealedUrl: sealedAs(checkout.sealedUrl) } }))
    )
    const connectionId = `connection-${tenant.workspaceId}`
    expect(yield* ledger.message(tenant, connectionId, "evt_1")).toStrictEqual(
      Option.some({ ...sealedMessage(tenant, "evt_1"), body: sealedAs("body of evt_1") })
    )
    expect(yield* ledger.message(tenant, connectionId, "evt_open")).toStrictEqual(
      Option.some(sealedMessage(tenant, "evt_open", false))
    )
  })

  it("a text written since it was read stays when it is replaced", function* (given) {
    const { connections, directory, sealed, tenant, texts } = given
    const changed = connections.map((one) => ({ ...one, sealedCredentials: `newer ${one.sealedCredentials}` }))
    yield* writeDirectory({ connections: changed.slice(1) })
    const read = texts.filter(({ kind }) => kind === "credentials").map((text) => replacementOf(text, "resealed"))
    expect(yield* sealed.replace("credentials", read)).toBe(1)
    const stored = (yield* directory.contents).connections
      .filter(({ workspaceId }) => workspaceId === tenant.workspaceId)
      .map(({ sealedCredentials }) => sealedCredentials)
    expect(stored).toStrictEqual(["resealed", "newer credentials b", "newer credentials c"])
    for (const kind of sealedKinds) {
      const stale = texts.filter((text) => text.kind === kind).map((text) => replacementOf(text, "never"))
      const wrong = stale.map((one) => ({ ...one, expected: `${one.expected}x` }))
      expect(yield* sealed.replace(kind, wrong)).toBe(0)
      expect(yield* sealed.replace(kind, [])).toBe(0)
    }
  })

  it(`one of ${racers} writers that replace one text does`, function* ({ sealed, texts }) {
    for (const text of texts.filter(({ kind }) => kind === "credentials" || kind === "message").slice(0, 4)) {
      const all = Array.from({ length: racers }, (_, at) => replacementOf(text, `by ${at}`))
      const counts = yield* atOnce(all, (one) => sealed.replace(text.kind, [one]))
      expect(counts.filter((count) => count === 1)).toHaveLength(1)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
      const found = (yield* allOf(text.kind, 1_000)).find(({ key }) => `${key}` === `${text.key}`)
      expect(found?.sealed).toBe(`by ${counts.indexOf(1)}`)
    }
  })

  it("a step decided before its checkout is sealed again is stale", function* (given) {
    const { attempts, ledger, sealed, tenant, texts } = given
    const read = Effect.map(ledger.book(tenant, attempts[0]?.paymentId ?? ""), Option.getOrThrow)
    const before = yield* read
    const resealed = texts.filter(({ kind }) => kind === "checkout").map((text) => replacementOf(text, "resealed"))
    expect(yield* sealed.replace("checkout", resealed)).toBe(attempts.length)
    const after = { ...before.payment, version: before.payment.version + 1 }
    const payment = { expected: before.payment.version, before, after }
    const failure = yield* Effect.flip(ledger.commit({ tenant, payment, attempts: before.attempts, events: [] }))
    expect(failure._tag).toBe("pointsman/Stale")
    expect((yield* read).attempts.map(({ checkout }) => checkout?.sealedUrl)).toStrictEqual(
      attempts.map(() => "resealed")
    )
  })

  suiteIt("the first derivation keys that several processes bring are kept", function* ({ sealed }) {
    const brought = Array.from({ length: controlRacers }, (_, at) => `derivation ${at}`)
    const kept = yield* atOnce(brought, sealed.keepDerivation)
    expect(new Set(kept).size).toBe(1)
    const [text] = yield* allOf("derivation", 10)
    expect(text?.sealed).toBe(kept[0])
    expect(yield* sealed.derivation).toStrictEqual(Option.some(kept[0]))
    if (text === undefined) return
    expect(yield* sealed.replace("derivation", [replacementOf(text, "derivation resealed")])).toBe(1)
    expect(yield* sealed.keepDerivation("another")).toBe("derivation resealed")
  })
})
