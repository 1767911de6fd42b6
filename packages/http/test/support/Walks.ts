/** A payment that its provider tells of step by step, and how it is seen after each of them. */
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { expect, test } from "vitest"
import { charge, deliver } from "./Messages.ts"
import { answerOf, expectSound, type OperationName, operate, retrieve, timeline } from "./Payments.ts"
import { acme, type World } from "./World.ts"

export interface Walker {
  readonly world: World
  readonly id: string
  /** Of the charge. */
  readonly attemptId: string
  /** The provider's. */
  readonly reference: string
}

export type Step = (walker: Walker) => Promise<unknown>

/** The newest payment's. */
const walkerOf = (world: World, id: string): Walker => {
  const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
  return { world, id, attemptId, reference: `ref_${attemptId}` }
}

export const bookOf = ({ id, world }: Walker) =>
  world.run(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.book(acme, id), Option.getOrThrow)))

/** `CAPTURED 1000 -500 ~300 conflict`: its status, what is captured, refunded and held, and what is reviewed. */
const seen = async (walker: Walker): Promise<string> => {
  const { captured_amount, payment_status, refund_pending_amount, refunded_amount } = await retrieve(
    walker.world,
    walker.id
  )
  const { payment } = await bookOf(walker)
  return [
    payment_status,
    captured_amount,
    ...(refunded_amount === 0 ? [] : [`-${refunded_amount}`]),
    ...(refund_pending_amount === 0 ? [] : [`~${refund_pending_amount}`]),
    ...(payment.review?.reasons ?? [])
  ].join(" ")
}

type Row = readonly [steps: Step | ReadonlyArray<Step>, after: string, ...checks: ReadonlyArray<Step>]

/** `begin`: makes the payment. Each row: what happens, how the payment is seen after it, and what else holds then. */
export const walk = async (
  world: World,
  begin: (world: World) => Promise<string>,
  rows: ReadonlyArray<Row>
): Promise<void> => {
  const walker = walkerOf(world, await begin(world))
  for (const [index, [steps, after, ...checks]] of rows.entries()) {
    for (const step of typeof steps === "function" ? [steps] : steps) await step(walker)
    expect(await seen(walker), `row ${index + 1}`).toBe(after)
    for (const check of checks) await check(walker)
  }
  await expectSound(world, walker.id)
}

export const walks =
  (world: World, begin: (world: World) => Promise<string>) =>
  (title: string, rows: ReadonlyArray<Row>): void => {
    test(title, () => walk(world, begin, rows))
  }

/** A request, and how it is answered. */
export const asks =
  (name: OperationName, answer: string, amount?: number): Step =>
  async ({ id, world }) => {
    const idempotencyKey = `the-key-for-${amount}-here`
    const asked = amount === undefined ? {} : { idempotencyKey, body: { amount } }
    expect(answerOf(await operate(world, name, id, asked))).toBe(answer)
  }

/** What the provider answers from then on. */
export const answering =
  (answers: Partial<World["provider"]>): Step =>
  async ({ world }) => {
    Object.assign(world.provider, answers)
  }

/** A message about the charge, in euros where it states an amount. */
export const says =
  (status: string, amount?: number, currency = "EUR"): Step =>
  async ({ attemptId, world }) => {
    const more = amount === undefined ? {} : { amount, currency }
    expect(answerOf(await deliver(world, charge(attemptId, status, more)))).toBe("200")
  }

/** The types of its timeline, from one of them on. */
export const tells =
  (from: number, ...types: ReadonlyArray<string>): Step =>
  async ({ id, world }) => {
    expect((await timeline(world, id)).slice(from).map(({ type }) => type)).toEqual(types)
  }

export const times =
  (type: string, count: number): Step =>
  async ({ id, world }) => {
    expect((await timeline(world, id)).filter((event) => event.type === type)).toHaveLength(count)
  }

/** What the last event of its timeline says. */
export const ends =
  (type: string, data: object): Step =>
  async ({ id, world }) => {
    expect((await timeline(world, id)).at(-1)).toMatchObject({ type, data })
  }
