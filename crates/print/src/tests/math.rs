use proptest::prelude::*;
use serde_json::{Value, json};

use super::{book, print};
use crate::{math, typeset};

/// Formulas with most of what TeX has for mathematics.
const FORMULAS: [&str; 16] = [
    r"a^2 + b^2 = c^2",
    r"\frac{n(n+1)}{2}",
    r"\sum_{i=1}^{n} i \quad \int_0^\infty e^{-x^2}\,dx",
    r"\begin{aligned} f(x) &= (x+1)^2 \\ &= x^2 + 2x + 1 \end{aligned}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"|x| = \begin{cases} x & \text{if } x \ge 0 \\ -x & \text{otherwise} \end{cases}",
    r"\hat{x} \vec{v} \tilde{a} \dot{q} \overline{ab} \underline{c} \widehat{abc}",
    r"\underbrace{a+b}_{n} \overbrace{c}^{m} \lim_{x \to 0} \max_i",
    r"\binom{n}{k} \sqrt{x} \sqrt[3]{x}",
    r"\mathbb{R} \mathcal{L} \mathbf{A} \mathrm{d} \mathfrak{g} \mathsf{s} \mathtt{t}",
    r"\left( \frac{a}{b} \right] \bigl( x \Bigr)",
    r"a \not= b \neq c \leq d \approx e \in \emptyset",
    r"\sin\theta \cos^2 x \operatorname{rank} A f'(x) f''",
    r"\left\{ \begin{aligned} a &= b \\ c &= d \end{aligned} \right.",
    r"\begin{array}{c|c} a & b \\ \hline c & d \end{array}",
    r"\overset{!}{=} \underset{x}{y} \xrightarrow{f} \cdots \ldots \alpha\beta\Gamma",
];

fn has_symbols(nodes: &[Value]) -> bool {
    nodes.iter().all(|node| node["x"].is_string())
}

#[test]
fn formulas_are_mathematics() {
    for formula in FORMULAS {
        let nodes = math::parse(formula).unwrap_or_else(|| panic!("{formula}"));
        assert!(!nodes.is_empty() && has_symbols(&nodes), "{formula}: {nodes:?}");
        let mut book = book(vec![
            json!({ "k": "texblock", "v": formula }),
            json!({ "k": "p", "align": null, "body": [{ "k": "tex", "v": formula }] }),
        ]);
        book.cover = false;
        book.contents = false;
        typeset::as_it_is(book, Vec::new(), &[]).unwrap_or_else(|error| panic!("{formula}: {error}"));
    }
}

#[test]
fn malformed_formulas_are_their_source() {
    for source in [
        "",
        r"\def\a{\a\a}\a",
        r"\newcommand{\a}{b}\a",
        r"\frac{1}",
        r"\unknowncommand",
        r"\begin{pmatrix} a",
        "}{",
        &"{".repeat(2000),
        &"a".repeat(20_000),
        &"{".repeat(50)
            .chars()
            .chain("x".chars())
            .chain("}".repeat(50).chars())
            .collect::<String>(),
    ] {
        assert_eq!(math::parse(source), None, "{source}");
    }
    // Zero-width spaces mark where lines of the source may break.
    assert_eq!(math::parse("\\fr\u{200b}ac{a}{b}"), math::parse(r"\frac{a}{b}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_formula_is_printed(parts in prop::collection::vec(prop::sample::select(FORMULAS.to_vec()), 1..4), text in "\\PC{0,20}", cut in 0_usize..60) {
        let formula = format!("{}{text}", parts.concat());
        let cut: String = formula.chars().take(cut).collect();
        print(book(vec![json!({ "k": "texblock", "v": formula }), json!({ "k": "texblock", "v": cut })]));
    }
}
