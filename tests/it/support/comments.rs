//! Comments of a space and of a change request: whatever holds for the ones holds for the others.

use bindery::areas::authoring::comments::create;
use entity::{
    authoring::comments,
    ids::{ChangeRequestId, CommentId, NodeId},
    organizations::members::MemberRole,
};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    client::Call,
    contract,
    requests::request_id,
    world::{Person, World},
};

/// Where comments are posted.
#[derive(Clone)]
pub struct Place {
    space: String,
    /// None is the content of the space.
    request: Option<String>,
}

impl Place {
    pub fn space(world: &World) -> Self {
        Self::of(world.space, None)
    }

    pub fn request(world: &World, request: &Value) -> Self {
        Self::of(world.space, Some(request))
    }

    /// In any space.
    pub fn of(space: NodeId, request: Option<&Value>) -> Self {
        Self {
            space: space.to_string(),
            request: request.map(|request| request_id(request).to_string()),
        }
    }

    /// The space, and a new change request of it.
    pub async fn both(world: &World) -> [Self; 2] {
        let request = world.change_request(&world.edit, "Discussed").await;
        [Self::space(world), Self::request(world, &request)]
    }

    pub fn is_request(&self) -> bool {
        self.request.is_some()
    }

    /// Copies of a comment, without requests.
    pub async fn repeat(&self, world: &World, comment: &Value, times: usize) {
        let app = world.app();
        let id: CommentId = comment["id"].as_str().unwrap().parse().unwrap();
        let found = comments::Entity::find_by_id(id).one(app.kernel.db.read()).await;
        let first = found.unwrap().unwrap();
        let rows: Vec<comments::Model> = (0..times)
            .map(|_| comments::Model {
                id: app.kernel.ids.next(),
                ..first.clone()
            })
            .collect();
        let work = move |tx: Tx| async move {
            for row in rows {
                create::insert(&tx, row).await?;
            }
            Ok::<_, ApiError>(())
        };
        app.kernel.db.write(work).await.unwrap();
    }

    /// An operation that the contract has for both, by the common part of its name.
    pub fn call<'a>(&self, by: &'a Person, operation: &str) -> Call<'a> {
        let call = match &self.request {
            Some(request) => {
                let operation = contract::operation(&format!("{operation}InChangeRequest"));
                by.client.operation(operation).path("changeRequestId", request)
            }
            None => by.client.operation(contract::operation(&format!("{operation}InSpace"))),
        };
        call.space(&self.space)
    }

    pub async fn post(&self, by: &Person, markdown: &str) -> Value {
        self.post_body(by, json!({ "body": { "markdown": markdown } })).await
    }

    pub async fn post_body(&self, by: &Person, body: Value) -> Value {
        self.call(by, "postComment").json(body).expect(200).await
    }

    pub fn on<'a>(&self, by: &'a Person, operation: &str, comment: &Value) -> Call<'a> {
        self.call(by, operation)
            .path("commentId", comment["id"].as_str().unwrap())
    }

    pub fn on_reply<'a>(&self, by: &'a Person, operation: &str, comment: &Value, reply: &Value) -> Call<'a> {
        let call = self.on(by, operation, comment);
        call.path("commentReplyId", reply["id"].as_str().unwrap())
    }

    pub async fn read(&self, by: &Person, comment: &Value) -> Value {
        self.on(by, "getComment", comment).expect(200).await
    }

    pub async fn update(&self, by: &Person, comment: &Value, body: Value) -> Value {
        self.on(by, "updateComment", comment).json(body).expect(200).await
    }

    pub async fn reply(&self, by: &Person, comment: &Value, markdown: &str) -> Value {
        let call = self.on(by, "postCommentReply", comment);
        call.json(json!({ "body": { "markdown": markdown } })).expect(200).await
    }

    pub async fn read_reply(&self, by: &Person, comment: &Value, reply: &Value) -> Value {
        self.on_reply(by, "getCommentReply", comment, reply).expect(200).await
    }

    /// The id that the comments are stored under.
    pub fn list(&self) -> Uuid {
        match &self.request {
            Some(request) => *request.parse::<ChangeRequestId>().unwrap().as_uuid(),
            None => *self.space.parse::<NodeId>().unwrap().as_uuid(),
        }
    }

    /// Who took part in the change request.
    pub async fn contributors(&self, world: &World) -> Value {
        let call = world
            .read
            .client
            .call("getContributorsByChangeRequestId")
            .space(&self.space);
        call.path("changeRequestId", self.request.as_ref().unwrap())
            .expect(200)
            .await
    }

    /// How many open comments the space or the change request says it has, read by itself and in its list.
    pub async fn counted(&self, world: &World) -> u64 {
        let client = &world.admin.client;
        let (one, list) = match &self.request {
            Some(request) => {
                let one = client.call("getChangeRequestById").path("changeRequestId", request);
                let list = client.call("listChangeRequestsForSpace").query("status", "draft");
                (one.space(&self.space), list.space(&self.space))
            }
            None => {
                let one = client.call("getSpaceById").space(&self.space);
                (one, client.call("listSpacesInOrganizationById").here(world))
            }
        };
        let (one, list) = (one.expect(200).await, list.expect(200).await);
        let items = list["items"].as_array().unwrap();
        let listed = items.iter().find(|item| item["id"] == one["id"]).unwrap();
        assert_eq!(listed["comments"], one["comments"]);
        one["comments"].as_u64().unwrap()
    }
}

impl World {
    /// Somebody else who may comment.
    pub async fn another_commenter(&self) -> Person {
        let name = format!("second-{}", self.app().kernel.ids.next::<Uuid>());
        self.member(&name, Some(MemberRole::Comment)).await
    }

    /// One more in each list about comments, with a reaction, by somebody who has not commented yet.
    pub async fn add_to_comments(&self, number: usize) {
        let person = self
            .member(&format!("commenter-{number}"), Some(MemberRole::Admin))
            .await;
        let request = json!({ "id": self.own("changeRequestId") });
        for place in [Place::space(self), Place::request(self, &request)] {
            place.post(&person, "One more").await;
            let path = if place.is_request() { "/change-requests/" } else { "" };
            let first = json!({ "id": self.own_at(path, "commentId") });
            place.reply(&person, &first, "One more").await;
            let reaction = json!({ "addedReactions": ["1f44d"] });
            place.update(&person, &first, reaction.clone()).await;
            let reply = json!({ "id": self.own_at(path, "commentReplyId") });
            let react = place.on_reply(&person, "updateCommentReply", &first, &reply);
            react.json(reaction).expect(200).await;
        }
    }
}

/// What a person sees of a new comment, or may do with it.
pub fn permissions(edit: bool, reply: bool, delete: bool) -> Value {
    json!({ "view": true, "edit": edit, "reply": reply, "delete": delete })
}
