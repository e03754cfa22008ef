//! Parts of mails that are not the words of their author: quotations of earlier mails, and signatures.

mod words;

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// The most lines of the announcement of a quotation, "On … wrote:".
const ANNOUNCEMENT_LINES: usize = 3;

/// The most bytes of a line that programs write.
const MAX_LINE: usize = 400;

/// The most lines of the headers of a quoted mail that are read.
const HEADER_LINES: usize = 8;

/// Consecutive lines of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailPart<'t> {
    pub text: &'t str,
    /// `false`: a quotation or a signature.
    pub is_own: bool,
}

/// Splits a mail into what its author wrote, and quotations and signatures.
pub fn mail_parts(text: &str) -> Vec<MailPart<'_>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_own = Mail::new(&lines).own_lines();
    let (mut parts, mut start, mut end) = (Vec::new(), 0, 0);
    for (line, (own, next)) in lines
        .iter()
        .zip(is_own.iter().zip(is_own.iter().skip(1).map(Some).chain([None])))
    {
        end += line.len();
        if next != Some(own) {
            parts.push(MailPart {
                text: text.get(start..end).unwrap_or_default(),
                is_own: *own,
            });
            start = end;
        }
    }
    parts
}

/// Returns what the author of a mail wrote, without quotations and signatures.
pub fn own_text(text: &str) -> String {
    let own = mail_parts(text).into_iter().filter(|part| part.is_own);
    own.map(|part| part.text).collect::<Vec<&str>>().join("\n")
}

struct Mail<'t> {
    lines: &'t [&'t str],
    /// Lines that begin with `>`, but not those of code.
    is_quoted: Vec<bool>,
}

impl<'t> Mail<'t> {
    fn new(lines: &'t [&'t str]) -> Self {
        let is_fence = |line: &&str| ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
        let mut fences = lines.iter().filter(|line| is_fence(line)).count();
        let mut in_code = false;
        let is_quoted = lines.iter().map(|line| {
            if is_fence(line) {
                // A fence without an end does not begin code.
                in_code = !in_code && fences > 1;
                fences -= 1;
                return false;
            }
            !in_code && line.trim_start().starts_with('>')
        });
        Self {
            is_quoted: is_quoted.collect(),
            lines,
        }
    }

    fn line(&self, number: usize) -> &'t str {
        self.lines.get(number).map_or("", |line| line.trim())
    }

    fn is_quoted(&self, number: usize) -> bool {
        self.is_quoted.get(number).copied().unwrap_or_default()
    }

    fn own_lines(&self) -> Vec<bool> {
        let mut own: Vec<bool> = self.is_quoted.iter().map(|is_quoted| !is_quoted).collect();
        let mut has_words = false;
        for number in 0..self.lines.len() {
            if self.is_quoted(number) {
                continue;
            }
            let announced = self.announcement(number);
            let ends = match &announced {
                Some((lines, is_rest)) => is_rest.then_some(lines.start),
                None => self.ends_at(number, has_words).then_some(number),
            };
            if let Some(end) = ends {
                own.iter_mut().skip(end).for_each(|own| *own = false);
                break;
            }
            let left_out = announced.map(|(lines, _)| lines);
            let left_out = left_out.or_else(|| is_sent_from(self.line(number)).then_some(number..number + 1));
            if let Some(lines) = left_out {
                own.iter_mut()
                    .take(lines.end)
                    .skip(lines.start)
                    .for_each(|own| *own = false);
                continue;
            }
            has_words |= self.line(number).contains(char::is_alphanumeric);
        }
        own
    }

    /// Returns whether nothing from this line on is of the author.
    fn ends_at(&self, number: usize, has_words: bool) -> bool {
        let line = self.line(number);
        let is_signature = has_words && matches!(line, "--" | "—" | "__");
        is_signature || line.len() <= MAX_LINE && (is_separator(line) || self.are_headers(number))
    }

    /// Returns the lines that announce a quotation and end with this one. `true`: the rest of the mail is the quotation.
    fn announcement(&self, last: usize) -> Option<(Range<usize>, bool)> {
        let end = self.line(last).trim_end_matches(['*', '_', ' ']);
        let is_before_quoted = || {
            let mut next = (last + 1..self.lines.len()).filter(|line| !self.line(*line).is_empty());
            next.next().is_some_and(|line| self.is_quoted(line))
        };
        let has_colon = end.ends_with([':', '：']);
        if end.len() > MAX_LINE || !(has_colon || DATED_SENDER.is_match(end) && is_before_quoted()) {
            return None;
        }
        for lines in 1..=ANNOUNCEMENT_LINES {
            let first = (last + 1).checked_sub(lines)?;
            let all = first..last + 1;
            if all
                .clone()
                .any(|line| self.line(line).is_empty() || self.is_quoted(line))
            {
                break;
            }
            let joined: Vec<&str> = all.clone().map(|line| self.line(line)).collect();
            let joined = joined.join(" ");
            if joined.len() > MAX_LINE || lines > 1 && !BEGINNING.is_match(&joined) {
                continue;
            }
            let (has_verb, has_date) = (WROTE.is_match(&joined), DATE.is_match(&joined));
            let is_rest = has_date && (has_verb || DATED_SENDER.is_match(&joined) && CLOCK.is_match(&joined));
            let is_announcement = is_rest || has_verb && BEGINNING.is_match(&joined);
            if is_announcement && (is_rest || is_before_quoted()) {
                return Some((all, is_rest && !is_before_quoted()));
            }
        }
        let is_alone = (WROTE.is_match(end) || SENDER.is_match(end)) && is_before_quoted();
        is_alone.then_some((last..last + 1, false))
    }

    /// Returns whether the headers of a quoted mail begin with this line.
    fn are_headers(&self, number: usize) -> bool {
        let Some(first) = header(self.line(number)) else {
            return false;
        };
        let (mut kinds, mut has_address) = (vec![first], false);
        let mut was_empty = false;
        for line in (number..self.lines.len())
            .take(2 * HEADER_LINES)
            .map(|line| self.line(line))
        {
            has_address |= line.contains('@');
            match header(line) {
                Some(kind) => kinds.push(kind),
                None if line.is_empty() && !was_empty => {}
                // Lists of recipients have several lines.
                None if line.contains('@') => {}
                None => break,
            }
            was_empty = line.is_empty();
        }
        let has = |kind: Header| kinds.contains(&kind);
        has(Header::From) && (has(Header::Subject) || has(Header::Sent) && has_address)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    From,
    Sent,
    To,
    Subject,
}

