/** Rounds of one dispute over the API: the provider's time orders what its messages state. */
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { deliver, dispute } from "./support/Messages.ts"
import { answerDispute, answerOf, captured, get, keepEvidence, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { asks, type Step, type Walker, walk, walks } from "./support/Walks.ts"
import { acme } from "./support/World.ts"

const disputesOf = async ({ id, world }: Walker) => (await get(world, `/disputes?payment=${id}`)).body.data

/** A message of a minute of the day on which the provider writes. */
const said =
  (type: string, minute: number, more: object = {}, messageId: { readonly id?: string } = {}): Step =>
  (walker) =>
    deliver(walker.world, {
      ...dispute(walker.attemptId, "opened", { dispute_id: `du_${walker.id}`, ...more }),
      type: `dispute.${type}`,
      created: `2026-11-21T12:0${minute}:00Z`,
      ...messageId
    })

const disputes =
  (...statuses: ReadonlyArray<string>): Step =>
  async (walker) => {
    const found: ReadonlyArray<{ readonly status: string }> = await disputesOf(walker)
    expect(found.map(({ status }) => status)).toEqual(statuses)
  }

const shows =
  (fields: object): Step =>
  async (walker) =>
    expect(await disputesOf(walker)).toMatchObject([fields])

/** Keeps evidence and submits it. */
const answers =
  (key: string): Step =>
  async (walker) => {
    const [{ id }] = await disputesOf(walker)
    const kept = await keepEvidence(walker.world, id, { summary: "It arrived." })
    const sent = await answerDispute(walker.world, id, "submit", key)
    expect([kept, sent].map(answerOf)).toEqual(["200", "200"])
  }

// One store is enough: none of them orders statements.
describe.each(stores.slice(0, 1))("over %s", (_name, store) => {
  const world = usedWorld(store)
  const itWalks = walks(world, captured)
  const taken = "CAPTURED 1000"
  const back = "CHARGEBACK 1000"

  const tells: Step = async ({ id }) =>
    expect(
      (await timeline(world, id)).map(({ type }) => type).filter((type) => /chargeback|dispute/u.test(type))
    ).toEqual([
      ...["payment.chargeback", "dispute.opened", "dispute.submitted"],
      ...["payment.chargeback_reversed", "dispute.won"],
      ...["payment.chargeback", "dispute.opened", "dispute.submitted"],
      ...["dispute.lost", "dispute.opened"]
    ])
  const again = {
    ...{ amount: 600, status: "needs_response" },
    ...{ evidence_due_by: "2030-01-01T00:00:00.000Z", evidence_submitted_at: null }
  }
  itWalks("a dispute that was won and is opened again begins a new round", [
    [said("opened", 1, { amount: 600, currency: "EUR", evidence_due_by: "2026-12-01T00:00:00Z" }), back],
    [[answers("first round"), said("won", 2)], taken, disputes("won")],
    [said("opened", 3, { evidence_due_by: "2030-01-01T00:00:00Z" }), back, shows(again)],
    [[asks("refund", "409 not_refundable"), answers("second round")], back],
    [said("lost", 4), back, disputes("lost"), async () => expect(world.provider.submissions).toHaveLength(2)],
    [said("updated", 5, { status: "under_review" }), back, disputes("under_review"), tells]
  ])

  // A late message of the round before.
  const late = said("updated", 2, { status: "under_review", evidence_due_by: "2026-12-02T00:00:00Z" })
  itWalks("a new round without a deadline does not have that of the round before", [
    [[said("opened", 1, { evidence_due_by: "2026-12-01T00:00:00Z" }), said("won", 3)], taken],
    [[said("opened", 4), late], back, shows({ status: "needs_response", evidence_due_by: null })]
  ])

  test.each([
    ["before", 1, taken],
    ["at the time of", 2, `${taken} conflict`]
  ])("an opening that is dated %s the end does not open again", async (_, minute, after) => {
    const opened = said("opened", minute)
    // The same again is no other contradiction.
    await walk(world, captured, [
      [[said("won", 2), opened], after, disputes("won")],
      [opened, after, disputes("won")]
    ])
  })

  itWalks("an opening that is dated at the time of the loss is older", [
    [[said("lost", 2), said("opened", 2)], back, disputes("lost")]
  ])

  test.each([
    [[2, 4, 6], ["opened", "won", "opened"], back, "needs_response"],
    [[2, 4, 6], ["opened", "won", "lost"], back, "lost"],
    [[2, 4, 6], ["opened", "lost", "won"], taken, "won"]
  ])("messages of the minutes %j that say %j have one result in any order of arrival", async (...row) => {
    const [minutes, types, after, last] = row
    const messages = types.map((type, at) => said(type, minutes[at] ?? 0))
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1]
    ]) {
      await walk(world, captured, [[order.flatMap((at) => messages[at] ?? []), after, disputes(last)]])
    }
  })

  itWalks("a loss of a part has the decided amount, and the claimed one in another round", [
    [said("opened", 1, { amount: 900, currency: "EUR" }), back, shows({ amount: 900 })],
    [said("lost", 2, { amount: 200, currency: "EUR" }), back, shows({ amount: 200 })],
    // A late message of the claim.
    [said("opened", 1, { amount: 900, currency: "EUR" }), back, shows({ amount: 200 })],
    [said("opened", 3, { amount: 700, currency: "EUR" }), back, shows({ amount: 700 })],
    // Nothing else was decided than what was claimed.
    [said("won", 4), taken, shows({ amount: 700 })]
  ])

  test.each([
    ["won", taken],
    ["lost", back],
    ["accepted", back]
  ])("an update whose status is %s counts for the dispute and for the payment", async (status, after) => {
    await walk(world, captured, [
      [[said("opened", 1), said("updated", 2, { status })], after, disputes(status)],
      // Without a status, an update states none.
      [said("updated", 3, { reason: "not_received" }), after, disputes(status)]
    ])
  })

  test.each([
    ["lost", "won"],
    ["won", "lost"],
    ["won", "warning"],
    ["opened", "accepted"],
    ["lost", "needs_response"]
  ])("a message dispute.%s with the status %s changes nothing, and opens a review", async (type, status) => {
    const id = `contradiction of ${type} and ${status}`
    let before: unknown
    const remembers: Step = async (walker) => {
      before = await disputesOf(walker)
    }
    const isKept: Step = async (walker) => {
      expect(await disputesOf(walker)).toEqual(before)
      expect((await timeline(world, walker.id)).at(-1)?.type).toBe("payment.conflict")
      const stored = Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.message(acme, "main", id), Option.getOrThrow))
      expect(await world.run(stored)).toMatchObject({ outcome: "contradicts", paymentId: walker.id })
    }
    await walk(world, captured, [
      [said("opened", 1, { amount: 600, currency: "EUR" }), back, disputes("needs_response"), remembers],
      [said(type, 2, { status, amount: 500, currency: "EUR" }, { id }), `${back} conflict`, isKept]
    ])
  })

  itWalks("an inquiry dated after an opening returns no money, and operations review it", [
    [[said("opened", 1), said("updated", 2, { status: "warning" })], `${back} conflict`, disputes("needs_response")]
  ])

  itWalks("money moves with a won dispute between two inquiries, and not with these", [
    [said("opened", 1, { status: "warning" }), taken, disputes("warning")],
    [said("updated", 2, { status: "needs_response" }), back, disputes("needs_response")],
    [[said("won", 3), said("updated", 4, { status: "warning" })], taken, disputes("warning")],
    [asks("refund", "200"), "REFUNDED 1000 -1000"]
  ])

  itWalks("a first message that contradicts itself opens a review and no dispute", [
    [said("lost", 2, { status: "won" }), `${taken} conflict`, disputes()]
  ])
})
