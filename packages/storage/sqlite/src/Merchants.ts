/**
 * Partners' merchants in SQLite. A provision is one write transaction of its own: it takes SQLite's one lock for
 * writing before its first check, so that no other, of this process or another, can come in between.
 */
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  CommitUnknown,
  emailKey,
  type MerchantStanding,
  Merchants,
  NotAPartner,
  type Provision,
  type ProvisionFailure,
  StorageError,
  type Workspace,
  workspaceOfMerchant
} from "@pointsman/core"
import { Effect, Option, Result } from "effect"
import {
  bindText,
  bindTextOrNull,
  type Database,
  insertInto,
  type Row,
  read,
  readJson,
  readText,
  readTextOrNull,
  transaction
} from "./Database.ts"
import { insertWorkspace } from "./Directory.ts"

const insertMerchant = insertInto("merchants", [
  "partner_id",
  "id",
  "workspace_id",
  "name",
  "email",
  "email_key",
  "country",
  "category",
  "invitation_hash",
  "created_at"
])

/** With what the workspace and its keys say now. */
const selectStanding = `select merchants.*, workspaces.suspended, exists (
    select 1 from api_keys indexed by api_keys_by_workspace
    where workspace_id = merchants.workspace_id and environment = 'production' and revoked_at is null
  ) as has_live_key
  from merchants join workspaces on workspaces.id = merchants.workspace_id
  where merchants.partner_id = ?`

/** Greater than every id that we write. */
const afterAll = "~"

/** `wroteWorkspace` is called after a provision: what the directory keeps in this process must show the workspace. */
export const make = (db: Database, wroteWorkspace: () => void): Merchants["Service"] => {
  const write = <A, E>(operation: string, body: () => Result.Result<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StorageError | CommitUnknown> => {
      const written = transaction(db, body)
      if (Result.isSuccess(written)) return Effect.fromResult(written.success)
      const error = { operation, cause: written.failure.cause }
      return Effect.fail(written.failure._tag === "NotWritten" ? new StorageError(error) : new CommitUnknown(error))
    })

  return Merchants.of({
    provision: (provision) =>
      Effect.ensuring(
        write("provision", () => writeProvision(db, provision)),
        Effect.sync(wroteWorkspace)
      ),
    replaceInvitation: (partnerId, id, invitationHash) =>
      write("replaceInvitation", () => {
        const key = [bindText(partnerId), bindText(id)]
        db.prepare("update merchants set invitation_hash = ? where partner_id = ? and id = ?").run(
          invitationHash,
          ...key
        )
        const row = db.prepare(`${selectStanding} and merchants.id = ?`).get(...key)
        return Result.succeed(Option.map(Option.fromUndefinedOr(row), readStanding))
      }),
    list: (partnerId, { before, limit }) =>
      Effect.map(
        read("list", () =>
          db
            .prepare(`${selectStanding} and merchants.id < ? order by merchants.id desc limit ?`)
            .all(bindText(partnerId), before ?? afterAll, limit)
        ),
        (rows) => rows.map(readStanding)
      ),
    workspaceIds: Effect.map(
      read("workspaceIds", () => db.prepare("select workspace_id from merchants").all()),
      (rows) => new Set(rows.map((row) => readText(row["workspace_id"])))
    )
  })
}

/** The checks in the port's order, inside the write that they guard. */
const writeProvision = (db: Database, { apiKeyHash, merchant }: Provision): Result.Result<void, ProvisionFailure> => {
  const partnerId = bindText(merchant.partnerId)
  const isThere = "select 1 from merchants where partner_id = ? and id = ?"
  if (db.prepare(isThere).get(partnerId, bindText(merchant.id)) !== undefined) return Result.void
  const liveKey = "select 1 from api_keys where hash = ? and revoked_at is null"
  if (apiKeyHash !== undefined && db.prepare(liveKey).get(bindText(apiKeyHash)) === undefined) {
    return Result.fail(new ApiKeyRevoked())
  }
  const row = db.prepare("select partner from workspaces where id = ?").get(partnerId)
  const partner = row === undefined ? null : readJson<Workspace["partner"]>(row["partner"])
  if (partner === null) return Result.fail(new NotAPartner())
  const isInvited = "select 1 from merchants where partner_id = ? and email_key = ?"
  if (db.prepare(isInvited).get(partnerId, bindText(emailKey(merchant.email))) !== undefined) {
    return Result.fail(new AlreadyInvited())
  }
  const count = db.prepare("select count(*) as present from merchants where partner_id = ?").get(partnerId)
  if (Number(count?.["present"]) >= partner.allowance) {
    return Result.fail(new AllowanceExhausted({ allowance: partner.allowance }))
  }
  insertWorkspace(db, workspaceOfMerchant(merchant))
  db.prepare(insertMerchant).run(
    partnerId,
    bindText(merchant.id),
    bindText(merchant.workspaceId),
    bindText(merchant.name),
    bindText(merchant.email),
    bindText(emailKey(merchant.email)),
    bindText(merchant.country),
    bindTextOrNull(merchant.category),
    merchant.invitationHash,
    merchant.createdAt
  )
  return Result.void
}

const readStanding = (row: Row): MerchantStanding => ({
  merchant: {
    id: readText(row["id"]),
    partnerId: readText(row["partner_id"]),
    workspaceId: readText(row["workspace_id"]),
    name: readText(row["name"]),
    email: readText(row["email"]),
    country: readText(row["country"]),
    category: readTextOrNull(row["category"]),
    invitationHash: readText(row["invitation_hash"]),
    createdAt: row["created_at"] as number
  },
  suspended: row["suspended"] === 1,
  hasLiveKey: row["has_live_key"] === 1
})
