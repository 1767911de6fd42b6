/**
 * The page of the configuration file: every field that its decoder takes, and what the decoder expects of it. What a
 * field is for is said here; a field without a meaning, and a meaning without a field, fail the generating.
 */
import { ConfigurationFile } from "@pointsman/configuration"
import { SchemaAST } from "effect"
import { code, table } from "./Markdown.ts"

interface Part {
  readonly title: string
  readonly about: string
  readonly fields: Readonly<Record<string, string>>
}

/** By the path of the object, where it first occurs. */
const parts: Readonly<Record<string, Part>> = {
  "": {
    title: "The file",
    about: 'One JSON object. Any string may be `{"$env": "NAME"}`, the value of that environment variable.',
    fields: {
      $schema: "for editors; it changes nothing",
      generation:
        "the number of this configuration: a greater one is newer, and belongs to one content ([generations](../guides/configuration.md#generations))",
      console: "settings of the [console](../guides/console.md)",
      "console.oidc": "[signing in by OpenID Connect](#openid-connect)",
      "console.requirePasskey":
        "roles whose operators [need a passkey](../guides/console.md#roles-that-take-a-passkey) or OpenID Connect; default: none",
      "console.refundLimits":
        "minor units by currency: what one operator [gives back of a payment](../guides/corrections.md#refunds) in the console; a refund above it needs a second person; no limit for a currency that is not named",
      "console.recentSignIn": "what takes a [recent sign-in](../guides/console.md#a-recent-sign-in)",
      "console.recentSignIn.minutes": "for how long a sign-in is recent; default: 10",
      "console.recentSignIn.refunds":
        "minor units by currency: what an operator gives back of a payment without a recent sign-in; no limit for a currency that is not named",
      connectors:
        "[connectors of your own](../guides/write-a-connector.md#in-the-server), loaded at the start of a server; they belong to no generation",
      retention:
        "for how long the workspaces [keep](../guides/retention.md) what has ended, unless one of them says otherwise",
      "retention.payments": "closed payments, from their last write: days or years; default: 7 years",
      "retention.deliveries": "webhook deliveries that have ended; default: 90 days",
      "retention.messages": "bodies of decided provider messages; default: 90 days",
      fourEyes:
        "minor units by currency: from this amount on, a [second person](../guides/corrections.md) approves what an operator states; 0 for every amount, and a currency that is not named always needs one; where it is left out, one person is enough",
      archive: "[where closed payments go](#archive) before retention removes them",
      workspaces: "[the workspaces](#a-workspace)"
    }
  },
  archive: {
    title: "Archive",
    about:
      "Where closed payments go before retention removes them from the database: either `folder` or `s3` ([how](../guides/archive.md)). It is read at the start of a server, and belongs to no generation.",
    fields: {
      folder: "the path of a folder, which is created",
      s3: "a bucket of Amazon S3, or of a service with its API",
      "s3.bucket": "the bucket, which exists",
      "s3.region": "its region",
      "s3.endpoint": "the URL of another service than Amazon's",
      "s3.prefix": "what the names of all objects begin with",
      "s3.accessKeyId": "with `secretAccessKey`; without both, the AWS SDK looks for credentials",
      "s3.secretAccessKey": "of the access key",
      "s3.sessionToken": "of temporary credentials"
    }
  },
  "console.oidc": {
    title: "OpenID Connect",
    about:
      "How people sign in to the console with the accounts of their company ([the rules](../guides/console.md#openid-connect)). It is read at the start of a server, and belongs to no generation.",
    fields: {
      issuer: "who identifies people, as in its discovery document",
      clientId: "the console, as it is registered there",
      clientSecret: "of the client",
      scopes: "what is requested besides `openid`; default: `email` and `profile`",
      name: 'what the button is called, after "Sign in with"; default: `single sign-on`',
      loginClaim: "the claim that is the operator's login; default: `email`, if it is verified",
      rolesClaim:
        "a claim that decides about roles, such as `groups`; operators have the roles of Pointsman without it",
      roles: "the roles, by the values of that claim",
      "roles.<value>.workspace": "where the role counts; default: in all workspaces",
      "roles.<value>.role": "what the operator may do there"
    }
  },
  "workspaces[]": {
    title: "A workspace",
    about: "A merchant, with all that belongs to it.",
    fields: {
      id: "names it, for good",
      name: "what people call it; default: the id",
      country: "where the merchant is registered; default: not known",
      category: "the merchant's category, for `blockedCategories`; default: not known",
      suspended: "`true`: the API refuses its keys with 403; default: `false`",
      partner: "makes it a [white-label partner](../guides/partners.md)",
      "partner.allowance": "how many merchants it may provision",
      brand: "how customers see it on its [hosted pages](../guides/hosted-page.md#your-brand)",
      "brand.name": "the name that they read; default: the workspace's",
      "brand.logo": "above the payment; default: none",
      "brand.color": "of the main button, whose white text needs a contrast of 4.5:1 on it; default: a blue",
      "brand.support": "a link to help, below the payment; default: none",
      "brand.terms": "a link to the terms and conditions, below the payment; default: none",
      hostedPage:
        "sandbox [pages](../guides/hosted-page.md#what-the-customer-sees) lead to the provider's test page; default: to buttons",
      retention: "for how long it [keeps](../guides/retention.md) what has ended; default: as the file says",
      "retention.payments": "closed payments; default: that of the file",
      "retention.deliveries": "webhook deliveries; default: that of the file",
      "retention.messages": "bodies of messages; default: that of the file",
      fourEyes: "as [that of the file](#the-file), which is the default",
      keys: "[its API keys](#a-key)",
      connections: "[its accounts at providers](#a-connection)",
      routing: "how its payments are routed, for each environment",
      "routing.sandbox": "[routing](#routing) of the sandbox",
      "routing.production": "[routing](#routing) of production",
      webhooks: "[where its events are sent](#a-webhook)"
    }
  },
  "workspaces[].keys[]": {
    title: "A key",
    about: "An API key of the workspace. The database keeps a hash of it.",
    fields: {
      environment: "the one that it works in",
      secret: "`ps_test_` or `ps_live_`, 32 letters and digits, and their checksum",
      scopes: "what it may do; default: everything",
      name: "what operators call it; default: none",
      expires: "from then on it is refused; default: it does not expire",
      networks: "where requests may come from; default: anywhere"
    }
  },
  "workspaces[].connections[]": {
    title: "A connection",
    about: "An account at a provider.",
    fields: {
      id: "names it, for good and over all workspaces",
      name: "what people call it; default: the id",
      environment: "the one that it works in",
      connector: "the code that speaks to the provider; default: `sandbox`, in the sandbox alone",
      active: "`false`: it gets no new payments; default: `true`",
      priority: "1 is asked first, and equal ones by id; default: 1",
      credentials: "what the connector asks for; sealed in the database",
      webhookSecret:
        "what the [provider's messages](../guides/provider-messages.md) are verified with; sealed in the database",
      previousWebhookSecret:
        "the one before it: messages signed with either are taken until this is left out; sealed too",
      timeout: "of one call; default: the setting `POINTSMAN_PROVIDER_TIMEOUT`",
      supports: "[its limits](#limits); default: none",
      restrictions: "payments that match any of them are not sent here",
      "restrictions[].when": "a [condition](#a-condition)",
      circuitBreaker: "when it is passed over for a while; default: 5 failures and 30 seconds",
      "circuitBreaker.failures": "so many technical errors and unanswered calls in a row open it",
      "circuitBreaker.open": "for so long it stays open",
      fees: "what the provider charges for a payment that it approves: the first whose condition the payment meets; default: unknown",
      "fees[].when": "the payments that it is for, by a few fields of a [condition](#a-condition); default: all",
      "fees[].when.currency": "the payment's currency is one of these",
      "fees[].when.country": "the customer's country is one of these",
      "fees[].when.region":
        "where the customer is, as seen from the workspace's country: `domestic` the same country, `eea` another one of the European Economic Area, `international` any other",
      "fees[].when.method": "the payment's method is one of these",
      "fees[].when.cardBrand": "the card's brand is one of these",
      "fees[].fixed": "an amount, by currency; in a currency that it does not name the fee is unknown",
      "fees[].fixed.<currency>": "in its minor units",
      "fees[].percent": "a share of the amount, as text",
      reports:
        "fetches the [provider's reports](../guides/reconcile.md#fetched-on-a-schedule) on a schedule, where its connector can; default: they are fetched by `pointsman reconcile fetch` alone",
      "reports.every": "from one fetch to the next"
    }
  },
  "workspaces[].connections[].supports": {
    title: "Limits",
    about:
      "Each that is left out allows everything. The exclusion codes are in [configuration](../guides/configuration.md#a-connection).",
    fields: {
      currencies: "the payment's currency is one of these",
      payerCountries: "the customer's country is one of these",
      methods: "the payment's method is one of these",
      paymentMethods:
        "the payment methods that are taken by name, with their limits; of connectors that declare methods, those alone. A payment that names its method goes only where it is declared",
      "paymentMethods.<method>.currencies": "in these alone",
      "paymentMethods.<method>.manualCapture":
        "`false`: it is captured at once, and no payment with manual capture is taken",
      cardBrands: "the card's brand is one of these, where the payment states one",
      recurring: "`false`: no payments that the merchant initiated",
      merchantCountries: "the workspace's country is one of these",
      blockedCategories: "the workspace's category is not one of these",
      amount: "for a currency, how much, in its minor units",
      "amount.<currency>.min": "no less",
      "amount.<currency>.max": "no more",
      requiresAuthentication:
        "countries whose customers have to authenticate themselves, which a direct charge cannot let them do: of their payments, only those that the merchant initiated"
    }
  },
  "workspaces[].connections[].restrictions[].when": {
    title: "A condition",
    about: "A payment matches when every field that is named does.",
    fields: {
      currency: "its currency is one of these",
      amount: "its amount, in minor units",
      "amount.min": "is no less",
      "amount.max": "is no more",
      country: "the customer's country is one of these",
      method: "its method is one of these",
      paymentMethod: "its method by name is one of these",
      cardBrand: "its card's brand is one of these",
      initiator: "who initiated it: `cit` the customer, `mit` the merchant",
      captureMethod: "how it is captured"
    }
  },
  "workspaces[].routing.sandbox": {
    title: "Routing",
    about: "What each mode does: [what follows an attempt](next-steps.md). More: [routing](../concepts/routing.md).",
    fields: {
      mode: "how far a payment may travel; default: `failover`",
      order: "only these are asked, in this order; default: every connection by priority",
      maxAttempts: "attempts at most; default: 2",
      rules: "the first that matches decides",
      "rules[].name": "what the decision is explained by",
      "rules[].when": "a [condition](#a-condition)",
      "rules[].use": "what holds for the payments that match",
      "rules[].use.mode": "as above",
      "rules[].use.order": "as above",
      "rules[].use.split": "weights by connection id: the first connection is drawn by them",
      "rules[].use.split.<id>": "its weight",
      "rules[].use.maxAttempts": "as above",
      control: "a share of the payments that no rule matched takes another order",
      "control.share": "how many of them",
      "control.order": "the order that they take",
      auto: "of the mode [`auto`](../concepts/auto-routing.md)",
      "auto.exploration": "the share that is sent to another connection than the best; default: 0.05",
      "auto.objective":
        "`approval`: the best success rate leads. `value`: fees are [weighed](../concepts/auto-routing.md#value); default: `approval`",
      "auto.maxApprovalLoss":
        "with `value`, the most approval that a leading connection may give up; default: 0.01, which is one point"
    }
  },
  "workspaces[].webhooks[]": {
    title: "A webhook",
    about: "An endpoint of the merchant that [receives events](../guides/webhooks.md).",
    fields: {
      environment: "it hears of this one alone",
      url: "where they are posted",
      events: "which [types](events.md#types); default: every one",
      secret: "what is sent is signed with it",
      previousSecret: "the one before it: what is sent is signed with both until this is left out"
    }
  }
}

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isLiteral(ast) ? [JSON.stringify(ast.literal)] : SchemaAST.isUnion(ast) ? ast.types.flatMap(literals) : []

const expectedOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  (ast.checks ?? []).flatMap(({ annotations }) => {
    const expected = annotations?.["expected"]
    return typeof expected === "string" && annotations?.["representation"] === undefined ? [expected] : []
  })

/** More of them are named where they are at home. */
const listed = 10

/** Words of the tables for what the decoder expects in many places. */
const terms: Readonly<Record<string, string>> = {
  "an id": "an id of 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit first",
  "a name": "a name of 1 to 120 characters",
  "a currency": 'an ISO 4217 currency code, such as "EUR"',
  "a country": 'an ISO 3166-1 alpha-2 country code, such as "NL"',
  "a duration": 'a duration such as "30 seconds" or "15 minutes"'
}

const termOf = (expected: string): string =>
  Object.entries(terms).find(([, meaning]) => meaning === expected)?.[0] ?? expected

const takes = (ast: SchemaAST.AST): string => {
  const checks = expectedOf(ast).map(termOf)
  const words = literals(ast)
  if (words.length > listed) return "`*` or a type"
  if (words.length > 0) return words.map(code).join(", ")
  if (SchemaAST.isArrays(ast)) {
    const [item] = ast.rest
    if (item === undefined || SchemaAST.isObjects(item))
      return `a list${checks.length > 0 ? ", neither empty nor with repetitions" : ""}`
    if (checks.length === 0) throw new Error("a list of values may be empty, other than the page says")
    return `a list of: ${takes(item)}`
  }
  if (SchemaAST.isObjects(ast)) return ["an object", ...checks].join(", ")
  if (SchemaAST.isBoolean(ast)) return "`true`, `false`"
  return checks.length > 0 ? checks.join(", ") : "text"
}

