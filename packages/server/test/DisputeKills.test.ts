/**
 * `kill -9` while evidence is submitted, acceptances are sent, and deadlines come near: each answer arrives once, each one
 * without a response ends by a look-up, and each reminder is written once and delivered.
 *
 * A long run (`POINTSMAN_LONG=all`): `POINTSMAN_DISPUTE_KILLS` sets the number of rounds, 50 unless set, of which half are of
 * one server on a SQLite file, and half of two servers on one PostgreSQL. `POINTSMAN_KILL_SEED` repeats the plan of a run.
 * One kill on SQLite always runs.
 */
import { assert, describe, it } from "vitest"
import { type DisputeEvidence, disputeDisagreements } from "./support/kill/DisputesAgree.ts"
import { openDisputeWorld } from "./support/kill/DisputeWorld.ts"
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

/** The first dispute, with other events. */
const withEvents = (
  evidence: DisputeEvidence,
  change: (events: ReadonlyArray<EventOf>) => ReadonlyArray<EventOf>
): DisputeEvidence => ({
  ...evidence,
  events: new Map([...evidence.events].map(([id, events]) => [id, change(events)]))
})
type EventOf = DisputeEvidence["events"] extends ReadonlyMap<string, ReadonlyArray<infer One>> ? One : never

describe("disputes under kill -9", () => {
  it("given a server that was killed, when every deadline has passed, then nothing was sent or announced twice or left out", {
    timeout: 120_000
  }, async () => {
    const evidence = await run(sqliteFile, 1, 1, true)
    const isReminder = ({ type }: EventOf) => type === "dispute.evidence_due"
    // Each of these would be noticed.
    assert.match(
      disputeDisagreements(withEvents(evidence, (events) => events.filter((one) => !isReminder(one)))).join("\n"),
      /nobody was reminded/u
    )
    assert.match(
      disputeDisagreements(withEvents(evidence, (events) => [...events, ...events.filter(isReminder)])).join("\n"),
      /its reminders are of/u
    )
    assert.match(
      disputeDisagreements({ ...evidence, heard: new Map() }).join("\n"),
      /dispute\.evidence_due \S+ did not reach the endpoint/u
    )
    const [[id, book] = []] = [...evidence.books]
    const arrived = { operationId: "op_1", kind: "submit", isSecond: false, isAnswered: true } as const
    const twice = { ...book, arrived: [arrived, arrived] } as DisputeEvidence["books"] extends ReadonlyMap<
      string,
      infer B
    >
      ? B
      : never
    assert.match(
      disputeDisagreements({ ...evidence, books: new Map([...evidence.books, [id ?? "", twice]]) }).join("\n"),
      /an answer was sent more than once/u
    )
  })
})

const isOnPostgres = sharedPostgres.url !== ""
const rounds = amountOf("POINTSMAN_DISPUTE_KILLS", { long: 50 })
const ofEach = Math.ceil(rounds / (isOnPostgres ? 2 : 1))

describe.skipIf(rounds === 0)("disputes under kill -9, of one server on SQLite and two on PostgreSQL", () => {
  it(`given ${rounds} rounds of kills, then nothing was sent or announced twice or left out`, {
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
