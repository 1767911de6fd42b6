/**
 * A named operator who signs in for one command. A shell has no identity: `--by` is only a name, and anyone with
 * shell access can create a sign-in link for any operator. So a command that needs a person asks for that person's password.
 */
import { type Operator, Pointsman } from "@pointsman/core"
import { AuditActor, type StorageError } from "@pointsman/core/ports"
import { Config, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { printable } from "./Words.ts"

const passwordVariable = "POINTSMAN_OPERATOR_PASSWORD"

const meaning = `signs in with the password in ${passwordVariable}`

export const operatorFlag = Flag.String("operator").pipe(
  Flag.withMetavar("login"),
  Flag.withDescription(`Your login at the console: it ${meaning}`)
)

const source = "the command line"

/** The session ends with the command. The audit trail names the operator. */
export const asOperator = Effect.fnUntraced(function* <A, E, R>(
  login: string,
  act: (operator: Operator) => Effect.Effect<A, E, R>
) {
  const { operators } = yield* Pointsman
  const password = Option.getOrUndefined(yield* Effect.orDie(Config.option(Config.Redacted(passwordVariable))))
  if (password === undefined) {
    return yield* new CommandFailure({
      message:
        `${passwordVariable}: expected the password of the operator "${printable(login)}". Operators without a ` +
        "password use the console."
    })
  }
  const session = yield* operators.signInWithPassword({ login, password, source }).pipe(
    Effect.catchTags({
      "pointsman/SignInRefused": () =>
        new CommandFailure({
          message: `The sign-in of "${printable(login)}" failed: the login or the password is wrong.`
        }),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) =>
        new CommandFailure({
          message: `Too many sign-ins were tried: try again in ${Math.ceil(retryAfterMillis / 1000)} seconds.`
        })
    })
  )
  const signOut: Effect.Effect<void, StorageError> = operators.signOut(session.token)
  return yield* act(session.operator).pipe(
    Effect.provideService(AuditActor, session.operator.login),
    Effect.ensuring(Effect.ignore(signOut))
  )
})
