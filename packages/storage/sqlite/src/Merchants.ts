/**
 * Partners' merchants in SQLite. A provision is one write transaction of its own: it takes SQLite's one lock for
 * writing before its first check, so that no other, of this process or another, can come in between.
 */
import { emailKey, workspaceOfMerchant } from "@pointsman/core/internal"
import { Merchants, type Provision, type ProvisionFailure } from "@pointsman/core/ports"
import { afterAll, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option, Result } from "effect"
import { type Database, read, write } from "./Database.ts"
import { insertWorkspace } from "./Directory.ts"
import { bindText, insertInto, readText, rows } from "./Rows.ts"

const insertMerchant = insertInto("merchants", Object.keys(rows.merchantColumns))
const bindMerchant = valuesOf(rows.merchantColumns)

/** With what the workspace and its keys say now. */
const selectStanding = `select merchants.*, workspaces.suspended, exists (
    select 1 from api_keys indexed by api_keys_by_workspace
    where workspace_id = merchants.workspace_id and environment = 'production' and revoked_at is null
  ) as has_live_key
  from merchants join workspaces on workspaces.id = merchants.workspace_id
  where merchants.partner_id = ?`

/** `wroteWorkspace` is called after a provision: what the directory keeps in this process must show the workspace. */
export const make = (db: Database, wroteWorkspace: () => void): Merchants["Service"] =>
  Merchants.of({
    provision: (provision) =>
      Effect.ensuring(
        write(db, "provision", () => writeProvision(db, provision)),
        Effect.sync(wroteWorkspace)
      ),
    replaceInvitation: (partnerId, id, invitationHash) =>
      write(db, "replaceInvitation", () => {
        const key = [bindText(partnerId), bindText(id)]
        db.prepare("update merchants set invitation_hash = ? where partner_id = ? and id = ?").run(
          invitationHash,
          ...key
        )
        const row = db.prepare(`${selectStanding} and merchants.id = ?`).get(...key)
        return Result.succeed(Option.map(Option.fromUndefinedOr(row), rows.readStanding))
      }),
    list: (partnerId, { before, limit }) =>
      Effect.map(
        read("list", () =>
          db
            .prepare(`${selectStanding} and merchants.id < ? order by merchants.id desc limit ?`)
            .all(bindText(partnerId), before ?? afterAll, limit)
        ),
        (found) => found.map(rows.readStanding)
      ),
    workspaceIds: Effect.map(
      read("workspaceIds", () => db.prepare("select workspace_id from merchants").all()),
      (found) => new Set(found.map((row) => readText(row["workspace_id"])))
    )
  })
const selectChecks = `select
  exists (select 1 from merchants where partner_id = :partner and id = :id) as is_there,
  :hash is not null and not exists (select 1 from api_keys where hash = :hash and revoked_at is null) as is_revoked,
  (select partner from workspaces where id = :partner) as partner,
  exists (select 1 from merchants where partner_id = :partner and email_key = :email) as is_invited,
  (select count(*) from merchants where partner_id = :partner) as present`

/** Inside the write that its checks guard. */
const writeProvision = (db: Database, { apiKeyHash, merchant }: Provision): Result.Result<void, ProvisionFailure> => {
  const checks = db.prepare(selectChecks).get({
    partner: bindText(merchant.partnerId),
    id: bindText(merchant.id),
    email: bindText(emailKey(merchant.email)),
    hash: apiKeyHash === undefined ? null : bindText(apiKeyHash)
  }) as Row
  return Result.map(rows.checkProvision(checks), (isNew) => {
    if (!isNew) return
    insertWorkspace(db, workspaceOfMerchant(merchant))
    db.prepare(insertMerchant).run(...bindMerchant(merchant))
  })
}
