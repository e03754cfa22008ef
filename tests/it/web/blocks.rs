//! Blocks of integrations in pages.

use serde_json::json;

use crate::support::{
    adaptive::node,
    database::{TestDatabase, on_each_database},
    pages::Reader,
    published::id,
    scripts::Scripted,
    texts::add,
    world::World,
};

on_each_database![
    blocks_of_integrations_are_documents_in_frames,
    blocks_that_cannot_be_shown_say_so,
];

const BLOCKS: &str = "{% @gauge/level harbor=\"north\" %}\n\n{% @gauge/broken harbor=\"north\" %}";

async fn gauge(world: &World) -> Scripted {
    let blocks = ["level", "broken"].map(|block| json!({ "id": block, "title": "Water level" }));
    let gauge = Scripted::new(world, "gauge", json!({ "blocks": blocks })).await;
    add(world, node(&gauge.published), &[("Tides", BLOCKS)]).await;
    gauge
}

/// The addresses of the frames of a page.
fn frames(page: &str) -> Vec<String> {
    let begun = page.split("<iframe class=\"component\" src=\"").skip(1);
    let addresses = begun.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    addresses.collect()
}

async fn blocks_of_integrations_are_documents_in_frames(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = gauge(&world).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}tides", gauge.published.address)).await;
    assert!(page.contains("title=\"Block: level\""), "{page}");
    let level = format!("{}{}", world.service.base, frames(&page)[0]);
    let shown = reader.get(&level).await;
    assert_eq!(shown.status, 200);
    assert!(
        shown
            .header("content-security-policy")
            .contains("frame-ancestors 'self'")
    );
    // What the script was told.
    for part in ["&quot;harbor&quot;:&quot;north&quot;", "&quot;editable&quot;:false"] {
        assert!(shown.text.contains(part), "{part}: {}", shown.text);
    }
}

async fn blocks_that_cannot_be_shown_say_so(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = gauge(&world).await;
    let mut reader = Reader::new(&world);
    let page = reader.page(&format!("{}tides", gauge.published.address)).await;
    let level = frames(&page)[0].clone();
    let other_space = level.replace(id(&gauge.published.spaces[0]), &world.space.to_string());
    assert_ne!(level, other_space);
    for (address, status) in [
        (frames(&page)[1].clone(), 502),
        (other_space, 404),
        (level.replace("/gauge?", "/nothing?"), 404),
        (level.replace("/gauge?", "/%00?"), 404),
        (level.replace("componentId", "component"), 404),
        (level.replace("document", "configuration_space"), 404),
        (level.split('?').next().unwrap().to_owned(), 404),
        (level.split("&signature=").next().unwrap().to_owned(), 404),
        // Others cannot say what a block shows.
        (level.replace("north", "south"), 404),
    ] {
        let shown = reader.get(&format!("{}{address}", world.service.base)).await;
        assert_eq!(shown.status, status, "{address}: {}", shown.text);
        assert!(shown.text.contains("This block cannot be shown now."), "{}", shown.text);
    }
}
