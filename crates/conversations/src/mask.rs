//! Removal of personal data and secrets from texts: addresses, passwords, keys, and numbers of cards, accounts and phones.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

/// The replacement of a masked text. The replacement has no letters, so it is no word.
const MASK: &str = "•••";

/// The least characters of a value that is masked because of the word before it.
const MIN_SECRET: usize = 4;

/// Characters before a number that tell what it is.
const CUE: usize = 24;

/// Words for secrets in several languages.
const SECRETS: &str = "passwords?|passwd|pwd|passphrase|passcode|pass ?word|secrets?|credentials?|api[ _-]?keys?|\
    (?:access|secret|private|auth|client|api|license|licence)[ _-]?(?:key|token|secret|code)|tokens?|bearer|pin(?:[ -]?code)?|\
    cvv2?|cvc2?|otp|passwor[dt]|kennwort|zugangscode|zugangsdaten|mots? de passe|contraseñas?|contrasenas?|clave|senhas?|\
    palavra-passe|wachtwoord|hasł[oa]|haslo|пароль|пароля|lösenord|adgangskode|passord|salasana|heslo|jelszó|parol[aă]|şifre";
const SECRETS_WITHOUT_SPACES: &str = "パスワード|暗証番号|密码|密碼|口令|비밀번호|암호";

/// Words between a secret and its value: "my password is …", "mein Passwort lautet …".
const VERBS: &str = "(?:is|was|are|ist|war|lautet|lautete|est|était|es|era|é|e|è|to|jest|это|är|er|on|je|van|:|=)";

/// Words for phone numbers.
const PHONES: &str = "phone|tel|telephone|mobile|cell|call me (?:at|on)|call us (?:at|on)|reach me (?:at|on)|whatsapp|sms|fax|\
    telefon|telefonnummer|handy|handynummer|mobil|mobilnummer|rückruf|téléphone|portable|teléfono|móvil|celular|telefone|telemóvel|\
    telefono|cellulare|telefoon|mobiel|telefonu|komórka|телефон|тел|电话|手机|電話|電話番号|전화|휴대폰";

/// Words for other numbers.
const OTHER_NUMBERS: &str = "order|ticket|case|invoice|serial|tracking|reference|article|item|version|build|bestell|auftrag|rechnung|\
    vorgang|kunden|artikel|commande|facture|pedido|factura|fatura|ordine|fattura|bestelling|factuur|zamówieni|faktur|заказ|счет|счёт|订单|\
    注文|주문";

#[expect(clippy::expect_used, reason = "the patterns are constants, and tested")]
fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a regular expression")
}

/// Keys by the forms that services give them.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        -----BEGIN\ [A-Z0-9\ ]*PRIVATE\ KEY-----[\sA-Za-z0-9+/=]*(?:-----END\ [A-Z0-9\ ]*PRIVATE\ KEY-----)?
        | \beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}
        | \b(?:sk|pk|rk|whsec|gh[opsur]|github_pat|glpat|gb_api|shpat|shpss|xox[abeprs]|npm|pypi|hf|dop_v1|lin_api|sq0[a-z]{3}|key|tok|secret|token)
            [_-][A-Za-z0-9_-]{12,}
        | \b(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{12,}
        | \bAIza[A-Za-z0-9_-]{20,}
        | \bya29\.[A-Za-z0-9_-]{10,}
        | \bSG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}
        | (?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/-]{16,}=*
        ",
    )
});

static EMAILS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        [\p{L}\p{N}._%+'&~-]+@(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+
        | [\p{L}\p{N}._%+-]+\ ?[\[(]at[\])]\ ?[\p{L}\p{N}-]+(?:\ ?(?:\.|[\[(]dot[\])])\ ?[\p{L}\p{N}-]+)+
        | \b[\p{L}\p{N}._%+'-]+@localhost\b
        ",
    )
});

/// Names and passwords in addresses.
static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| pattern(r"://[^\s/@]+@"));

