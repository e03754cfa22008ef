//! Query strings and headers to values of the types that the contract gives them.

use std::borrow::Cow;

use poem::http::HeaderMap;
use serde_json::{Map, Value};

use crate::models::{ErrorDetail, ErrorRule};

use super::{
    report,
    spec::{Kind, Parameter},
};

/// The declared parameters of a query as one object; others are ignored, so that clients of later versions keep working.
pub fn query<'a>(
    query: &str,
    declared: impl Iterator<Item = &'a Parameter> + Clone,
) -> Result<Value, Vec<ErrorDetail>> {
    let mut values = Map::new();
    let mut found = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(text)) = (decode(name), decode(text)) else {
            found.push(report::detail(
                "/query",
                ErrorRule::Encoding,
                "Is not percent-encoded UTF-8.",
            ));
            continue;
        };
        let Some(parameter) = declared.clone().find(|parameter| parameter.name == name) else {
            continue;
        };
        let pointer = format!("/query/{name}");
        if text.contains('\0') {
            let place = values
                .get(&parameter.name)
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            found.push(match parameter.repeated {
                true => report::nul(&format!("{pointer}/{place}")),
                false => report::nul(&pointer),
            });
        }
        let value = typed(parameter, &text);
        match values.get_mut(parameter.name.as_str()) {
            None if parameter.repeated => drop(values.insert(parameter.name.clone(), Value::Array(vec![value]))),
            None => drop(values.insert(parameter.name.clone(), value)),
            Some(Value::Array(list)) if parameter.repeated => list.push(value),
            Some(_) => found.push(report::detail(&pointer, ErrorRule::Repeated, "May be given only once.")),
        }
    }
    if found.is_empty() {
        Ok(Value::Object(values))
    } else {
        Err(found)
    }
}

/// The names in a query that are not declared.
pub fn unknown<'a>(
    query: &'a str,
    declared: impl Iterator<Item = &'a Parameter> + Clone,
) -> impl Iterator<Item = Cow<'a, str>> {
    let names = query
        .split('&')
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    names
        .filter_map(decode)
        .filter(move |name| declared.clone().all(|parameter| parameter.name != *name))
}

/// The declared headers as one object. Several lines of one header mean the same as one with a list.
pub fn headers<'a>(
    headers: &HeaderMap,
    declared: impl Iterator<Item = &'a Parameter>,
) -> Result<Value, Vec<ErrorDetail>> {
    let mut values = Map::new();
    let mut found = Vec::new();
    for parameter in declared {
        let lines = headers.get_all(&parameter.name).into_iter();
        let lines: Result<Vec<&str>, _> = lines.map(|line| str::from_utf8(line.as_bytes())).collect();
        match lines {
            Ok(lines) if lines.is_empty() => {}
            Ok(lines) => drop(values.insert(parameter.name.clone(), lines.join(", ").into())),
            Err(_) => {
                let pointer = format!("/header/{}", parameter.name);
                found.push(report::detail(&pointer, ErrorRule::Encoding, "Is not UTF-8."));
            }
        }
    }
    if found.is_empty() {
        Ok(Value::Object(values))
    } else {
        Err(found)
    }
}

/// A value that does not parse as its type stays a text: the schema then reports the violation.
fn typed(parameter: &Parameter, text: &str) -> Value {
    let read = match parameter.kind {
        Kind::Text => None,
        Kind::Integer => text.parse::<i64>().ok().map(Value::from),
        Kind::Boolean => text.parse::<bool>().ok().map(Value::from),
    };
    read.unwrap_or_else(|| text.into())
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    use poem::http::{HeaderName, HeaderValue};
    use serde_json::json;

    use crate::enums::Enumeration as _;

    use super::*;

    fn read(lines: &[(&'static str, &[u8])]) -> Result<Value, Vec<(String, String)>> {
        let mut sent = HeaderMap::new();
        for (name, value) in lines {
            sent.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap());
        }
        let declared = ["If-Match", "X-Reason"].map(|name| Parameter::text("header", name));
        let pairs = |found: Vec<ErrorDetail>| {
            found
                .into_iter()
                .map(|one| (one.pointer, one.code.as_str().to_owned()))
                .collect()
        };
        headers(&sent, declared.iter()).map_err(pairs)
    }

    #[test]
    fn headers_are_found_whatever_their_case() {
        assert_eq!(read(&[]), Ok(json!({})));
        let lines: &[(&str, &[u8])] = &[("x-other", b"1"), ("if-match", b"\"a\""), ("x-reason", "ü".as_bytes())];
        assert_eq!(read(lines), Ok(json!({ "If-Match": "\"a\"", "X-Reason": "ü" })));
    }

    #[test]
    fn several_lines_are_one_list() {
        let lines: &[(&str, &[u8])] = &[("if-match", b"\"a\""), ("if-match", b"\"b\", \"c\"")];
        assert_eq!(read(lines), Ok(json!({ "If-Match": "\"a\", \"b\", \"c\"" })));
    }

    #[test]
    fn files_other_than_text_are_named() {
        let expected = vec![("/header/If-Match".to_owned(), "encoding".to_owned())];
        assert_eq!(read(&[("if-match", b"\"\xff\"")]), Err(expected));
    }
}
