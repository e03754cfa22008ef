//! References to pages of other spaces, as visitors of a site get them.

use std::collections::HashMap;

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    adaptive::{AdaptiveSpace, PARTNER, head, node},
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    published::{Published, id},
    texts,
    world::World,
};

on_each_database![
    references_lead_to_pages_that_the_site_shows,
    answers_change_with_the_spaces_that_they_lead_to,
    linked_spaces_cost_a_constant_number_of_statements
];

const NO_PAGE: &str = "00000000000000000000000000";

/// A site with a section for each of four spaces, of which the third is a draft and the fourth is for partners. The first space has a
/// page and a reusable content that refer to pages of the others and of a space that is not of the site.
struct Linked {
    book: AdaptiveSpace,
    /// The page and the reusable content.
    texts: Value,
    /// The pages that they refer to, by their titles.
    pages: HashMap<String, String>,
}

impl Linked {
    async fn new(world: &World) -> Self {
        let published = Published::in_sections(world, &["One", "Two", "Three", "Four"]).await;
        let book = AdaptiveSpace {
            published,
            parts: HashMap::new(),
        };
        let [one, two, three, four] = [0, 1, 2, 3].map(|index| book.space(index));
        let outside = texts::new_space(world, "Outside").await;
        let partners = json!({ "operation": "insert_page", "title": "Partners", "ref": "Partners",
            "condition": PARTNER, "document": { "markdown": "# Discounts" } });
        let mut pages = texts::write(world, two, vec![texts::insert("Open", "Open."), partners]).await;
        let below = json!({ "operation": "insert_page", "title": "Prices", "ref": "Prices", "into": pages["Partners"],
            "document": { "markdown": "Prices." } });
        pages.extend(texts::write(world, two, vec![below]).await);
        for (space, title) in [(three, "Draft"), (four, "Section"), (outside, "Outside")] {
            pages.extend(texts::add(world, space, &[(title, "Text.")]).await);
        }
        let mut text = String::new();
        for (space, title) in [
            (two, "Open"),
            (two, "Partners"),
            (two, "Prices"),
            (three, "Draft"),
            (four, "Section"),
            (outside, "Outside"),
        ] {
            text += &references(space, &pages[title]);
        }
        let content = reusable_content(world.app(), world.admin.id, one, &text).await;
        let text = format!("{text}{{% include \"/reusable-contents/{content}\" %}}");
        let links = texts::write(world, one, vec![texts::insert("Links", &text)]).await;
        let linked = Self {
            book,
            texts: json!({ "page": links["Links"], "content": content.to_string() }),
            pages,
        };
        linked.set_section(world, "Three", json!({ "draft": true })).await;
        linked.set_section(world, "Four", json!({ "condition": PARTNER })).await;
        linked
    }

    async fn set_section(&self, world: &World, title: &str, change: Value) {
        let site = &self.book.published.site;
        let sections = world.on_site(&world.admin, "listSiteSections", site).expect(200).await;
        let mut sections = sections["items"].as_array().unwrap().iter();
        let section = sections.find(|section| section["title"] == title).unwrap();
        let call = world.on_site(&world.admin, "updateSiteSectionById", site);
        call.path("siteSectionId", id(section)).json(change).expect(200).await;
    }
}

impl AdaptiveSpace {
    fn space(&self, index: usize) -> NodeId {
        id(&self.published.spaces[index]).parse().unwrap()
    }
}

/// References of several kinds to a page of a space.
fn references(space: NodeId, page: &str) -> String {
    let target = format!("/spaces/{space}/pages/{page}");
    format!(
        "[Space](/spaces/{space}), [Page]({target}), [Anchor]({target}#top) and <a href=\"{target}\" class=\"button primary\">Button</a>.\n\n\
         {{% content-ref url=\"{target}\" %}}\n[page.md](page.md)\n{{% endcontent-ref %}}\n\n"
    )
}

