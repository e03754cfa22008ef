//! Emphasis: beside characters of other scripts, with inner spaces, and in code.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_round_trip, cases, parse_document, parse_nodes, render};

/// Returns the marked texts of the nodes: `("bold", "words")`.
fn marked(nodes: &Value, found: &mut Vec<(String, String)>) {
    match nodes {
        Value::Array(items) => items.iter().for_each(|item| marked(item, found)),
        Value::Object(members) => {
            for leaf in members.get("leaves").and_then(Value::as_array).into_iter().flatten() {
                let marks = leaf["marks"].as_array().into_iter().flatten();
                let names: Vec<&str> = marks.filter_map(|mark| mark["type"].as_str()).collect();
                if !names.is_empty() {
                    found.push((names.join(" "), leaf["text"].as_str().unwrap_or_default().to_owned()));
                }
            }
            members.values().for_each(|value| marked(value, found));
        }
        _ => {}
    }
}

/// Asserts which texts have marks, and that the nodes can be written and stay the same.
#[track_caller]
fn assert_marked(markdown: &str, expected: &[(&str, &str)]) -> String {
    let document = parse_document(markdown);
    let mut found = Vec::new();
    marked(&serde_json::to_value(&document).expect("JSON"), &mut found);
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(mark, text)| ((*mark).into(), (*text).into()))
        .collect();
    assert_eq!(found, expected, "{markdown}");
    let again = render(&document).unwrap_or_else(|error| panic!("{error}: {markdown}"));
    assert_eq!(parse_document(&again), document, "{again}");
    again
}

#[track_caller]
fn assert_plain(markdown: &str) {
    assert_marked(markdown, &[]);
}

#[test]
fn marks_beside_characters_of_chinese_japanese_and_korean() {
    for (delimiter, mark) in [
        ("**", "bold"),
        ("__", "bold"),
        ("*", "italic"),
        ("_", "italic"),
        ("~~", "strikethrough"),
        ("***", "bold italic"),
    ] {
        let with = |text: &str| text.replace('@', delimiter);
        for (text, words) in [
            ("次は@「設定」@です。@注意：@先に保存。", vec!["「設定」", "注意："]),
            ("先读@《手册》@的说明，@备份。@再升级。", vec!["《手册》", "备份。"]),
            ("- @手順（新）@を選ぶ", vec!["手順（新）"]),
            ("## @終わり。@次", vec!["終わり。"]),
            ("> @“引用”@的", vec!["“引用”"]),
            ("@스크립트(script)@라고", vec!["스크립트(script)"]),
            ("한국어 @(가)@는", vec!["(가)"]),
            ("| a |\n| --- |\n| @終わり。@次 |", vec!["終わり。"]),
            ("[@「設定」@です](a.md)", vec!["「設定」"]),
            ("これは@`code`（新）@です", vec![]),
        ] {
            let expected: Vec<(&str, &str)> = words.iter().map(|words| (mark, *words)).collect();
            match words.is_empty() {
                true => {
                    let nodes = parse_nodes(&with(text)).to_string();
                    assert!(!nodes.contains(delimiter), "{nodes}");
                }
                false => {
                    assert_marked(&with(text), &expected);
                }
            }
        }
    }
    let text = "次は**「設定」**です。~~注意：~~先に保存。\n";
    assert_eq!(
        assert_marked(text, &[("bold", "「設定」"), ("strikethrough", "注意：")]),
        text
    );
    assert_marked(
        "**重要：_「設定」_を**見る",
        &[("bold", "重要："), ("bold italic", "「設定」"), ("bold", "を")],
    );
    assert_plain("設定_一覧_最新 と 2 * 3 ＊ 4");
}

#[test]
fn the_header_of_a_column_has_no_delimiters() {
    let nodes = parse_nodes("| **名前：**値 |\n| --- |\n| **終わり。**次 |");
    assert_eq!(nodes[0]["data"]["definition"]["c001"]["title"], "名前：値");
}

