/** What no input may do: fail the server, reject unseen, or cost more of the processor than its size explains. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

export interface Answer {
  readonly status: number
  /** Of the error envelope; `undefined` for none. */
  readonly code: string | undefined
}

/** What inputs are sent to: a world of its own. */
export interface Receiver<Input> {
  readonly send: (input: Input) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** Of this thread, for one input of usual length. */
const budgetMillis = 50

/** For an input of so many bytes: as much for each 16 KB. */
export const budgetOf = (bytes: number): number => budgetMillis * Math.max(1, Math.ceil(bytes / 16_384))

setFlagsFromString("--expose-gc")
/** What earlier inputs left behind is not part of what an input costs. */
export const collectGarbage: () => void = runInNewContext("gc")

/** Statuses 5xx that the API documents for what the simulator or a provider does. */
const documented: ReadonlySet<string> = new Set([
  "capture_result_unknown",
  "payment_result_unknown",
  "psp_error",
  "refund_result_unknown",
  "unsupported",
  "void_result_unknown"
])

const timed = async (send: () => Promise<Answer>): Promise<readonly [Answer, number]> => {
  const before = process.threadCpuUsage()
  const answer = await send()
  const { system, user } = process.threadCpuUsage(before)
  return [answer, (system + user) / 1_000]
}

/**
 * The answer; rejects is an undocumented 5xx, or if the input is over the budget at each of ten runs.
 *
 * Each further run is in a world of its own: the receiver that has an input already answers it from what it stored, for
 * an idempotency key or for the id of a message, and that is cheap.
 */
export const judge = async <Input>(
  receiver: Receiver<Input>,
  input: Input,
  open: () => Promise<Receiver<Input>>,
  budget = budgetMillis
): Promise<Answer> => {
  const [answer, first] = await timed(() => receiver.send(input))
  if (answer.status >= 500 && !documented.has(answer.code ?? "")) {
    throw new Error(`answered ${answer.status} ${answer.code ?? "without a code"}`)
  }
  let least = first
  for (let run = 0; run < 9 && least > budget; run++) {
    const other = await open()
    // At some of the runs: it takes most of a second.
    if (run % 3 === 2) collectGarbage()
    const [, took] = await timed(() => other.send(input)).finally(other.close)
    least = Math.min(least, took)
  }
  if (least > budget) throw new Error(`took ${Math.round(least)} ms of the processor at each of ten runs`)
  return answer
}

/** Fails if a promise was rejected without a handler while `run` was under way. */
export const withoutRejections = async (run: () => Promise<void>): Promise<void> => {
  const rejections: Array<unknown> = []
  const record = (reason: unknown) => void rejections.push(reason)
  process.on("unhandledRejection", record)
  try {
    await run()
    // Node reports them after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off("unhandledRejection", record)
  }
  if (rejections.length > 0) throw new Error(`a promise was rejected without a handler: ${String(rejections[0])}`)
}
