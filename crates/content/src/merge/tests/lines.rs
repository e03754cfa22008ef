//! Texts, line by line.

use proptest::prelude::*;

use super::super::lines::{WorkBudget, merge};

fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let merged = merge(&WorkBudget::default(), base, ours, theirs);
    assert_eq!(
        merged,
        merge(&WorkBudget::default(), base, theirs, ours),
        "whichever side is ours"
    );
    merged
}

#[test]
fn lines_apart_from_each_other_combine() {
    assert_eq!(
        merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").as_deref(),
        Some("A\nb\nC\n")
    );
    assert_eq!(merged("a\nb\nc\n", "b\nc\n", "a\nb\n").as_deref(), Some("b\n"));
    assert_eq!(
        merged("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\nc\ny\n").as_deref(),
        Some("x\na\nb\nc\ny\n")
    );
}

#[test]
fn lines_beside_each_other_conflict() {
    assert_eq!(merged("a\nb\n", "A\nb\n", "a\nB\n"), None);
    assert_eq!(merged("a\nb\n", "a\nx\nb\n", "a\ny\nb\n"), None);
    assert_eq!(merged("a\nb\n", "a\n", "a\nb\nc\n"), None);
    assert_eq!(merged("", "ours\n", "theirs\n"), None);
}

#[test]
fn equal_lines_of_both_sides_come_once() {
    assert_eq!(
        merged("a\nb\nc\nd\n", "x\na\nb\nc\nd\n", "x\na\nb\nc\nD\n").as_deref(),
        Some("x\na\nb\nc\nD\n")
    );
    assert_eq!(
        merged("a\nb\nc\nd\n", "a\nB\nc\n", "a\nB\nc\nd\n").as_deref(),
        Some("a\nB\nc\n")
    );
}

#[test]
fn a_last_line_without_a_break_stays_the_last() {
    assert_eq!(merged("a\nb\nc", "A\nb\nc", "a\nb\nC").as_deref(), Some("A\nb\nC"));
    assert_eq!(merged("a\nb\nc", "A\nb\nc", "a\nb\nc\n").as_deref(), Some("A\nb\nc\n"));
    assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc").as_deref(), Some("A\nb\nc"));
    // Putting the line of theirs behind ours would make one line of two.
    assert_eq!(merged("a\nb\n", "a\nB", "a\nb\nc\n"), None);
    assert_eq!(merged("a\nb", "a\nb\nc", "a\nb\nd"), None);
}

#[test]
fn line_breaks_are_part_of_their_lines() {
    assert_eq!(
        merged("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n").as_deref(),
        Some("A\r\nb\r\nC\r\n")
    );
    assert_eq!(
        merged("a\nb\nc\n", "a\r\nb\nc\n", "a\nb\nC\n").as_deref(),
        Some("a\r\nb\nC\n")
    );
    assert_eq!(merged("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nC\n"), None);
}