/// Returns the kind of header of a mail that a line is: "**From:** …".
fn header(line: &str) -> Option<Header> {
    if line.len() > MAX_LINE {
        return None;
    }
    let (name, _) = line.split_once([':', '：'])?;
    let name = name.trim_matches(['*', '_', ' ', '\u{a0}']).to_lowercase();
    let kinds = [
        (Header::From, words::FROM),
        (Header::Sent, words::SENT),
        (Header::To, words::TO),
        (Header::Subject, words::SUBJECT),
    ];
    let mut kinds = kinds.into_iter();
    kinds.find_map(|(kind, words)| each(words).any(|word| word == name).then_some(kind))
}

/// Returns whether a line is one as "-----Original Message-----", or "Begin forwarded message:".
fn is_separator(line: &str) -> bool {
    let is_ruling = |c: char| matches!(c, '-' | '_' | '=' | '*' | '#' | '—' | '–');
    let is_ruled = line.chars().take(2).filter(|c| is_ruling(*c)).count() == 2;
    if !is_ruled && !line.ends_with([':', '：']) {
        return false;
    }
    let words = line.trim_matches(|c: char| is_ruling(c) || matches!(c, ':' | '：' | ' ' | '[' | ']' | '.' | '\u{a0}'));
    let words = words.to_lowercase();
    each(words::SEPARATORS).any(|known| match words.strip_prefix(known) {
        Some(rest) => rest.is_empty() || is_ruled || known.starts_with("anfang") || known.starts_with("begin"),
        None => false,
    })
}

/// Returns whether a line is one as "Sent from my iPhone".
fn is_sent_from(line: &str) -> bool {
    const MAX_SENT_FROM: usize = 100;
    if line.len() > MAX_SENT_FROM || line.contains('?') {
        return false;
    }
    let line = line.to_lowercase();
    let line = line.trim_start_matches(['*', '_', '[']);
    each(words::SENT_FROM).any(|word| line.starts_with(word)) && each(words::DEVICES).any(|word| line.contains(word))
}