/// "Password: …", "my password is …", "?token=…".
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        "(?i)((?:\\b(?:{SECRETS})|{SECRETS_WITHOUT_SPACES})[\"'*_`]{{0,3}}\\s?(?:[:=：]|は|是|는|은|\\s{VERBS}\\b|{VERBS}\\s)\\s*{VERBS}?\\s*[*_]{{0,3}})\
         (\"[^\"\\n]+\"|'[^'\\n]+'|`[^`\\n]+`|“[^”\\n]+”|„[^“”\\n]+[“”]|«[^»\\n]+»|「[^」\\n]+」|[^\\s,;。、]+)(.?)",
    ))
});

/// Long texts without spaces, of which those of letters and digits are keys.
static LONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Za-z0-9]{20,}\b"));

/// Digits in groups, as of cards.
static CARDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d(?:[ \u{a0}-]?\d){12,18}\b"));

static ACCOUNTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"));

/// Numbers behind words for phones.
static NAMED_PHONES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)((?:^|[^\p{{L}}])(?:{PHONES})\b[^\d\n+(]{{0,24}})([+(]{{0,2}}\d[\d \u{{a0}}()./-]{{4,20}}\d)"
    ))
});

/// Numbers in the forms of phones.
static PHONE_NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        (?:\+|\b00)[1-9]\d{0,2}(?:[\ \u{a0}()./-]{0,3}\d){6,13}
        | \(0?\d{2,5}\)[\ \u{a0}/-]?\d{2,}(?:[\ \u{a0}-]?\d+)*
        | \b\d{3}[-.\ ]\d{3}[-.\ ]\d{4}\b
        | \b0\d{1,4}[\ \u{a0}/-]{1,3}\d{2,}(?:[\ \u{a0}/-]\d{2,})*
        | \b0[1-9]\d{8,9}\b
        ",
    )
});

static OTHER_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let noun = format!(r"(?:{OTHER_NUMBERS})\p{{L}}{{0,12}}(?:\s+(?:number|no|nr|id)\b)?");
    pattern(&format!(
        r"(?i)(?:^|[^\p{{L}}])(?:{noun}|ref|id|nr|no|#)[^\p{{L}}\d]{{0,6}}$"
    ))
});

/// A date, and a time or a version behind it.
static DATES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d{1,2}[-/. ]\d{1,2}[-/. ](?:19|20)?\d\d(?:\D|$)"));

/// A number of France, which begins like a date.
static PAIRS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^0[1-9](?:[-. ]\d\d){4}$"));

/// Returns a text without what may be personal or secret.
pub fn mask(text: &str) -> String {
    let mut masked = Cow::Borrowed(text);
    let always = |_: &Captures<'_>| MASK.to_owned();
    replace(&mut masked, &KEYS, always);
    replace(&mut masked, &CREDENTIALS, |_| format!("://{MASK}@"));
    replace(&mut masked, &EMAILS, always);
    replace(&mut masked, &SECRET, without_secret);
    replace(&mut masked, &LONG, |found| mask_if(found, is_key));
    replace(&mut masked, &ACCOUNTS, |found| mask_if(found, is_account));
    replace(&mut masked, &CARDS, |found| mask_if(found, is_card));
    replace(&mut masked, &NAMED_PHONES, |found| {
        let (cue, number) = (group(found, 1), group(found, 2));
        let is_phone = (6..=15).contains(&digits(number).count()) && !is_date(number);
        format!("{cue}{}", if is_phone { MASK } else { number })
    });
    let before_phones = masked.into_owned();
    let phones = PHONE_NUMBERS.replace_all(&before_phones, |found: &Captures<'_>| {
        let start = found.get(0).map_or(0, |found| found.start());
        let is_other = is_other_number(before_phones.get(..start).unwrap_or_default());
        mask_if(found, |number| !is_other && is_phone(number))
    });
    phones.into_owned()
}

fn replace(text: &mut Cow<'_, str>, of: &Regex, by: impl Fn(&Captures<'_>) -> String) {
    if let Cow::Owned(replaced) = of.replace_all(text, |found: &Captures<'_>| by(found)) {
        *text = Cow::Owned(replaced);
    }
}

fn mask_if(found: &Captures<'_>, is_masked: impl Fn(&str) -> bool) -> String {
    let text = group(found, 0);
    if is_masked(text) {
        MASK.to_owned()
    } else {
        text.to_owned()
    }
}

