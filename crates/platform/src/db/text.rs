//! Case-insensitive substring search that means the same on both databases.

use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, LikeExpr};

/// The form that searchable columns are stored in and search terms are compared in. Databases fold case differently
/// (SQLite only for ASCII), so the server does it for every language.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Whether a folded column contains `term`, each of whose characters means itself.
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
