//! Query parameters, and members of bodies, that are ignored because the contract does not know them. Answers name them, so that a
//! caller sees what was misspelt.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use poem::http::{HeaderMap, HeaderName, HeaderValue};

const HEADER: HeaderName = HeaderName::from_static("x-ignored-parameters");

/// The most bytes of the header.
const MAX_BYTES: usize = 1000;

const SEPARATOR: &str = ", ";

/// All but the characters that need no encoding in addresses.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The unknown members of the body of an operation that changes nothing, each by its names joined with dots. A request with this
/// place for them may have such members.
#[derive(Clone, Default)]
pub struct IgnoredMembers(Arc<OnceLock<Vec<String>>>);

impl IgnoredMembers {
    pub fn set(&self, names: Vec<String>) {
        // A request has one body.
        let _ = self.0.set(names);
    }

    fn names(&self) -> &[String] {
        self.0.get().map(Vec::as_slice).unwrap_or_default()
    }
}

/// A name as it stands in the header.
pub fn encode(name: &str) -> String {
    utf8_percent_encode(name, ENCODED).to_string()
}

/// Names what an answer ignored: as many names as there is room for.
pub fn announce<'a>(parameters: impl Iterator<Item = Cow<'a, str>>, members: &IgnoredMembers, headers: &mut HeaderMap) {
    let of_query = parameters.map(|name| encode(&name));
    let mut named: Vec<String> = Vec::new();
    let mut room = MAX_BYTES;
    for name in of_query.chain(members.names().iter().cloned()) {
        let bytes = name.len().saturating_add(SEPARATOR.len());
        if bytes <= room && !name.is_empty() && !named.contains(&name) {
            room -= bytes;
            named.push(name);
        }
    }
    if let Ok(value) = HeaderValue::try_from(named.join(SEPARATOR))
        && !value.is_empty()
    {
        headers.insert(HEADER, value);
    }
}
