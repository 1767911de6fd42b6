/** The people who use the console, as calls take and give them. */

/** Each role includes the ones before it: docs/guides/console.md. */
export type OperatorRole = "viewer" | "support" | "operations" | "admin"

export interface OperatorRoleIn {
  readonly role: OperatorRole
  /** `null`: all workspaces, also those that are added later. */
  readonly workspace_id: string | null
}

export interface Operator {
  readonly id: string
  readonly login: string
  readonly name: string
  /** Whether the operator may sign in; `false` once it was removed. */
  readonly active: boolean
  readonly roles: ReadonlyArray<OperatorRoleIn>
  readonly has_password: boolean
  /** RFC 3339, UTC. */
  readonly created: string
}

export interface OperatorOrder {
  /** An e-mail address or a name: 1 to 254 characters without spaces. */
  readonly login: string
  /** The name that the console shows; the login unless set. */
  readonly name?: string | undefined
  readonly role: OperatorRole
  /** The workspaces that the role counts in; all unless set, also those that are added later. */
  readonly workspaces?: ReadonlyArray<string> | undefined
}

/** What changes of an operator: one field or both. */
export interface OperatorEdit {
  /** Another name that the console shows; it stays unless set. */
  readonly name?: string | undefined
  /** All roles of the operator: those that are not here are taken away. They stay unless set. */
  readonly roles?: ReadonlyArray<OperatorRoleIn> | undefined
}

export interface SignInLink {
  readonly login: string
  /** Signs the operator in once. It is shown only once: the store has only a hash of its token. */
  readonly url: string
  /** RFC 3339, UTC. */
  readonly expires: string
}

export interface ByOption {
  /** Who asks for it, for the audit trail: 1 to 120 characters. `library` unless set. */
  readonly by?: string | undefined
}

/** As the commands `pointsman operators`, which may be used on the same database. */
export interface OperatorCalls {
  /** Adds an operator, or one that was removed, with one role. `StateError` with `login_taken` for an active one. */
  readonly add: (order: OperatorOrder, options?: ByOption) => Promise<Operator>
  /** Also those that were removed, in the order in which they were added. */
  readonly list: () => Promise<ReadonlyArray<Operator>>
  /**
   * Another name and other roles, which count from the operator's next request on, in every process. `StateError` with
   * `last_admin` where it would take the role `admin` in all workspaces from the last operator that has it.
   */
  readonly edit: (login: string, order: OperatorEdit, options?: ByOption) => Promise<Operator>
  /**
   * Ends the operator's sessions and links at once, in every process. `StateError` with `last_admin` for the last one with
   * the role `admin` in all workspaces.
   */
  readonly remove: (login: string, options?: ByOption) => Promise<Operator>
  /** A link that signs in once, within 15 minutes. `consoleUrl`: of the console, such as `https://shop.example/desk`. */
  readonly createLink: (
    login: string,
    order: { readonly consoleUrl: string },
    options?: ByOption
  ) => Promise<SignInLink>
}
