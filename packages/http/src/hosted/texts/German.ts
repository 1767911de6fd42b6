import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Bitte zahlen Sie nicht noch einmal, sonst könnte der Betrag zweimal abgebucht werden. Sie können diese Seite " +
  "schließen; der Shop wird benachrichtigt."

export const german: Texts = {
  pay: "An {merchant} zahlen",
  approve: "Genehmigen",
  approveAfterChallenge: "Nach 3DS-Prüfung genehmigen",
  declineWithReason: "Mit einem Grund ablehnen",
  decline: "Ablehnen",
  cancel: "Abbrechen",
  challenge: "Bestätigen Sie Ihre Identität",
  challengeText:
    "Hier wird der Schritt simuliert, in dem eine Bank ihren Kunden fragt (3-D Secure): Stammt diese Zahlung an {merchant} von Ihnen?",
  passChallenge: "Ja, sie stammt von mir",
  failChallenge: "Nein, Prüfung nicht bestehen",
  back: "Zurück",
  checkoutText: "Sie zahlen auf der sicheren Seite eines Zahlungsanbieters und kehren danach zurück.",
  continueToPayment: "Weiter zur Zahlung",
  notPaidContinue: "Ich habe noch nicht gezahlt – weiter zur Zahlung",
  checkAgain: "Erneut prüfen",
  backToMerchant: "Zurück zu {merchant}",
  backToPage: "Zurück zur Zahlungsseite",
  amount: "Betrag",
  merchant: "Händler",
  reference: "Referenz",
  status: "Status",
  category: "Kategorie",
  sandboxTitle: "{title} (Sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Es fließt kein Geld, und es wird keine Karte benötigt.",
  forSupport: "Für den Support des Shops: {id}",
  support: "Hilfe",
  terms: "Geschäftsbedingungen",
  outcomes: {
    waiting: { heading: "Sie haben noch nicht gezahlt", text: "Es wurde nichts abgebucht." },
    unconfirmed: {
      heading: "Ihre Zahlung ist noch nicht bestätigt",
      text:
        "Wenn Sie gezahlt haben, folgt die Bestätigung in Kürze: Bitte zahlen Sie nicht noch einmal. Wenn Sie nicht " +
        "gezahlt haben, können Sie fortfahren."
    },
    opening: {
      heading: "Die Zahlungsseite wird geöffnet",
      text: "Die Seite wird möglicherweise in einem anderen Tab geöffnet. Bitte versuchen Sie es gleich noch einmal."
    },
    closed: {
      heading: "Die Zahlungsseite wurde geschlossen",
      text:
        "Wenn Sie gezahlt haben, folgt die Bestätigung in Kürze: Bitte zahlen Sie nicht noch einmal. Wenn Sie nicht " +
        "gezahlt haben, wurde nichts abgebucht."
    },
    processing: {
      heading: "Ihre Zahlung wird verarbeitet",
      text: `Sie ist noch nicht bestätigt. ${doNotPayAgain}`
    },
    checking: {
      heading: "Ihre Zahlung wird geprüft",
      text: `Wir prüfen, ob Ihre Zahlung erfolgreich war. ${doNotPayAgain}`
    },
    approved: { heading: "Zahlung genehmigt", text: "Der Betrag ist reserviert. Sie müssen nichts weiter tun." },
    captureUnknown: {
      heading: "Zahlung genehmigt",
      text: "Ob der Betrag eingezogen wurde, wird noch geprüft. Bitte zahlen Sie nicht noch einmal."
    },
    releasing: { heading: "Ihre Zahlung wird storniert", text: "Der reservierte Betrag wird freigegeben." },
    releaseUnknown: {
      heading: "Ihre Zahlung wird storniert",
      text: "Ob der reservierte Betrag freigegeben wurde, wird noch geprüft."
    },
    complete: {
      heading: "Zahlung abgeschlossen",
      text: "Ihre Zahlung war erfolgreich. Sie müssen nichts weiter tun."
    },
    partlyRefunded: { heading: "Zahlung teilweise erstattet", text: "Ein Teil des Betrags wurde erstattet." },
    refunded: { heading: "Zahlung erstattet", text: "Der Betrag wurde erstattet." },
    disputed: { heading: "Zahlung beanstandet", text: "Die Zahlung war erfolgreich und wurde beanstandet." },
    declined: { heading: "Zahlung abgelehnt", text: "Es wurde nichts abgebucht." },
    failed: {
      heading: "Zahlung nicht möglich",
      text: "Die Zahlung konnte nicht ausgeführt werden. Es wurde nichts abgebucht."
    },
    cancelled: { heading: "Zahlung abgebrochen", text: "Es wurde nichts abgebucht." },
    released: { heading: "Zahlung storniert", text: "Der reservierte Betrag wurde freigegeben." },
    expired: {
      heading: "Diese Zahlungsseite ist abgelaufen",
      text: "Es wurde nichts abgebucht. Um zu zahlen, beginnen Sie bitte im Shop von vorn."
    },
    notFound: {
      heading: "Zahlungsseite nicht gefunden",
      text: "Der Link ist möglicherweise unvollständig. Um zu zahlen, beginnen Sie bitte im Shop von vorn."
    },
    tooMany: { heading: "Zu viele Anfragen", text: "Bitte versuchen Sie es gleich noch einmal." },
    wrongMethod: { heading: "Methode nicht erlaubt", text: "Es wurde nichts geändert." },
    unknownAction: { heading: "Ungültige Auswahl", text: "Es wurde nichts geändert." },
    tooLarge: { heading: "Anfrage zu groß", text: "Es wurde nichts geändert." },
    unavailable: {
      heading: "Vorübergehend nicht verfügbar",
      text: "Bitte versuchen Sie es gleich noch einmal. Die Zahlungsseite zeigt dann den Stand Ihrer Zahlung."
    },
    suspended: { heading: "Dieser Shop nimmt zurzeit keine Zahlungen an", text: "Es wurde nichts abgebucht." },
    broken: {
      heading: "Etwas ist schiefgegangen",
      text: "Bevor Sie noch einmal zahlen, fragen Sie bitte beim Shop nach, ob Ihre Zahlung erfolgreich war."
    }
  },
  declineReasons: {
    noApproval: "Ihre Bank hat die Zahlung abgelehnt.",
    insufficientFunds: "Das Konto ist nicht ausreichend gedeckt.",
    expiredCard: "Die Karte ist abgelaufen.",
    invalidCard: "Die Karte ist ungültig.",
    limitExceeded: "Ein Limit des Kontos oder der Karte wurde überschritten.",
    authenticationFailed: "Die Authentifizierung ist fehlgeschlagen.",
    notPermitted: "Diese Art der Zahlung ist für diese Karte oder dieses Konto nicht zugelassen.",
    issuerUnavailable: "Ihre Bank war nicht erreichbar.",
    cancelledByCustomer: "Sie haben die Zahlung abgebrochen."
  },
  declineCategories: {
    insufficient_funds: "Unzureichende Deckung",
    do_not_honor: "Nicht einlösen",
    expired_card: "Karte abgelaufen",
    invalid_card: "Karte ungültig",
    lost_or_stolen: "Verloren oder gestohlen",
    suspected_fraud: "Betrugsverdacht",
    limit_exceeded: "Limit überschritten",
    authentication_failed: "Authentifizierung fehlgeschlagen",
    not_permitted: "Nicht zugelassen",
    issuer_unavailable: "Bank nicht erreichbar",
    invalid_request: "Ungültige Anfrage",
    cancelled_by_customer: "Vom Kunden abgebrochen",
    other: "Sonstiges"
  }
}
