/** One call of a tool, from the arguments to the text that the model reads. */
import * as Desks from "@pointsman/console/internal"
import type { Operators } from "@pointsman/core/ports"
import { Cause, Effect } from "effect"
import { boundedJson } from "./Bounded.ts"
import { activeOperator, mayAnywhere, tenantFor } from "./Gate.ts"
import type { Given } from "./ToolInput.ts"
import { type Refusal, type Tool, type ToolServices, tools } from "./Tools.ts"

/** For whom, and how far, the process answers. */
export interface Agent {
  readonly login: string
  readonly allowWrite: boolean
}

/** What a call needs that is not of its operator. */
export type CallServices = Exclude<ToolServices, Desks.OfOperator> | Operators

/** Those that the operator may call in some workspace. */
export const toolsFor = Effect.fnUntraced(function* ({ allowWrite, login }: Agent) {
  const operator = yield* Effect.orElseSucceed(activeOperator(login), () => undefined)
  if (operator === undefined) return []
  return tools.filter(({ access, writes }) => (allowWrite || !writes) && mayAnywhere(operator, access))
})

const readOnly = Desks.failure("forbidden", "This server only reads. Start `pointsman mcp` with --allow-write.")
const tooLong = Desks.failure("validation_error", "The answer is too long: ask with a smaller `limit`.")

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

/** Never fails: the model reads what was wrong, and can call again. */
export const callTool = (
  agent: Agent,
  { access, call, writes }: Tool,
  given: Given
): Effect.Effect<ToolAnswer, never, CallServices> =>
  Effect.gen(function* () {
    if (writes && !agent.allowWrite) return yield* Effect.fail(readOnly)
    const operator = yield* activeOperator(agent.login)
    const answer = yield* Desks.actingFor(operator)(call(given, tenantFor(operator, access)))
    const text = boundedJson(answer)
    return text === undefined ? yield* Effect.fail(tooLong) : ({ text, isError: false } satisfies ToolAnswer)
  }).pipe(
    Effect.catch((refusal: Refusal) => Effect.succeed<ToolAnswer>({ text: JSON.stringify(refusal), isError: true })),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("unexpected failure of a tool", Cause.die(defect)), unexpected)
    )
  )

const unexpected: ToolAnswer = {
  text: JSON.stringify(Desks.failure("internal_error", "Internal server error.")),
  isError: true
}
