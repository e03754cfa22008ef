//! Content of a space, with one of everything that paths name.

use std::collections::HashMap;

use bindery::{app::App, areas::authoring::editor::write};
use content::{
    draft::Draft,
    objects::{Content, Missing, Objects},
    pages::{MAX_BYTES, Pages, ReusableContent, Snapshot},
    revisions::Origin,
};
use entity::ids::{NodeId, ReusableContentId, RevisionId, UserId};
use openapi::error::ApiError;
use serde_json::{Value, json};

use super::{
    places::OF_CONTENT,
    world::{Person, World},
};

/// One pixel.
pub const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Writes pages, a file and reusable content. Gives their ids by path parameter; the page is at the path of the contract's
/// example.
pub async fn fill(app: &App, author: &Person, space: NodeId) -> HashMap<&'static str, String> {
    let changes = json!([
        { "operation": "insert_page", "title": "Maintenance", "ref": "above", "document": {} },
        { "operation": "insert_files", "files": [
            { "name": "g4.png", "base64": PICTURE, "contentType": "image/png", "ref": "g4.png" },
        ] },
    ]);
    let call = author.client.call("updateSpaceContent").path("spaceId", space);
    let first: Value = call.json(json!({ "changes": changes })).expect(200).await;
    let above = first["changes"][0]["page"]["id"].as_str().unwrap().to_owned();
    let file = first["insertedFiles"][0]["id"].as_str().unwrap().to_owned();
    let markdown = format!("Switch off the air. ![The gripper](/files/{file}) [Above](/pages/{above})");
    let page = json!([{
        "operation": "insert_page",
        "title": "Changing the fingers",
        "into": above,
        "document": { "markdown": markdown },
    }]);
    let call = author.client.call("updateSpaceContent").path("spaceId", space);
    let second: Value = call.json(json!({ "changes": page })).expect(200).await;
    let page = second["changes"][0]["page"]["id"].as_str().unwrap().to_owned();
    let reusable = reusable_content(app, author.id, space, "Mind the compressed air.").await;
    let call = author.client.call("getPageById").path("spaceId", space);
    let read: Value = call.path("pageId", &page).expect(200).await;
    let revision = author.client.call("getCurrentRevision").path("spaceId", space);
    let revision: Value = revision.expect(200).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let ids = [
        page,
        file,
        reusable.to_string(),
        text(&read["documentId"]),
        text(&revision["id"]),
    ];
    OF_CONTENT.into_iter().zip(ids).collect()
}

impl World {
    /// One more in each list about content, and one more space that search finds something in.
    pub async fn add_to_content(&self, number: usize) {
        let create = self.admin.client.call("createSpace").here(self);
        let body = json!({ "title": format!("Found {number}"), "parent": self.collection });
        let space = create.json(body).expect(201).await["id"].clone();
        let changes = self.more_content(number);
        for space in [space.as_str().unwrap().to_owned(), self.space.to_string()] {
            // Only the space has the page that links to more and more.
            let has_page = space == self.space.to_string();
            let changes: Vec<&Value> = changes.iter().skip(usize::from(!has_page)).collect();
            let call = self.admin.client.call("updateSpaceContent").path("spaceId", space);
            let written: Value = call.json(json!({ "changes": changes })).expect(200).await;
            *self.newest_revision.lock().unwrap() = written["revision"].as_str().map(str::to_owned);
        }
        let call = self
            .admin
            .client
            .call("updateChangeRequestContent")
            .path("spaceId", self.space);
        let call = call.path("changeRequestId", self.own("changeRequestId"));
        call.json(json!({ "changes": changes })).expect(200).await;
    }

    /// One more link on the page, and one more page, file, and link to both.
    fn more_content(&self, number: usize) -> Vec<Value> {
        let (page, file) = (&self.made["pageId"], &self.made["fileId"]);
        let links = (0..=number).map(|number| format!("[More](https://more.example/{number})"));
        let links = links.collect::<Vec<_>>().join(" ");
        let text = format!("[The page](/pages/{page}) ![The file](/files/{file}) [More](https://one.example/{number})");
        vec![
            json!({ "operation": "update_page", "page": page, "document": { "markdown": links } }),
            json!({
                "operation": "insert_page",
                "title": format!("To change fingers {number}"),
                "document": { "markdown": text },
            }),
            json!({ "operation": "insert_files", "files": [
                { "name": "g4.png", "base64": PICTURE, "contentType": "image/png" },
            ] }),
        ]
    }
}

/// Adds content that pages share, which no operation does.
pub async fn reusable_content(app: &App, author: UserId, space: NodeId, markdown: &str) -> ReusableContentId {
    let id: ReusableContentId = app.kernel.ids.next();
    put_content(app, author, (space, id), markdown).await;
    id
}

/// The same with this id.
pub async fn put_content(app: &App, author: UserId, (space, id): (NodeId, ReusableContentId), markdown: &str) {
    let change = |objects: &Objects, before| {
        let mut pages = Pages::of(objects, before);
        pages.put_reusable_content(ReusableContent {
            id,
            title: "Warning".to_owned(),
            document: Some(objects.put_text(markdown)),
        });
        pages.finish()
    };
    write_revision(app, author, space, change).await;
}

/// Has the content count as many bytes as leave this room, as if other pages had taken the rest.
pub async fn leave_room(app: &App, author: UserId, space: NodeId, bytes: u64) {
    let change = |_: &Objects, before| {
        Ok(Snapshot {
            bytes: MAX_BYTES - bytes,
            ..before
        })
    };
    write_revision(app, author, space, change).await;
}

async fn write_revision(
    app: &App,
    author: UserId,
    space: NodeId,
    change: impl Fn(&Objects, Snapshot) -> Result<Snapshot, Missing>,
) {
    let head = head(app, space).await;
    let before = app
        .contents
        .state
        .revision(&app.kernel.db, space, head)
        .await
        .unwrap()
        .unwrap();
    let mut content = Content::new(app.kernel.db.read(), &app.contents.state.objects, space);
    let after = content.run(|objects| change(objects, before.snapshot)).await.unwrap();
    let draft = Draft::of(&mut content, &before.snapshot, after).await.unwrap();
    let origin = Origin::edits(space, vec![head], author);
    let revision = draft.revision(app.kernel.ids.next(), origin, app.kernel.clock.now());
    let hooks = app.kernel.hooks.clone();
    let work = move |tx| async move {
        assert!(write::compare_and_set_revision(&tx, &hooks, &revision, head, false).await?);
        draft.store(&tx, &revision).await?;
        Ok::<_, ApiError>(())
    };
    app.kernel.db.write(work).await.unwrap();
}

async fn head(app: &App, space: NodeId) -> RevisionId {
    use sea_orm::EntityTrait;
    let space = entity::library::spaces::Entity::find_by_id(space)
        .one(app.kernel.db.read())
        .await;
    space.unwrap().unwrap().revision_id
}
