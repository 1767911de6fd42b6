import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Betal ikke igen: beløbet kan blive trukket to gange. Du kan lukke denne side; butikken får besked."

export const danish: Texts = {
  pay: "Betal til {merchant}",
  approve: "Godkend",
  approveAfterChallenge: "Godkend efter en 3DS-kontrol",
  declineWithReason: "Afvis med en årsag",
  decline: "Afvis",
  cancel: "Annuller",
  challenge: "Bekræft din identitet",
  challengeText:
    "Dette simulerer det trin, hvor en bank spørger sin kunde (3-D Secure): er denne betaling til {merchant} din?",
  passChallenge: "Ja, den er min",
  failChallenge: "Nej, lad kontrollen mislykkes",
  back: "Tilbage",
  checkoutText: "Du betaler på en betalingstjenestes sikre side og kommer tilbage bagefter.",
  continueToPayment: "Fortsæt til betalingen",
  notPaidContinue: "Jeg har ikke betalt endnu – fortsæt til betalingen",
  checkAgain: "Tjek igen",
  backToMerchant: "Tilbage til {merchant}",
  backToPage: "Tilbage til betalingssiden",
  amount: "Beløb",
  merchant: "Butik",
  reference: "Reference",
  status: "Status",
  category: "Kategori",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Der flyttes ingen penge, og der kræves intet kort.",
  forSupport: "Til butikkens kundeservice: {id}",
  support: "Hjælp",
  terms: "Handelsbetingelser",
  outcomes: {
    waiting: { heading: "Du har ikke betalt endnu", text: "Der er ikke trukket noget." },
    unconfirmed: {
      heading: "Din betaling er ikke bekræftet endnu",
      text: "Hvis du har betalt, kommer bekræftelsen snart: betal ikke igen. Hvis du ikke har betalt, kan du fortsætte."
    },
    opening: {
      heading: "Betalingssiden åbnes",
      text: "Siden åbnes måske i en anden fane. Prøv igen om et øjeblik."
    },
    closed: {
      heading: "Betalingssiden er lukket",
      text:
        "Hvis du har betalt, kommer bekræftelsen snart: betal ikke igen. Hvis du ikke har betalt, er der ikke trukket " +
        "noget."
    },
    processing: { heading: "Din betaling behandles", text: `Den er ikke bekræftet endnu. ${doNotPayAgain}` },
    checking: {
      heading: "Din betaling kontrolleres",
      text: `Vi kontrollerer, om din betaling gik igennem. ${doNotPayAgain}`
    },
    approved: { heading: "Betalingen er godkendt", text: "Beløbet er reserveret. Du skal ikke gøre mere." },
    captureUnknown: {
      heading: "Betalingen er godkendt",
      text: "Det kontrolleres stadig, om beløbet er trukket. Betal ikke igen."
    },
    releasing: { heading: "Din betaling annulleres", text: "Det reserverede beløb frigives." },
    releaseUnknown: {
      heading: "Din betaling annulleres",
      text: "Det kontrolleres stadig, om det reserverede beløb er frigivet."
    },
    complete: { heading: "Betalingen er gennemført", text: "Din betaling gik igennem. Du skal ikke gøre mere." },
    partlyRefunded: { heading: "Betalingen er delvist refunderet", text: "En del af beløbet er refunderet." },
    refunded: { heading: "Betalingen er refunderet", text: "Beløbet er refunderet." },
    disputed: { heading: "Der er gjort indsigelse mod betalingen", text: "Betalingen gik igennem før indsigelsen." },
    declined: { heading: "Betalingen blev afvist", text: "Der er ikke trukket noget." },
    failed: {
      heading: "Betalingen er ikke mulig",
      text: "Betalingen kunne ikke gennemføres. Der er ikke trukket noget."
    },
    cancelled: { heading: "Betalingen blev annulleret", text: "Der er ikke trukket noget." },
    released: { heading: "Betalingen blev annulleret", text: "Det reserverede beløb er frigivet." },
    expired: {
      heading: "Denne betalingsside er udløbet",
      text: "Der er ikke trukket noget. Start forfra i butikken for at betale."
    },
    notFound: {
      heading: "Betalingssiden blev ikke fundet",
      text: "Linket er måske ufuldstændigt. Start forfra i butikken for at betale."
    },
    tooMany: { heading: "For mange forespørgsler", text: "Prøv igen om et øjeblik." },
    wrongMethod: { heading: "Metoden er ikke tilladt", text: "Intet er ændret." },
    unknownAction: { heading: "Ugyldigt valg", text: "Intet er ændret." },
    tooLarge: { heading: "Forespørgslen er for stor", text: "Intet er ændret." },
    unavailable: {
      heading: "Midlertidigt utilgængelig",
      text: "Prøv igen om et øjeblik. Betalingssiden viser derefter status for din betaling."
    },
    suspended: {
      heading: "Denne butik modtager ikke betalinger i øjeblikket",
      text: "Der er ikke trukket noget."
    },
    broken: {
      heading: "Noget gik galt",
      text: "Spørg butikken, om din betaling gik igennem, før du betaler igen."
    }
  },
  declineReasons: {
    noApproval: "Din bank afviste betalingen.",
    insufficientFunds: "Der er ikke penge nok på kontoen.",
    expiredCard: "Kortet er udløbet.",
    invalidCard: "Kortet er ikke gyldigt.",
    limitExceeded: "En grænse for kontoen eller kortet er overskredet.",
    authenticationFailed: "Godkendelsen af din identitet mislykkedes.",
    notPermitted: "Denne type betaling er ikke tilladt for dette kort eller denne konto.",
    issuerUnavailable: "Din bank kunne ikke kontaktes.",
    cancelledByCustomer: "Du annullerede betalingen."
  },
  declineCategories: {
    insufficient_funds: "Utilstrækkelig saldo",
    do_not_honor: "Godkendes ikke",
    expired_card: "Udløbet kort",
    invalid_card: "Ugyldigt kort",
    lost_or_stolen: "Mistet eller stjålet",
    suspected_fraud: "Mistanke om svindel",
    limit_exceeded: "Grænse overskredet",
    authentication_failed: "Identitet ikke godkendt",
    not_permitted: "Ikke tilladt",
    issuer_unavailable: "Banken kan ikke kontaktes",
    invalid_request: "Ugyldig forespørgsel",
    cancelled_by_customer: "Annulleret af kunden",
    other: "Andet"
  }
}