#[test]
fn numbers_of_list_items_are_no_content() {
    let combined = |base: &str, ours: &str, theirs: &str, expected: &str| {
        assert_eq!(
            merged(base, ours, theirs).as_deref(),
            Some(expected),
            "{ours:?} {theirs:?}"
        );
    };
    let base = "1. a\n2. b\n3. c\n";
    combined(
        base,
        "1. a\n2. new\n3. b\n4. c\n",
        "1. a\n2. b\n3. c changed\n",
        "1. a\n2. new\n3. b\n4. c changed\n",
    );
    combined(
        base,
        "1. new\n2. a\n3. b\n4. c\n",
        "1. a\n2. b\n3. c\n4. d\n",
        "1. new\n2. a\n3. b\n4. c\n5. d\n",
    );
    combined(base, "1. b\n2. c\n", "1. a\n2. b\n3. C\n", "1. b\n2. C\n");
    combined(
        base,
        "5. a\n6. b\n7. c\n",
        "1. a\n2. b\n3. c\n4. d\n",
        "5. a\n6. b\n7. c\n8. d\n",
    );
    // As they are written: equal numbers, other marks, in quotes and in other items.
    combined(
        "1. a\n1. b\n1. c\n",
        "1. a\n1. x\n1. b\n1. c\n",
        "1. a\n1. b\n1. C\n",
        "1. a\n1. x\n1. b\n1. C\n",
    );
    combined(
        "> 1) a\n> 2) b\n> 3) c",
        "> 1) x\n> 2) a\n> 3) b\n> 4) c",
        "> 1) a\n> 2) b\n> 3) C",
        "> 1) x\n> 2) a\n> 3) b\n> 4) C",
    );
    let nested = "1. a\n\n   text\n   1. one\n   2. two\n2. b\n\nend\n\n1. other\n";
    let (ours, theirs) = (
        nested.replacen("1. a", "1. x\n2. a", 1).replace("2. b", "3. b"),
        nested.replace("other", "Other"),
    );
    combined(nested, &ours, &theirs, &ours.replace("other", "Other"));
    // Both number the rest anew.
    combined(
        "1. a\n2. b\n3. c\n4. d\n",
        "1. x\n2. a\n3. b\n4. c\n5. d\n",
        "1. a\n2. b\n3. c\n4. y\n5. d\n",
        "1. x\n2. a\n3. b\n4. c\n5. y\n6. d\n",
    );
    // Both have the same new item, under other numbers.
    combined(
        "1. a\n2. b\n",
        "1. a\n2. x\n3. b\n",
        "1. n\n2. a\n3. x\n4. b\n",
        "1. n\n2. a\n3. x\n4. b\n",
    );
    // These numbers are content.
    assert_eq!(merged("```\n1. a\n```\n", "```\n2. a\n```\n", "```\n3. a\n```\n"), None);
    assert_eq!(merged("1990. a\n", "1991. a\n", "1992. a\n"), None);
    assert_eq!(merged("1. a\n", "1. b\n", "1. c\n"), None);
}

#[test]
fn edits_of_different_cells_combine() {
    let table = |row: &str, other: &str| format!("| A | B |\n| - | - |\n{row}\n{other}\n");
    let base = table("| a | b |", "| c | d |");
    let of = |row: &str| table(row, "| c | d |");
    assert_eq!(merged(&base, &of("| x | b |"), &of("| a | y |")), Some(of("| x | y |")));
    assert_eq!(merged(&base, &of("| x | b |"), &of("| y | b |")), None);
    assert_eq!(merged(&base, &of("| x | b |"), &of("| a | b | c |")), None);
    assert_eq!(
        merged(&base, &of("| x \\| z | b |"), &of("| a | y |")),
        Some(of("| x \\| z | y |"))
    );
    // Spaces that align cells are no content.
    let aligned = "| Large | B |\n| ----- | - |\n| a     | b |\n| c     | d |\n";
    let both = merged(&base, aligned, &of("| a | y |"));
    assert_eq!(
        both.as_deref(),
        Some("| Large | B |\n| ----- | - |\n| a | y |\n| c     | d |\n")
    );
    let html = |cells: [&str; 4]| {
        let [a, b, c, d] = cells;
        format!(
            "<table><thead><tr><th>T</th></tr></thead><tbody><tr><td>{a}</td><td>{b}</td></tr><tr><td>{c}</td><td>{d}</td></tr></tbody></table>\n"
        )
    };
    let base = html(["a", "b", "c", "d"]);
    assert_eq!(
        merged(&base, &html(["x", "b", "c", "d"]), &html(["a", "y", "c", "d"])),
        Some(html(["x", "y", "c", "d"]))
    );
    assert_eq!(
        merged(&base, &html(["x", "b", "c", "d"]), &html(["y", "b", "c", "d"])),
        None
    );
    assert_eq!(merged("a | b\n", "x | b\n", "a | y\n"), None);
}

