//! More people than an answer names, who all reply to a comment or react to it.

use bindery::{
    areas::authoring::reaction_counts,
    areas::{authoring::comments::create, identity::users},
};
use chrono::TimeDelta;
use entity::{
    authoring::comments,
    ids::{CommentId, UserId},
};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};
use serde_json::Value;

use super::world::World;

pub struct Crowd<'a> {
    world: &'a World,
    /// They are named `person-0` and so on.
    pub people: Vec<UserId>,
}

impl<'a> Crowd<'a> {
    pub async fn new(world: &'a World) -> Self {
        let mut people = Vec::new();
        for number in 0..101 {
            let name = format!("person-{number}");
            let user = users::create(&world.app().identity, &format!("{name}@tidewater.example"), &name).await;
            people.push(user.unwrap().id);
        }
        Self { world, people }
    }

    /// Each some seconds after the one before.
    pub async fn reply(&self, comment: &Value) {
        let (app, id) = (self.world.app(), id_of(comment));
        let found = comments::Entity::find_by_id(id).one(app.kernel.db.read()).await;
        let first = found.unwrap().unwrap();
        let row = |(number, user): (i64, &UserId)| comments::Model {
            id: app.kernel.ids.next(),
            parent_id: Some(id),
            list_id: *id.as_uuid(),
            author_id: *user,
            posted_at: app.kernel.clock.now().plus(TimeDelta::seconds(number)),
            ..first.clone()
        };
        let replies: Vec<comments::Model> = (0..).zip(&self.people).map(row).collect();
        for reply in replies {
            app.kernel
                .db
                .write(|tx| async move { create::insert(&tx, reply).await })
                .await
                .unwrap();
        }
    }

    /// Each some seconds before the one before.
    pub async fn react(&self, comment: &Value, emoji: &str) {
        let now = self.world.app().kernel.clock.now();
        let row = |(number, user): (i64, &UserId)| comments::reactions::Model {
            comment_id: id_of(comment),
            user_id: *user,
            emoji: emoji.to_owned(),
            written: emoji.to_owned(),
            reacted_at: now.plus(TimeDelta::seconds(-number)),
        };
        let rows: Vec<comments::reactions::Model> = (0..).zip(&self.people).map(row).collect();
        let (comment, changes) = (id_of(comment), vec![(emoji.to_owned(), rows.len() as i32)]);
        let part = self.world.app().kernel.ids.next();
        let work = move |tx| async move {
            let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
            let inserted = comments::reactions::Entity::insert_many(rows);
            inserted.exec_without_returning(&tx).await?;
            reaction_counts::add(&tx, comment, changes, part).await
        };
        self.world.app().kernel.db.write(work).await.unwrap();
    }
}

fn id_of(comment: &Value) -> CommentId {
    comment["id"].as_str().unwrap().parse().unwrap()
}
