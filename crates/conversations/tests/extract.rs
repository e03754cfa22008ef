//! Issues that are found without a language model, and texts that are made to be hard.

use std::time::{Duration, Instant};

use conversations::{FoundIssue, MAX_ISSUES, MAX_SUMMARY, MAX_TITLE, Part, Role, clusters::terms, extract, own_text};

fn user(text: &str) -> Part<'_> {
    let role = Role::User;
    Part { role, text }
}

fn titles(issues: &[FoundIssue]) -> Vec<&str> {
    issues.iter().map(|issue| issue.title.as_str()).collect()
}

#[test]
fn the_question_is_found_among_courtesies() {
    let text = "Hi there,\n\nhope you are well! We use the product since 2021 and like it.\n\
        How can I export one chapter as PDF? Only the whole book is exported when I press the button.\n\nThanks a lot\nJo";
    let issues = extract(None, &[user(text)]);
    assert_eq!(titles(&issues), ["How can I export one chapter as PDF?"]);
    assert!(
        issues[0].summary.contains("Only the whole book is exported"),
        "{issues:?}"
    );
    assert!(!issues[0].summary.contains("Thanks"), "{issues:?}");
}

#[test]
fn questions_are_found_in_other_languages() {
    for (text, title) in [
        (
            "Guten Tag,\nwir sind seit Jahren Kunden. Die Anmeldung mit SAML schlägt nicht fehl, aber der Login bleibt leer.\nViele Grüße",
            "Die Anmeldung mit SAML schlägt nicht fehl, aber der Login bleibt leer.",
        ),
        (
            "Bonjour, comment puis-je exporter un seul chapitre en PDF ? Merci d'avance.",
            "comment puis-je exporter un seul chapitre en PDF ?",
        ),
        (
            "こんにちは。チームで使っています。パスワードをリセットできません。よろしくお願いします。",
            "パスワードをリセットできません。",
        ),
        (
            "Здравствуйте! Где найти счета за прошлый год? Спасибо.",
            "Где найти счета за прошлый год?",
        ),
    ] {
        assert_eq!(titles(&extract(None, &[user(text)])), [title]);
    }
}

#[test]
fn the_subject_is_the_title_if_it_says_something() {
    let text = "The link in the password mail is expired when I open it.";
    let titled = extract(Some("Re: [#4711] AW: Password link expired"), &[user(text)]);
    assert_eq!(titles(&titled), ["Password link expired"]);
    assert_eq!(titled[0].summary, text);
    for vague in ["Question", "Hello", "", "Re: ", "!!!", "Thanks"] {
        assert_eq!(titles(&extract(Some(vague), &[user(text)])), [text], "{vague}");
    }
    assert_eq!(
        titles(&extract(Some("Cannot upload images"), &[])),
        ["Cannot upload images"]
    );
}

#[test]
fn other_problems_are_other_issues() {
    let text = "The import of our CSV file stops at row 14. The import says that a column is unexpected in the file.\n\n\
        Also, where can I download the invoices of last year?";
    let issues = extract(None, &[user(text)]);
    assert_eq!(issues.len(), 2, "{issues:?}");
    assert!(
        issues[0].summary.contains("CSV") && !issues[0].summary.contains("invoices"),
        "{issues:?}"
    );
    assert!(
        issues[1].summary.contains("invoices") && !issues[1].summary.contains("CSV"),
        "{issues:?}"
    );
    // Details of one problem are no other issues.
    let one = "The import of our CSV file fails. Why does the import fail?\n\nThe CSV file has 14 rows and the import never ends.";
    assert_eq!(extract(None, &[user(one)]).len(), 1);
}

#[test]
fn later_sentences_belong_to_the_same_issue() {
    let answer = Part {
        role: Role::TeamMember,
        text: "Please clear the cache of your browser.",
    };
    let first = user("I cannot upload images to the handbook.");
    let parts = [
        first,
        answer,
        user("Hi, there is still the same failure in Firefox, nothing happens after the click."),
    ];
    assert_eq!(titles(&extract(Some("Upload broken"), &parts)).len(), 1);
    assert_eq!(
        titles(&extract(None, &parts)),
        ["I cannot upload images to the handbook."]
    );
    let parts = [
        first,
        answer,
        user("Thanks, it works now! Where can I find the invoices of March?"),
    ];
    let found = extract(None, &parts);
    assert_eq!(
        titles(&found),
        [
            "I cannot upload images to the handbook.",
            "Where can I find the invoices of March?"
        ]
    );
}

