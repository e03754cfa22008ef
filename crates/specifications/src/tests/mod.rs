//! Documents in, documents or problems out.

mod bundles;
mod changes;
mod descriptions;
mod hostile;
mod moves;
mod names;
mod outlines;
mod reports;
mod upgrades;

use serde_json::Value;
use url::Url;

use crate::{Bundle, OutlineShape, Place, Problem};

const ALL_PAGES: OutlineShape = OutlineShape {
    models: true,
    operations: true,
};

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
    told(&problems(bytes)[0])
}

/// The messages and places of what is wrong with a document that is finished nevertheless.
fn reported(text: &str) -> Vec<(String, String)> {
    let finished = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish).unwrap();
    finished.problems.first.iter().map(told).collect()
}

fn told(problem: &Problem) -> (String, String) {
    let place = problem.place.as_ref().map(Place::to_string);
    (problem.message.clone(), place.unwrap_or_default())
}
