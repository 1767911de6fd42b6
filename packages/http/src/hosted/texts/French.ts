import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Ne payez pas une nouvelle fois, vous pourriez être débité deux fois. Vous pouvez fermer cette page ; la boutique " +
  "sera informée."

export const french: Texts = {
  pay: "Payer {merchant}",
  approve: "Approuver",
  approveAfterChallenge: "Approuver après une vérification 3DS",
  declineWithReason: "Refuser avec un motif",
  decline: "Refuser",
  cancel: "Annuler",
  challenge: "Confirmez votre identité",
  challengeText:
    "Cette page simule l’étape où une banque interroge son client (3-D Secure) : ce paiement à {merchant} est-il bien le vôtre ?",
  passChallenge: "Oui, c’est le mien",
  failChallenge: "Non, échouer à la vérification",
  back: "Retour",
  checkoutText: "Vous payez sur la page sécurisée d’un prestataire de paiement, puis vous revenez ici.",
  continueToPayment: "Continuer vers le paiement",
  notPaidContinue: "Je n’ai pas encore payé – continuer vers le paiement",
  checkAgain: "Vérifier à nouveau",
  backToMerchant: "Retour à {merchant}",
  backToPage: "Retour à la page de paiement",
  amount: "Montant",
  merchant: "Marchand",
  reference: "Référence",
  status: "Statut",
  category: "Catégorie",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Aucun argent ne circule, et aucune carte n’est nécessaire.",
  forSupport: "Pour l’assistance de la boutique : {id}",
  support: "Aide",
  terms: "Conditions générales",
  outcomes: {
    waiting: { heading: "Vous n’avez pas encore payé", text: "Rien n’a été débité." },
    unconfirmed: {
      heading: "Votre paiement n’est pas encore confirmé",
      text:
        "Si vous avez payé, la confirmation suivra bientôt : ne payez pas une nouvelle fois. Si vous n’avez pas payé, " +
        "vous pouvez continuer."
    },
    opening: {
      heading: "Ouverture de la page de paiement",
      text: "La page est peut-être en cours d’ouverture dans un autre onglet. Veuillez réessayer dans un instant."
    },
    closed: {
      heading: "La page de paiement est fermée",
      text:
        "Si vous avez payé, la confirmation suivra bientôt : ne payez pas une nouvelle fois. Si vous n’avez pas payé, " +
        "rien n’a été débité."
    },
    processing: {
      heading: "Votre paiement est en cours de traitement",
      text: `Il n’est pas encore confirmé. ${doNotPayAgain}`
    },
    checking: {
      heading: "Votre paiement est en cours de vérification",
      text: `Nous vérifions si votre paiement a abouti. ${doNotPayAgain}`
    },
    approved: { heading: "Paiement approuvé", text: "Le montant est réservé. Vous n’avez rien d’autre à faire." },
    captureUnknown: {
      heading: "Paiement approuvé",
      text: "Nous vérifions encore si le montant a été encaissé. Ne payez pas une nouvelle fois."
    },
    releasing: {
      heading: "Votre paiement est en cours d’annulation",
      text: "Le montant réservé est en cours de libération."
    },
    releaseUnknown: {
      heading: "Votre paiement est en cours d’annulation",
      text: "Nous vérifions encore si le montant réservé a été libéré."
    },
    complete: { heading: "Paiement effectué", text: "Votre paiement a abouti. Vous n’avez rien d’autre à faire." },
    partlyRefunded: {
      heading: "Paiement partiellement remboursé",
      text: "Une partie du montant a été remboursée."
    },
    refunded: { heading: "Paiement remboursé", text: "Le montant a été remboursé." },
    disputed: { heading: "Paiement contesté", text: "Le paiement a abouti, puis a été contesté." },
    declined: { heading: "Paiement refusé", text: "Rien n’a été débité." },
    failed: { heading: "Paiement impossible", text: "Le paiement n’a pas pu être effectué. Rien n’a été débité." },
    cancelled: { heading: "Paiement annulé", text: "Rien n’a été débité." },
    released: { heading: "Paiement annulé", text: "Le montant réservé a été libéré." },
    expired: {
      heading: "Cette page de paiement a expiré",
      text: "Rien n’a été débité. Pour payer, veuillez recommencer depuis la boutique."
    },
    notFound: {
      heading: "Page de paiement introuvable",
      text: "Le lien est peut-être incomplet. Pour payer, veuillez recommencer depuis la boutique."
    },
    tooMany: { heading: "Trop de requêtes", text: "Veuillez réessayer dans un instant." },
    wrongMethod: { heading: "Méthode non autorisée", text: "Rien n’a été modifié." },
    unknownAction: { heading: "Choix non valide", text: "Rien n’a été modifié." },
    tooLarge: { heading: "Requête trop volumineuse", text: "Rien n’a été modifié." },
    unavailable: {
      heading: "Temporairement indisponible",
      text: "Veuillez réessayer dans un instant. La page de paiement affichera alors l’état de votre paiement."
    },
    suspended: { heading: "Cette boutique n’accepte pas de paiements pour le moment", text: "Rien n’a été débité." },
    broken: {
      heading: "Un problème est survenu",
      text: "Avant de payer une nouvelle fois, veuillez vérifier auprès de la boutique si votre paiement a abouti."
    }
  },
  declineReasons: {
    noApproval: "Votre banque a refusé le paiement.",
    insufficientFunds: "Le solde du compte est insuffisant.",
    expiredCard: "La carte a expiré.",
    invalidCard: "La carte n’est pas valide.",
    limitExceeded: "Un plafond du compte ou de la carte a été dépassé.",
    authenticationFailed: "L’authentification a échoué.",
    notPermitted: "Ce type de paiement n’est pas autorisé pour cette carte ou ce compte.",
    issuerUnavailable: "Votre banque n’a pas pu être jointe.",
    cancelledByCustomer: "Vous avez annulé le paiement."
  },
  declineCategories: {
    insufficient_funds: "Solde insuffisant",
    do_not_honor: "Ne pas honorer",
    expired_card: "Carte expirée",
    invalid_card: "Carte non valide",
    lost_or_stolen: "Perdue ou volée",
    suspected_fraud: "Soupçon de fraude",
    limit_exceeded: "Plafond dépassé",
    authentication_failed: "Échec de l’authentification",
    not_permitted: "Non autorisé",
    issuer_unavailable: "Banque injoignable",
    invalid_request: "Requête non valide",
    cancelled_by_customer: "Annulé par le client",
    other: "Autre"
  }
}
