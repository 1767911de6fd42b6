import type { Fault } from "../../../../../checks/mutations/Fault.ts"

const caught = (test: string) => `packages/console/test/Configure.test.ts > ${test}`

export const faults: ReadonlyArray<Fault> = [
  {
    name: "an operator changes what a configuration file defines",
    harm: "Payments go by rules and to accounts that the file does not have, until the next start silently undoes it.",
    edits: [{ in: "change", if: "workspace.source", become: "" }],
    caughtBy: caught("a workspace of a configuration file offers no form and refuses opened ones")
  },
  {
    name: "an old form overwrites a newer change of routing",
    harm: "Payments go where another operator has just stopped them from going.",
    edits: [{ in: "takeSeen", if: "seen", become: "" }],
    caughtBy: caught("a form opened before another change is refused")
  },
  {
    name: "operations may connect an account",
    harm: "An operator without the role sends the money of payments to another account.",
    edits: [{ file: "../../model/Operator.ts", property: "connection.manage", become: '"operations"' }],
    caughtBy: caught("a role below admin is offered no form, and none is taken from it")
  },
  {
    name: "credentials that the connector refuses are stored",
    harm: "All payments of the connection fail, where the form could have said why.",
    edits: [{ in: "addConnection", statement: "checkCredentials", become: "" }],
    caughtBy: caught("a connection is added, and no page, log or entry shows its credentials")
  }
]
