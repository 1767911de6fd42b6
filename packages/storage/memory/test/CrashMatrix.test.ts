/**
 * The result of an operation whose process ends, at every point and with everything that a provider may do. The page
 * in the docs is this matrix.
 *
 * Each point is run with one of the clients. `POINTSMAN_LONG=all` runs all of them, compares the page, and ends the
 * process that comes after as well, in every run: forty thousand runs, some minutes.
 */
import { readFileSync } from "node:fs"
import {
  cellsOf,
  clients,
  crashMatrix,
  type Operation,
  type Outcome,
  operations,
  outcomesOf,
  type Runner,
  runner,
  wrongCells,
  wrongSecondEnds
} from "@pointsman/contracts/crash-matrix"
import { type ConnectorDefinition, Ledger } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-memory"
import { Effect, Layer, Result } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { crashMatrixPath, crashMatrixSnapshot } from "../../../../scripts/generate/CrashMatrix.ts"

const timeout = 600_000
const isAll = process.env["POINTSMAN_LONG"] === "all"
const storage = layer()

const nth = (name: Operation["name"]): Operation => {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

/** The outcome of an operation in which the provider handles every request so. */
const outcomeOf = (operation: Operation, handling: Outcome["script"][number]): Outcome => {
  const found = outcomesOf(operation).find(({ script }) => script.length === 1 && script[0] === handling)
  if (found === undefined) throw new Error(`${operation.name} has no outcome ${handling}`)
  return found
}

interface Ended {
  readonly operation: Operation
  readonly outcome: Outcome
  readonly points: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
}

/** Every point of every outcome with one client each. The next point, and the next outcome, have the next client. */
const endsOfEach = async (runs: Runner): Promise<ReadonlyArray<Ended>> => {
  const all: Array<Ended> = []
  for (const operation of operations) {
    for (const [at, outcome] of outcomesOf(operation).entries()) {
      const whole = await runs({ operation, outcome, endsAt: null, client: clients[0], nextEndsAt: null })
      const wrong = [...whole.wrong]
      for (const [index, point] of whole.points.entries()) {
        const client = clients[(at + index) % clients.length] ?? clients[0]
        const end = await runs({ operation, outcome, endsAt: index + 1, client, nextEndsAt: null })
        const where = `${operation.name}: the provider ${outcome.name}; the process ends at ${index + 1}; the client ${client}`
        if (end.points.at(-1) !== point) wrong.push(`${where}: the point is ${end.points.at(-1)}, and not ${point}`)
        wrong.push(...end.wrong.map((what) => `${where}: ${what}`))
      }
      all.push({ operation, outcome, points: whole.points, wrong })
    }
  }
  return all
}

describe("the crash matrix", () => {
  let ends: ReadonlyArray<Ended> = []
  beforeAll(async () => {
    ends = await endsOfEach(runner({ storage }))
  }, timeout)

  it("the money is right after a process ends at any point of any operation", () => {
    assert.deepStrictEqual(
      ends.flatMap(({ wrong }) => wrong),
      []
    )
  })

  it.runIf(isAll)(
    "the matrix with every client is the committed snapshot",
    async () => {
      const cells = await crashMatrix({ storage })
      assert.deepStrictEqual(wrongCells(cells), [])
      const committed = readFileSync(new URL(`../../../../${crashMatrixPath}`, import.meta.url), "utf8")
      assert.strictEqual(crashMatrixSnapshot(cells), committed, "npm run generate writes it")
    },
    timeout
  )

  // A point that is gone is a call that is not made any more, or that the matrix does not see.
  it("an operation has as many points as it had", () => {
    const pointsOf = (operation: Operation, outcome: Outcome) =>
      ends.find((end) => end.operation === operation && end.outcome === outcome)?.points.length
    const counted = operations.map((operation) => [
      operation.name,
      Object.fromEntries(
        outcomesOf(operation).map((outcome) => [outcome.script.join(", "), pointsOf(operation, outcome)])
      )
    ])
    /** Claim and outcome are three each, and a request that leaves four. */
    const answered = 10
    const notSent = 8
    /** The lookup before is two more. */
    const afterLookup = answered + 2
    const answersCounted = {
      executed: answered,
      declined: answered,
      rejected: answered,
      notSent,
      accepted: answered,
      acceptedAndRefused: answered,
      executedInSilence: answered,
      lost: answered,
      late: answered,
      cannotSay: answered
    }
    assert.deepStrictEqual(Object.fromEntries(counted), {
      create: {
        executed: answered,
        declined: answered,
        accepted: answered,
        acceptedAndRefused: answered,
        opposite: answered,
        executedInSilence: answered,
        lost: answered,
        late: answered,
        cannotSay: answered,
        statesMore: answered,
        statesLess: answered,
        "softDeclined, executed": 17,
        "softDeclined, declined": 17,
        "softDeclined, accepted": 17,
        "softDeclined, executedInSilence": 17,
        "softDeclined, notSent": 15,
        "rejected, executed": 17,
        "rejected, rejected": 17,
        "rejected, softDeclined": 17,
        "rejected, late": 17,
        "rejected, lost": 17,
        "notSent, executed": 15,
        "notSent, notSent": 13,
        "notSent, statesMore": 15,
        "notSent, cannotSay": 15
      },
      complete: {
        executed: afterLookup,
        declined: afterLookup,
        rejected: afterLookup,
        notSent: afterLookup - 2,
        accepted: afterLookup,
        acceptedAndRefused: afterLookup,
        opposite: afterLookup,
        executedInSilence: afterLookup,
        "lost, executed": afterLookup,
        lost: afterLookup,
        late: afterLookup,
        cannotSay: afterLookup,
        statesMore: afterLookup,
        statesLess: afterLookup
      },
      capture: { ...answersCounted, statesMore: answered, statesLess: answered, opposite: answered },
      void: { ...answersCounted, opposite: answered },
      refund: { ...answersCounted, statesMore: answered, statesLess: answered },
      submitDispute: answersCounted,
      acceptDispute: answersCounted
    })
  })
})

describe("the process that takes over", () => {
  const runs = runner({ storage })

  for (const operation of operations) {
    it.runIf(isAll || operation.name === "create" || operation.name === "refund")(
      `an unknown ${operation.name} has one result though its settling process ends too`,
      async () => {
        const wrong: Array<string> = []
        for (const handling of ["executedInSilence", "lost"] as const) {
          const outcome = outcomeOf(operation, handling)
          // Before the step that takes an approved payment, its provider is asked for its record: two points more.
          const endsAt = operation.name === "complete" ? 7 : 5
          const [onItsWay] = (
            await runs({ operation, outcome, endsAt, client: clients[0], nextEndsAt: null })
          ).points.slice(-1)
          assert.strictEqual(onItsWay, "the request is on its way")
          for (const client of clients.slice(0, 2)) {
            wrong.push(...(await wrongSecondEnds(runs, { operation, outcome, endsAt, client })))
          }
        }
        assert.deepStrictEqual(wrong, [])
      },
      timeout
    )

    it.runIf(isAll)(
      `the money is right if the process that ends a ${operation.name} dies as well`,
      async () => {
        const wrong: Array<string> = []
        for (const outcome of outcomesOf(operation)) {
          for (const { number, point } of await cellsOf(runs, operation, outcome)) {
            const endsAt = point === null ? null : number
            for (const client of clients)
              wrong.push(...(await wrongSecondEnds(runs, { operation, outcome, endsAt, client })))
          }
        }
        assert.deepStrictEqual(wrong, [])
      },
      timeout * 3
    )
  }
})

describe("controls: what the matrix must not pass", () => {
  const create = nth("create")

  /** Asks once more where no answer came. */
  const asksAgain = (definition: ConnectorDefinition): ConnectorDefinition => ({
    ...definition,
    connect: (account, transport) =>
      Result.map(definition.connect(account, transport), (connector) => ({
        ...connector,
        charge: (request) =>
          Effect.catchTag(connector.charge(request), "pointsman/Unanswered", () => connector.charge(request))
      }))
  })

  it(
    "a connector that asks again is found out when an unanswered provider executed",
    async () => {
      const runs = runner({ storage, connector: asksAgain })
      const wrong = wrongCells(await cellsOf(runs, create, outcomeOf(create, "executedInSilence")))
      assert.isTrue(
        wrong.some((what) => what.includes("the client never asks again: the provider was asked twice")),
        wrong.join("\n")
      )
    },
    timeout
  )

  /** Says that a claim is written, and writes it with the outcome: what ends in between leaves nothing behind. */
  const writesLate = Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger) => {
      let held: Parameters<typeof ledger.commit>[0] | undefined
      return Ledger.of({
        ...ledger,
        commit: (change) => {
          if (change.payment.expected === 0) {
            held = change
            return Effect.succeed(true)
          }
          const claim = held?.payment.after.id === change.payment.after.id ? held : undefined
          held = undefined
          return claim === undefined
            ? ledger.commit(change)
            : Effect.andThen(ledger.commit(claim), ledger.commit(change))
        }
      })
    })
  ).pipe(Layer.provideMerge(storage))

  it(
    "a claim written after its request is found out when a process ends in between",
    async () => {
      const runs = runner({ storage: writesLate })
      const cells = await cellsOf(runs, create, outcomeOf(create, "executed"))
      const wrong = wrongCells(cells)
      assert.isTrue(
        wrong.some((what) => what.includes("the client asks at once: the provider executed two requests")),
        wrong.join("\n")
      )
      assert.isTrue(
        wrong.some((what) => what.includes("the client never asks again: no record has att_")),
        wrong.join("\n")
      )
      assert.throws(() => crashMatrixSnapshot(cells), /^the crash matrix is broken:/)
    },
    timeout
  )
})
