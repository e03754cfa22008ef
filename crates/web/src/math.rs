//! Formulas.

use formulas::mathml;

use crate::Html;

/// Adds a formula as MathML; its source if that is no TeX, or too large.
pub fn push(html: &mut Html, source: &str, is_block: bool) {
    match mathml(source, is_block) {
        Some(mathml) => html.push_mathml(&mathml),
        None => {
            html.markup("<code class=\"formula\">");
            html.text(source);
            html.markup("</code>");
        }
    }
}
