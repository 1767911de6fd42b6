/** `pointsman merchants`: the merchants of a white-label partner, and invitations for their owners. */
import { Pointsman } from "@pointsman/core"
import { Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Console, Effect, Option, Redacted, Result } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print } from "./Output.ts"
import { printable } from "./Words.ts"

const partnerFlag = textFlag("partner", "id", "Workspace of the partner; optional if there is only one partner")

/** The partner that was named, or the only one. */
const onePartner = (
  { workspaces }: DirectoryContents,
  named: Option.Option<string>
): Result.Result<string, CommandFailure> => {
  const partners = workspaces.filter(({ partner }) => partner !== null).map(({ id }) => id)
  const [first, second] = partners
  const expected = `expected one of ${partners.map(printable).join(", ")}`
  const refuse = (message: string) => Result.fail(new CommandFailure({ message }))
  if (first === undefined) return refuse("The database has no partners.")
  if (Option.isNone(named)) return second === undefined ? Result.succeed(first) : refuse(`--partner: ${expected}.`)
  return partners.includes(named.value) ? Result.succeed(named.value) : refuse(`--partner: ${expected}.`)
}

const invite = databaseCommand(
  {
    name: "invite",
    short: "Print a new invitation token",
    long:
      "Invite a merchant's owner again and print the invitation's token, once, as the only line on standard output. " +
      "The previous token becomes invalid.",
    examples: {
      "pointsman merchants invite mer_01a1fe08-9226-7266-a33a-e3e7f1609a4e --partner acme":
        "For one merchant of a partner"
    },
    isAudited: true,
    flags: {
      merchant: argument("merchant", "The merchant's id, from `GET /api/v1/merchants`"),
      partner: partnerFlag
    }
  },
  function* ({ merchant, partner }, { json }) {
    const contents = yield* (yield* Directory).contents
    yield* inviteAndShow(yield* Effect.fromResult(onePartner(contents, partner)), merchant, json)
  }
)

/** Uninterruptible: a token that is stored and was not shown is lost. */
const inviteAndShow = Effect.fnUntraced(function* (partnerId: string, merchantId: string, json: boolean) {
  const { merchant, token } = yield* (yield* Pointsman).createInvitation(partnerId, merchantId).pipe(
    Effect.catchTags({
      "pointsman/MerchantNotFound": () =>
        new CommandFailure({
          message: `Merchant ${printable(merchantId)} not found: expected the id of a merchant of ${printable(partnerId)}.`
        }),
      "pointsman/CommitUnknown": () =>
        new CommandFailure({
          message: "No token was shown, but the previous one may be invalid: run the command again."
        })
    })
  )
  const { email, id } = merchant
  const text = Redacted.value(token)
  yield* print(json, { data: { merchant_id: id, email, invitation_token: text } }, text)
  yield* Console.error(`Send the token to ${printable(email)}. It is shown only once: only its hash is stored.`)
}, Effect.uninterruptible)

export const merchantsCommand = commandGroup(
  "merchants",
  { short: "Invite merchants' owners", long: "Invite the owners of a partner's merchants." },
  [invite]
)