/** What a record's keys are, by the field that holds it. */
const keys: Readonly<Record<string, string>> = {
  amount: "<currency>",
  fixed: "<currency>",
  paymentMethods: "<method>",
  split: "<id>",
  roles: "<value>"
}

interface Field {
  readonly path: string
  readonly takes: string
  readonly isRequired: boolean
}

/** Objects by their path; those that occur in several places, once. */
const sections = (): ReadonlyMap<string, ReadonlyArray<Field>> => {
  const found = new Map<string, Array<Field>>()
  const seen = new Set<unknown>()
  const walk = (ast: SchemaAST.AST, path: string, section: string): void => {
    if (SchemaAST.isArrays(ast)) {
      for (const item of ast.rest) walk(item, `${path}[]`, section)
    }
    if (!SchemaAST.isObjects(ast)) return
    const own = parts[path] === undefined ? section : path
    if (parts[path] !== undefined) {
      if (seen.has(ast.propertySignatures)) return
      seen.add(ast.propertySignatures)
      found.set(path, [])
    } else if (seen.has(ast.propertySignatures)) return
    const add = (name: string, type: SchemaAST.AST) => {
      const at = path === "" ? name : `${path}.${name}`
      found.get(own)?.push({
        path: own === "" ? at : at.slice(own.length + 1),
        takes: takes(type),
        isRequired: !SchemaAST.isOptional(type)
      })
      walk(type, at, own)
    }
    for (const { name, type } of ast.propertySignatures) add(String(name), type)
    for (const { type } of ast.indexSignatures) {
      const key = keys[path.split(".").at(-1) ?? ""]
      if (key === undefined) continue
      if (SchemaAST.isObjects(type)) walk(type, `${path}.${key}`, own)
      else add(key, type)
    }
  }
  walk(ConfigurationFile.ast, "", "")
  return found
}