fn group<'t>(found: &Captures<'t>, number: usize) -> &'t str {
    found.get(number).map_or("", |found| found.as_str())
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// Masks the value behind a word for a secret: one in quotes, one that looks like a secret, and one behind which nothing follows.
fn without_secret(found: &Captures<'_>) -> String {
    let (cue, value, after) = (group(found, 1), group(found, 2), group(found, 3));
    let is_quoted = value.starts_with(['"', '\'', '`', '“', '„', '«', '「']);
    let bare = value.trim_end_matches(['.', '!', '?', ')']);
    let is_marked = cue.trim_end_matches(['*', '_', ' ']).ends_with([':', '=', '：']);
    let is_alone = is_marked && matches!(after, "" | "\n" | "\r" | "&");
    let is_masked =
        is_quoted || bare.chars().count() >= MIN_SECRET && (looks_secret(bare) || is_alone) || is_pin(cue, bare);
    match is_masked {
        true => format!(
            "{cue}{MASK}{}{after}",
            if is_quoted {
                ""
            } else {
                value.get(bare.len()..).unwrap_or("")
            }
        ),
        false => group(found, 0).to_owned(),
    }
}

fn is_pin(cue: &str, value: &str) -> bool {
    let cue = cue.to_lowercase();
    let is_short = ["pin", "cvv", "cvc", "otp", "暗証番号"]
        .iter()
        .any(|word| cue.contains(word));
    is_short && value.len() >= 3 && value.chars().all(|c| c.is_ascii_digit())
}

/// Returns whether a word is none of a language: it has digits, signs or capitals within.
fn looks_secret(word: &str) -> bool {
    let has_sign =
        word.contains(|c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '\'' | '.' | '/' | '*' | '_'));
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let inner = word.chars().skip(1);
    let is_mixed = word.contains(char::is_lowercase) && inner.clone().any(char::is_uppercase);
    has_sign || has_digit || is_mixed
}

fn is_key(text: &str) -> bool {
    let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
    let digits = count(char::is_ascii_digit);
    let (upper, lower) = (count(char::is_ascii_uppercase), count(char::is_ascii_lowercase));
    let is_hex = text.len() >= 32 && text.chars().all(|c| c.is_ascii_hexdigit()) && upper + lower > 2;
    digits > 2 && (upper > 1 && lower > 1 || is_hex)
}

/// Checks the length, the first digits and the check digit of a card number, by Luhn.
fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = digits(text).collect();
    let is_issued = matches!(
        digits.as_slice(),
        [4, ..] | [5, 1..=5, ..] | [2, 2..=7, ..] | [3, 4 | 7 | 5 | 0 | 6 | 8 | 9, ..] | [6, ..]
    );
    let sum = digits.iter().rev().enumerate().map(|(place, digit)| match place % 2 {
        0 => *digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    });
    is_issued && sum.sum::<u32>() % 10 == 0
}

/// Checks the number of an account by its remainder, ISO 7064.
fn is_account(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let turned = text.chars().skip(4).chain(text.chars().take(4));
    let rest = turned.filter_map(|c| c.to_digit(36)).fold(0, |rest, digit| {
        let shift = if digit > 9 { 100 } else { 10 };
        (rest * shift + digit) % 97
    });
    rest == 1 && (15..=34).contains(&text.len())
}

fn is_date(text: &str) -> bool {
    DATES.is_match(text) && !PAIRS.is_match(text)
}

fn is_phone(text: &str) -> bool {
    let count = digits(text).count();
    let is_international = text.starts_with('+') || text.starts_with("00");
    (7..=15).contains(&count) && (is_international || count >= 8 || text.starts_with('(')) && !is_date(text)
}

