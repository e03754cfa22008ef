//! Case-insensitive substring search that means the same on both databases.

use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, LikeExpr};

/// Returns the form of searchable columns and of search terms. The databases fold case differently (SQLite only for
/// ASCII), so the server folds it, for every language.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Returns the condition that a folded column contains `term`. No character of `term` is a wildcard.
pub fn contains(column: impl IntoColumnRef, term: &str) -> Expr {
    let mut pattern = String::with_capacity(term.len() + 2);
    pattern.push('%');
    for character in fold(term).chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    Expr::col(column).like(LikeExpr::new(pattern).escape('\\'))
}
