//! Icons of clusters, by the words of their issues.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    centroid::Centroid,
    terms::{Frequencies, hash},
};
use crate::language::Language;

/// The icon of a cluster whose words say nothing about it.
const DEFAULT: &str = "circle-question";

/// Names of icons with words in English, German, French and Spanish.
const ICONS: &[(&str, [&str; 4])] = &[
    (
        "key",
        [
            "password login signin log-in credentials 2fa two-factor authenticator",
            "passwort kennwort anmelden anmeldung einloggen login",
            "mot passe connexion connecter identifiant",
            "contraseña sesión clave acceder",
        ],
    ),
    (
        "fingerprint",
        ["sso saml okta oidc", "sso saml", "sso saml", "sso saml"],
    ),
    (
        "lock",
        [
            "permission permissions access role privacy restricted",
            "berechtigung zugriff rechte rolle",
            "permission droits rôle",
            "permiso permisos rol",
        ],
    ),
    (
        "credit-card",
        [
            "card payment charge declined paypal",
            "karte kreditkarte zahlung bezahlen lastschrift",
            "carte paiement payer",
            "tarjeta pago cobro pagar",
        ],
    ),
    (
        "file-invoice-dollar",
        [
            "invoice invoices vat tax receipt billing",
            "rechnung rechnungen mwst steuer",
            "facture factures tva",
            "factura facturas iva",
        ],
    ),
    (
        "ban",
        [
            "cancel subscription refund downgrade",
            "kündigen abo kündigung erstattung",
            "annuler abonnement résilier remboursement",
            "cancelar suscripción reembolso",
        ],
    ),
    (
        "users",
        [
            "invite invitation team member members colleague seat",
            "einladen einladung team kollege mitglied",
            "inviter invitation équipe collègue membre",
            "invitar invitación equipo miembro",
        ],
    ),
    ("file-pdf", ["pdf", "pdf", "pdf", "pdf"]),
    (
        "file-export",
        [
            "export download backup",
            "export exportieren herunterladen",
            "exporter télécharger",
            "exportar descargar",
        ],
    ),
    (
        "file-import",
        [
            "import csv migrate migration",
            "import importieren migration",
            "importer migration",
            "importar migración",
        ],
    ),
    (
        "globe",
        [
            "domain dns cname ssl certificate https",
            "domain zertifikat dns",
            "domaine certificat dns",
            "dominio certificado dns",
        ],
    ),
    (
        "gauge",
        [
            "slow performance loading timeout lag speed",
            "langsam ladezeit lädt",
            "lent lenteur charger",
            "lento lentitud cargar",
        ],
    ),
    (
        "mobile",
        [
            "mobile app iphone android ios phone",
            "handy app iphone android",
            "mobile appli téléphone",
            "móvil celular aplicación",
        ],
    ),
    (
        "bell",
        [
            "notification notifications alert reminder",
            "benachrichtigung benachrichtigungen",
            "notification notifications alerte",
            "notificación notificaciones avisos",
        ],
    ),
    (
        "envelope",
        [
            "email mail inbox spam newsletter",
            "email mail postfach",
            "email courriel mail",
            "correo email",
        ],
    ),
    (
        "code",
        [
            "api token endpoint sdk request json",
            "api token schnittstelle",
            "api jeton requête",
            "api token",
        ],
    ),
    (
        "plug",
        [
            "webhook webhooks integration zapier slack",
            "webhook integration",
            "webhook intégration",
            "webhook integración",
        ],
    ),
    (
        "palette",
        [
            "theme color colour logo font branding dark",
            "farbe design logo schrift",
            "thème couleur logo",
            "tema color logo",
        ],
    ),
    (
        "magnifying-glass",
        [
            "search find results",
            "suche suchen ergebnisse",
            "recherche résultats",
            "búsqueda buscar resultados",
        ],
    ),
    (
        "code-branch",
        [
            "git github gitlab sync branch commit repository",
            "git github synchronisation",
            "git github dépôt",
            "git github repositorio",
        ],
    ),
    (
        "clock-rotate-left",
        [
            "restore deleted undo history version recover",
            "wiederherstellen gelöscht papierkorb",
            "restaurer supprimé corbeille",
            "restaurar recuperar borrado",
        ],
    ),
    (
        "calendar",
        [
            "calendar timezone date schedule hour",
            "kalender zeitzone uhrzeit datum",
            "calendrier fuseau heure",
            "calendario zona horaria hora",
        ],
    ),
    (
        "language",
        [
            "translation translate language locale",
            "übersetzung übersetzen sprache",
            "traduction langue traduire",
            "traducción idioma traducir",
        ],
    ),
    (
        "image",
        [
            "image picture photo upload screenshot",
            "bild foto hochladen",
            "image photo téléverser",
            "imagen foto subir",
        ],
    ),
    (
        "link",
        [
            "link links redirect 404 url",
            "link weiterleitung",
            "lien redirection",
            "enlace redirección",
        ],
    ),
    (
        "chart-line",
        [
            "report analytics statistics dashboard chart insights",
            "bericht statistik auswertung",
            "rapport statistiques",
            "informe estadísticas",
        ],
    ),
    (
        "triangle-exclamation",
        [
            "error crash bug 500",
            "fehler absturz fehlermeldung",
            "erreur plantage",
            "error fallo",
        ],
    ),
];

/// Hashes of the words, with the places of their icons.
static WORDS: LazyLock<HashMap<u64, Vec<usize>>> = LazyLock::new(|| {
    let mut words: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, (_, texts)) in ICONS.iter().enumerate() {
        for (code, text) in ["en", "de", "fr", "es"].iter().zip(texts) {
            let language = Language::of_code(code).unwrap_or(Language::ENGLISH);
            language.for_each_stem(text, |stem| {
                let places = words.entry(hash(stem)).or_default();
                if !places.contains(&place) {
                    places.push(place);
                }
            });
        }
    }
    words
});

/// Returns the icon whose words say most in a cluster.
pub fn of(centroid: &Centroid, frequencies: &Frequencies) -> &'static str {
    let mut weights = [0.0_f32; ICONS.len()];
    for (hash, weight) in &centroid.sum {
        for place in WORDS.get(hash).into_iter().flatten() {
            if let Some(sum) = weights.get_mut(*place) {
                *sum += weight * frequencies.rarity(*hash);
            }
        }
    }
    let rated = ICONS.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
    let best = rated.reduce(|best, other| if other.1 > best.1 { other } else { best });
    best.map_or(DEFAULT, |((icon, _), _)| icon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_have_names_of_the_contract() {
        for (icon, _) in ICONS {
            assert!(
                icon.len() <= 50
                    && icon
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            );
        }
    }

    #[test]
    fn every_language_has_a_word_for_every_icon() {
        for (icon, texts) in ICONS {
            for (code, text) in ["en", "de", "fr", "es"].iter().zip(texts) {
                let mut stems = 0;
                Language::of_code(code).unwrap().for_each_stem(text, |_| stems += 1);
                assert!(stems > 0, "{icon} {code}");
            }
        }
    }
}