/// Returns whether the words before a number say that it is that of an order or something else.
fn is_other_number(before: &str) -> bool {
    let start = before.char_indices().rev().nth(CUE).map_or(0, |(start, _)| start);
    let cue = before.get(start..).unwrap_or_default();
    // "3 000 000" and "v1.02".
    let is_rest = cue.trim_end().ends_with(|c: char| c.is_ascii_digit()) && !cue.ends_with('\n');
    is_rest
        || OTHER_NUMBER.is_match(cue)
        || cue.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '/' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_data_is_masked() {
        for (text, expected) in [
            ("Write to jan.müller+x@mail.client.example.", "Write to •••."),
            ("jan (at) client (dot) example fails", "••• fails"),
            ("I use <jan@client.example> and joe@b.co", "I use <•••> and •••"),
            (
                "Open https://jan:geheim@host.example/x",
                "Open https://•••@host.example/x",
            ),
            ("My password is hunter2.", "My password is •••."),
            ("Password: Sommer2026! does not work", "Password: •••! does not work"),
            ("password=sunshine", "password=•••"),
            ("password: sunshine\nWhy?", "password: •••\nWhy?"),
            (
                "my password is \"open sesame\" and fails",
                "my password is ••• and fails",
            ),
            (
                "Mein Passwort lautet Geheim123, warum?",
                "Mein Passwort lautet •••, warum?",
            ),
            ("Mein Passwort ist: Geheim123", "Mein Passwort ist: •••"),
            ("Le mot de passe est Soleil44", "Le mot de passe est •••"),
            ("mi contraseña es Luna77!", "mi contraseña es •••!"),
            ("Пароль: Секрет55", "Пароль: •••"),
            ("パスワードはabc12345です", "パスワードは•••"),
            ("密码：abc12345", "密码：•••"),
            ("My PIN is 4711.", "My PIN is •••."),
            ("Token sk_live_4eC39HqLyjWDarjtT1zdp7dc fails", "Token ••• fails"),
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "•••"),
            ("AKIAIOSFODNN7EXAMPLE is refused", "••• is refused"),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N is expired",
                "••• is expired",
            ),
            ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: •••"),
            ("api key: 8f14e45fceea167a5a36dedd4bea2543", "api key: •••"),
            ("The key Zx81kQmP02bTvW55LsYq fails", "The key ••• fails"),
            ("https://a.example/?token=abcdef&x=1", "https://a.example/?token=•••"),
            ("Card 4111 1111 1111 1111 declined", "Card ••• declined"),
            ("5500-0000-0000-0004", "•••"),
            ("378282246310005", "•••"),
            ("IBAN DE89 3704 0044 0532 0130 00 is refused", "IBAN ••• is refused"),
            ("Call +49 (0)30 1234567 or +1 555 123 4567", "Call ••• or •••"),
            ("call me at 555-123-4567", "call me at •••"),
            ("(555) 123-4567 is my number", "••• is my number"),
            ("Telefon: 0171/1234567", "Telefon: •••"),
            ("Mon numéro 06 12 34 56 78 est bloqué", "Mon numéro ••• est bloqué"),
            ("電話 090-1234-5678", "電話 •••"),
            ("+7 912 345-67-89", "•••"),
        ] {
            assert_eq!(mask(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "Order 1234567890123456 is late, ticket #20261103",
            "Order 4711-2231-99 and order number 555-123-4567",
            "Bestellnummer 0012345678 vom 03.11.2026",
            "Version 1.2.3.4, 2026.11.03 and v10.20.3000",
            "On 2026-11-03 10:12:44, 03/11/2026 10:12, 03-11-2026",
            "From 10.0.0.1:8080 to 192.168.100.200",
            "My password is not accepted. The password is wrong!",
            "The password reset link expired. Password: how do I reset it?",
            "Forgot my password and the token expired",
            "Is my API key valid? The secret is out",
            "The @mention of jan does not work",
            "Error 0x80070005, code 12345678, 1000000 rows, 3 000 000 000 rows",
            "getUserById and screenshot20261103142233.png",
            "The pin is missing on the map",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn long_texts_take_linear_time() {
        for text in [
            "1 ",
            "a@",
            "password: ",
            "+1 (",
            "x",
            "0-",
            "-----BEGIN PRIVATE KEY-----",
            "「",
        ] {
            let text = text.repeat(200_000 / text.len());
            assert!(mask(&text).len() <= text.len() * 2);
        }
    }
}
