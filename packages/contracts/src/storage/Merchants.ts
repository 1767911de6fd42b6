/** Partners' merchants: the allowance and the address hold however many are provisioned at once. */
import { expect } from "@effect/vitest"
import type { Merchant, MerchantStanding, Tenant } from "@pointsman/core"
import { workspaceOfMerchant } from "@pointsman/core/internal"
import { Directory, Ids, Merchants, type Provision } from "@pointsman/core/ports"
import { Clock, Effect, Option } from "effect"
import { apiKeyOf, newTenant, workspaceOf, writeDirectory } from "./Given.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { meeting, pagesOf, race, racers } from "./Unguarded.ts"

/** A stored partner with a live key, that no other test has. */
const newPartner = Effect.fnUntraced(function* (allowance = 100) {
  const tenant = yield* newTenant("production")
  yield* writeDirectory({
    workspaces: [workspaceOf(tenant, { partner: { allowance } })],
    apiKeys: [apiKeyOf(tenant)]
  })
  return tenant
})

/** A merchant with an address of its own, unless one is given. */
const newMerchant = (partner: Tenant, fields: Partial<Merchant> = {}) =>
  Effect.map(
    Effect.flatMap(Ids, ({ merchant }) => Effect.all([merchant, Clock.currentTimeMillis])),
    ([id, createdAt]): Merchant => ({
      id,
      partnerId: partner.workspaceId,
      workspaceId: id,
      name: "Corner shop",
      email: `${id}@shop.example`,
      country: "NL",
      category: "retail",
      invitationHash: `hash-of-${id}`,
      createdAt,
      ...fields
    })
  )

const provisioned = Effect.fnUntraced(function* (partner: Tenant, fields: Partial<Merchant> = {}) {
  const merchant = yield* newMerchant(partner, fields)
  yield* (yield* Merchants).provision({ merchant })
  return merchant
})

const tagOf = ({ _tag }: { readonly _tag: string }) => _tag

const exhausted = "pointsman/AllowanceExhausted"

const invited = (merchant: Merchant): MerchantStanding => ({ merchant, suspended: false, hasLiveKey: false })

const list = ({ workspaceId }: Tenant, limit = 2 * racers) =>
  Effect.flatMap(Merchants, (store) => store.list(workspaceId, { limit }))

/** Nothing of the merchant is stored, its workspace neither. */
const expectNoTrace = Effect.fnUntraced(function* (merchant: Merchant) {
  const { list, workspaceIds } = yield* Merchants
  const directory = yield* Directory
  const rows = yield* list(merchant.partnerId, { limit: 2 * racers })
  expect(rows.map((row) => row.merchant.id)).not.toContain(merchant.id)
  expect((yield* workspaceIds).has(merchant.workspaceId)).toBe(false)
  expect(yield* directory.workspace(merchant.workspaceId)).toEqual(Option.none())
})

const refusalOf = Effect.fnUntraced(function* (provision: Provision) {
  const failure = yield* Effect.flip((yield* Merchants).provision(provision))
  yield* expectNoTrace(provision.merchant)
  return failure
})

