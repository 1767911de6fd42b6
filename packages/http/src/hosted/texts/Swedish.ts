import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Betala inte igen: beloppet kan då dras två gånger. Du kan stänga den här sidan; butiken får besked."

export const swedish: Texts = {
  pay: "Betala till {merchant}",
  approve: "Godkänn",
  approveAfterChallenge: "Godkänn efter en 3DS-kontroll",
  declineWithReason: "Neka med en orsak",
  decline: "Neka",
  cancel: "Avbryt",
  challenge: "Bekräfta din identitet",
  challengeText:
    "Detta simulerar steget där en bank frågar sin kund (3-D Secure): är den här betalningen till {merchant} din?",
  passChallenge: "Ja, den är min",
  failChallenge: "Nej, låt kontrollen misslyckas",
  back: "Tillbaka",
  checkoutText: "Du betalar på en betaltjänsts säkra sida och kommer tillbaka efteråt.",
  continueToPayment: "Fortsätt till betalningen",
  notPaidContinue: "Jag har inte betalat än – fortsätt till betalningen",
  checkAgain: "Kontrollera igen",
  backToMerchant: "Tillbaka till {merchant}",
  backToPage: "Tillbaka till betalsidan",
  amount: "Belopp",
  merchant: "Butik",
  reference: "Referens",
  status: "Status",
  category: "Kategori",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Inga pengar flyttas och inget kort behövs.",
  forSupport: "Till butikens kundtjänst: {id}",
  support: "Hjälp",
  terms: "Allmänna villkor",
  outcomes: {
    waiting: { heading: "Du har inte betalat än", text: "Inget har dragits." },
    unconfirmed: {
      heading: "Din betalning är inte bekräftad än",
      text: "Om du har betalat kommer bekräftelsen snart: betala inte igen. Om du inte har betalat kan du fortsätta."
    },
    opening: {
      heading: "Betalsidan öppnas",
      text: "Sidan kanske öppnas i en annan flik. Försök igen om en stund."
    },
    closed: {
      heading: "Betalsidan har stängts",
      text: "Om du har betalat kommer bekräftelsen snart: betala inte igen. Om du inte har betalat har inget dragits."
    },
    processing: { heading: "Din betalning behandlas", text: `Den är inte bekräftad än. ${doNotPayAgain}` },
    checking: {
      heading: "Din betalning kontrolleras",
      text: `Vi kontrollerar om din betalning gick igenom. ${doNotPayAgain}`
    },
    approved: { heading: "Betalningen är godkänd", text: "Beloppet är reserverat. Du behöver inte göra något mer." },
    captureUnknown: {
      heading: "Betalningen är godkänd",
      text: "Vi kontrollerar fortfarande om beloppet har dragits. Betala inte igen."
    },
    releasing: { heading: "Din betalning annulleras", text: "Det reserverade beloppet frigörs." },
    releaseUnknown: {
      heading: "Din betalning annulleras",
      text: "Vi kontrollerar fortfarande om det reserverade beloppet har frigjorts."
    },
    complete: { heading: "Betalningen är klar", text: "Din betalning gick igenom. Du behöver inte göra något mer." },
    partlyRefunded: {
      heading: "Betalningen är delvis återbetald",
      text: "En del av beloppet har betalats tillbaka."
    },
    refunded: { heading: "Betalningen är återbetald", text: "Beloppet har betalats tillbaka." },
    disputed: { heading: "Betalningen är bestridd", text: "Betalningen gick igenom och bestreds sedan." },
    declined: { heading: "Betalningen nekades", text: "Inget har dragits." },
    failed: { heading: "Betalningen är inte möjlig", text: "Betalningen kunde inte göras. Inget har dragits." },
    cancelled: { heading: "Betalningen avbröts", text: "Inget har dragits." },
    released: { heading: "Betalningen annullerades", text: "Det reserverade beloppet har frigjorts." },
    expired: {
      heading: "Den här betalsidan har gått ut",
      text: "Inget har dragits. Börja om i butiken för att betala."
    },
    notFound: {
      heading: "Betalsidan hittades inte",
      text: "Länken kan vara ofullständig. Börja om i butiken för att betala."
    },
    tooMany: { heading: "För många förfrågningar", text: "Försök igen om en stund." },
    wrongMethod: { heading: "Metoden är inte tillåten", text: "Inget har ändrats." },
    unknownAction: { heading: "Ogiltigt val", text: "Inget har ändrats." },
    tooLarge: { heading: "Förfrågan är för stor", text: "Inget har ändrats." },
    unavailable: {
      heading: "Tillfälligt otillgänglig",
      text: "Försök igen om en stund. Betalsidan visar då hur det gick med din betalning."
    },
    suspended: { heading: "Den här butiken tar inte emot betalningar just nu", text: "Inget har dragits." },
    broken: {
      heading: "Något gick fel",
      text: "Fråga butiken om din betalning gick igenom innan du betalar igen."
    }
  },
  declineReasons: {
    noApproval: "Din bank nekade betalningen.",
    insufficientFunds: "Det finns inte tillräckligt med pengar på kontot.",
    expiredCard: "Kortet har gått ut.",
    invalidCard: "Kortet är inte giltigt.",
    limitExceeded: "En gräns för kontot eller kortet överskreds.",
    authenticationFailed: "Autentiseringen misslyckades.",
    notPermitted: "Den här typen av betalning är inte tillåten för det här kortet eller kontot.",
    issuerUnavailable: "Din bank kunde inte nås.",
    cancelledByCustomer: "Du avbröt betalningen."
  },
  declineCategories: {
    insufficient_funds: "Otillräckligt saldo",
    do_not_honor: "Godkänns inte",
    expired_card: "Utgånget kort",
    invalid_card: "Ogiltigt kort",
    lost_or_stolen: "Förlorat eller stulet",
    suspected_fraud: "Misstänkt bedrägeri",
    limit_exceeded: "Gräns överskriden",
    authentication_failed: "Autentisering misslyckades",
    not_permitted: "Inte tillåtet",
    issuer_unavailable: "Banken kan inte nås",
    invalid_request: "Ogiltig förfrågan",
    cancelled_by_customer: "Avbruten av kunden",
    other: "Annat"
  }
}
