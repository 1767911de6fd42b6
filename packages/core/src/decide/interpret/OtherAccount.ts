/**
 * What reaches a connection whose credentials open another account than that of an attempt: it settles nothing, because
 * it is not about the attempt's charge. Operations review the payment. Pure.
 */
import type { Attempt } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { accountText, isSameAccount, type ProviderAccount } from "../../model/ProviderAccount.ts"
import { contradicts, type Interpretation } from "./Interpretation.ts"
import type { StatementAbout } from "./Statement.ts"

export interface OtherAccount {
  /** Of the attempt. */
  readonly own: ProviderAccount
  /** That the connection's credentials open. */
  readonly current: ProviderAccount
}

/** `undefined` where the accounts are the same, or one of them is not known. */
export const otherAccount = (
  attempt: Pick<Attempt, "account"> | undefined,
  { account }: Pick<Connection, "account">,
  current: ProviderAccount | undefined
): OtherAccount | undefined => {
  const own = attempt?.account ?? account?.first
  return own === undefined || current === undefined || isSameAccount(own, current) ? undefined : { own, current }
}

export const ofOtherAccount = (
  book: PaymentBook,
  connectionId: string,
  { current, own, subject }: Extract<StatementAbout, { readonly _tag: "OtherAccount" }>,
  now: number
): Interpretation =>
  contradicts(
    book,
    JSON.stringify(["account", connectionId, current, subject]),
    {
      ...subject,
      connection_id: connectionId,
      stated: "other_account",
      account: accountText(own),
      current_account: accountText(current)
    },
    now
  )
