//! Keys of translation memories.

use sha2::{Digest, Sha256};

use crate::glossary::Term;

/// The hash of everything that a translation depends on.
pub type MemoryKey = [u8; 32];

/// Changes when segments are written in another form.
const FORM: &str = "1";

pub fn memory_key(text: &str, (source, target): (&str, &str), instructions: &str, terms: &[&Term]) -> MemoryKey {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    };
    [FORM, text, source, target, instructions]
        .into_iter()
        .for_each(&mut add);
    for term in terms {
        add(&term.source);
        add(&term.target);
    }
    hash.finalize().into()
}
