//! Words of texts: a tokenizer, normalization and stems. Search and conversations compare words by them.

pub mod normalize;
pub mod stemmer;
pub mod tokenizer;
