//! Keys: equal for equal text, kept by unchanged blocks.

use openapi::models::{Document, DocumentBlock};
use proptest::{prelude::*, sample::select};
use serde_json::Value;

use super::parse_document;
use crate::parse_keeping;

fn keys(document: &Document) -> Vec<String> {
    let nodes = serde_json::to_value(document).unwrap()["nodes"].take();
    let nodes = nodes.as_array().unwrap().iter();
    nodes.map(|node| node["key"].as_str().unwrap().to_owned()).collect()
}

/// Collects all keys below a node.
fn all(node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            found.extend(
                members
                    .get("key")
                    .filter(|_| members.contains_key("object"))
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            members.values().for_each(|value| all(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| all(item, found)),
        _ => {}
    }
}

#[test]
fn the_same_text_has_the_same_keys() {
    let text = "# A\n\nB\n\nB\n\n* C\n* D\n";
    assert_eq!(parse_document(text), parse_document(text));
    let keys = keys(&parse_document(text));
    assert_ne!(keys[1], keys[2]);
}

/// Comments and links name blocks by their keys, which other versions of the service have stored.
#[test]
fn tables_keep_their_keys_across_versions() {
    let pipes = "a | b\n--|:-:\n**c** | d\nf\n\n| a |\n|---|\n";
    let html = concat!(
        "<table data-header-hidden data-full-width=\"true\" data-search=\"false\"><thead><tr><th width=\"120\">a</th>",
        "<th data-type=\"number\">b</th><th data-type=\"rating\" data-max=\"7\">c</th><th data-type=\"users\" data-multiple>d</th>",
        "<th data-type=\"select\">e<select><option value=\"x\" label=\"X\" color=\"red\"></option></select></th>",
        "<th data-hidden data-type=\"image\">f</th></tr></thead><tbody>",
        "<tr><td align=\"right\" valign=\"top\">One</td><td>1.5</td><td>3</td><td><a href=\"u1\">u1</a></td>",
        "<td><span data-option=\"x\">X</span></td><td><img src=\"i.png\" alt=\"j\"></td></tr>",
        "<tr><td>Two</td><td>100000000</td><td></td><td></td><td></td><td></td></tr></tbody></table>\n\n",
        "<table><tbody><tr><td rowspan=\"2\">a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>\n",
    );
    let found = [keys(&parse_document(pipes)), keys(&parse_document(html))].concat();
    let stored = [
        "2vuc4wlp2rb7xihm",
        "da3jh3hm2ayyfb6w",
        "77uaucfn2fsrc6r3",
        "7qwlzmpbbmzphdcg",
    ];
    assert_eq!(found, stored);
}

#[test]
fn unchanged_nodes_keep_their_keys() {
    let before = parse_document("A\n\nB\n\n* C\n* D\n\nE\n");
    let after = parse_keeping("New\n\nA\n\nB changed\n\n* C\n* D\n* F\n\nE\n", &before).unwrap();
    let (old, new) = (keys(&before), keys(&after));
    assert_eq!(
        [&new[1], &new[2], &new[3], &new[4]],
        [&old[0], &old[1], &old[2], &old[3]]
    );
    let item = |document: &Document, list: usize, item: usize| {
        serde_json::to_value(document).unwrap()["nodes"][list]["nodes"][item]["key"].clone()
    };
    assert_eq!(item(&after, 3, 0), item(&before, 2, 0));
    assert_eq!(item(&after, 3, 1), item(&before, 2, 1));
}

#[test]
fn moved_nodes_keep_their_keys() {
    let before = parse_document("A\n\nB\n\nC\n");
    let after = parse_keeping("C\n\nA\n\nB\n", &before).unwrap();
    let (old, new) = (keys(&before), keys(&after));
    assert_eq!(new, [old[2].clone(), old[0].clone(), old[1].clone()]);
}

#[test]
fn client_keys_are_kept() {
    let mut before = parse_document("A\n\nB\n");
    if let DocumentBlock::BlockParagraph(paragraph) = &mut before.nodes[1] {
        paragraph.key = Some("mine".to_owned());
    }
    let after = parse_keeping("Z\n\nB\n", &before).unwrap();
    assert_eq!(keys(&after)[1], "mine");
}

#[test]
fn inherited_keys_are_not_reused() {
    let before = parse_document("A\n");
    // The edited paragraph keeps the key that its old text would get, and that text occurs again.
    let after = parse_keeping("B\n\nA\n\nA\n", &before).unwrap();
    let keys = keys(&after);
    assert_ne!(keys[1], keys[2]);
    assert!(keys.contains(&super::keys::keys(&before)[0]));
}

const BLOCKS: &[&str] = &[
    "A",
    "B",
    "B",
    "* C\n* D",
    "> E",
    "```\nf\n```",
    "| g |\n|---|\n| h |",
    "{% hint style=\"info\" %}\ni\n{% endhint %}",
    "___",
];

proptest! {
    #![proptest_config(super::cases(256))]

    #[test]
    fn keys_are_unique_and_unchanged_blocks_keep_theirs(
        blocks in prop::collection::vec(select(BLOCKS), 1..8),
        at in any::<prop::sample::Index>(),
        new in select(BLOCKS),
        replace in any::<bool>(),
    ) {
        let before = parse_document(&blocks.join("\n\n"));
        let mut changed = blocks.clone();
        let at = at.index(blocks.len());
        match replace {
            true => changed[at] = new,
            false => changed.insert(at, new),
        }
        // Adjacent lists would merge.
        prop_assume!(!changed.windows(2).chain(blocks.windows(2)).any(|pair| pair[0].starts_with('*') && pair[1].starts_with('*')));
        prop_assume!(!changed.windows(2).chain(blocks.windows(2)).any(|pair| pair[0].starts_with('|') && pair[1].starts_with('|')));
        let after = parse_keeping(&changed.join("\n\n"), &before).unwrap();
        let mut found = Vec::new();
        all(&serde_json::to_value(&after).unwrap(), &mut found);
        let distinct: std::collections::HashSet<&String> = found.iter().collect();
        prop_assert_eq!(distinct.len(), found.len());
        // Blocks before and after the edit keep all their keys. Equal blocks cannot be told apart.
        prop_assume!(blocks.iter().all(|block| *block != new));
        let (old, new) = (serde_json::to_value(&before).unwrap(), serde_json::to_value(&after).unwrap());
        let (old, new) = (old["nodes"].as_array().unwrap(), new["nodes"].as_array().unwrap());
        prop_assert_eq!(&old[..at], &new[..at]);
        let rest = blocks.len() - at - usize::from(replace);
        prop_assert_eq!(&old[old.len() - rest..], &new[new.len() - rest..]);
        // Parsing the same text again changes nothing.
        let again = parse_keeping(&changed.join("\n\n"), &after).unwrap();
        prop_assert!(again == after);
    }
}
