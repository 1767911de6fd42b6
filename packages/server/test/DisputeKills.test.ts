/**
 * `kill -9` while evidence is submitted, acceptances are sent, and deadlines come near: each answer arrives once, each one
 * without a response ends by a lookup, and each reminder is written once and delivered.
 *
 * A long run (`POINTSMAN_LONG=all`): `POINTSMAN_DISPUTE_KILLS` sets the number of rounds, 50 unless set, of which half are of
 * one server on a SQLite file, and half of two servers on one PostgreSQL. `POINTSMAN_KILL_SEED` repeats the plan of a run.
 * One kill on SQLite always runs.
 */
import { assert, describe, it } from "vitest"
import { type DisputeEvidence, disputeDisagreements } from "./support/kill/DisputesAgree.ts"
import { openDisputeWorld } from "./support/kill/DisputeWorld.ts"
import type { DisputeBook } from "./support/kill/DisputingProvider.ts"
import { type KillStorage, sqliteFile } from "./support/kill/KillWorld.ts"
import { postgresDatabase } from "./support/kill/PostgresStorage.ts"
import { amountOf } from "./support/LongRuns.ts"
import { sharedPostgres } from "./support/PostgresServer.ts"

const seed = Number(process.env["POINTSMAN_KILL_SEED"] ?? Date.now() % 1_000_000)

const run = async (storage: KillStorage, servers: 1 | 2, rounds: number, isShort = false) => {
  const world = await openDisputeWorld({ seed, storage, servers, isShort })
  for (let round = 1; round <= rounds; round++) await world.round(round)
  const evidence = await world.rest()
  assert.deepStrictEqual(disputeDisagreements(evidence), [], `POINTSMAN_KILL_SEED=${seed}`)
  // There was something to lose.
  assert.isNotEmpty(evidence.shown)
  return evidence
}

/** One dispute that nobody answered, under a server that looked a day before its deadline. */
const sound: DisputeEvidence = {
  books: new Map([
    [
      "du_1",
      {
        ...{ disputeId: "du_1", paymentId: "payment-1", dueBy: Date.UTC(2026, 10, 9), lookedUp: new Map() },
        ...{ arrived: [], pending: undefined, executed: undefined }
      }
    ]
  ]),
  shown: [
    { id: "dp_1", payment_id: "payment-1", status: "needs_response", evidence_due_by: "2026-11-09T00:00:00.000Z" }
  ],
  events: new Map([
    [
      "dp_1",
      [
        {
          ...{ id: "evt_1", type: "dispute.evidence_due", created: "2026-11-08T00:00:01.000Z" },
          data: { payment_id: "payment-1", days: 1 }
        }
      ]
    ]
  ]),
  wishes: [],
  watched: [{ at: Date.UTC(2026, 10, 8, 1), waiting: new Set(["dp_1"]) }],
  heard: new Map([["evt_1", { times: 1, bodies: new Set<string>(), deliveryIds: new Set(["dlv_1"]) }]])
}

const withBook = (change: Partial<DisputeBook>): DisputeEvidence => ({
  ...sound,
  books: new Map([...sound.books].map(([id, book]) => [id, { ...book, ...change }]))
})

const arrived = { operationId: "op_1", kind: "submit", isSecond: false, isAnswered: false } as const
const executed = { operationId: "op_1", kind: "submit", at: 0 } as const

describe("what has to be true of disputes at rest", () => {
  it("sound evidence has nothing wrong", () => {
    assert.deepStrictEqual(disputeDisagreements(sound), [])
  })

  for (const [title, evidence, wrong] of [
    ["no reminder", { ...sound, events: new Map() }, /nobody was reminded/u],
    [
      "a reminder twice",
      { ...sound, events: new Map([...sound.events].map(([id, events]) => [id, [...events, ...events]])) },
      /its reminders are of 1, 1 days/u
    ],
    ["an endpoint that heard nothing", { ...sound, heard: new Map() }, /evt_1 did not reach the endpoint/u],
    ["a request that arrived twice", withBook({ arrived: [arrived, arrived] }), /sent more than once/u],
    ["an answer after another one", withBook({ arrived: [{ ...arrived, isSecond: true }] }), /after another one was/u],
    ["a result that was not looked up", withBook({ arrived: [arrived], executed }), /was not looked up/u],
    ["an answer of which nobody was told", withBook({ arrived: [arrived], executed }), /no key is told so/u],
    [
      "a key that is left open",
      { ...sound, wishes: [{ disputeId: "dp_1", kind: "submit", key: "key-1", last: "409 dispute_pending" }] },
      /for ever/u
    ]
  ] as const) {
    it(`${title} is wrong`, () => {
      assert.match(disputeDisagreements(evidence).join("\n"), wrong)
    })
  }
})

describe("disputes under kill -9", () => {
  it("a killed server's deadlines pass with nothing sent or announced twice or missed", {
    timeout: 120_000
  }, async () => {
    await run(sqliteFile, 1, 1, true)
  })
})

const isOnPostgres = sharedPostgres.url !== ""
const rounds = amountOf("POINTSMAN_DISPUTE_KILLS", { long: 50 })
const ofEach = Math.ceil(rounds / (isOnPostgres ? 2 : 1))

describe.skipIf(rounds === 0)("disputes under kill -9, of one server on SQLite and two on PostgreSQL", () => {
  it(`${rounds} rounds of kills leave nothing sent or announced twice, or missing`, {
    timeout: 300_000 + rounds * 20_000
  }, async () => {
    // They share the processors: most of a round is waiting.
    const all = await Promise.all([
      run(sqliteFile, 1, ofEach),
      ...(isOnPostgres ? [run(postgresDatabase, 2, ofEach)] : [])
    ])
    for (const { books } of all) {
      assert.isNotEmpty([...books.values()].filter(({ executed }) => executed === undefined))
      assert.isNotEmpty([...books.values()].filter(({ arrived }) => arrived.some(({ isAnswered }) => !isAnswered)))
    }
  })
})
