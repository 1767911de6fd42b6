/** What a stranger's compiler sees of this package: the API's own shapes. The build refuses types of Effect. */
import type * as Configuration from "@pointsman/configuration"
import type * as Api from "@pointsman/http/api"
import { assert, it } from "vitest"
import type { CreatePayment, Event, Payment, Workspace } from "../src/index.ts"

it("given the API's shapes, when these types are held against them, then they are the same", () => {
  const same = <A, B>(_there: (a: A) => B, _back: (b: B) => A) => true
  assert.isTrue(
    same<Api.Payment, Payment>(
      (api) => api,
      (payment) => payment
    )
  )
  assert.isTrue(
    same<Api.Event, Event>(
      (api) => api,
      (event) => event
    )
  )
  // What may be written here may be written there; a token is redacted only once it was read.
  const createTo = (order: CreatePayment): typeof Api.CreatePayment.Encoded => order
  const createBack = (order: typeof Api.CreatePayment.Encoded): CreatePayment => order
  assert.isTrue(same(createTo, createBack))
  /** Every field of the configuration file, and no other. */
  type Names<A> = { readonly [Name in keyof A]-?: true }
  const names = (workspace: Names<Workspace>): Names<Configuration.WorkspaceFile> => workspace
  const back = (workspace: Names<Configuration.WorkspaceFile>): Names<Workspace> => workspace
  assert.isTrue(same(names, back))
})
