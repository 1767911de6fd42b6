/** When a statement needs a second person, and who a person is. */
import { Effect, Option, Result, Schema } from "effect"
import type { Person } from "../../model/Correction.ts"
import { loginKey, mayAct, type Operator, type OperatorAction } from "../../model/Operator.ts"
import { strictest } from "../../model/Workspace.ts"
import { Directory } from "../../ports/Directory.ts"
import { Merchants } from "../../ports/Merchants.ts"
import { Operators } from "../../ports/Operators.ts"

/** This person may not propose or decide so, or another one did before; nothing was written. */
export class CorrectionRefused extends Schema.TaggedError<CorrectionRefused>()("pointsman/CorrectionRefused", {
  field: Schema.Literals(["correction", "by", "reason"]),
  reason: Schema.String
}) {}

/**
 * The limits of a workspace; `undefined` where one person is enough. That of a partner's merchant has none of its own: the
 * strictest of the partners' apply, so that a partner's rule is not avoided by provisioning.
 */
export const fourEyesOf = Effect.fnUntraced(function* (workspaceId: string) {
  const { workspaces } = yield* (yield* Directory).contents
  const own = workspaces.find(({ id }) => id === workspaceId)?.fourEyes
  const ofPartners = workspaces.flatMap(({ fourEyes, partner }) =>
    partner === null || fourEyes === undefined ? [] : [fourEyes]
  )
  if (own !== undefined || ofPartners.length === 0) return own
  return (yield* (yield* Merchants).workspaceIds).has(workspaceId) ? ofPartners.reduce(strictest) : undefined
})

/**
 * The person as the store of operators knows it, or a sentence that says why this person may not act. A program that gives
 * the login of an operator means that operator, with that operator's roles.
 */
export const knownPerson = Effect.fnUntraced(function* (person: Person, action: OperatorAction, workspaceId: string) {
  const store = yield* Operators
  const found = Option.getOrUndefined(
    yield* person.of === "operators" ? store.byId(person.id) : store.byLogin(loginKey(person.name.trim()))
  )
  if (found !== undefined) return allowed(found, action, workspaceId)
  return person.of === "operators" ? Result.fail("no such operator exists") : Result.succeed(person)
})

const allowed = (operator: Operator, action: OperatorAction, workspaceId: string): Result.Result<Person, string> =>
  mayAct(operator, action, workspaceId)
    ? Result.succeed({ of: "operators", id: operator.id, name: operator.displayName })
    : Result.fail("the operator was removed, or has no role that allows it in this workspace")