#[test]
fn spaces_at_the_inner_side_of_marks_belong_outside() {
    assert_round_trip(
        "Defina o **Nome **e a **Descrição **do projeto.\n",
        json!([{ "type": "paragraph", "nodes": [["Defina o ", ["bold", "Nome"], " e a ", ["bold", "Descrição"], " do projeto."]] }]),
        "Defina o **Nome** e a **Descrição** do projeto.\n",
    );
    for (markdown, expected) in [
        (
            "Veja _**Pipeline**_** bloqueado:** corrigido.",
            vec![("bold italic", "Pipeline"), ("bold", "bloqueado:")],
        ),
        ("Abra o grupo** Leitura** e salve.", vec![("bold", "Leitura")]),
        (
            "O **Nome **e o grupo** Leitura** aqui e **mais **isso.",
            vec![("bold", "Nome"), ("bold", "Leitura"), ("bold", "mais")],
        ),
        (
            "* **Versão **_**Major**_** do **_**pipeline**_: b",
            vec![
                ("bold", "Versão"),
                ("bold italic", "Major"),
                ("bold", "do"),
                ("bold italic", "pipeline"),
            ],
        ),
        (
            "Clique em _**Consumers**_** (Chaves)**.",
            vec![("bold italic", "Consumers"), ("bold", "(Chaves)")],
        ),
        (
            "**Table 8.7. **`bytea`**Literal**",
            vec![("bold", "Table 8.7."), ("code", "bytea"), ("bold", "Literal")],
        ),
        ("**Unable. ** “Unable” is passive.", vec![("bold", "Unable.")]),
        (
            "Salve __Nome __e __tipo __agora",
            vec![("bold", "Nome"), ("bold", "tipo")],
        ),
        ("O ~~Nome ~~e", vec![("strikethrough", "Nome")]),
        ("O ***Nome ***e", vec![("bold italic", "Nome")]),
        ("O _Nome _e o *tipo *de", vec![("italic", "Nome"), ("italic", "tipo")]),
        ("点击** 保存 **按钮", vec![("bold", "保存")]),
        ("clique em **Salvar **.", vec![("bold", "Salvar")]),
        ("## O **Nome **e", vec![("bold", "Nome")]),
        ("| a |\n|---|\n| o **Nome **e |", vec![("bold", "Nome")]),
        ("[o **Nome **e](a.md)", vec![("bold", "Nome")]),
        ("a\u{a0}**Nome\u{a0}**e", vec![("bold", "Nome")]),
    ] {
        assert_marked(markdown, &expected);
    }
}

/// Text in which CommonMark has no emphasis, and nobody means any.
#[test]
fn other_delimiters_are_text() {
    for markdown in [
        "2 * 3 * 4",
        "a ** b ** c",
        "a ~~ b ~~ c",
        "snake_case_name and other_name",
        "globs **/*.rs and **/a",
        "globs src/** and lib/**",
        "*.rs and *.toml",
        "**.rs **.toml",
        "** foo bar**",
        "**foo bar **",
        "the _id and _rev members",
        "char *a, char *b",
        "f(*args, *more)",
        "f(**args, **more)",
        "prices* and fees* apply",
        "a** **b",
        "5 *3 *2",
        "x **= 2 and y **= 3",
        "> ** a**",
    ] {
        assert_plain(markdown);
    }
    // An amount of money before emphasis that begins with another one.
    assert_marked(
        "R$3 ou **$..[a]**. De $5 a **$6**",
        &[("bold", "$..[a]"), ("bold", "$6")],
    );
    // Nested strong emphasis is that of CommonMark.
    assert_marked("**a **b** c**", &[("bold", "a b c")]);
}