export const configurationFilePage = (notice: string): string => {
  const found = sections()
  const faults = Object.entries(parts).flatMap(([path, { fields }]) => {
    const there = (found.get(path) ?? []).map((field) => field.path)
    return [
      ...there.filter((field) => fields[field] === undefined).map((field) => `${path}.${field} has no meaning`),
      ...Object.keys(fields)
        .filter((field) => !there.includes(field))
        .map((field) => `${path}.${field} is no field`)
    ]
  })
  if (faults.length > 0) throw new Error(`scripts/generate/ConfigurationFile.ts: ${faults.join("; ")}`)
  return [
    notice,
    "# Configuration file",
    "Every field that the decoder of the [configuration file](../guides/configuration.md#the-configuration-file) takes. An unknown field is a mistake, and a mistake stops startup with the path of the field; [`pointsman config check`](../guides/configuration.md#check-the-file) finds it before.",
    [
      "Lists of values are neither empty nor have repetitions. In the tables:",
      ...Object.entries(terms).map(
        ([term, meaning]) => `- *${term}*: ${meaning.replace(/^an? (?:id of|name of|duration) /u, "")}`
      )
    ].join("\n"),
    ...Object.entries(parts).flatMap(([path, { title, about, fields }]) => [
      `## ${title}`,
      about,
      table(
        ["Field", "What it takes", "What for"],
        (found.get(path) ?? []).map((field) => [
          code(field.path),
          field.isRequired ? `${field.takes}, required` : field.takes,
          fields[field.path] ?? ""
        ])
      )
    ])
  ].join("\n\n")
}
