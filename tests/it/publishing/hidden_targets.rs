//! References to pages that visitors of a site are not shown.

use serde_json::{Value, json};

use crate::support::{
    adaptive::{AdaptiveSpace, PARTNER, head, node},
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    texts,
    world::World,
};

on_each_database![
    references_to_hidden_pages_lead_to_no_page,
    hidden_targets_cost_a_constant_number_of_statements
];

const NO_PAGE: &str = "00000000000000000000000000";

/// A space in which a page and a reusable content refer to a page that is open, to one that only partners see, and to one below that.
async fn linked(world: &World) -> (AdaptiveSpace, [String; 3], Value) {
    let book = AdaptiveSpace::new(world).await;
    let space = node(&book.published);
    let pages = json!({ "operation": "insert_page", "title": "Partners", "ref": "Partners", "condition": PARTNER,
        "document": { "markdown": "# Discounts" } });
    let mut ids = texts::write(world, space, vec![pages, texts::insert("Open", "Open.")]).await;
    let below = json!({ "operation": "insert_page", "title": "Prices", "ref": "Prices", "into": ids["Partners"],
        "document": { "markdown": "Prices." } });
    ids.extend(texts::write(world, space, vec![below]).await);
    let ids = ["Open", "Partners", "Prices"].map(|name| ids[name].clone());
    let [open, partners, prices] = &ids;
    let own = id(&book.published.spaces[0]);
    let text = format!(
        "[Open](/pages/{open}), [Partners](/pages/{partners}#discounts), [the same](/spaces/{own}/pages/{partners}) \
         and <a href=\"/pages/{prices}\" class=\"button primary\">Prices</a>.\n\n\
         {{% content-ref url=\"/pages/{prices}\" %}}\n[prices.md](prices.md)\n{{% endcontent-ref %}}\n\n\
         <table data-view=\"cards\"><thead><tr><th></th><th data-hidden data-card-target data-type=\"content-ref\"></th></tr></thead>\
         <tbody><tr><td>Prices</td><td><a href=\"/pages/{prices}\">prices</a></td></tr></tbody></table>"
    );
    let content = reusable_content(world.app(), world.admin.id, space, &text).await;
    let text = format!("{text}\n\n{{% include \"/reusable-contents/{content}\" %}}");
    let links = texts::write(world, space, vec![texts::insert("Links", &text)]).await;
    (
        book,
        ids,
        json!({ "page": links["Links"], "content": content.to_string() }),
    )
}

async fn references_to_hidden_pages_lead_to_no_page(database: TestDatabase) {
    let world = World::new(database).await;
    let (book, [open, partners, prices], ids) = linked(&world).await;
    let [other, partner] = book.open_to_partners(&world).await;
    let revision = head(&world, &book.published).await;
    for client in [&partner, &world.read.client] {
        for text in book.read_texts(&world, client, (&ids, &revision)).await {
            let text = text.to_string();
            assert!(!text.contains(NO_PAGE), "{text}");
            assert!(text.contains(&prices) || text.contains("partners/prices.md"), "{text}");
        }
    }
    for text in book.read_texts(&world, &other, (&ids, &revision)).await {
        let text = text.to_string();
        for hidden in [&partners, &prices] {
            assert!(!text.contains(hidden.as_str()), "{text}");
        }
        assert!(text.contains(&open) || text.contains("open.md"), "{text}");
        assert!(text.contains(NO_PAGE) && text.contains("Prices"), "{text}");
    }
    // As for a page that is deleted.
    let reference = json!({ "kind": "page", "page": NO_PAGE });
    let call = book.call(&other, "getPageDocumentInRevisionById", &revision);
    let nodes = call.path("pageId", ids["page"].as_str().unwrap()).expect(200).await;
    assert!(nodes.to_string().contains(&reference.to_string()), "{nodes}");
}

async fn hidden_targets_cost_a_constant_number_of_statements(database: TestDatabase) {
    let world = World::new(database).await;
    let (book, ..) = linked(&world).await;
    let mut changes = Vec::new();
    for index in 0..20 {
        changes.push(
            json!({ "operation": "insert_page", "title": format!("Partners {index}"), "ref": format!("{index}"),
            "condition": PARTNER, "document": { "markdown": "Text" } }),
        );
    }
    let space = node(&book.published);
    let pages = texts::write(&world, space, changes).await;
    let text = |count: usize| {
        let links = (0..count).map(|index| format!("[{index}](/pages/{})\n\n", pages[&index.to_string()]));
        links.collect::<String>()
    };
    let changes = vec![texts::insert("Few", &text(1)), texts::insert("Many", &text(20))];
    let links = texts::write(&world, space, changes).await;
    book.published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let client = visitor(&world, &find(&world, &book.published.address).await);
    let statements = async |name: &str| {
        let before = world.app().kernel.db.statements();
        let call = client.call("getPageById").space(space).path("pageId", &links[name]);
        call.expect(200).await;
        world.app().kernel.db.statements() - before
    };
    let few = statements("Few").await;
    let many = statements("Many").await;
    assert!(many < few + 10, "{few} {many}");
}