/// A run between spaces opens only what the next run of its kind ends.
#[test]
fn delimiters_between_spaces_open_emphasis() {
    for (markdown, expected) in [
        (
            "O ** Nome** e **Sobrenome ** fim.",
            vec![("bold", "Nome"), ("bold", "Sobrenome")],
        ),
        (
            "Abra ** Leitura** e ** Escrita** agora",
            vec![("bold", "Leitura"), ("bold", "Escrita")],
        ),
        ("a ** b e **Nota: **texto", vec![("bold", "Nota:")]),
        (
            "**Bold **_italic _~~strike ~~end",
            vec![("bold", "Bold"), ("italic", "italic"), ("strikethrough", "strike")],
        ),
    ] {
        assert_marked(markdown, &expected);
    }
    for markdown in ["2 ** 3 ** 4", "x ** y e z", "a ** b = c ** d"] {
        assert_plain(markdown);
    }
}

#[test]
fn code_elements_have_no_emphasis() {
    assert_round_trip(
        "Use <code>a*b</code> and <code>c*d</code>.\n",
        json!([{ "type": "paragraph", "nodes": [["Use ", ["code", "a*b"], " and ", ["code", "c*d"], "."]] }]),
        "Use `a*b` and `c*d`.\n",
    );
    for (markdown, expected) in [
        (
            "| Path |\n| --- |\n| <code>.**{</code><em>n</em><code>}</code>, <code>.**{</code> |",
            vec![("code", ".**{"), ("italic", "n"), ("code", "}"), ("code", ".**{")],
        ),
        ("**<code>a*b</code> c** d*", vec![("bold code", "a*b"), ("bold", " c")]),
        ("*a <code>b* c</code>", vec![("code", "b* c")]),
        ("<code>a_b</code>_c_", vec![("code", "a_b"), ("italic", "c")]),
        ("<code>~~a~~ **b**</code>", vec![("code", "~~a~~ **b**")]),
        (
            "<code>a <kbd>*b*</kbd></code>",
            vec![("code", "a "), ("keyboard code", "*b*")],
        ),
        (
            "Press <kbd>*</kbd> or <kbd>*</kbd>",
            vec![("keyboard", "*"), ("keyboard", "*")],
        ),
        ("<code>[a*b](c.md)</code> *d*", vec![("code", "a*b"), ("italic", "d")]),
        ("<code>a|b*c\\*</code>*", vec![("code", "a|b*c*")]),
        ("*<code>a</code>*", vec![("italic code", "a")]),
        ("<code>*a* \n b</code>", vec![("code", "*a* b")]),
    ] {
        assert_marked(markdown, &expected);
    }
    assert_eq!(
        parse_nodes("<span class=\"math\">a_1 * b_2 * c</span>")[0]["nodes"][0]["data"]["formula"],
        "a_1 * b_2 * c"
    );
    assert_eq!(
        parse_nodes("<code class=\"expression\">a * b * c</code>")[0]["nodes"][0]["data"]["expression"],
        "a * b * c"
    );
}

#[test]
fn escaped_and_encoded_delimiters_are_text() {
    for markdown in [
        "\\*a\\*",
        "&#42;a&#42;",
        "&ast;a&ast; b",
        "\\*\\*Nome \\*\\*e",
        "https://a.b/x_y_z and https://a.b/_c_",
    ] {
        assert_plain(markdown);
    }
    assert_marked("&#42;**a**&#42;", &[("bold", "a")]);
}

proptest! {
    #![proptest_config(cases(400))]

    /// A character reference in the line leaves emphasis to the parser of the syntax tree, which knows nothing but CommonMark.
    #[test]
    fn emphasis_is_that_of_common_mark(text in "[ab*_ (.é]{0,24}") {
        let leaves = |markdown: String| parse_nodes(&markdown)[0]["nodes"][0].to_string();
        let common = leaves(format!("x{text}x &#42;"));
        let is_spaced = ["* ", "_ ", " *", " _"].iter().any(|part| text.contains(part));
        if !is_spaced || !common.replace(" *\"", "\"").contains(['*', '_']) {
            prop_assert_eq!(leaves(format!("x{text}x \\*")), common);
        }
    }
}