#[test]
fn long_texts_of_few_changes_combine() {
    let equal = "a\n".repeat(20_000);
    let all = merged(&equal, &format!("first\n{equal}"), &format!("{equal}last\n"));
    assert_eq!(all, Some(format!("first\n{equal}last\n")));
    let middle = format!("{}middle\n{}", "a\n".repeat(10_000), "a\n".repeat(10_000));
    assert!(merged(&equal, &format!("first\n{equal}"), &middle).is_some());
}

#[test]
fn texts_that_would_be_too_long_conflict() {
    let (first, last) = ("a line of text\n".repeat(40_000), "another line\n".repeat(40_000));
    assert_eq!(
        merged("middle\n", &format!("{first}middle\n"), &format!("middle\n{last}")),
        None
    );
}

#[test]
fn texts_that_would_take_too_long_conflict() {
    let text = |seed: u32| -> String {
        let mut number = seed;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if number >> 31 == 0 { "a\n" } else { "b\n" }
        };
        (0..200_000).map(|_| next()).collect()
    };
    assert_eq!(merge(&WorkBudget::default(), &text(1), &text(2), &text(3)), None);
    let many = "\n".repeat((1 << 20) + 1);
    assert_eq!(merge(&WorkBudget::default(), &many, "a\n", "b\n"), None);
}

#[test]
fn texts_share_what_they_may_take_together() {
    let base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let (ours, theirs) = (
        base.replace('1', "a").replace('6', "b"),
        base.replace('3', "c").replace('8', "d"),
    );
    // Each side has six lines of which the first and the last differ.
    let each = 2 * 12 * 12_usize.isqrt();
    let effort = WorkBudget::of(2 * each + each / 2);
    let results = [(); 3].map(|()| merge(&effort, base, &ours, &theirs).is_some());
    assert_eq!(results, [true, true, false]);
}

proptest! {
    #[test]
    fn any_texts(
        base in text(),
        ours in text(),
        theirs in text(),
    ) {
        let both = merged(&base, &ours, &theirs);
        prop_assert_eq!(merged(&base, &ours, &base), Some(ours.clone()));
        prop_assert_eq!(merged(&base, &ours, &ours), Some(ours.clone()));
        if let Some(text) = both {
            for line in text.split_inclusive('\n') {
                let of = [&base, &ours, &theirs];
                prop_assert!(of.iter().any(|text| text.split_inclusive('\n').any(|it| it == line)), "{:?}", line);
            }
        }
    }
}

proptest! {
    /// A side without changes leaves the other as it is, with all its numbers and spaces.
    #[test]
    fn any_lists_and_tables(base in marked_lines(), ours in marked_lines(), theirs in marked_lines()) {
        merged(&base, &ours, &theirs);
        prop_assert_eq!(merged(&base, &ours, &base), Some(ours.clone()));
        prop_assert_eq!(merged(&base, &ours, &ours), Some(ours.clone()));
    }
}

fn marked_lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("1. a\n"),
        Just("2. a\n"),
        Just("03. b\n"),
        Just("999999999. b\n"),
        Just("   1) c\n"),
        Just("\n"),
        Just("a\n"),
        Just("> 1. a\n"),
        Just("```\n"),
        Just("- a\n"),
        Just("| a | b |\n"),
        Just("|a|c|\n"),
        Just("| -- | :- |\n"),
        Just("<tr><td>a</td><td>b</td></tr>"),
        Just("<tr><td>a</td><td>c</td></tr>\n"),
        Just("|"),
        Just("1."),
    ];
    proptest::collection::vec(line, 0..10).prop_map(|lines| lines.concat())
}

/// Lines of few words, the last one perhaps without a line break.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a\n"), Just("b\n"), Just("c\r\n"), Just("\n")];
    let last = prop_oneof![4 => Just(""), 1 => Just("a"), 1 => Just("c\r")];
    (proptest::collection::vec(line, 0..8), last).prop_map(|(lines, last)| lines.concat() + last)
}
