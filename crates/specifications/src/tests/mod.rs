//! Documents in, documents or problems out.

mod bundles;
mod changes;
mod descriptions;
mod hostile;
mod moves;
mod outlines;
mod upgrades;

use serde_json::Value;
use url::Url;

use crate::{Bundle, Place, Problem};

fn address(text: &str) -> Url {
    text.parse().unwrap()
}

/// The finished document.
fn finish(text: &str) -> Value {
    let finished = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish).unwrap();
    serde_json::from_slice(&finished.document).unwrap()
}

fn problems(bytes: impl AsRef<[u8]>) -> Vec<Problem> {
    Bundle::open(bytes.as_ref(), None).and_then(Bundle::finish).unwrap_err()
}

/// The message of the first problem, and its place.
fn problem(bytes: impl AsRef<[u8]>) -> (String, String) {
    let first = problems(bytes).into_iter().next().unwrap();
    (
        first.message,
        first.place.as_ref().map(Place::to_string).unwrap_or_default(),
    )
}
