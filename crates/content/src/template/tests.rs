use std::collections::{BTreeMap, HashMap};

use entity::{
    ids::{FileId, NodeId, PageId, ReusableContentId},
    timestamp::Timestamp,
};
use openapi::models::{ContentRef, ContentRefMedia};
use platform::db::{Clock, IdSource};
use serde_json::json;
use uuid::Uuid;

use super::{CopyTarget, Kind, Parameter, Template, Unusable, parameters::ParameterTarget};
use crate::{
    objects::{Hash, Objects},
    pages::{ComputedPages, Cover, File, Order, Page, PageContent, Pages, ReusableContent, Snapshot, Variable},
};

fn page_id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

fn space(number: u128) -> NodeId {
    NodeId::from_uuid(Uuid::from_u128(number))
}

fn page(number: u128, parent: Option<u128>, slug: &str) -> Page {
    Page {
        parent: parent.map(page_id),
        ..Page::empty(page_id(number), Order::default(), slug.to_owned(), slug.to_owned())
    }
}

fn reference(value: serde_json::Value) -> ContentRef {
    serde_json::from_value(value).unwrap()
}

fn variable(name: &str, value: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

/// A template in the space 1: two pages, the second below the first.
fn template(first: &str, second: &str) -> Template {
    let pages = vec![
        (page(1, None, "first"), first.to_owned()),
        (page(2, Some(1), "second"), second.to_owned()),
    ];
    let mut template = Template::built_in(pages, vec![variable("team", "ours")]).unwrap();
    template.space = Some(space(1));
    template
}

/// The pages by their slugs and the texts of what a template becomes in the space 2.
struct Made {
    pages: BTreeMap<String, (Page, String)>,
    snapshot: Snapshot,
    objects: Objects,
}

fn make(template: &Template, values: &[(&str, serde_json::Value)], before: impl FnOnce(&mut Pages<'_>)) -> Made {
    let values = values.iter().cloned();
    let values = values
        .map(|(name, value)| (name.to_owned(), reference(value)))
        .collect();
    let ids = IdSource::new(Clock::system());
    let target = CopyTarget {
        space: space(2),
        values: &values,
        ids: &ids,
        now: Timestamp::from_millis(0),
        computed: &|_| HashMap::new(),
    };
    let copy = template.copy(&target).unwrap();
    let objects = Objects::default();
    let mut pages = Pages::of(&objects, Snapshot::default());
    before(&mut pages);
    let mut pages = Pages::of(&objects, pages.finish().unwrap());
    copy.add_to(&mut pages).unwrap();
    let snapshot = pages.finish().unwrap();
    let forest = Pages::of(&objects, snapshot).forest().unwrap();
    let with_text = forest.pages().map(|page| {
        let text = page.document().map(|hash| objects.text(&hash).unwrap());
        (page.slug.clone(), (page.clone(), text.unwrap_or_default()))
    });
    let pages = with_text.collect();
    Made {
        pages,
        snapshot,
        objects,
    }
}

fn parameters(template: &Template) -> Result<Vec<Parameter>, Unusable> {
    template.parameters().unwrap()
}

#[test]
fn names_of_parameters() {
    for target in [
        "/params/",
        "/params/a b",
        "/params/a/b",
        "/params/ä",
        "/params/a#",
        "params/a",
        "/params/a?b",
    ] {
        assert_eq!(ParameterTarget::parse(target), None, "{target}");
    }
    assert_eq!(ParameterTarget::parse(&format!("/params/{}", "a".repeat(65))), None);
    let parsed = ParameterTarget::parse("/params/On-call_2#who").unwrap();
    assert_eq!((parsed.name, parsed.anchor), ("On-call_2", Some("who")));
}

#[test]
fn parameters_are_found_in_all_places() {
    let markdown = "[a](/params/link) <a data-mention href=\"/params/link\">b</a>\n\n![c](/params/picture)\n\n\
        {% file src=\"/params/file\" %}\n\n{% include \"/params/shared\" %}\n\n{% content-ref url=\"/params/card\" %}\n\
        [card](/params/card)\n{% endcontent-ref %}\n\n\
        {% openapi-operation spec=\"/params/api\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n\n\
        [d](/params/part#x)\n\n`/params/code` \\[e](/params/text)\n\n    [f](/params/indented)\n";
    let found = parameters(&template(markdown, "")).unwrap();
    let found: Vec<(&str, &[Kind])> = found.iter().map(|it| (it.name.as_str(), it.kinds.as_slice())).collect();
    use Kind::*;
    let link = [File, Url, Page, Anchor, User, Collection, Space, Openapi].as_slice();
    assert_eq!(
        found,
        [
            ("api", [Openapi].as_slice()),
            ("card", link),
            ("file", &[File]),
            ("link", link),
            ("part", &[Page]),
            ("picture", &[File, Url]),
            ("shared", &[ReusableContent]),
        ]
    );
}

#[test]
fn a_parameter_has_the_kinds_that_fit_in_all_its_places() {
    let found = parameters(&template("[a](/params/a)", "![a](/params/a)")).unwrap();
    assert_eq!(found[0].kinds, [Kind::File, Kind::Url]);
    let refused = parameters(&template("[a](/params/a#b)", "![a](/params/a)")).unwrap_err();
    assert_eq!(
        refused.0,
        "No kind of reference fits in all the places with the parameter `a`."
    );
    let many: String = (0..101).map(|number| format!("[a](/params/p{number}) ")).collect();
    assert!(parameters(&template(&many, "")).is_err());
}

#[test]
fn descriptions_stand_in_front_matter_and_are_not_copied() {
    let mut template = template("[a](/params/a)", "");
    let PageContent::Document { other, .. } = &mut template.pages[1].content else {
        panic!("a page has text");
    };
    other.insert("parameters".to_owned(), json!({ "a": "The page about a" }));
    other.insert("kept".to_owned(), json!(1));
    let found = parameters(&template).unwrap();
    assert_eq!(found[0].description.as_deref(), Some("The page about a"));
    let made = make(&template, &[], |_| {});
    let PageContent::Document { other, .. } = &made.pages["second"].0.content else {
        panic!("a page has text");
    };
    assert_eq!(json!(other), json!({ "kept": 1 }));
}

#[test]
fn links_within_the_template_lead_to_the_copies() {
    let (first, second, gone, own) = (page_id(1), page_id(2), page_id(9), space(1));
    let markdown = format!(
        "[a](/pages/{second}) [b](/pages/{second}#x) [c](/spaces/{own}/pages/{second}) [d](/spaces/{own}) [e](#y) \
         [f](/pages/{gone}) [g](https://a.example/pages/{second}) [h](/spaces/{}/pages/{second}) [i](/users/{second})",
        space(3)
    );
    let made = make(&template(&markdown, &format!("[a](/pages/{first})")), &[], |_| {});
    let (new_first, new_second) = (made.pages["first"].0.id, made.pages["second"].0.id);
    assert!(![first, second].contains(&new_first) && new_first != new_second);
    assert_eq!(made.pages["second"].0.parent, Some(new_first));
    let expected = format!(
        "[a](/pages/{new_second}) [b](/pages/{new_second}#x) [c](/pages/{new_second}) [d](/spaces/{}) [e](#y) \
         [f](/pages/{gone}) [g](https://a.example/pages/{second}) [h](/spaces/{}/pages/{second}) [i](/users/{second})",
        space(2),
        space(3)
    );
    assert_eq!(made.pages["first"].1, expected);
    assert_eq!(made.pages["second"].1, format!("[a](/pages/{new_first})"));
}

#[test]
fn parameters_become_their_values() {
    let markdown = "[a](/params/page) [b](/params/page#x) <a data-mention href=\"/params/person\">c</a> [d](/params/none)\n\n\
        ![e](/params/picture)\n\n{% include \"/params/shared\" %}\n";
    let values = [
        ("page", json!({ "kind": "page", "page": "p", "space": "s" })),
        ("person", json!({ "kind": "user", "user": "u" })),
        (
            "picture",
            json!({ "kind": "url", "url": "https://a.example/b (1).png" }),
        ),
        ("shared", json!({ "kind": "reusable-content", "reusableContent": "r" })),
    ];
    let made = make(&template(markdown, ""), &values, |_| {});
    assert_eq!(
        made.pages["first"].1,
        "[a](/spaces/s/pages/p) [b](/spaces/s/pages/p#x) <a data-mention href=\"/users/u\">c</a> [d](/params/none)\n\n\
         ![e](<https://a.example/b (1).png>)\n\n{% include \"/reusable-contents/r\" %}\n"
    );
}

#[test]
fn references_outside_of_texts_are_changed() {
    let mut template = template("", "");
    let link = |value| PageContent::Link {
        target: reference(value),
    };
    let picture: ContentRefMedia = serde_json::from_value(json!({ "kind": "url", "url": "/params/picture" })).unwrap();
    let PageContent::Document { cover, .. } = &mut template.pages[0].content else {
        panic!("a page has text");
    };
    let (y, height) = (0.0, 100.0);
    *cover = Some(Cover { picture, y, height });
    template.pages[1].content = link(json!({ "kind": "page", "page": page_id(1) }));
    template.pages[1].slug = page_id(2).to_string();
    let mut to_value = page(3, None, "to-value");
    to_value.content = link(json!({ "kind": "url", "url": "/params/page" }));
    let mut computed = page(4, None, "computed");
    computed.content = PageContent::Computed {
        source: Box::new(ComputedPages {
            versions: Default::default(),
            kind: "builtin:openapi".to_owned(),
            props: BTreeMap::new(),
            specifications: BTreeMap::from([("spec".to_owned(), "/params/api".to_owned())]),
        }),
    };
    template.pages.extend([to_value, computed]);
    let found: Vec<_> = parameters(&template).unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(found, ["api", "page", "picture"]);
    let values = [
        ("api", json!({ "kind": "openapi", "spec": "o" })),
        ("page", json!({ "kind": "page", "page": "p" })),
        ("picture", json!({ "kind": "file", "file": "f" })),
    ];
    let made = make(&template, &values, |_| {});
    let first = &made.pages["first"].0;
    let shown = |page: &Page| serde_json::to_value(&page.content).unwrap();
    assert_eq!(shown(first)["cover"]["picture"], json!({ "kind": "file", "file": "f" }));
    let moved = made
        .pages
        .values()
        .map(|(page, _)| page)
        .find(|page| page.parent == Some(first.id))
        .unwrap();
    assert_eq!(moved.slug, moved.id.to_string());
    assert_eq!(shown(moved)["target"]["page"], first.id.to_string());
    assert_eq!(shown(&made.pages["to-value"].0)["target"]["page"], "p");
    assert_eq!(
        shown(&made.pages["computed"].0)["source"]["specifications"]["spec"],
        "o"
    );
}

#[test]
fn files_and_shared_contents_are_copied_and_variables_keep_their_values() {
    let (file, shared) = (
        FileId::from_uuid(Uuid::from_u128(5)),
        ReusableContentId::from_uuid(Uuid::from_u128(6)),
    );
    let markdown = format!("![a](/files/{file})\n\n{{% include \"/reusable-contents/{shared}\" %}}\n");
    let mut template = template(&markdown, &markdown);
    template.files.push(File {
        id: file,
        name: "a.png".to_owned(),
        content_type: "image/png".to_owned(),
        size: 1,
        dimensions: None,
        blob: Hash::of(b"a"),
    });
    let document = template.pages[0].document();
    template.reusable_contents.push(ReusableContent {
        id: shared,
        title: "Shared".to_owned(),
        document,
    });
    template.variables.push(variable("product", "G4"));
    let made = make(&template, &[], |pages| pages.put_variable(variable("team", "theirs")));
    let pages = Pages::of(&made.objects, made.snapshot);
    let copied = pages.files_after(None, usize::MAX).unwrap();
    let contents = pages.all_reusable_contents().unwrap();
    assert_eq!((copied.len(), contents.len()), (1, 1));
    assert_eq!(copied[0].blob, Hash::of(b"a"));
    assert!(copied[0].id != file && contents[0].id != shared);
    let expected = format!(
        "![a](/files/{})\n\n{{% include \"/reusable-contents/{}\" %}}\n",
        copied[0].id, contents[0].id
    );
    assert_eq!(made.pages["first"].1, expected);
    assert_eq!(made.objects.text(&contents[0].document.unwrap()).unwrap(), expected);
    let mut variables = pages.stored_variables().unwrap();
    variables.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(variables, [variable("product", "G4"), variable("team", "theirs")]);
}

#[test]
fn pages_come_after_those_that_are_there() {
    let template = template("a", "b");
    let made = make(&template, &[], |pages| {
        for (number, slug) in [(11, "first"), (12, "first-2"), (13, "second")] {
            let order = pages.order_at(None, None, None).unwrap();
            pages
                .put(Page {
                    order,
                    ..page(number, None, slug)
                })
                .unwrap();
        }
    });
    let pages = Pages::of(&made.objects, made.snapshot);
    let top: Vec<String> = pages
        .children(None)
        .unwrap()
        .into_iter()
        .map(|page| page.slug)
        .collect();
    assert_eq!(top, ["first", "first-2", "second", "first-3"]);
    let new = pages.page_by_path("first-3/second").unwrap().unwrap();
    assert_eq!(made.objects.text(&new.document().unwrap()).unwrap(), "b");
}
