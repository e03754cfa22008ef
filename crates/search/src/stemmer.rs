//! The stemmers of spaces.

use entity::library::spaces::Language;
use sea_orm::ActiveEnum;
pub use text_analysis::stemmer::{Stems, WordStemmer};

/// Returns the stemmer for the words of a space.
pub fn stemmer_of(language: Option<Language>) -> WordStemmer {
    let code = language.map(|language| language.to_value());
    WordStemmer::of(code.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_space_is_known() {
        for (language, code) in [(Language::De, "de"), (Language::PtBr, "pt"), (Language::Uk, "uk")] {
            assert_eq!(stemmer_of(Some(language)), WordStemmer::of(Some(code)));
            assert_ne!(stemmer_of(Some(language)), stemmer_of(None));
        }
    }
}