export const merchants = chapter("merchants", (suiteIt) => {
  /** With a partner that is stored. */
  const it = itWith(suiteIt, () => Effect.map(newPartner(), (partner) => ({ partner })))

  it("a provisioned merchant has its workspace, also for the directory", function* (given) {
    const { directory, merchants: store, partner } = given
    // Read before the write: what an adapter keeps of it must not be what is read after.
    expect((yield* store.workspaceIds).size).toBeGreaterThanOrEqual(0)
    const merchant = yield* newMerchant(partner)
    expect(yield* directory.workspace(merchant.workspaceId)).toEqual(Option.none())

    yield* store.provision({ merchant, apiKeyHash: apiKeyOf(partner).hash })

    expect(yield* list(partner)).toStrictEqual([invited(merchant)])
    expect((yield* store.workspaceIds).has(merchant.workspaceId)).toBe(true)
    const workspace = Option.getOrThrow(yield* directory.workspace(merchant.workspaceId))
    expect(workspace).toStrictEqual(workspaceOfMerchant(merchant))
    const contents = yield* directory.contents
    expect(contents.workspaces).toContainEqual(workspace)
    expect(contents.apiKeys.filter(({ workspaceId }) => workspaceId === merchant.workspaceId)).toEqual([])
  })

  suiteIt("a repeated write of a stored merchant succeeds and changes nothing", function* ({ merchants: store }) {
    const partner = yield* newPartner(1)
    const merchant = yield* provisioned(partner)
    yield* writeDirectory({ workspaces: [workspaceOf(partner, { partner: null })] })
    yield* store.provision({ merchant: { ...merchant, name: "Another name" }, apiKeyHash: "of no key" })
    expect(yield* list(partner)).toStrictEqual([invited(merchant)])
  })

  suiteIt("a revoked key, no partner and a used address provision nothing", function* () {
    const partner = yield* newPartner(1)
    const first = yield* provisioned(partner, { email: "Owner@Shop.example" })
    const apiKey = apiKeyOf(partner)
    // Each refusal applies although those after it in the port's order would refuse as well.
    const twin = yield* newMerchant(partner, { email: "owner@shop.example" })
    const refused = (apiKeyHash = apiKey.hash) => Effect.map(refusalOf({ merchant: twin, apiKeyHash }), tagOf)
    expect(yield* refused()).toBe("pointsman/AlreadyInvited")
    yield* writeDirectory({ workspaces: [workspaceOf(partner)] })
    expect(yield* refused()).toBe("pointsman/NotAPartner")
    yield* writeDirectory({ apiKeys: [{ ...apiKey, revokedAt: 5 }] })
    expect([yield* refused(), yield* refused("of no key")]).toEqual(Array(2).fill("pointsman/ApiKeyRevoked"))
    const stranger = yield* newMerchant(yield* newTenant("production"))
    expect(tagOf(yield* refusalOf({ merchant: stranger }))).toBe("pointsman/NotAPartner")
    expect(yield* list(partner)).toStrictEqual([invited(first)])
  })

  suiteIt("the stored allowance counts as it is used up, lowered and raised", function* ({ merchants }) {
    const partner = yield* newPartner(1)
    const allow = (allowance: number) =>
      writeDirectory({ workspaces: [workspaceOf(partner, { partner: { allowance } })] })
    const first = yield* provisioned(partner)
    const next = yield* newMerchant(partner)
    expect(yield* refusalOf({ merchant: next })).toMatchObject({ _tag: exhausted, allowance: 1 })
    yield* allow(0)
    expect(yield* refusalOf({ merchant: next })).toMatchObject({ _tag: exhausted, allowance: 0 })
    // A suspended merchant keeps its place.
    yield* writeDirectory({ workspaces: [{ ...workspaceOfMerchant(first), suspended: true }] })
    yield* allow(1)
    expect((yield* refusalOf({ merchant: next }))._tag).toBe(exhausted)
    yield* allow(2)
    yield* merchants.provision({ merchant: next })
    expect(yield* list(partner)).toHaveLength(2)
  })

  suiteIt(`two of ${racers} provisions at once fit an allowance of 2`, function* ({ merchants: { provision } }) {
    const partner = yield* newPartner(2)
    const contenders = yield* Effect.forEach(Array(racers).keys(), () => newMerchant(partner))
    const { lost, won } = yield* race(contenders, (merchant) => provision({ merchant }))
    expect(won).toHaveLength(2)
    expect(lost.map(({ failure }) => failure._tag)).toEqual(Array(racers - 2).fill(exhausted))
    const stored = yield* list(partner)
    expect(new Set(stored.map(({ merchant }) => merchant))).toEqual(new Set(won))
    for (const { writer } of lost) yield* expectNoTrace(writer)
  })

  it("control: more than two fit if the allowance is read before the write", function* ({ merchants: store, partner }) {
    const contenders = yield* Effect.forEach(Array(racers).keys(), () => newMerchant(partner))
    const met = meeting(racers)
    const { won } = yield* race(
      contenders,
      Effect.fnUntraced(function* (merchant: Merchant) {
        const present = yield* store.list(partner.workspaceId, { limit: 2 })
        yield* met
        if (present.length < 2) yield* store.provision({ merchant })
        else return yield* Effect.fail({ _tag: "full" })
      })
    )
    expect(won).toHaveLength(racers)
  })

  it(`one of ${racers} provisions of one address in two spellings is there`, function* (given) {
    const { merchants, partner } = given
    const contenders = yield* Effect.forEach(Array(racers).keys(), (index) =>
      newMerchant(partner, { email: index % 2 === 0 ? "Jörg@Shop.Example" : "jo\u0308rg@shop.example" })
    )
    const { lost, won } = yield* race(contenders, (merchant) => merchants.provision({ merchant }))
    expect(won).toHaveLength(1)
    expect(lost.map(({ failure }) => failure._tag)).toEqual(Array(racers - 1).fill("pointsman/AlreadyInvited"))
    // The spelling is kept.
    expect(yield* list(partner)).toStrictEqual(won.map(invited))
  })

  suiteIt("two partners that invite one address each have their own and see no other", function* (given) {
    const { merchants: store } = given
    const [one, other] = [yield* newPartner(1), yield* newPartner(1)]
    const email = "owner@shop.example"
    const first = yield* provisioned(one, { email })
    const second = yield* provisioned(other, { email })
    expect(yield* list(one)).toStrictEqual([invited(first)])
    expect(yield* list(other)).toStrictEqual([invited(second)])
    expect(yield* store.replaceInvitation(other.workspaceId, first.id, "stolen")).toEqual(Option.none())
    expect(yield* list(one)).toStrictEqual([invited(first)])
  })

  it("a merchant invited again has the new invitation and nothing else changes", function* (given) {
    const { merchants: store, partner } = given
    const merchant = yield* provisioned(partner)
    const neighbour = yield* provisioned(partner)
    const after = invited({ ...merchant, invitationHash: "hash-of-another" })
    const replace = store.replaceInvitation(partner.workspaceId, merchant.id, "hash-of-another")
    expect(yield* replace).toStrictEqual(Option.some(after))
    expect(yield* replace).toStrictEqual(Option.some(after))
    expect(yield* list(partner)).toStrictEqual([invited(neighbour), after])
    expect(yield* store.replaceInvitation(partner.workspaceId, "mer_of_nobody", "a")).toEqual(Option.none())
  })

  it("listed merchants have the standing of their workspace: keys and suspension", function* ({ partner }) {
    const merchant = yield* provisioned(partner)
    const standing = Effect.map(list(partner), ([row]) => [row?.suspended, row?.hasLiveKey])
    const live = apiKeyOf({ workspaceId: merchant.workspaceId, environment: "production" })
    yield* writeDirectory({ apiKeys: [apiKeyOf({ workspaceId: merchant.workspaceId, environment: "sandbox" })] })
    expect(yield* standing).toEqual([false, false])
    yield* writeDirectory({ apiKeys: [live] })
    expect(yield* standing).toEqual([false, true])
    yield* writeDirectory({ workspaces: [{ ...workspaceOfMerchant(merchant), suspended: true }] })
    expect(yield* standing).toEqual([true, true])
    yield* writeDirectory({ apiKeys: [{ ...live, revokedAt: 5 }] })
    expect(yield* standing).toEqual([true, false])
  })

  it("pages of merchants, newest first, do not move while new ones arrive", function* ({ merchants: store, partner }) {
    const written = yield* Effect.forEach(Array(10).keys(), () => provisioned(partner))
    const read = yield* pagesOf(
      Effect.fnUntraced(function* (last?: MerchantStanding) {
        if (last !== undefined) yield* provisioned(partner)
        const page = yield* store.list(partner.workspaceId, { before: last?.merchant.id, limit: 4 })
        expect(page.length).toBeLessThanOrEqual(4)
        return page
      })
    )
    expect(read).toStrictEqual(written.map(invited).toReversed())
  })

  it("awkward text that is provisioned is read back as it was", function* ({ partner }) {
    const awkward = ["👩‍👩‍👧‍👦 \u202eمرحبا", "'); drop table merchants; --", "a\u0000b", "\ud83d", "%_"]
    for (const text of awkward) {
      const merchant = yield* provisioned(partner, { name: text, email: `${text}@x`, category: text })
      expect(yield* list(partner, 1)).toStrictEqual([invited(merchant)])
      const twin = yield* newMerchant(partner, { email: `${text}@X` })
      expect((yield* refusalOf({ merchant: twin }))._tag).toBe("pointsman/AlreadyInvited")
    }
    const none = yield* provisioned(partner, { category: null })
    expect(yield* list(partner, 1)).toStrictEqual([invited(none)])
  })
})
