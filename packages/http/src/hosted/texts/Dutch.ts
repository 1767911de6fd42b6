import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Betaal niet nog een keer: het bedrag kan dan twee keer worden afgeschreven. U kunt deze pagina sluiten; de winkel " +
  "krijgt bericht."

export const dutch: Texts = {
  pay: "{merchant} betalen",
  approve: "Goedkeuren",
  approveAfterChallenge: "Goedkeuren na een 3DS-controle",
  declineWithReason: "Weigeren met een reden",
  decline: "Weigeren",
  cancel: "Annuleren",
  challenge: "Bevestig uw identiteit",
  challengeText:
    "Dit simuleert de stap waarin een bank haar klant vraagt (3-D Secure): is deze betaling aan {merchant} van u?",
  passChallenge: "Ja, die is van mij",
  failChallenge: "Nee, controle laten mislukken",
  back: "Terug",
  checkoutText: "U betaalt op de beveiligde pagina van een betaaldienst en komt daarna terug.",
  continueToPayment: "Verder naar de betaling",
  notPaidContinue: "Ik heb nog niet betaald – verder naar de betaling",
  checkAgain: "Opnieuw controleren",
  backToMerchant: "Terug naar {merchant}",
  backToPage: "Terug naar de betaalpagina",
  amount: "Bedrag",
  merchant: "Winkel",
  reference: "Kenmerk",
  status: "Status",
  category: "Categorie",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Er wordt geen geld overgemaakt en er is geen kaart nodig.",
  forSupport: "Voor de klantenservice van de winkel: {id}",
  support: "Klantenservice",
  terms: "Algemene voorwaarden",
  outcomes: {
    waiting: { heading: "U hebt nog niet betaald", text: "Er is niets afgeschreven." },
    unconfirmed: {
      heading: "Uw betaling is nog niet bevestigd",
      text:
        "Als u hebt betaald, volgt de bevestiging snel: betaal niet nog een keer. Als u niet hebt betaald, kunt u " +
        "verdergaan."
    },
    opening: {
      heading: "De betaalpagina wordt geopend",
      text: "De pagina wordt mogelijk in een ander tabblad geopend. Probeer het zo meteen opnieuw."
    },
    closed: {
      heading: "De betaalpagina is gesloten",
      text:
        "Als u hebt betaald, volgt de bevestiging snel: betaal niet nog een keer. Als u niet hebt betaald, is er niets " +
        "afgeschreven."
    },
    processing: { heading: "Uw betaling wordt verwerkt", text: `Ze is nog niet bevestigd. ${doNotPayAgain}` },
    checking: {
      heading: "Uw betaling wordt gecontroleerd",
      text: `We controleren of uw betaling is gelukt. ${doNotPayAgain}`
    },
    approved: { heading: "Betaling goedgekeurd", text: "Het bedrag is gereserveerd. U hoeft verder niets te doen." },
    captureUnknown: {
      heading: "Betaling goedgekeurd",
      text: "Of het bedrag is geïnd, wordt nog gecontroleerd. Betaal niet nog een keer."
    },
    releasing: { heading: "Uw betaling wordt geannuleerd", text: "Het gereserveerde bedrag wordt vrijgegeven." },
    releaseUnknown: {
      heading: "Uw betaling wordt geannuleerd",
      text: "Of het gereserveerde bedrag is vrijgegeven, wordt nog gecontroleerd."
    },
    complete: { heading: "Betaling voltooid", text: "Uw betaling is gelukt. U hoeft verder niets te doen." },
    partlyRefunded: { heading: "Betaling deels terugbetaald", text: "Een deel van het bedrag is terugbetaald." },
    refunded: { heading: "Betaling terugbetaald", text: "Het bedrag is terugbetaald." },
    disputed: { heading: "Betaling betwist", text: "De betaling is gelukt en daarna betwist." },
    declined: { heading: "Betaling geweigerd", text: "Er is niets afgeschreven." },
    failed: {
      heading: "Betaling niet mogelijk",
      text: "De betaling kon niet worden uitgevoerd. Er is niets afgeschreven."
    },
    cancelled: { heading: "Betaling geannuleerd", text: "Er is niets afgeschreven." },
    released: { heading: "Betaling geannuleerd", text: "Het gereserveerde bedrag is vrijgegeven." },
    expired: {
      heading: "Deze betaalpagina is verlopen",
      text: "Er is niets afgeschreven. Begin opnieuw in de winkel om te betalen."
    },
    notFound: {
      heading: "Betaalpagina niet gevonden",
      text: "De link is mogelijk onvolledig. Begin opnieuw in de winkel om te betalen."
    },
    tooMany: { heading: "Te veel verzoeken", text: "Probeer het zo meteen opnieuw." },
    wrongMethod: { heading: "Methode niet toegestaan", text: "Er is niets gewijzigd." },
    unknownAction: { heading: "Ongeldige keuze", text: "Er is niets gewijzigd." },
    tooLarge: { heading: "Verzoek te groot", text: "Er is niets gewijzigd." },
    unavailable: {
      heading: "Tijdelijk niet beschikbaar",
      text: "Probeer het zo meteen opnieuw. De betaalpagina toont dan de status van uw betaling."
    },
    suspended: { heading: "Deze winkel accepteert op dit moment geen betalingen", text: "Er is niets afgeschreven." },
    broken: {
      heading: "Er is iets misgegaan",
      text: "Vraag de winkel of uw betaling is gelukt voordat u opnieuw betaalt."
    }
  },
  declineReasons: {
    noApproval: "Uw bank heeft de betaling geweigerd.",
    insufficientFunds: "Het saldo van de rekening is ontoereikend.",
    expiredCard: "De kaart is verlopen.",
    invalidCard: "De kaart is niet geldig.",
    limitExceeded: "Een limiet van de rekening of kaart is overschreden.",
    authenticationFailed: "De authenticatie is mislukt.",
    notPermitted: "Dit soort betaling is niet toegestaan voor deze kaart of rekening.",
    issuerUnavailable: "Uw bank was niet bereikbaar.",
    cancelledByCustomer: "U hebt de betaling geannuleerd."
  },
  declineCategories: {
    insufficient_funds: "Ontoereikend saldo",
    do_not_honor: "Niet honoreren",
    expired_card: "Verlopen kaart",
    invalid_card: "Ongeldige kaart",
    lost_or_stolen: "Verloren of gestolen",
    suspected_fraud: "Vermoeden van fraude",
    limit_exceeded: "Limiet overschreden",
    authentication_failed: "Authenticatie mislukt",
    not_permitted: "Niet toegestaan",
    issuer_unavailable: "Bank niet bereikbaar",
    invalid_request: "Ongeldig verzoek",
    cancelled_by_customer: "Geannuleerd door de klant",
    other: "Overig"
  }
}