fn each(lines: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    lines.iter().flat_map(|line| line.split(", "))
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and tested")]
fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a regular expression")
}

fn any_of(words: &'static [&'static str]) -> String {
    each(words).map(regex::escape).collect::<Vec<String>>().join("|")
}

static WROTE: LazyLock<Regex> = LazyLock::new(|| {
    let (words, without_spaces) = (any_of(words::WROTE), any_of(words::WROTE_WITHOUT_SPACES));
    pattern(&format!(r"(?i)\b(?:{words})|{without_spaces}"))
});

/// A word that announces a quotation, or a day: "Di., 3. Nov.".
static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^\W*(?:(?:{})\b|\d|\p{{L}}{{1,8}}[.,]*\s+\d)",
        any_of(words::BEGINNINGS)
    ))
});

/// A date with its year.
static DATE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|\D)(?:(?:19|20)\d\d(?:\D|$)|\d{1,2}[./-]\d{1,2}[./-]\d\d(?:\D|$))"));

static CLOCK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{1,2}[:.h]\d\d"));

/// An address behind a name.
static SENDER: LazyLock<Regex> = LazyLock::new(|| pattern(r"[<(\[][^\s<>()\[\]]+@[^\s<>()\[\]]+[>)\]]"));

static DATED_SENDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\d.*[<(\[][^\s<>()\[\]]+@[^\s<>()\[\]]+[>)\]]|[<(\[][^\s<>()\[\]]+@[^\s<>()\[\]]+[>)\]].*\d")
});

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "The webhook never fires.";

    fn assert_left_out(quotation: &str) {
        let text = format!("{OWN}\n\n{quotation}");
        assert_eq!(own_text(&text).trim(), OWN, "{text}");
        let parts = mail_parts(&text);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
    }

    #[test]
    fn announcements_are_known_in_many_languages() {
        for line in [
            "On Tuesday, Support wrote:",
            "On Tue, Nov 3, 2026 at 10:12 AM Support <support@vendor.example> wrote:",
            "On Tue, Nov 3, 2026 at 10:12 AM Support Team of the Vendor\n<support@vendor.example> wrote:",
            "On Tue, Nov 3, 2026 at 10:12 AM Support Team of the Vendor Incorporated\n<support-team@vendor.example>\nwrote:",
            "Support <support@vendor.example> wrote on 3 Nov 2026:",
            "Am Di., 3. Nov. 2026 um 10:12 Uhr schrieb Support <support@vendor.example>:",
            "Am 03.11.26 um 10:12 schrieb Support:",
            "Le mar. 3 nov. 2026 à 10:12, Support <support@vendor.example> a écrit :",
            "El mar, 3 nov 2026 a las 10:12, Support (<support@vendor.example>) escribió:",
            "Em ter., 3 de nov. de 2026 às 10:12, Support <support@vendor.example>\nescreveu:",
            "Il giorno mar 3 nov 2026 alle ore 10:12 Support <support@vendor.example> ha scritto:",
            "Op di 3 nov 2026 om 10:12 schreef Support <support@vendor.example>:",
            "wt., 3 lis 2026 o 10:12 Support <support@vendor.example> napisał(a):",
            "W dniu 3.11.2026 o 10:12, Support pisze: napisał:",
            "вт, 3 нояб. 2026 г. в 10:12, Support <support@vendor.example>:",
            "3 ноября 2026 г. в 10:12 пользователь Support написал:",
            "在 2026年11月3日，10:12，Support <support@vendor.example> 写道：",
            "Support <support@vendor.example> 于2026年11月3日周二 10:12写道：",
            "2026年11月3日(火) 10:12 Support <support@vendor.example>:",
            "2026년 11월 3일 (화) 오전 10:12, Support <support@vendor.example>님이 작성:",
            "Den tis 3 nov. 2026 kl 10:12 skrev Support <support@vendor.example>:",
            "ti 3. marrask. 2026 klo 10.12 Support (support@vendor.example) kirjoitti:",
            "út 3. 11. 2026 v 10:12 odesílatel Support <support@vendor.example> napsal:",
            "Support <support@vendor.example>, 3 Kas 2026 Sal, 10:12 tarihinde şunu yazdı:",
        ] {
            assert_left_out(&format!("{line}\n\n> Why did the invoice fail?\n> Reset it.\n"));
            if line.contains("26") {
                assert_left_out(&format!("{line}\nWhy did the invoice fail?\n\nReset it.\n"));
            }
        }
        // Right below the author's words.
        let text = format!("{OWN}\nOn Tue, Nov 3, 2026 at 10:12 AM Support\n<support@vendor.example> wrote:\n> Why?");
        assert_eq!(own_text(&text).trim(), OWN);
    }

    #[test]
    fn headers_of_quoted_mails_are_known() {
        for headers in [
            "From: Support Team <support@vendor.example>\nSent: Tuesday, November 3, 2026 10:12 AM\nTo: Maria\nSubject: RE: x",
            "**From:** Support Team\n**Sent:** Tuesday\n**To:** Maria\n**Subject:** RE: x",
            "*De :* Support <support@vendor.example>\n*Envoyé :* mardi 3 novembre 2026 10:12\n*À :* Maria\n*Objet :* RE: x",
            "Von: Support <support@vendor.example>\n\nGesendet: Dienstag\n\nAn: Jan\n\nBetreff: AW: Rechnung",
            "De: Support\nEnviado el: martes\nPara: Maria\nAsunto: x",
            "De: Support\nEnviada em: terça-feira\nPara: Maria\nAssunto: x",
            "Da: Support\nInviato: martedì\nA: Maria\nOggetto: x",
            "Van: Support\nVerzonden: dinsdag\nAan: Maria\nOnderwerp: x",
            "Od: Support\nWysłano: wtorek\nDo: Maria\nTemat: x",
            "От: Support\nОтправлено: вторник\nКому: Maria\nТема: x",
            "发件人: Support\n发送时间: 2026年11月3日\n收件人: Maria\n主题: x",
            "差出人: Support\n送信日時: 2026年11月3日\n宛先: Maria\n件名: x",
            "________________________________\nFrom: Support <support@vendor.example>\nSent: Tuesday\nTo: Maria <maria@client.example>;\n Jo <jo@client.example>",
        ] {
            let text = format!("{OWN}\n\n{headers}\n\nHello,\nWhy did the invoice fail?\n");
            assert_eq!(own_text(&text).trim().trim_end_matches('_').trim(), OWN, "{text}");
        }
        for own in [
            "From: 2026-01-01\nTo: 2026-02-01\nThe export has no rows.",
            "Date: yesterday\nSubject: maths\nThe page fails.",
            "An: nobody",
        ] {
            assert_eq!(own_text(own), own);
        }
    }

    #[test]
    fn separators_are_known() {
        for line in [
            "-----Original Message-----",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "-----Ursprüngliche Nachricht-----",
            "-------- Weitergeleitete Nachricht --------",
            "-----Message d'origine-----",
            "-----Mensaje original-----",
            "-----Mensagem original-----",
            "-----Messaggio originale-----",
            "-----Oorspronkelijk bericht-----",
            "-----Wiadomość oryginalna-----",
            "-----Исходное сообщение-----",
            "------------------ 原始邮件 ------------------",
            "-----元のメッセージ-----",
            "##- Please type your reply above this line -##",
            "--\nMaria Silva",
            "-- \nMaria Silva",
            "--\r\nMaria Silva",
        ] {
            assert_left_out(&format!("{line}\nFrom: Support\n\nWhy did the invoice fail?\n"));
        }
        assert_left_out("Sent from my iPhone\n");
        assert_left_out("Von meinem iPhone gesendet");
        for own in [
            "---\nThe original message is lost.",
            "-- verbose does not work",
            "--\nThe text begins with a ruling.",
            "Sent from the server are no mails.",
            "Error message: The mail is lost",
            "At 10:12 the server wrote:\nError 500",
        ] {
            assert_eq!(own_text(own), own);
        }
    }

    #[test]
    fn answers_between_quotations_stay() {
        let text = "On Tuesday, Support wrote:\n> Which browser?\nFirefox fails.\n> Which page?\nThe export.\n\n```\n> npm install\n```\n";
        assert_eq!(
            own_text(text),
            "Firefox fails.\n\nThe export.\n\n```\n> npm install\n```\n"
        );
        assert_eq!(own_text("```\n> Why?\nMy text."), "```\n\nMy text.");
        assert_eq!(own_text(""), "");
    }
}
