//! Texts that people are shown keep the same rules everywhere in the contract.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, path::Path};

use openapi_codegen::Contract;
use regex::Regex;
use serde_json::Value;

/// The components of rich text, and members that are no text for people: addresses, code, ids and keys. What visitors of sites type is
/// kept as it is: a batch of events is not refused because of a character in one of them.
const NO_TEXTS: &[&str] = &[
    "IntegrationSecret",
    "SiteCondition",
    "SiteInsightsClaim",
    "SiteInsightsWords",
    "SiteSearchQuery",
    "additionalProperties",
    "base64",
    "block",
    "certificate",
    "comment",
    "condition",
    "contentType",
    "default",
    "definition",
    "domain",
    "entityID",
    "enum",
    "expression",
    "goal",
    "h3",
    "ip",
    "jwtToken",
    "language",
    "markdown",
    "method",
    "node",
    "page",
    "path",
    "record",
    "ref",
    "referrer",
    "responseId",
    "script",
    "sessionId",
    "text",
    "timezone",
    "url",
    "userAgent",
    "values",
    "visitorAuthToken",
    "visitorId",
    "xml",
    "zoneId",
];

fn bundle() -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Contract::load(&folder).unwrap_or_else(|e| panic!("{e}")).api.bundle
}

/// The strings that clients write, by pointer.
fn strings<'a>(at: &str, schema: &'a Value, found: &mut BTreeMap<String, &'a Value>) {
    if schema["type"] == "string"
        || schema["type"]
            .as_array()
            .is_some_and(|types| types.contains(&"string".into()))
    {
        found.insert(at.to_owned(), schema);
    }
    match schema {
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| !name.starts_with("example")) {
                strings(&format!("{at}/{name}"), member, found);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                strings(&format!("{at}/{i}"), item, found);
            }
        }
        _ => {}
    }
}

struct Patterns {
    line: Regex,
    filled_line: Regex,
    lines: Regex,
}

fn pattern<'a>(bundle: &'a Value, of: &str) -> &'a str {
    bundle
        .pointer(&format!("/components/schemas/{of}/pattern"))
        .unwrap()
        .as_str()
        .unwrap()
}

fn patterns(bundle: &Value) -> Patterns {
    let compiled = |of| Regex::new(pattern(bundle, of)).unwrap();
    Patterns {
        line: compiled("CustomizationLabel"),
        filled_line: compiled("SiteName"),
        lines: compiled("CustomizationCopyright"),
    }
}

#[test]
fn texts_of_a_kind_have_the_same_pattern() {
    let bundle = bundle();
    let (line, filled_line, lines) = (
        pattern(&bundle, "CustomizationLabel"),
        pattern(&bundle, "SiteName"),
        pattern(&bundle, "CustomizationCopyright"),
    );
    let mut found = BTreeMap::new();
    strings("", &bundle, &mut found);
    let mut counts = BTreeMap::new();
    for (at, schema) in found {
        // Emoji have a pattern of their own.
        let Some(pattern) = schema["pattern"].as_str().filter(|p| p.contains("\\u202")) else {
            continue;
        };
        let is_filled = schema["minLength"].as_u64().is_some_and(|min| min > 0);
        let expected = match is_filled {
            _ if pattern == lines => lines,
            true => filled_line,
            false => line,
        };
        assert_eq!(pattern, expected, "{at}");
        assert_eq!(schema["x-visible"] == true, pattern != lines, "{at}");
        *counts.entry(pattern).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3, "{counts:?}");
}

#[test]
fn texts_for_people_have_a_pattern() {
    let bundle = bundle();
    let requests = bundle["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|item| item.as_object().unwrap().values());
    let bodies = requests.filter_map(|operation| operation.pointer("/requestBody/content/application~1json/schema"));
    let schemas = &bundle["components"]["schemas"];
    let (mut open, mut seen): (Vec<String>, Vec<String>) = (bodies.flat_map(references).collect(), Vec::new());
    let mut without = Vec::new();
    while let Some(name) = open.pop() {
        // Rich text says what it may contain in its own way.
        if seen.contains(&name) || name == "TextBody" || name == "Document" {
            continue;
        }
        let schema = &schemas[&name];
        open.extend(references(schema));
        let mut found = BTreeMap::new();
        strings(&name, schema, &mut found);
        for (at, schema) in found {
            let has_rule =
                ["pattern", "enum", "const"].iter().any(|key| !schema[*key].is_null()) || schema["format"].is_string();
            let member = at
                .rsplit('/')
                .find(|part| part.parse::<u32>().is_err() && !["items", "oneOf"].contains(part));
            let is_id = schema["maxLength"] == 320;
            if !has_rule && !is_id && !NO_TEXTS.contains(&member.unwrap()) {
                without.push(at);
            }
        }
        seen.push(name);
    }
    assert!(seen.len() > 100, "{seen:?}");
    assert_eq!(without, Vec::<String>::new());
}

/// The names of the schemas to which a schema refers.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|target| target.rsplit('/').next()).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn patterns_refuse_what_they_say() {
    let bundle = bundle();
    let Patterns {
        line,
        filled_line,
        lines,
    } = patterns(&bundle);
    let refused = "\u{0}\u{7}\t\n\r\u{7f}\u{85}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180e}\u{200b}\u{2028}\u{202a}\
                   \u{202e}\u{2060}\u{2066}\u{2069}\u{206f}\u{3164}\u{feff}\u{ffa0}\u{fff9}";
    for c in refused.chars() {
        assert!(!line.is_match(&format!("a{c}b")), "{c:?}");
    }
    let blank = " \u{a0}\u{1680}\u{180b}\u{2000}\u{200a}\u{200c}\u{200d}\u{200e}\u{200f}\u{202f}\u{205f}\u{2800}\u{3000}\u{fe00}\u{fe0f}";
    assert!(line.is_match(blank) && !filled_line.is_match(blank));
    for c in blank.chars() {
        assert!(
            filled_line.is_match(&format!("{c}a{c}")) && !filled_line.is_match(&c.to_string()),
            "{c:?}"
        );
    }
    for c in (0..=0xffff).filter_map(char::from_u32) {
        let text = format!("a{c}b");
        assert_eq!(line.is_match(&text), filled_line.is_match(&text), "{c:?}");
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let controls = c.is_control() && !['\t', '\n', '\r'].contains(&c);
        assert_eq!(lines.is_match(&text), !turns && !controls, "{c:?}");
    }
    for text in [
        "",
        "a",
        "\u{1f469}\u{200d}\u{1f52c}",
        "\u{1f3f4}\u{e0067}\u{e007f}",
        "\u{645}\u{6cc}\u{200c}\u{62e}",
    ] {
        assert!(
            line.is_match(text) && filled_line.is_match(text) && lines.is_match(text),
            "{text:?}"
        );
    }
}