#[test]
fn logs_are_no_sentences() {
    let log =
        "2026-11-27 10:04:11.123 [E] 0x7f00 (41) 10.0.0.1:443 -> 10.0.0.2:5432 failed=1 retry=3 code=500\n".repeat(50);
    let text = format!("{log}\nThe nightly sync stops with this message.\n{log}");
    assert_eq!(
        titles(&extract(None, &[user(&text)])),
        ["The nightly sync stops with this message."]
    );
}

#[test]
fn only_users_have_issues() {
    let answer = |role| Part {
        role,
        text: "Why do you not try to reset the password in the settings?",
    };
    assert_eq!(extract(None, &[answer(Role::Assistant), answer(Role::TeamMember)]), []);
    let parts = [
        user("My invoice is wrong."),
        answer(Role::TeamMember),
        user("Thank you, that worked!"),
    ];
    assert_eq!(titles(&extract(None, &parts)), ["My invoice is wrong."]);
}

#[test]
fn courtesies_are_no_issues() {
    for text in ["Thanks, it works now!", "Hello", "", " \n", "👍", "Merci beaucoup"] {
        assert_eq!(extract(None, &[user(text)]), [], "{text}");
    }
    assert_eq!(extract(None, &[]), []);
}

#[test]
fn quotations_of_other_mails_are_left_out() {
    let text = "The export does not work.\n> Why does the import never end?\n> The import is broken.\n-- \nWhy is my name not here?";
    let text = own_text(text);
    assert_eq!(titles(&extract(None, &[user(&text)])), ["The export does not work."]);
}

/// Texts of strangers, a megabyte each.
fn attacks() -> Vec<(&'static str, String)> {
    let fill = |text: &str| text.repeat(1_000_000 / text.len());
    vec![
        ("no space", fill("x")),
        ("no space, not ASCII", fill("ß")),
        ("no space, Han", fill("漢")),
        ("sentences", fill("No! Why? ")),
        (
            "different sentences",
            (0..100_000).map(|n| format!("Why {n}? ")).collect(),
        ),
        ("paragraphs", fill("why not\n\n")),
        ("dots", fill(".")),
        ("abbreviations", fill("e.g. a")),
        ("question marks", fill("?")),
        ("control characters", fill("\u{0}\u{1b}[2Ja\u{7}")),
        ("zero width", fill("a\u{200b}")),
        ("only zero width", fill("\u{200b}")),
        ("right to left", fill("\u{202e}why not \u{202c}")),
        ("Hebrew", fill("למה זה לא עובד? ")),
        ("marks", format!("why not a{}", fill("\u{301}"))),
        ("spaces", format!("why{}not", fill(" "))),
        ("line breaks", format!("Why{}not", fill("\r\n"))),
        ("quotations", fill("> why\n")),
        ("commas", fill("hi, ")),
        ("hidden letters", fill("\u{e0041}\u{e0042}")),
        ("emoji", fill("👩‍👩‍👧‍👦")),
    ]
}

#[test]
fn hard_texts_take_bounded_time_and_give_clean_issues() {
    for (name, text) in attacks() {
        let begin = Instant::now();
        let issues = extract(Some(&text), &[user(&text), user(&text)]);
        // Hundreds of times what it takes without load: quadratic work would take hours.
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{name}: {:?}",
            begin.elapsed()
        );
        assert!(issues.len() <= MAX_ISSUES);
        for FoundIssue { title, summary } in &issues {
            assert!((1..=MAX_TITLE).contains(&title.chars().count()), "{name}: {title}");
            assert!(
                (1..=MAX_SUMMARY).contains(&summary.chars().count()),
                "{name}: {summary}"
            );
            let is_unclean = |c: char| c.is_control() || "\u{200b}\u{202e}\u{202c}\u{e0041}".contains(c);
            assert!(
                !title.contains(is_unclean) && !summary.contains(is_unclean),
                "{name}: {title:?}"
            );
        }
        for issue in &issues {
            assert!(terms(issue).hashes().count() <= 64);
        }
    }
}

#[test]
fn many_parts_take_bounded_time() {
    let texts: Vec<String> = (0..10_000).map(|n| format!("Why does part {n} not work?")).collect();
    let parts: Vec<Part<'_>> = texts.iter().map(|text| user(text)).collect();
    let begin = Instant::now();
    let issues = extract(None, &parts);
    assert!(begin.elapsed() < Duration::from_secs(60));
    assert_eq!(titles(&issues), ["Why does part 0 not work?"]);
}