async fn references_lead_to_pages_that_the_site_shows(database: TestDatabase) {
    let world = World::new(database).await;
    let linked = Linked::new(&world).await;
    let site = &linked.book.published.site;
    let settings = world.on_site(&world.admin, "getSiteCustomizationById", site);
    let mut settings = settings.expect(200).await;
    let link = json!({ "title": "Section", "to": { "kind": "space", "space": linked.book.space(3) } });
    settings["header"]["links"] = json!([link, { "title": "Menu", "to": null, "links": [link] }]);
    settings["footer"]["groups"] = json!([{ "title": "Group", "links": [link] }]);
    let set = world.on_site(&world.admin, "updateSiteCustomizationById", site);
    set.json(settings).expect(200).await;
    let [other, partner] = linked.book.open_to_partners(&world).await;
    for (client, count) in [(&other, 0), (&partner, 3)] {
        let profile = client.call("getPublishedContentSite").here(&world);
        let profile = profile.path("siteId", id(site)).expect(200).await;
        let customization = profile["customizations"]["site"].to_string();
        assert_eq!(
            customization.matches("\"kind\":\"space\"").count(),
            count,
            "{customization}"
        );
    }
    let revision = head(&world, &linked.book.published).await;
    let everything = ["Open", "Partners", "Prices", "Draft", "Section", "Outside"];
    for (client, shown) in [
        (&world.admin.client, &everything[..]),
        (&partner, &["Open", "Partners", "Prices", "Section"][..]),
        (&other, &["Open"][..]),
    ] {
        let texts = (&linked.texts, revision.as_str());
        for text in linked.book.read_texts(&world, client, texts).await {
            let text = text.to_string();
            for title in everything {
                let page = &linked.pages[title];
                assert_eq!(text.contains(page.as_str()), shown.contains(&title), "{title}: {text}");
            }
            assert_eq!(text.contains(NO_PAGE), shown.len() < everything.len(), "{text}");
            for (index, title) in [(2, "Draft"), (3, "Section")] {
                let space = linked.book.space(index).to_string();
                assert_eq!(text.contains(&space), shown.contains(&title), "{title}: {text}");
            }
        }
    }
}

async fn answers_change_with_the_spaces_that_they_lead_to(database: TestDatabase) {
    let world = World::new(database).await;
    let linked = Linked::new(&world).await;
    let [other, _] = linked.book.open_to_partners(&world).await;
    let (space, two) = (node(&linked.book.published), linked.book.space(1));
    let (page, open) = (linked.texts["page"].as_str().unwrap(), &linked.pages["Open"]);
    let plain = texts::add(&world, space, &[("Plain", "Plain.")]).await;
    let read = |page: &str, tag: &str| {
        let call = other.call("getPageById").space(space).path("pageId", page);
        call.header("If-None-Match", tag)
    };
    let first = read(page, "\"none\"").send().await;
    assert!(first.expect(200).to_string().contains(open.as_str()));
    let mut tag = first.headers["etag"].to_str().unwrap().to_owned();
    let of_plain = read(&plain["Plain"], "\"none\"").send().await.headers["etag"].clone();
    let hide = json!({ "operation": "update_page", "page": open, "condition": PARTNER });
    let show = json!({ "operation": "update_page", "page": open, "condition": "" });
    for (change, is_shown) in [(hide, false), (show, true)] {
        read(page, &tag).expect(304).await;
        texts::write(&world, two, vec![change]).await;
        let answer = read(page, &tag).send().await;
        assert_eq!(answer.expect(200).to_string().contains(open.as_str()), is_shown);
        tag = answer.headers["etag"].to_str().unwrap().to_owned();
    }
    for (draft, is_shown) in [(true, false), (false, true)] {
        read(page, &tag).expect(304).await;
        linked.set_section(&world, "Two", json!({ "draft": draft })).await;
        let answer = read(page, &tag).send().await;
        assert_eq!(answer.expect(200).to_string().contains(open.as_str()), is_shown);
        tag = answer.headers["etag"].to_str().unwrap().to_owned();
    }
    // Names no other space.
    read(&plain["Plain"], of_plain.to_str().unwrap()).expect(304).await;
}

async fn linked_spaces_cost_a_constant_number_of_statements(database: TestDatabase) {
    let world = World::new(database).await;
    let titles: Vec<String> = (0..12).map(|number| format!("Space {number}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let published = Published::in_sections(&world, &titles).await;
    let book = AdaptiveSpace {
        published,
        parts: HashMap::new(),
    };
    let mut links = Vec::new();
    for index in 1..titles.len() {
        let space = book.space(index);
        let pages = texts::add(&world, space, &[("Page", "Text.")]).await;
        links.push(references(space, &pages["Page"]));
    }
    let changes = vec![
        texts::insert("Few", &links[0]),
        texts::insert("Many", &links[1..].concat()),
    ];
    let pages = texts::write(&world, book.space(0), changes).await;
    let [client, _] = book.open_to_partners(&world).await;
    let statements = async |name: &str| {
        let before = world.app().kernel.db.statements();
        let call = client.call("getPageById").space(book.space(0));
        let page = call.path("pageId", &pages[name]).expect(200).await;
        assert!(!page.to_string().contains(NO_PAGE), "{page}");
        world.app().kernel.db.statements() - before
    };
    let few = statements("Few").await;
    let many = statements("Many").await;
    assert!(many < few + 10, "{few} {many}");
}
